"""What the figures of Asteris et al. (2014) must show whatever the data."""

import dataclasses
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nnspca
from nnspca.studies import STUDIES, stored
from nnspca.studies.asteris2014 import (
    ALG3,
    BY_PAPER,
    HARD,
    LOWER,
    METHODS,
    PRINTED,
    PROVEN,
    ROWS,
    SAMPLES,
    TITLES,
    TOP,
    UPPER,
    guarantee,
    variances,
)
from nnspca.view.spannogram import circle
from tests import budgets, oracle


def test_the_four_rows_are_those_the_spannogram_page_opens_with():
    assert np.array_equal(circle.example(2), ROWS)


def test_the_regions_of_four_curves_cover_the_circle_and_hold_the_best_support():
    regions = STUDIES["asteris2014-fig1"].run().table("regions")
    starts, ends = regions.column("From φ"), regions.column("To φ")
    assert starts[1:] == ends[:-1]
    assert ends[-1] - starts[0] == pytest.approx(2 * np.pi)
    best = oracle.optimum_of_rows(ROWS, TOP)[1]
    assert "{" + ", ".join(str(i + 1) for i in np.flatnonzero(best)) + "}" in regions.column("Top-2 set")


def test_the_crossings_are_as_many_as_the_paper_says():
    printed = STUDIES["asteris2014-fig1"].run().table("printed")
    assert printed.column("Ours")[0] == printed.column("Printed")[0] == 10
    assert printed.column("Ours")[1] <= printed.column("Printed")[1]


def test_the_hard_instance_has_its_optimum_at_an_end_of_the_arc():
    points = STUDIES["asteris2014-fig2"].run().table("points").frame
    leading, first, second, best = points["c′Qc"]
    assert not points["Feasible"][0]
    assert leading > best == pytest.approx(max(first, second))
    assert points["Least of Rc"][3] == pytest.approx(0, abs=1e-12)
    angles = np.linspace(-np.pi, np.pi, 20001)
    c = np.stack([np.sin(angles), np.cos(angles)])
    allowed = ((HARD @ c) >= 0).all(axis=0)
    assert best == pytest.approx(((HARD @ c) ** 2).sum(axis=0)[allowed].max(), rel=1e-3)


def test_one_row_is_never_hard_and_many_rows_nearly_always_are():
    hardness = STUDIES["asteris2014-fig2"].run().table("hardness")
    for column in ("d = 2", "d = 3"):
        shares = hardness.column(column)
        assert shares[0] == 0
        assert shares[-1] > 0.9


@pytest.fixture(scope="module")
def curve():
    return STUDIES["asteris2014-fig4"].run(data=["digits"])


def test_no_method_passes_the_proven_upper_bound_and_the_band_holds_the_best_known(curve):
    frame = curve.table("variance").frame
    found = frame[[ALG3, TITLES["em"], TITLES["best"]]].max(axis=1)
    assert (found <= frame[LOWER] * (1 + 1e-12)).all()
    assert (frame[LOWER] <= frame[UPPER]).all()
    assert frame[LOWER].is_monotonic_increasing


def test_nspca_is_drawn_only_where_a_price_leaves_exactly_k_features():
    """On CBCL faces no price of a loading leaves from 10 to 70 pixels: the search ends between 1 and 75."""
    frame = stored("asteris2014-fig4").table("variance").frame
    assert frame[TITLES["coordinate-descent"]].isna()[frame["k"].between(10, 70)].all()


def test_the_papers_numbers_are_not_held_against_other_data(curve):
    assert [table.name for table in curve.tables] == ["variance", "guarantee"]
    assert PRINTED not in curve.table("guarantee").frame


@pytest.fixture(scope="module")
def parts():
    """The full form, its twelve certificates from the quick bounds alone, the joint ones soon ended: they hold."""
    with pytest.MonkeyPatch.context() as patch:
        budgets.quick(patch)
        budgets.brief(patch)
        return STUDIES["asteris2014-fig3"].run(data=["digits"], full=True)


EACH = (ALG3, TITLES["em"])


