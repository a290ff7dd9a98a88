"""BOUNDS and PARTS_BOUNDS: what each upper bound is called, why it holds, and what types of proof it has."""

from __future__ import annotations

import tomllib
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from nnspca.certificates import proofs


@dataclass(frozen=True)
class BoundInfo:
    """One bound: its description, and the types of its proofs.

    Examples
    --------
    >>> import nnspca
    >>> info = nnspca.BOUNDS["pair-scaled"]
    >>> info.name, len(info.proofs) > 0
    ('pair-scaled', True)
    """

    name: str  #: Key in :data:`BOUNDS` or :data:`PARTS_BOUNDS`, and ``Bound.name``
    title: str  #: For legends
    summary: str  #: Why no feasible variance exceeds it: one sentence, in plain words
    proofs: tuple[type, ...]  #: What its ``Bound.ingredients`` may be: types that :func:`nnspca.verify` knows
    _: KW_ONLY
    argument: str = ""  #: The reason in two to five sentences, for readers who know eigenvalues; none for parts


def _read(table: str) -> dict[str, BoundInfo]:
    """Return the bounds of a table of bounds.toml, by name."""
    entries = tomllib.loads(Path(__file__).with_name("bounds.toml").read_text(encoding="utf-8"))[table]
    return {
        name: BoundInfo(name, **{**info, "proofs": tuple(getattr(proofs, kind) for kind in info["proofs"])})
        for name, info in entries.items()
    }


BOUNDS = _read("one")
PARTS_BOUNDS = _read("parts")
