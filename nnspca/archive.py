"""A certificate as a file: plain arrays and JSON in one .npz, so that anyone can check it years later."""

from __future__ import annotations

import dataclasses
import io
import json
import zlib
from os import PathLike
from typing import Any, BinaryIO
from zipfile import BadZipFile

import numpy as np

from nnspca.errors import CertificateError
from nnspca.result import Bound, Certificate, Component, EntryProof, PairProof, RankProof, ScaleProof

FORMAT = 1
PROOFS: dict[str, Any] = {proof.__name__: proof for proof in (EntryProof, PairProof, RankProof, ScaleProof)}


def save_certificate(cert: Certificate, file: str | PathLike[str] | BinaryIO) -> None:
    """Write a certificate with all its ingredients.

    Parameters
    ----------
    cert : Certificate
    file : path or binary file
        Conventionally ends in ``.npz``.

    Examples
    --------
    >>> import io, nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> file = io.BytesIO()
    >>> nnspca.save_certificate(nnspca.certify(cov, k=1), file)
    >>> nnspca.verify(nnspca.load_certificate(file.getvalue()), cov)
    """
    arrays: dict[str, np.ndarray] = {"loadings": np.asarray(cert.component.loadings)}
    bounds = []
    for number, bound in enumerate(cert.bounds):
        entry = _scalars(bound)
        if bound.ingredients is not None:
            entry["proof"] = type(bound.ingredients).__name__
            entry["claims"] = _scalars(bound.ingredients)
            for name, value in vars(bound.ingredients).items():
                if isinstance(value, np.ndarray):
                    arrays[f"bound{number}_{name}"] = value
        bounds.append(entry)
    component = _scalars(cert.component)
    component["options"] = dict(cert.component.options)
    component["history"] = list(cert.component.history)
    text = json.dumps(
        {"format": FORMAT, "certificate": _scalars(cert), "component": component, "bounds": bounds}, allow_nan=False
    )
    np.savez_compressed(file, certificate=np.array(text), **arrays)


def load_certificate(file: str | PathLike[str] | BinaryIO | bytes) -> Certificate:
    """Read a certificate written by :func:`save_certificate`; it is not checked yet: call :func:`nnspca.verify`.

    Raises
    ------
    CertificateError
        The file is not a certificate.
    """
    try:
        with np.load(io.BytesIO(file) if isinstance(file, bytes) else file, allow_pickle=False) as held:
            content = json.loads(str(held["certificate"]))
            arrays = {name: held[name] for name in held.files}
        if content["format"] != FORMAT:
            raise CertificateError(f"the file has format {content['format']}; this version reads format {FORMAT}")
        component = Component(
            loadings=arrays["loadings"],
            **{**content["component"], "history": tuple(content["component"]["history"])},
        )
        bounds = tuple(_bound(number, entry, arrays) for number, entry in enumerate(content["bounds"]))
        return Certificate(component=component, bounds=bounds, **content["certificate"])
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, BadZipFile, zlib.error) as error:
        raise CertificateError(f"the file is not a certificate: {error}") from error


def _bound(number: int, entry: dict[str, Any], arrays: dict[str, np.ndarray]) -> Bound:
    """One bound, its proof put together again."""
    name, claims = entry.pop("proof", None), entry.pop("claims", {})
    proof = None
    if name is not None:
        prefix = f"bound{number}_"
        held = {key[len(prefix) :]: value for key, value in arrays.items() if key.startswith(prefix)}
        proof = PROOFS[name](**claims, **held)
    return Bound(ingredients=proof, **entry)


def _scalars(record: object) -> dict[str, Any]:
    """Return the fields of a frozen record that JSON can hold."""
    assert dataclasses.is_dataclass(record)
    plain: dict[str, Any] = {}
    for field in dataclasses.fields(record):
        value = getattr(record, field.name)
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | float | str):
            plain[field.name] = value
    plain.pop("ingredients", None)
    return plain
