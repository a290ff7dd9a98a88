"""What the figures of Asteris et al. (2011) must show."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest

from nnspca.spannogram import curves
from nnspca.studies import STUDIES
from nnspca.studies.asteris2011 import SPARSITY, by_exhaustion
from nnspca.studies.asteris2014 import ROWS
from tests import oracle


@pytest.fixture(scope="module")
def cells():
    return STUDIES["asteris2011-fig1"].run()


def test_four_curves_make_the_twelve_cells_of_the_paper(cells):
    printed = cells.table("printed")
    assert printed.column("ours") == printed.column("printed") == [12]
    assert printed.column("difference") == [0]


def test_the_order_of_the_magnitudes_is_the_cells_own_throughout_and_changes_between_cells(cells):
    rows = cells.table("cells").to_records()
    for row in rows:
        inside = np.linspace(row["start"], row["end"], 9)[1:-1]
        for phi in inside:
            order = np.argsort(-np.abs(curves.values(ROWS, phi)))
            assert " > ".join(str(i + 1) for i in order) == row["order"]
    assert all(a["order"] != b["order"] for a, b in pairwise(rows))
    assert rows[0]["order"] == rows[-1]["order"]


def test_the_sets_of_the_cells_hold_the_best_support_without_sign(cells):
    best = oracle.optimum_of_rows(ROWS, SPARSITY, nonnegative=False)[1]
    assert "{" + ", ".join(str(i + 1) for i in np.flatnonzero(best)) + "}" in cells.table("cells").column("set")


@pytest.mark.parametrize("seed", [0, 1])
def test_candidates_stay_below_equation_23_and_below_all_sets(seed):
    for row in STUDIES["asteris2011-counts"].run(seed=seed).table("counts").to_records():
        assert row["all"] == math.comb(row["N"], row["K"])
        for D in (1, 2, 3):
            assert 1 <= row[f"found{D}"] <= min(row[f"bound{D}"], row["all"])
        assert row["found1"] == 1  # rank one: the largest magnitudes, whatever the direction


@pytest.mark.parametrize("seed", range(4))
def test_trying_every_set_finds_the_optimum(seed):
    B = np.random.default_rng(seed).standard_normal((7, 7))
    A = B @ B.T
    for K in (1, 3, 7):
        assert by_exhaustion(A, K, lambda: False) == pytest.approx(oracle.optimum(A, K, nonnegative=False)[0])
        each = [np.linalg.eigvalsh(A[np.ix_(s, s)])[-1] for s in combinations(range(7), K)]
        assert by_exhaustion(A, K, lambda: False) == pytest.approx(max(each))


def test_a_stopped_search_over_all_sets_has_no_answer():
    assert by_exhaustion(np.eye(4), 2, lambda: True) is None


def test_with_sigma_taken_off_every_problem_is_solved_exactly_and_a_certificate_knows():
    rows = STUDIES["asteris2011-proposition1"].run(seed=1).table("exactness").to_records()
    assert len(rows) > 3
    for row in rows:
        assert row["removed"] == pytest.approx(1, abs=1e-9)
        assert row["kept"] <= 1 + 1e-9
        assert 0.999 < row["proven"] <= 1
    assert rows[0]["kept"] == pytest.approx(1, abs=1e-9)
    assert min(row["kept"] for row in rows) < 1 - 1e-6
