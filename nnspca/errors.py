"""The errors that a caller can catch: invalid data, absent packages, and certificates that fail."""

import re
from importlib import import_module
from typing import Any

ADDRESSES = re.compile(r"<[^<>]*\bat 0x[0-9a-f]+[^<>]*>", re.IGNORECASE)  # of an object in this process


class DataError(ValueError):
    """The data cannot be used as given; the message says what was found and what to change.

    Examples
    --------
    >>> import nnspca
    >>> try:
    ...     nnspca.datasets.read(b"a,b\\n", "table.csv")
    ... except nnspca.DataError as error:
    ...     print(isinstance(error, ValueError))
    True
    """


class ReadingStopped(DataError):
    """The reading of data was stopped before it was complete; nothing was kept.

    Examples
    --------
    >>> import nnspca
    >>> issubclass(nnspca.datasets.ReadingStopped, nnspca.DataError)
    True
    """


class UnknownOption(TypeError, ValueError):
    """A call was given a keyword that neither it nor its method has; the message names the nearest ones."""


class CertificateError(Exception):
    """A certificate does not prove what it claims; the message names the first claim that failed.

    Examples
    --------
    >>> import nnspca
    >>> cert = nnspca.certify(nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]]), k=1)
    >>> try:
    ...     nnspca.verify(cert, nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 3.0]]))
    ... except nnspca.CertificateError as error:
    ...     print(error)
    it was made for other data: the fingerprints differ
    """


def reason(error: object, most: int = 120) -> str:
    """Return another package's error message in brackets after a blank; nothing if it is of no use to people.

    >>> "the file is damaged" + reason(ValueError("bad  magic\\nnumber"))
    'the file is damaged (bad magic number)'
    >>> reason(EOFError()), reason(OSError("cannot identify image file <_io.BytesIO object at 0x7f00>"))
    ('', ' (cannot identify image file)')
    >>> reason(ValueError("Bad CRC-32 for file 'a.png'"))
    " (Bad CRC-32 for file 'a.png')"
    """
    text = " ".join(ADDRESSES.sub("", str(error)).split()).strip(" :,.'\"")
    if text.count("'") % 2 and str(error).endswith("'"):  # a name within quotation marks came last
        text += "'"
    return f" ({text[:most]})" if text else ""


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
        return import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise DataError(f"{what} are read by {package}, which is not installed: pip install {install}.") from error
