"""Files that are not shipped: found in a local folder or the cache, or downloaded once and verified.

By hand, as pooch can neither be stopped while a server is silent, nor count bytes where no size is
announced, nor give up on a file that grows longer than its pinned size.
"""

from __future__ import annotations

import hashlib
import lzma
import os
import stat
import tempfile
import threading
import urllib.error
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import platformdirs

from nnspca.errors import DataError, reason

BASE_URL = "https://raw.githubusercontent.com/"
DATA_VARIABLE = "NNSPCA_DATA"
CACHE_VARIABLE = "NNSPCA_CACHE"
MIRROR_VARIABLE = "NNSPCA_MIRROR"
POLL_SECONDS = 0.05
STALL_SECONDS = 20.0
_CHUNK = 1 << 14

OnProgress = Callable[[int, int | None], None]
ShouldStop = Callable[[], bool]


class DownloadStopped(DataError):
    """The download was stopped on request; nothing was kept.

    Examples
    --------
    >>> import nnspca
    >>> issubclass(nnspca.datasets.DownloadStopped, nnspca.DataError)
    True
    """


@dataclass(frozen=True)
class RemoteFile:
    """A file pinned by address, size in bytes and SHA-256 digest.

    >>> RemoteFile("a.csv", "owner/repo/commit/a.csv", "00", 10).url
    'https://raw.githubusercontent.com/owner/repo/commit/a.csv'
    """

    name: str
    path: str
    sha256: str
    size: int

    @property
    def url(self) -> str:
        """The pinned address."""
        return BASE_URL + self.path

    def by_hand(self) -> str:
        """How to supply the file without a download."""
        return (
            f"To supply it by hand, get {self.name} from {self.url}, put it in a folder and name "
            f"that folder in the environment variable {DATA_VARIABLE}, or upload the file in the "
            "app."
        )


def data_folder() -> Path | None:
    """Return the folder named by ``NNSPCA_DATA``; None when unset."""
    named = os.environ.get(DATA_VARIABLE)
    return Path(os.path.expanduser(named)) if named else None


def cache_folder() -> Path:
    """Return the folder for fetched files: ``NNSPCA_CACHE``, else the user's cache; it may not exist yet."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        return Path(os.path.expanduser(named))  # unlike Path.expanduser, it leaves an unknown home unchanged
    return platformdirs.user_cache_path("nnspca")


def local_folders() -> list[Path]:
    """Return the folders where a file may lie already, in the order they are searched."""
    given = data_folder()
    return [cache_folder()] if given is None else [given, cache_folder()]


def is_local(file: RemoteFile) -> bool:
    """Return whether the file lies in a local folder; its checksum is looked at when it is loaded."""
    return any(os.path.isfile(folder / file.name) for folder in local_folders())


def local(file: RemoteFile) -> bytes | None:
    """Return the content of ``file`` if a local folder has it; never uses the network."""
    for folder in local_folders():
        if os.path.isfile(folder / file.name) and is_content(content := read_local(folder / file.name), file):
            return content
    return None


def obtain(
    file: RemoteFile, on_progress: OnProgress | None = None, should_stop: ShouldStop | None = None
) -> tuple[bytes, str]:
    """Return the checked content of ``file`` and where it came from, fetching it when it is not here yet.

    Searched in this order: the folder ``NNSPCA_DATA``, the cache, the pinned address (or the same path below
    ``NNSPCA_MIRROR``, an https address or a folder). A fetched file is kept in the cache when that can be written.
    DataError for a wrong checksum, or a file that cannot be fetched, says how to supply it by hand.
    """
    given = data_folder()
    if given is not None:
        require_folder(given)
        if os.path.isfile(given / file.name):
            data = read_local(given / file.name)
            _check_digest(data, file, f"{file.name} in the folder {DATA_VARIABLE}")
            return data, file.name
    cached = cache_folder() / file.name
    if os.path.isfile(cached):
        data = read_local(cached)
        if _digest(data) == file.sha256:
            return data, file.url
    data, url = download(file, on_progress, should_stop)
    _keep(data, cached)
    return data, url


def unpack(file: RemoteFile) -> bytes:
    """Return the checked content of a file that comes packed beside this module."""
    packed = Path(__file__).with_name(f"{file.name}.xz")
    data = lzma.decompress(packed.read_bytes())
    _check_digest(data, file, f"{file.name} as bundled")
    return data


def require_folder(folder: Path) -> None:
    """Refuse a value of ``NNSPCA_DATA`` that is no readable folder: most likely a typing error."""
    wrong = fault(folder)
    if wrong:
        raise DataError(wrong)


def fault(folder: Path | None) -> str:
    """Return the problem with the folder in ``NNSPCA_DATA``; nothing if it is unset or readable."""
    if folder is None:
        return ""
    what = "which is not a folder"
    try:
        if stat.S_ISDIR(os.stat(folder).st_mode):
            what = "" if os.access(folder, os.R_OK | os.X_OK) else "which you may not look into"
    except PermissionError:
        what = "which lies in a folder you may not look into"
    except OSError:
        pass
    return what and f"{DATA_VARIABLE} is set to {str(folder)!r}, {what}. Correct it, or unset it to download."


def read_local(path: Path) -> bytes:
    """Read a file of the folder or the cache."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise DataError(f"{path.name} cannot be opened: {error.strerror}. Check that you may read it.") from error


