"""What a browser fetches once and keeps: each content compressed, at an address that is made of it."""

import gzip
import hashlib

PLACE = "packed"  # first word of the addresses
MEDIA = {"js": "text/javascript", "json": "application/json", "png": "image/png"}
_kept: dict[str, bytes] = {}  # by address


def keep(name: str, content: bytes) -> str:
    """Answer with a content from now on; return its address, which ends with its name."""
    address = f"{PLACE}/{hashlib.sha256(content).hexdigest()[:16]}/{name}"
    if address not in _kept:
        _kept[address] = gzip.compress(content, mtime=0)
    return address


def find(address: str) -> tuple[bytes, str] | None:
    """Return the compressed content of an address and its media type; None where it has none."""
    content = _kept.get(address)
    return None if content is None else (content, MEDIA[address.rpartition(".")[2]])


def named(name: str) -> str:
    """Return the address of the content of this name that came last; empty where there is none."""
    return next((address for address in reversed(_kept) if address.endswith(f"/{name}")), "")
