"""A file in an archive that unpacks to more than the archive lists is called too large, not damaged."""

import io
import struct
import zipfile

import pytest

from nnspca.datasets import limits, read
from nnspca.errors import DataError

pytestmark = pytest.mark.usefixtures("here")


def lying(size: int, claimed: int) -> bytes:
    """A ZIP file whose one member says it is smaller than it is."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("face.png", bytes(size))
    raw = bytearray(made.getvalue())
    for mark, at in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        place = raw.find(mark) + at
        raw[place : place + 4] = struct.pack("<I", claimed)
    return bytes(raw)


def refused(content: bytes) -> str:
    with pytest.raises(DataError) as caught:
        read(content, "faces.zip")
    return str(caught.value)


def test_a_member_that_unpacks_to_more_than_is_ever_read_is_too_large(monkeypatch):
    monkeypatch.setattr(limits, "MAX_UNPACKED_BYTES", 5_000_000)
    said = refused(lying(20_000_000, 1000))
    assert "unpacks to at least 5," in said and "at most 5,000,000 are read" in said
    assert "damaged" not in said


def test_a_member_that_unpacks_to_more_than_is_listed_says_how_much():
    said = refused(lying(9000, 1000))
    assert "'face.png' unpacks to 9,000 bytes where the archive lists 1,000" in said


def test_a_member_whose_content_was_changed_is_still_called_damaged():
    raw = bytearray(lying(9000, 9000))
    place = raw.find(b"PK\x01\x02")
    raw[place + 16] ^= 1  # its checksum
    assert "damaged" in refused(bytes(raw))
