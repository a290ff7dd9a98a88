"""What a person can take away: loadings, tables, figures and the code that makes them again."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

import nnspca
from nnspca.result import Certificate, Component
from nnspca.studies import StudyTable
from nnspca.studies.table import written
from nnspca.view.holdings import uploads
from nnspca.view.state import State


def table_csv(rows: Iterable[Mapping[str, object]]) -> bytes:
    """Return rows with the same keys as CSV."""
    rows = list(rows)
    out = io.StringIO()
    writer = csv.writer(out)
    if rows:
        writer.writerow(map(written, rows[0]))
        writer.writerows(map(written, row.values()) for row in rows)
    return out.getvalue().encode()


def study_csv(table: StudyTable) -> bytes:
    """Return a table of a study as CSV."""
    return table.to_csv().encode()


def loadings_csv(component: Component, feature_names: Sequence[str]) -> bytes:
    """Return every feature with its loading, in the data's order."""
    return table_csv(
        {"feature": str(name), "loading": float(weight)}
        for name, weight in zip(feature_names, component.loadings, strict=True)
    )


def loadings_npz(component: Component, feature_names: Sequence[str]) -> bytes:
    """Return the component as an NPZ file that opens with ``allow_pickle=False``."""
    out = io.BytesIO()
    np.savez_compressed(
        out,
        loadings=component.loadings,
        support=component.support,
        variance=component.variance,
        k=component.k,
        nonnegative=component.nonnegative,
        method=component.method,
        feature_names=np.array([str(name) for name in feature_names]),
    )
    return out.getvalue()


def _load_line(name: str) -> str:
    if name in {info.name for info in nnspca.datasets.available()}:
        return f"data = nnspca.datasets.load({name!r})"
    file = uploads()[name].source if name in uploads() else name
    return f"data = nnspca.datasets.read({file!r})  # the path of your file"


def _data_lines(state: State) -> list[str]:
    return [
        "import nnspca",
        "",
        _load_line(state.data),
        f"cov = nnspca.Covariance.from_dataset(data, standardize={state.standardise})",
    ]


def component_code(state: State, method: str, options: Mapping[str, Any]) -> str:
    """Return the Python that finds this component and its certificate again."""
    extra = "".join(f", {name}={value!r}" for name, value in options.items())
    setting = f"nonnegative={state.nonnegative}"
    return "\n".join(
        [
            *_data_lines(state),
            f"part = nnspca.solve(cov, {state.k}, {method!r}, {setting}, seed={state.seed}{extra})",
            f"cert = nnspca.certify(cov, {state.k}, {setting}, component=part)",
            "nnspca.verify(cert, cov)  # raises unless a second route agrees",
            "print(part.support, part.variance, part.variance / cert.upper)",
        ]
    )


def certificate_npz(certificate: Certificate) -> bytes:
    """Return a certificate with all its ingredients, as ``nnspca.load_certificate`` reads it."""
    out = io.BytesIO()
    nnspca.save_certificate(certificate, out)
    return out.getvalue()


def verifier_code(state: State, file_name: str) -> str:
    """Return the Python that checks a downloaded certificate and prints its two numbers."""
    return "\n".join(
        [
            *_data_lines(state),
            f"cert = nnspca.load_certificate({file_name!r})",
            "nnspca.verify(cert, cov)  # raises nnspca.CertificateError unless a second route agrees",
            'print(f"found and checked: {cert.lower:.9g}")',
            'print(f"no component with at most {cert.k} features has more than: {cert.upper:.9g}")',
            "",
        ]
    )


def arrays_npz(**arrays: np.ndarray) -> bytes:
    """Return named arrays as an NPZ file that opens with ``allow_pickle=False``."""
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)  # type: ignore[arg-type]  # the stubs take every name for an option
    return out.getvalue()


def decompose_code(state: State, method: str, count: int, options: Mapping[str, Any]) -> str:
    """Return the Python that finds these components again."""
    extra = "".join(f", {name}={value!r}" for name, value in options.items())
    setting = f"nonnegative={state.nonnegative and method != 'pca'}"
    return "\n".join(
        [
            *_data_lines(state),
            f"parts = nnspca.decompose(cov, {count}, {state.k}, {method!r}, {setting}, seed={state.seed}{extra})",
            "print(parts.cardinalities, parts.variances, parts.cumulative_variance / parts.total)",
            "print(parts.overlap, parts.angles)",
        ]
    )


def nmf_code(state: State, count: int) -> str:
    """Return the Python that takes the samples themselves apart again."""
    return "\n".join(
        [
            *_data_lines(state),
            "from nnspca.solvers import nmf",
            f"parts = nmf.of_samples(data.X, cov, {count}, seed={state.seed})",
            "print(parts.cardinalities, parts.variances, parts.cumulative_variance / parts.total)",
            "print(parts.overlap, parts.angles)",
        ]
    )


def compare_code(state: State, names: Sequence[str], methods: Sequence[str], shares: Sequence[float]) -> str:
    """Return the Python that compares these data sets again."""
    return "\n".join(
        [
            "import nnspca",
            "from nnspca.studies import comparison",
            "",
            "data = [",
            *[f"    {_load_line(name).removeprefix('data = ').partition('  #')[0]}," for name in names],
            "]",
            f"about, points = comparison.compare(data, {tuple(methods)!r}, {tuple(shares)!r},",
            f"                                   standardize={state.standardise}, nonnegative={state.nonnegative}, "
            f"seed={state.seed})",
            "print(about.to_csv())",
            "print(points.to_csv())",
        ]
    )


def curve_code(state: State, ks: Sequence[int], methods: Sequence[str]) -> str:
    """Return the Python that computes this curve again."""
    return "\n".join(
        [
            *_data_lines(state),
            f"curve = nnspca.sweep(cov, {list(ks)}, methods={tuple(methods)!r},",
            f"                     nonnegative={state.nonnegative}, certify='live', seed={state.seed})",
            "for row in curve.to_records():",
            "    print(row)",
        ]
    )
