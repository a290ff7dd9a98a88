"""A certificate as a file: plain arrays and JSON in one .npz, which can still be checked years later."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import tempfile
import warnings
from collections import Counter
from contextlib import suppress
from os import PathLike
from typing import Any, BinaryIO, overload

import numpy as np

from nnspca.certificates.derivations import DERIVATIONS
from nnspca.certificates.exact import checker_section
from nnspca.certificates.npz import TOTAL, read_arrays
from nnspca.certificates.numbers import is_of_method
from nnspca.certificates.proofs import BoxProof, PairProof, SeriesProof
from nnspca.control.arguments import check_instance, shown
from nnspca.control.installed import VERSION
from nnspca.covariance import Covariance
from nnspca.errors import CertificateError
from nnspca.numerics.halves import Halves
from nnspca.result import Bound, Certificate, Component, PartsCertificate

FORMAT = 6
TEXT = "certificate"  # the array that holds the JSON
TOP = ("format", "certificate", "bounds")
ASIDE = ("check", "written_by")  # a proof for another reader, and the version that wrote the file; not in every one
GIVEN_FEATURES = ("include", "exclude")  # in a file only where there are such features
PROOFS: dict[str, Any] = {proof.__name__: proof for proof in (*DERIVATIONS, BoxProof, Halves)}
HALVES, OWN = "halves", "_own"  # the field in place of L and M, and how its diagonal's name ends
NUMBERS = TOTAL // 8  # most entries of all L and M


_File = str | PathLike[str] | BinaryIO
_Either = Certificate | PartsCertificate


@overload
def save_certificate(cert: _Either, file: _File, cov: Covariance | None = None) -> None: ...


@overload
def save_certificate(cert: _File, file: _Either, cov: Covariance | None = None) -> None: ...


def save_certificate(cert: Any, file: Any, cov: Covariance | None = None) -> None:
    """Write a certificate with all its ingredients.

    Parameters
    ----------
    cert : Certificate or PartsCertificate
    file : path or binary file
        The two may also come in the other order. A path that does not end in ``.npz`` is given that ending.
    cov : Covariance, optional
        The one it was made for: the file then also holds the proof that ``nnspca check``, or ``check.py`` (a single
        file that needs nothing but Python), checks in exact arithmetic.

    Raises
    ------
    TypeError
        ``cert`` is no certificate, ``cov`` no covariance, or ``file`` nothing that can be written to.
    ValueError
        ``cov`` is not the one that the certificate was made for. A component whose method is no
        name: that of loadings of your own is "given".

    Warns
    -----
    UserWarning
        No ``cov``: only :func:`nnspca.verify` can check such a file.

    Examples
    --------
    >>> import io, nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> file = io.BytesIO()
    >>> nnspca.save_certificate(nnspca.certify(cov, k=1), file, cov)
    >>> nnspca.verify(nnspca.load_certificate(file.getvalue()), cov)
    """
    if type(file) in (Certificate, PartsCertificate):
        cert, file = file, cert
    if type(cert) not in (Certificate, PartsCertificate):
        raise TypeError(f"cert is {shown(cert)}; give a Certificate, as certify returns it")
    if not isinstance(file, str | PathLike) and (not hasattr(file, "write") or isinstance(file, io.TextIOBase)):
        raise TypeError(f"file is {shown(file)}; give a path, or a file open for writing in binary")
    if cov is not None:
        check_instance("cov", cov, Covariance, "the one that the certificate was made for")
        if cov.fingerprint != cert.fingerprint:
            raise ValueError("cov is not the covariance that the certificate was made for: the fingerprints differ")
    components = cert.parts if isinstance(cert, PartsCertificate) else (cert.component,)
    for part in components:
        if not is_of_method(part.method):
            raise ValueError(f"method={part.method!r:.60} is no name: small letters, digits and hyphens, 40 at most")
    arrays: dict[str, np.ndarray] = {"loadings": np.array([part.loadings for part in components])}
    bounds, halves = [], dict[int, Halves]()
    for number, bound in enumerate(cert.bounds):
        entry = _scalars(bound)
        if bound.ingredients is not None:
            entry["proof"] = _packed(bound.ingredients, f"bound{number}", arrays, halves)
        bounds.append(entry)
    described = [_scalars(part) | {"options": dict(part.options), "history": list(part.history)} for part in components]
    given = {name: list(features) for name in GIVEN_FEATURES if (features := getattr(cert, name, ()))}
    content: dict[str, Any] = {"format": FORMAT, "certificate": _scalars(cert) | given, "bounds": bounds}
    content["written_by"] = f"nnspca {VERSION}"
    if isinstance(cert, PartsCertificate):
        content["parts"] = described
    else:
        content["component"], arrays["loadings"] = described[0], arrays["loadings"][0]
    if cov is None:
        warnings.warn(
            "without cov the file holds no proof for check.py, and only nnspca.verify can check it; give "
            "save_certificate(cert, file, cov)",
            stacklevel=2,
        )
    elif written := checker_section(cert, cov, arrays, halves):
        content["check"], arrays = written
    text = _text(content)
    arrays[TEXT] = np.array(text)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]  # the stubs take every name for an option
    try:
        if isinstance(file, str | PathLike):
            _write_whole(os.fspath(file), memoryview(buffer.getvalue()))
        else:
            file.write(buffer.getvalue())
    except (TypeError, ValueError) as error:
        raise ValueError(f"file {shown(file)} cannot be written to: {error}") from error


def _write_whole(path: str, content: memoryview) -> None:
    """Write a file atomically: if the disk is full, the earlier file stays and no half-written one is left."""
    path = path if path.endswith(".npz") else f"{path}.npz"
    handle, partial = tempfile.mkstemp(dir=os.path.dirname(path) or ".", prefix=os.path.basename(path), suffix=".part")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
        os.chmod(partial, 0o666 & ~_umask())
        os.replace(partial, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(partial)
        raise


def _umask() -> int:
    """The process's umask; it can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _text(content: dict[str, Any]) -> str:
    """The words and numbers of a certificate, as JSON."""
    for part in content.get("parts", [content.get("component")]):
        for name, value in part["options"].items():
            if type(name) is not str or not (value is None or type(value) in (bool, int, float, str)):
                raise ValueError(f"option {name!r:.60} is {shown(value)}; a file holds plain numbers, words and None")
    try:
        return json.dumps(content, allow_nan=False)
    except ValueError as error:
        raise ValueError(f"a certificate with a number that is not finite cannot be saved: {error}") from error


