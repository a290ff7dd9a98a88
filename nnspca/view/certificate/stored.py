"""The certificates that come with the package: of the views that data sets open with, and of README's table."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from nnspca import load_certificate
from nnspca.result import Certificate, PartsCertificate
from nnspca.view import ledger
from nnspca.view.subject import Subject

FOLDER = Path(__file__).with_name("stored")


def file_of(name: str, standardise: bool, k: int) -> Path:
    """Return where the certificate of a data set's component with loadings >= 0 is, if there is one."""
    return FOLDER / f"{name}{'-standardised' * standardise}-k{k}.npz"


def certificate(subject: Subject, k: int) -> Certificate | None:
    """Return the certificate that is stored for a subject at k; None where there is none for its very data."""
    return _held(subject, k)[0]


def content(proof: Certificate | PartsCertificate, subject: Subject) -> bytes | None:
    """Return the file that a certificate was read from; None where it comes from a run."""
    held, file = _held(subject, proof.k)
    return file.read_bytes() if file is not None and held is proof else None


def _held(subject: Subject, k: int) -> tuple[Certificate, Path] | tuple[None, None]:
    held = ledger.stored().get(subject.problem)
    file = None if held is None else file_of(held.name, subject.standardise, k)
    if file is None or not subject.nonnegative or not file.exists():
        return None, None
    proof = _read(file)
    return (proof, file) if proof.fingerprint == subject.cov.fingerprint else (None, None)


@lru_cache(16)  # of all views; a few megabytes each
def _read(file: Path) -> Certificate:
    return load_certificate(file)  # type: ignore[return-value]  # all are of one component
