"""The curves on one printed page: each solver's points, and what is proven at each k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import SweepPoint
from nnspca.view import foreign
from nnspca.view.certificate import sheet
from nnspca.view.explore.variance.choices import Curves
from nnspca.view.figures.style import LIGHT
from nnspca.view.session.state import State
from nnspca.view.words import at_least, at_most, percent

MOST = 24  # values of k that a sheet has room for


def page(
    points: Mapping[tuple[int, str], SweepPoint], leading: float, data: Dataset, now: State, choice: Curves, code: str
) -> str:
    """Return the curves as a web page that needs nothing else and prints on one sheet."""
    certified = {k: p.certificate for (k, _), p in sorted(points.items()) if p.certificate is not None}
    worst = min((cert.ratio for cert in certified.values()), default=None)
    of = f"{len(certified)} of {len(choice.ks)} values of k"
    said = "No ceiling was proven yet when this was saved."
    if worst is not None:
        said = f"At each of {of}, the best component found keeps at least **{percent(worst, 1)}** of the best possible."
    methods = " ".join(f"{nnspca.METHODS[name].title}. {nnspca.METHODS[name].summary}" for name in choice.methods)
    sign = "Nonnegative loadings" if now.nonnegative else "Loadings of either sign"
    return sheet.sheet(
        f"Variance against k: {foreign.line(data.title or data.name)}",
        said,
        _bars(points, leading, choice),
        sheet.about(data, now),
        f"{methods} {sign}, seed {now.seed}. {sheet.versions()}",
        _numbers(points, leading, choice),
        f"A ceiling is proven at {of}: no component of that many features has more. Variances are shares of λ₁, "
        "rounded down; ceilings are rounded up.",
        code,
    )


def _shown(ks: Sequence[int]) -> list[int]:
    """Return all k, or evenly many of them where they are too many for a sheet."""
    if len(ks) <= MOST:
        return list(ks)
    return sorted({ks[round(i * (len(ks) - 1) / (MOST - 1))] for i in range(MOST)})


def _bars(points: Mapping[tuple[int, str], SweepPoint], leading: float, choice: Curves) -> list[str]:
    """Return each of the first two solvers' shares of λ₁ as bars."""
    drawn = []
    for at, method in enumerate(choice.methods[:2]):
        listed = [
            (f"{method}, k = {k}", points[k, method].component.variance / leading, LIGHT.series[at])
            for k in _shown(choice.ks)
            if (k, method) in points
        ]
        drawn.append(sheet.bars(listed, f"Variance kept by {method}, as a share of the first eigenvalue"))
    return drawn


def _numbers(points: Mapping[tuple[int, str], SweepPoint], leading: float, choice: Curves) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("k", *choice.methods, "nobody can pass (proven)")]
    for k in _shown(choice.ks):
        found = [points.get((k, method)) for method in choice.methods]
        cert = next((p.certificate for p in found if p is not None and p.certificate is not None), None)
        kept = ["" if p is None else at_least(p.component.variance / leading, 4) for p in found]
        rows.append((f"{k:,}", *kept, "" if cert is None else at_most(cert.upper / leading, 4)))
    return rows