def load_certificate(file: str | PathLike[str] | BinaryIO | bytes) -> Certificate | PartsCertificate:
    """Read a certificate written by :func:`save_certificate`; it is not checked yet: call :func:`nnspca.verify`.

    Parameters
    ----------
    file : path, binary file or bytes
        A path as it was given to :func:`save_certificate`. Nothing in it is run, and no more of it
        is read than a certificate can hold.

    Raises
    ------
    CertificateError
        The file cannot be opened, or it is not a certificate.

    Examples
    --------
    >>> import io, nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> file = io.BytesIO()
    >>> nnspca.save_certificate(nnspca.certify(cov, k=1), file, cov)
    >>> cert = nnspca.load_certificate(file.getvalue())
    >>> nnspca.verify(cert, cov)
    >>> cert.lower
    2.0
    """
    try:
        if isinstance(file, str | PathLike) and not os.path.exists(file) and os.path.exists(f"{os.fspath(file)}.npz"):
            file = f"{os.fspath(file)}.npz"  # as it was named when it was saved
        arrays = read_arrays(file, TEXT)
        content = json.loads(str(arrays.pop(TEXT)), parse_constant=_refused, object_pairs_hook=_once)
        if content["format"] != FORMAT:
            raise CertificateError(
                f"the file has format {content['format']!r:.20}; this version reads format {FORMAT} only: certify again"
            )
        content = {name: given for name, given in content.items() if name not in ASIDE}
        if sum(2 * array.size**2 for name, array in arrays.items() if name.endswith(OWN)) > NUMBERS:
            raise ValueError(f"it stands for more than {NUMBERS:,} numbers")
        if set(content) not in ({*TOP, "component"}, {*TOP, "parts"}):
            raise ValueError(f"it must hold {', '.join(TOP)}, and either a component or parts")
        bounds = tuple(_bound(entry, arrays) for entry in content["bounds"])
        for name in set(GIVEN_FEATURES) & set(content["certificate"]):
            content["certificate"][name] = tuple(content["certificate"][name])
        if "parts" in content:
            parts = tuple(_component(*each) for each in zip(content["parts"], arrays["loadings"], strict=True))
            return PartsCertificate(parts=parts, bounds=bounds, **content["certificate"])
        component = _component(content["component"], arrays["loadings"])
        return Certificate(component=component, bounds=bounds, **content["certificate"])
    except CertificateError:
        raise
    except Exception as error:  # whatever a reader of zips, headers or JSON makes of a damaged file
        reason = str(error) or type(error).__name__
        raise CertificateError(f"the file is not a certificate: {reason:.300}") from error


