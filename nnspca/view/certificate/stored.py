"""The certificates that come with the package: of the views that data sets open with, and of README's table."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from nnspca import load_certificate
from nnspca.result import Certificate
from nnspca.view import ledger
from nnspca.view.subject import Subject

FOLDER = Path(__file__).with_name("stored")


def file_of(name: str, standardise: bool, k: int) -> Path:
    """Return where the certificate of a data set's component with loadings >= 0 is, if there is one."""
    return FOLDER / f"{name}{'-standardised' * standardise}-k{k}.npz"


def certificate(subject: Subject, k: int) -> Certificate | None:
    """Return the certificate that is stored for a subject at k; None where there is none for its very data."""
    held = ledger.stored().get(subject.problem)
    file = None if held is None else file_of(held.name, subject.standardise, k)
    if file is None or not subject.nonnegative or not file.exists():
        return None
    proof = _read(file)
    return proof if proof.fingerprint == subject.cov.fingerprint else None


@lru_cache(4)  # a few megabytes each
def _read(file: Path) -> Certificate:
    return load_certificate(file)  # type: ignore[return-value]  # all are of one component
