"""Files that are not shipped: found in a local folder or the cache, or downloaded once and verified.

By hand, as pooch can neither be stopped while a server is silent, nor give up on a file that grows longer than its
pinned size, nor return what it cannot keep.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import tempfile
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped, run_cancellable
from nnspca.errors import DataError, ReadingStopped, reason

BASE_URL = "https://raw.githubusercontent.com/"
DATA_VARIABLE, CACHE_VARIABLE = "NNSPCA_DATA", "NNSPCA_CACHE"
STALL_SECONDS = 20.0
_CHUNK = 1 << 14

OnProgress = Callable[[int, int | None], None]
ShouldStop = Callable[[], bool]


@dataclass(frozen=True)
class RemoteFile:
    """A file pinned by address, size in bytes and SHA-256 digest."""

    name: str
    path: str
    sha256: str
    size: int

    @property
    def url(self) -> str:
        """The pinned address."""
        return BASE_URL + self.path

    @property
    def by_hand(self) -> str:
        """How to supply the file without a download."""
        return (
            f"To supply it by hand, get {self.name} from {self.url}, put it in a folder and name that folder in the "
            f"environment variable {DATA_VARIABLE}, or upload the file in the app."
        )

    def is_content(self, data: bytes) -> bool:
        """Whether this is the content of the file; it is hashed only if its size fits."""
        return len(data) == self.size and hashlib.sha256(data).hexdigest() == self.sha256

    def checked(self, data: bytes, where: str) -> bytes:
        """Return the content; DataError, which says where it was, if it is another file's."""
        digest = hashlib.sha256(data).hexdigest()
        if digest != self.sha256:
            raise DataError(
                f"{self.name} {where} is not the expected file: its sha256 is {digest} and should be {self.sha256}. "
                f"Remove or replace that copy. {self.by_hand}"
            )
        return data


def data_folder() -> Path | None:
    """Return the folder named by ``NNSPCA_DATA``; None when unset."""
    named = os.environ.get(DATA_VARIABLE)
    return Path(os.path.expanduser(named)) if named else None


def cache_folder() -> Path:
    """Return the folder for fetched files: ``NNSPCA_CACHE``, else the user's cache; it may not exist yet."""
    named = os.environ.get(CACHE_VARIABLE)  # unlike Path.expanduser, os.path's leaves an unknown home unchanged
    return Path(os.path.expanduser(named)) if named else platformdirs.user_cache_path("nnspca")


def local_folders() -> list[Path]:
    """Return the folders where a file may lie already, in the order they are searched."""
    given = data_folder()
    return [cache_folder()] if given is None else [given, cache_folder()]


def is_local(file: RemoteFile) -> bool:
    """Return whether the file lies in a local folder; its checksum is checked when it is loaded."""
    return any(os.path.isfile(folder / file.name) for folder in local_folders())


def local(file: RemoteFile) -> bytes | None:
    """Return the content of ``file`` if a local folder has it; never uses the network."""
    found = (read_local(folder / file.name) for folder in local_folders() if os.path.isfile(folder / file.name))
    return next(filter(file.is_content, found), None)


def obtain(
    file: RemoteFile, on_progress: OnProgress | None = None, should_stop: ShouldStop | None = None
) -> tuple[bytes, str]:
    """Return the checked content of ``file`` and where it came from, fetching it when it is not here yet."""
    given = data_folder()
    if given is not None:
        require_folder(given)
        if os.path.isfile(given / file.name):
            return file.checked(read_local(given / file.name), f"in the folder {DATA_VARIABLE}"), file.name
    cached = cache_folder() / file.name
    if os.path.isfile(cached) and file.is_content(data := read_local(cached)):
        return data, file.url
    data = download(file, on_progress, should_stop)
    _keep(data, cached)
    return data, file.url


def unpack(file: RemoteFile) -> bytes:
    """Return the checked content of a file that comes packed beside this module."""
    packed = Path(__file__).with_name(f"{file.name}.xz")
    return file.checked(lzma.decompress(packed.read_bytes()), "as bundled")


def require_folder(folder: Path) -> None:
    """Refuse a value of ``NNSPCA_DATA`` that is no readable folder: most likely a typing error."""
    if wrong := folder_problem(folder):
        raise DataError(wrong)


def folder_problem(folder: Path | None) -> str:
    """Return the problem with the folder in ``NNSPCA_DATA``; nothing if it is unset or readable."""
    if folder is None or (os.path.isdir(folder) and os.access(folder, os.R_OK | os.X_OK)):
        return ""
    wrong = "which is not a folder that you may look into"
    return f"{DATA_VARIABLE} is set to {str(folder)!r}, {wrong}. Correct it, or unset it to download."


def read_local(path: Path) -> bytes:
    """Read a file of this machine."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path.name!r} cannot be opened: {error.strerror}. Check that you may read it.") from error


def download(file: RemoteFile, on_progress: OnProgress | None = None, should_stop: ShouldStop | None = None) -> bytes:
    """Fetch ``file`` over the network and check it."""
    import http.client  # here, as they and what they bring take a tenth of what `import nnspca` takes
    import urllib.error

    ended = threading.Event()
    try:
        data = run_cancellable(lambda: _received(file.url, file.size, on_progress, ended), Monitor(should_stop))
    except Stopped:
        raise ReadingStopped(f"The download of {file.name} was stopped; nothing was kept.") from None
    except urllib.error.HTTPError as error:
        failure = f"the server answered {error.code}{reason(error.reason)}"
        error.close()
    except TimeoutError:
        failure = f"the server sent nothing for {STALL_SECONDS:g} seconds"
    except EOFError as error:
        failure = str(error)
    except (OSError, ValueError, http.client.HTTPException) as error:
        failure = f"no connection to the server{reason(getattr(error, 'reason', None) or error)}; check the network"
    else:
        return file.checked(data, "as downloaded")
    finally:
        ended.set()
    raise DataError(f"{file.name} could not be downloaded: {failure}. {file.by_hand}")


def _received(url: str, most: int, on_progress: OnProgress | None, ended: threading.Event) -> bytes:
    """What an address sends until it is ended: a file longer than the pinned one is none, as its checksum will say."""
    import urllib.request

    request = urllib.request.Request(url, headers={"Accept-Encoding": "identity", "User-Agent": "nnspca"})
    received = bytearray()
    with urllib.request.urlopen(request, timeout=STALL_SECONDS) as response:
        length = response.headers.get("Content-Length", "")
        total = int(length) if length.isdigit() else None
        while not ended.is_set() and len(received) <= most and (chunk := response.read1(_CHUNK)):
            received += chunk
            if on_progress is not None:
                on_progress(len(received), total)
    if total is not None and len(received) < min(total, most):
        raise EOFError(f"the connection ended after {len(received):,} of {total:,} bytes")
    return bytes(received)


def _keep(data: bytes, path: Path) -> None:
    """Write to the cache atomically, so that no reader sees half a file; failures are ignored."""
    if path.parts[0].startswith("~"):
        return  # no home is known to keep it in
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, partial = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.replace(partial, path)
        except BaseException:
            with suppress(OSError):
                os.unlink(partial)
            raise