def _refused(constant: str) -> float:
    """Refuse NaN and infinity, which JSON lacks but Python's reader accepts."""
    raise ValueError(f"{constant} is no number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object without repeated keys; Python's reader would keep the last value."""
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        name, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"{name!r:.60} is said twice")
    return mapping


def _component(entry: dict[str, Any], loadings: np.ndarray) -> Component:
    """One component, from JSON."""
    options, history, method = entry["options"], entry["history"], entry["method"]
    if not is_of_method(method):
        raise ValueError(f"method {method!r:.60} is no name: small letters, digits and hyphens, 40 at most")
    if type(options) is not dict or type(history) is not list:
        raise ValueError("the options of a component must be an object and its history a list")
    return Component(loadings=loadings, **{**entry, "history": tuple(history)})


def _bound(entry: dict[str, Any], arrays: dict[str, np.ndarray]) -> Bound:
    """One bound with its proof, from JSON."""
    proof = entry.pop("proof", None)
    return Bound(ingredients=None if proof is None else _unpacked(proof, arrays), **entry)


def _packed(proof: object, name: str, arrays: dict[str, np.ndarray], known: dict[int, Halves]) -> dict[str, Any]:
    """Describe a proof in JSON, with its arrays stored separately by name, L and M by their halves."""
    assert dataclasses.is_dataclass(proof)
    values = {field.name: getattr(proof, field.name) for field in dataclasses.fields(proof)}
    if isinstance(proof, PairProof | SeriesProof) and (halves := Halves.of(proof.L, proof.M)):
        known[id(proof.L)] = values[HALVES] = halves
        del values["L"], values["M"]
    fields: dict[str, Any] = {}
    for field, value in values.items():
        if isinstance(value, np.ndarray):
            arrays[f"{name}_{field}"] = value
            fields[field] = {"array": f"{name}_{field}"}
        elif dataclasses.is_dataclass(value):
            fields[field] = {"proof": _packed(value, f"{name}_{field}", arrays, known)}
        elif isinstance(value, tuple) and value and dataclasses.is_dataclass(value[0]):
            parts = enumerate(value)
            fields[field] = {"proofs": [_packed(v, f"{name}_{field}{i}", arrays, known) for i, v in parts]}
        else:
            fields[field] = {"value": value}
    return {"type": type(proof).__name__, "fields": fields}


def _unpacked(content: dict[str, Any], arrays: dict[str, np.ndarray]) -> object:
    """Undo :func:`_packed`; each array may be used once, so that a file has no unchecked arrays."""
    fields: dict[str, Any] = {}
    for name, field in content["fields"].items():
        if "array" in field:
            if field["array"] not in arrays:
                raise ValueError(f"array {field['array']!r:.60} is used twice, or missing")
            fields[name] = arrays.pop(field["array"])
        elif "proof" in field:
            fields[name] = _unpacked(field["proof"], arrays)
        elif "proofs" in field:
            fields[name] = tuple(_unpacked(part, arrays) for part in field["proofs"])
        else:
            fields[name] = tuple(field["value"]) if isinstance(field["value"], list) else field["value"]
    if HALVES in fields:
        if not content["fields"][HALVES]["proof"]["fields"]["own"]["array"].endswith(OWN):
            raise ValueError(f"a diagonal of L is not called one: its name ends in {OWN!r}")
        fields["L"], fields["M"] = fields.pop(HALVES).both()
    return PROOFS[content["type"]](**fields)


def _scalars(record: object) -> dict[str, Any]:
    """Return the fields of a frozen record that fit JSON."""
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
