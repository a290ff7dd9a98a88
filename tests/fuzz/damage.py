"""Damage done to a file: bits flipped, an end cut off, stretches zeroed, doubled, or taken from another file."""

import io
import zipfile

import numpy as np


def damaged(rng: np.random.Generator, content: bytes, other: bytes) -> bytes:
    """One to three accidents."""
    made = bytearray(content)
    for _ in range(int(rng.integers(1, 4))):
        if not made:
            break
        kind, at = rng.integers(6), int(rng.integers(len(made)))
        length = int(min(len(made) - at, 10 ** rng.uniform(0, 3)))
        if kind == 0:
            for place in rng.integers(len(made), size=int(rng.integers(1, 9))):
                made[place] ^= 1 << int(rng.integers(8))
        elif kind == 1:
            del made[at:]
        elif kind == 2:
            made[at : at + length] = bytes(length)
        elif kind == 3:
            made[at:at] = made[at : at + length]
        elif kind == 4:
            start = int(rng.integers(max(1, len(other))))
            made[at : at + length] = other[start : start + length]
        else:
            del made[at : at + length]
    return bytes(made)


def damaged_inside(rng: np.random.Generator, content: bytes, other: bytes) -> bytes:
    """Damage one member of a ZIP behind the archive's checksum."""
    with zipfile.ZipFile(io.BytesIO(content)) as held:
        members = {name: held.read(name) for name in held.namelist()}
    name = list(members)[rng.integers(len(members))]
    members[name] = damaged(rng, members[name], other)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, member in members.items():
            made.writestr(name, member)
    return buffer.getvalue()
