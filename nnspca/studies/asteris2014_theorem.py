"""Asteris et al. (2014), Theorem 1: its guarantee, the paper's bound, and the share proven here."""

from __future__ import annotations

from collections.abc import Sequence

from nnspca.covariance import Covariance
from nnspca.studies import printed
from nnspca.studies._paper_bound import paper_bound
from nnspca.studies.asteris2014_curves import share
from nnspca.studies.picture import Bars, Line
from nnspca.studies.study import Study, Task
from nnspca.studies.table import Cell, Column, StudyTable, plotted
from nnspca.tasks._certify import certify
from nnspca.tasks._solve import solve

RANK = 3  # d of the paper's experiments


def guarantee(n: int, k: int, decay: float) -> float:
    """The a-priori guarantee: Alg. 1 reaches at least this share of the optimum (Theorem 1).

    ``ρ_d >= max(k / 2n, 1 / (1 + 2 (n/k) decay))``, the decay being ``λ_{d+1} / λ₁``.

    >>> guarantee(n=100, k=50, decay=0.25), guarantee(n=100, k=100, decay=0.0)
    (0.5, 1.0)
    """
    return max(k / (2 * n), 1 / (1 + 2 * (n / k) * decay))


def _theorem(task: Task) -> tuple[StudyTable, ...]:
    """Compare the guarantee of Theorem 1 with the shares that the bounds prove for a run of Alg. 3."""
    expected = {(p.study, p.k): p for p in printed.PRINTED if p.paper == "asteris2014" and p.k is not None}
    cases = [(0, "asteris2014-fig4", 180), (1, "asteris2014-fig5", 50)]
    cases += [(2, "asteris2014-fig6", k) for k in ((5, 20, 50, 90) if task.full else (20, 90))]
    if task.full:
        cases = [(0, "asteris2014-fig4", 40), cases[0], cases[1], (1, "asteris2014-fig5", 200), *cases[2:]]
    covariances = [task.covariance(place) for place in range(3)]
    max_rank = 10
    decays = [_decays(cov, max_rank) for cov in covariances]
    subjects = [(place, study, min(k, covariances[place].n_features)) for place, study, k in cases]
    names = [f"{task.data[place].name}, k = {k}" for place, _, k in subjects]
    guarantees = [
        (d, *[guarantee(covariances[p].n_features, k, decays[p][d]) for p, _, k in subjects])
        for d in range(1, max_rank + 1)
    ]
    theory = plotted(
        "theorem",
        "The guarantee of Theorem 1 before any run, by rank d",
        Column("d"),
        [Line(f"case{i}", name) for i, name in enumerate(names)],
        guarantees,
        ("d, leading directions used", "share of the best variance"),
        digits=4,
        toward="down",
        y_range=(0.0, 1.04),
    )
    rows: list[tuple[Cell, ...]] = []
    for i, (place, study, k) in enumerate(subjects):
        if task.monitor.stop():
            break
        span = (i / len(subjects), (i + 1) / len(subjects))
        theirs, ours = _proven_shares(task, covariances[place], k, span)
        p = expected.get((study, k)) if task.own else None
        promised = guarantee(covariances[place].n_features, k, decays[place][RANK])
        rows.append((names[i], promised, theirs, p.value if p else None, ours))
        task.show((_side_by_side(rows, own=task.own), theory))
    return _side_by_side(rows, own=task.own), theory


def _decays(cov: Covariance, most: int) -> list[float]:
    """Return λ_{d+1}/λ₁ for d = 0 … most, zero where there are no more directions."""
    values = cov.eigenpairs(min(most + 1, cov.n_features))[0]
    return [float(values[d] / values[0]) if d < len(values) else 0.0 for d in range(most + 1)]


def _proven_shares(task: Task, cov: Covariance, k: int, span: tuple[float, float]) -> tuple[float | None, float]:
    """Return the share of the optimum that Alg. 3 reaches, by the paper's upper bound and by the proven one."""
    middle = (span[0] + span[1]) / 2
    variance = solve(cov, k, "epsilon-net", **task.settings(span[0], middle)).variance
    proof = certify(cov, k, **task.settings(middle, span[1]))
    theirs = paper_bound(cov, k, **task.settings()).value
    return share(variance, theirs), variance / proof.upper


def _side_by_side(rows: Sequence[tuple[Cell, ...]], *, own: bool) -> StudyTable:
    """Return promise, bound, printed number and proof side by side."""
    columns = (
        Column("case", "Data and k"),
        Column("promised", "Promised by Theorem 1, d = 3", 4, "down"),
        Column("paper_share", "By the paper's bound", 4, "down"),
        Column("printed", "Printed", 3),
        Column("proven_share", "Proven here", 4, "down"),
    )
    lines = [
        Line("promised", "promised before the run (Theorem 1, d = 3)", role="guide"),
        Line("paper_share", "by the paper's bound, computed here"),
        Line("printed", "printed in the paper", role="printed"),
        Line("proven_share", "proven here"),
    ]
    title = "Promise and proof: the share of the optimum that Alg. 3 reaches, at least"
    drawn = tuple(line for line in lines if own or line.y != "printed")
    picture = Bars("case", drawn, "share of the best variance")
    table = StudyTable("guarantees", title, columns, tuple(rows), picture)
    return table if own else table.without("printed")


STUDIES = (
    Study(
        "asteris2014-theorem1",
        "asteris2014",
        "Theorem 1",
        "What is promised, what is bounded, what is proven",
        "Before any run, Theorem 1 promises a share of the optimum, computed from the spectrum alone. After the run, "
        "the paper's bound mostly guarantees a larger share, and a proven bound a still larger one. The difference is "
        "largest for many features and a small k.",
        "The theorem applies to Alg. 1, which solves the rank-d problem exactly; the other bars show Alg. 3, as in "
        "the paper's experiments. The paper prints no values of ρ; here they are computed from its formula and our "
        "spectra. For the infrared spectra see the remarks on Fig. 6.",
        _theorem,
        ("cbcl-faces", "leukemia", "lrs"),
        ("lfw-faces", "synthetic-spiked", "lrs"),
        1.0,
    ),
)
