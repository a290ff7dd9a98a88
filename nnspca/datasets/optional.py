"""Optional packages: imported when a format needs one; an error names the package that is absent."""

from __future__ import annotations

import importlib
from typing import Any

from nnspca.errors import DataError


def needed(module: str, what: str, install: str = "'nnspca[formats]'") -> Any:
    """Return an optional module, or raise an error that names its package.

    >>> needed("json", "tables of a kind").__name__
    'json'
    >>> needed("no_such_reader", "tables of a kind")
    Traceback (most recent call last):
    nnspca.errors.DataError: tables of a kind are read by no_such_reader, which is not installed: pip install
    'nnspca[formats]'.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise DataError(f"{what} are read by {package}, which is not installed: pip install {install}.") from error
