"""Many numbers of parts: the band holds the optimum, and more parts never keep less."""

from itertools import pairwise

import numpy as np
import pytest

import nnspca
from tests import budgets, oracle


def test_the_band_holds_the_optimum_and_both_curves_lie_below_it(pitprops, monkeypatch):
    budgets.brief(monkeypatch)
    seen = []
    sweep = nnspca.sweep_parts(pitprops, range(1, 4), 3, on_point=seen.append)
    assert not sweep.stopped
    assert len(seen) == 6
    optima = [value for value, _ in oracle.optima_of_parts(pitprops.matrix, 3, 3)]
    rows = sweep.to_records()
    assert [row["n_components"] for row in rows] == [1, 2, 3]
    for row, optimum in zip(rows, optima, strict=True):
        assert row["greedy"] <= row["together"] * (1 + 1e-12)
        assert row["together"] == pytest.approx(row["lower"])
        assert row["lower"] <= optimum * (1 + 1e-9)
        assert row["upper"] >= optimum * (1 - 1e-12)
        assert row["total"] == pytest.approx(13.0)
    for point in sweep.points:
        nnspca.verify(point.certificate, pitprops)


@pytest.mark.slow
def test_variance_never_falls_with_more_parts(monkeypatch):
    budgets.few_starts(monkeypatch)
    cov = nnspca.Covariance.from_data(np.random.default_rng(1).standard_normal((40, 15)))
    sweep = nnspca.sweep_parts(cov, [1, 2, 3], 3, certify=None)
    kept = [p.together.variances.sum() for p in sweep.points]
    assert all(more >= fewer * (1 - 1e-12) for fewer, more in pairwise(kept))
    assert all(row["upper"] is None for row in sweep.to_records())
