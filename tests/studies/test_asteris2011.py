"""What the figures of Asteris et al. (2011) must show."""

import math
from itertools import pairwise

import numpy as np
import pytest

from nnspca.spannogram import curves
from nnspca.studies import STUDIES, stored
from nnspca.studies.asteris2011 import KEPT, PROVEN, REMOVED, SPARSITY
from nnspca.studies.asteris2014 import ROWS
from tests import oracle


@pytest.fixture(scope="module")
def cells():
    return STUDIES["asteris2011-fig1"].run()


def test_the_order_of_the_magnitudes_is_the_cells_own_throughout_and_changes_between_cells(cells):
    rows = cells.table("cells").frame.to_dict("records")
    for row in rows:
        inside = np.linspace(row["From φ"], row["To φ"], 9)[1:-1]
        for phi in inside:
            order = np.argsort(-np.abs(curves.values(ROWS, phi)))
            assert " > ".join(str(i + 1) for i in order) == row["Order of magnitudes"]
    assert all(a["Order of magnitudes"] != b["Order of magnitudes"] for a, b in pairwise(rows))
    assert rows[0]["Order of magnitudes"] == rows[-1]["Order of magnitudes"]


def test_the_sets_of_the_cells_hold_the_best_support_without_sign(cells):
    best = oracle.optimum_of_rows(ROWS, SPARSITY, nonnegative=False)[1]
    assert "{" + ", ".join(str(i + 1) for i in np.flatnonzero(best)) + "}" in cells.table("cells").column("I-set")


@pytest.mark.parametrize("seed", [0, 1])
def test_candidates_stay_below_equation_23_and_below_all_sets(seed):
    for row in STUDIES["asteris2011-counts"].run(seed=seed).table("counts").frame.to_dict("records"):
        assert row["All sets of K = N/2"] == math.comb(row["N"], row["N"] // 2)
        for D in (1, 2, 3):
            assert 1 <= row[f"Found, D = {D}"] <= min(row[f"Eq. (23), D = {D}"], row["All sets of K = N/2"])
        assert row["Found, D = 1"] == 1  # rank one: the largest magnitudes, whatever the direction


def test_with_sigma_taken_off_every_problem_is_solved_exactly_and_a_certificate_knows():
    table = stored("asteris2011-proposition1").table("exactness")  # which a test of the page runs again
    assert table.column(REMOVED) == pytest.approx([1] * 7, abs=1e-9)
    kept = table.column(KEPT)
    assert kept[0] == pytest.approx(1, abs=1e-9)
    assert max(kept) <= 1 + 1e-9 and min(kept) < 1 - 1e-6
    assert all(0.999 < share <= 1 for share in table.column(PROVEN))