def download(
    file: RemoteFile, on_progress: OnProgress | None = None, should_stop: ShouldStop | None = None
) -> tuple[bytes, str]:
    """Fetch ``file`` over the network and check it; return its content and the address it came from."""
    mirror = os.environ.get(MIRROR_VARIABLE)
    if mirror and not mirror.startswith("https://"):
        return _mirrored(file, mirror)
    url = f"{(mirror or BASE_URL).rstrip('/')}/{file.path}"
    transfer = _Transfer(url, file.size)
    transfer.start()
    reported = -1
    try:
        while not transfer.finished.wait(POLL_SECONDS):
            if should_stop is not None and should_stop():
                raise DownloadStopped(f"The download of {file.name} was stopped; nothing was kept.")
            if on_progress is not None and (done := len(transfer.received)) != reported:
                on_progress(done, transfer.total)
                reported = done
    finally:
        transfer.cancelled.set()
    if transfer.failure:
        raise DataError(f"{file.name} could not be downloaded: {transfer.failure}. {file.by_hand()}")
    data = bytes(transfer.received)
    _check_digest(data, file, f"{file.name} as downloaded")
    if on_progress is not None:
        on_progress(len(data), transfer.total)
    return data, url


def _mirrored(file: RemoteFile, mirror: str) -> tuple[bytes, str]:
    """Return the checked content of a file of a mirror that is a folder of this machine."""
    folder = Path(os.path.expanduser(mirror))
    if not folder.is_absolute():
        raise DataError(f"{MIRROR_VARIABLE} is {mirror!r}; it must start with https://, or be the path of a folder.")
    path = folder / file.path
    data = read_local(path)
    _check_digest(data, file, f"{file.name} of the mirror {mirror}")
    return data, str(path)


class _Transfer(threading.Thread):
    """Downloads one address in the background, so that the caller can stop within a moment."""

    def __init__(self, url: str, size: int):
        super().__init__(daemon=True, name="nnspca-download")
        self.url, self.size = url, size
        self.received = bytearray()
        self.total: int | None = None
        self.failure = ""
        self.finished = threading.Event()
        self.cancelled = threading.Event()

    def run(self) -> None:
        try:
            self._receive()
        except urllib.error.HTTPError as error:
            self.failure = f"the server answered {error.code}{reason(error.reason)}"
            error.close()
        except TimeoutError:
            self.failure = f"the server sent nothing for {STALL_SECONDS:g} seconds"
        except (OSError, ValueError) as error:
            cause = getattr(error, "reason", None) or error
            self.failure = f"no connection to the server{reason(cause)}; check the network"
        except Exception as error:  # a thread's exception would be lost
            self.failure = f"the answer could not be understood{reason(error)}"
        finally:
            self.finished.set()

    def _receive(self) -> None:
        request = urllib.request.Request(self.url, headers={"Accept-Encoding": "identity", "User-Agent": "nnspca"})
        with urllib.request.urlopen(request, timeout=STALL_SECONDS) as response:
            length = response.headers.get("Content-Length", "")
            self.total = int(length) if length.isdigit() else None
            while not self.cancelled.is_set() and (chunk := response.read1(_CHUNK)):
                self.received += chunk
                if len(self.received) > self.size:
                    break  # longer than the pinned file: the checksum will say so
        if self.total is not None and len(self.received) < min(self.total, self.size):
            self.failure = f"the connection ended after {len(self.received):,} of {self.total:,} bytes"


def is_content(data: bytes, file: RemoteFile) -> bool:
    """Return whether this is the content of the pinned file; it is hashed only if its size fits."""
    return len(data) == file.size and _digest(data) == file.sha256


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _check_digest(data: bytes, file: RemoteFile, what: str) -> None:
    digest = _digest(data)
    if digest != file.sha256:
        raise DataError(
            f"{what} is not the expected file: its sha256 is {digest} and should be {file.sha256}. "
            f"Remove or replace that copy. {file.by_hand()}"
        )


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
