"""Data sets at an address: what :func:`nnspca.datasets.open_lazily` opens of a store that fsspec reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from nnspca.errors import DataError, needed

SCHEME = "://"
BLOCK = 2**22  # bytes that are read ahead of an HDF5 file
KINDS = (".h5ad", ".h5", ".hdf5", ".zarr", ".parquet")


def is_address(path: object) -> bool:
    """Return whether a path is an address, such as ``https://host/cells.zarr``."""
    return isinstance(path, str) and SCHEME in path


def split(address: str) -> tuple[str, str, tuple[str, ...]]:
    """Return the address of a file or folder, its name, and the path inside it.

    >>> split("s3://bucket/cells.h5ad/layers/counts")
    ('s3://bucket/cells.h5ad', 'cells.h5ad', ('layers', 'counts'))
    """
    scheme, _, rest = address.partition(SCHEME)
    parts = [part for part in rest.split("/") if part]
    if ".." in unquote(rest).split("/"):
        raise DataError(f"{parts[-1]!r}: an address must not contain '..'.")
    for place, part in enumerate(parts):
        if part.lower().endswith(KINDS):
            slashes = "/" * (len(rest) - len(rest.lstrip("/")))
            return f"{scheme}{SCHEME}{slashes}{'/'.join(parts[: place + 1])}", part, tuple(parts[place + 1 :])
    name = parts[-1] if parts else address
    raise DataError(f"{name!r}: no known format; at an address, {', '.join(KINDS)} are opened.")


def size(address: str) -> int:
    """Return the number of bytes of a file, or of all files of a folder."""
    store, path = _store(address)
    return int(store.du(path))


def stream(address: str) -> Any:
    """Return a file that reads from any place of itself."""
    store, path = _store(address)
    return store.open(path, "rb", block_size=BLOCK)


def parquet(address: str, dataset: Any) -> Any:
    """Return a file, or the files of a folder, as a data set of Arrow's."""
    store, path = _store(address)
    return dataset.dataset(path, filesystem=store, format="parquet")


def _store(address: str) -> tuple[Any, str]:
    """Return the file system of an address, and the path in it."""
    core = needed("fsspec.core", "addresses", "'nnspca[remote]'")
    opened: Callable[[str], tuple[Any, str]] = core.url_to_fs
    try:
        return opened(address)
    except ImportError as problem:  # each scheme has a package of its own
        raise DataError(f"addresses of this kind need one more package: {problem}") from None
    except ValueError as problem:
        raise DataError(f"no store is known for this address: {problem}") from None