@pytest.mark.parametrize("method", EACH)
def test_six_parts_share_no_pixel_and_are_unit_vectors_of_few_pixels(parts, method):
    frame = parts.table("parts").frame
    mine = frame[frame["strip"] == method]
    assert mine["pixel"].is_unique
    images = mine.groupby("image")["value"]
    assert list(images.groups) == [1, 2, 3, 4, 5, 6]
    assert images.size().max() <= 10  # 64 pixels leave six parts of ten
    assert mine["value"].min() > 0
    assert images.apply(lambda weights: (weights**2).sum()).to_numpy() == pytest.approx(1)


def test_the_variances_of_disjoint_parts_add_up_below_what_six_directions_can_hold(parts):
    table = parts.table("variances").frame
    eigenvalues = nnspca.Covariance.from_dataset(nnspca.datasets.load("digits")).eigenpairs(6)[0]
    for method in EACH:
        assert np.allclose(np.cumsum(table[method]), table[f"{method}: sum"])
        assert table[f"{method}: sum"].iloc[-1] <= eigenvalues.sum() / eigenvalues[0]
        assert table[f"{method}: proven share"].between(0, 1, inclusive="right").all()


def test_parts_sought_together_are_held_against_the_band_of_the_best_possible(parts):
    table = parts.table("together").frame
    assert table["Parts"].tolist() == [1, 2, 3, 4, 5, 6]
    best = table[[*EACH, "Together"]].max(axis=1)
    assert table[LOWER].to_numpy() == pytest.approx(best.to_numpy())
    assert (best <= table["Bound"] * (1 + 1e-9)).all()
    assert table["Together"].iloc[-1] > table[TITLES["em"]].iloc[-1], "one after the other is not the best on digits"


def test_the_samples_are_the_datas_own(parts):
    frame = parts.table("parts").frame
    first = frame[(frame["strip"] == SAMPLES) & (frame["image"] == 1)]["value"]
    assert first.tolist() == nnspca.datasets.load("digits").X[0].tolist()


@given(st.integers(1, 500), st.integers(1, 500), st.floats(0, 1), st.floats(0, 1))
def test_the_promise_is_a_share_that_falls_with_the_next_eigenvalue(n, k, one, other):
    n, k = max(n, k), min(n, k)
    low, high = sorted((one, other))
    assert 0 < guarantee(n, k, high) <= guarantee(n, k, low) <= 1
    assert guarantee(n, k, 0.0) == 1
    assert guarantee(n, k, high) <= guarantee(n, n, high)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_rank_d_component_keeps_the_share_that_theorem_1_promises(seed, d):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((8, 8)) * 0.6 ** np.arange(8)
    A = B @ B.T
    cov = nnspca.Covariance.from_matrix(A)
    eigenvalues = cov.eigenpairs(8)[0]
    for k in (2, 5, 8):
        kept = nnspca.solve(cov, k, "enumeration", rank=d).variance / oracle.optimum(A, k)[0]
        assert kept >= guarantee(8, k, eigenvalues[d] / eigenvalues[0]) - 1e-9


def test_promise_bound_and_proof_are_shares_and_the_proof_is_the_strongest_bound():
    result = STUDIES["asteris2014-theorem1"].run(data=["digits", "pitprops", "pitprops"])
    shares = result.table("guarantees").frame
    assert shares["Promised by Theorem 1, d = 3"].between(0, 1, inclusive="right").all()
    assert (shares[BY_PAPER] <= shares[PROVEN] + 1e-9).all() and (shares[PROVEN] <= 1 + 1e-9).all()
    promises = result.table("theorem").frame
    assert all(promises[name].is_monotonic_increasing for name in promises.columns[1:])


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "within"), [("asteris2014-fig4", 0.03), ("asteris2014-fig5", 0.06), ("asteris2014-fig6", 0.05)]
)
def test_the_papers_own_guarantees_come_out_near_the_printed_ones(real, name, within, monkeypatch):
    """At the k that the paper prints numbers of."""
    budgets.quick(monkeypatch)
    ks = [p.k for p in STUDIES[name].printed]
    yields = partial(variances, grid=(ks, ks, METHODS))
    result = dataclasses.replace(STUDIES[name], yields=yields).run()
    assert not result.stopped
    beside = result.table("printed")
    assert len(beside.frame) == len(ks)
    assert all(abs(d) < within for d in beside.column("Ours − printed"))
    assert all(share > 0.9 for share in beside.column("Ours, proven"))
