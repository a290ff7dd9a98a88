"""What the figures of Asteris et al. (2014) must show whatever the data."""

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nnspca
from nnspca.studies import STUDIES, asteris2014_curves, printed
from nnspca.studies.asteris2014 import HARD, ROWS, TOP
from nnspca.studies.asteris2014_theorem import guarantee
from nnspca.view.spannogram import rows
from tests import budgets, oracle


def test_the_four_rows_are_those_the_spannogram_page_opens_with():
    assert np.array_equal(rows.example(2), ROWS)


def test_the_regions_of_four_curves_cover_the_circle_and_hold_the_best_support():
    result = STUDIES["asteris2014-fig1"].run()
    regions = result.table("regions")
    starts, ends = regions.column("start"), regions.column("end")
    assert starts[1:] == ends[:-1]
    assert ends[-1] - starts[0] == pytest.approx(2 * np.pi)
    best = oracle.optimum_of_rows(ROWS, TOP)[1]
    assert "{" + ", ".join(str(i + 1) for i in np.flatnonzero(best)) + "}" in regions.column("support")


def test_the_crossings_are_as_many_as_the_paper_says():
    printed = STUDIES["asteris2014-fig1"].run().table("printed")
    assert printed.column("ours")[0] == printed.column("printed")[0] == 10
    assert printed.column("ours")[1] <= printed.column("printed")[1]


def test_the_hard_instance_has_its_optimum_at_an_end_of_the_arc():
    points = STUDIES["asteris2014-fig2"].run().table("points")
    leading, first, second, best = points.to_records()
    assert not leading["feasible"]
    assert leading["value"] > best["value"]
    assert best["value"] == pytest.approx(max(first["value"], second["value"]))
    assert best["least"] == pytest.approx(0, abs=1e-12)
    angles = np.linspace(-np.pi, np.pi, 20001)
    c = np.stack([np.sin(angles), np.cos(angles)])
    allowed = ((HARD @ c) >= 0).all(axis=0)
    assert best["value"] == pytest.approx(((HARD @ c) ** 2).sum(axis=0)[allowed].max(), rel=1e-3)


def test_one_row_is_never_hard_and_many_rows_nearly_always_are():
    hardness = STUDIES["asteris2014-fig2"].run().table("hardness")
    for column in ("d2", "d3"):
        shares = hardness.column(column)
        assert shares[0] == 0
        assert shares[-1] > 0.9


@pytest.fixture(scope="module")
def curve():
    return STUDIES["asteris2014-fig4"].run(data=["digits"])


def test_no_method_passes_the_proven_upper_bound_and_the_band_holds_the_best_known(curve):
    for row in curve.table("variance").to_records():
        found = [row[m] for m in ("epsilon-net", "em", "best")]
        assert max(found) <= row["upper"]
        assert max(found) <= row["lower"] * (1 + 1e-12) <= row["upper"]


def test_the_best_known_never_falls_as_k_grows(curve):
    best = curve.table("variance").column("lower")
    assert all(a <= b * (1 + 1e-12) for a, b in pairwise(best))


def test_what_is_proven_is_the_variance_over_the_proven_upper_bound(curve):
    for row, share in zip(curve.table("variance").to_records(), curve.table("guarantee").to_records(), strict=True):
        assert share["proven_share"] == pytest.approx(row["epsilon-net"] / row["upper"])
        assert share["paper_share"] == pytest.approx(row["epsilon-net"] / row["paper_upper"])


def test_the_papers_numbers_are_not_held_against_other_data(curve):
    assert [table.name for table in curve.tables] == ["variance", "guarantee"]
    assert "printed" not in curve.table("guarantee").names


def test_values_of_k_beyond_the_features_become_all_features():
    ks = STUDIES["asteris2014-fig4"].run(data=["pitprops"]).table("variance").column("k")
    assert ks == [10, 13]


@pytest.fixture(scope="module")
def parts():
    """The full form, its twelve certificates from the quick bounds alone, the joint ones soon ended: they hold."""
    with pytest.MonkeyPatch.context() as patch:
        budgets.quick(patch)
        budgets.brief(patch)
        return STUDIES["asteris2014-fig3"].run(data=["digits"], full=True)


def test_six_parts_share_no_pixel_and_are_unit_vectors_of_few_pixels(parts):
    rows = parts.table("parts").to_records()
    for method in ("Alg. 3 (d = 3, ε = 0.1)", "EM (best of 10 starts)"):
        mine = [row for row in rows if row["group"] == method]
        pixels = [row["feature"] for row in mine]
        assert len(set(pixels)) == len(pixels)
        assert {row["part"] for row in mine} == set(range(1, 7))
        for part in range(1, 7):
            weights = [row["loading"] for row in mine if row["part"] == part]
            assert len(weights) <= 10  # 64 pixels leave six parts of ten
            assert min(weights) > 0
            assert sum(w * w for w in weights) == pytest.approx(1)


def test_the_variances_of_disjoint_parts_add_up_below_what_six_directions_can_hold(parts):
    table = parts.table("variances")
    eigenvalues = nnspca.Covariance.from_dataset(nnspca.datasets.load("digits")).eigenpairs(6)[0]
    for method in ("epsilon-net", "em"):
        assert np.allclose(np.cumsum(table.column(method)), table.column(f"{method}-sum"))
        assert table.column(f"{method}-sum")[-1] <= eigenvalues.sum() / eigenvalues[0]
        assert all(0 < share <= 1 for share in table.column(f"{method}-share"))


def test_parts_sought_together_are_held_against_the_band_of_the_best_possible(parts):
    table = parts.table("together").to_records()
    assert [row["parts"] for row in table] == [1, 2, 3, 4, 5, 6]
    for row in table:
        best = max(row["epsilon-net"], row["em"], row["together"])
        assert row["low"] == pytest.approx(best)
        assert best <= row["upper"] * (1 + 1e-9)
        assert row["together-of-best"] == pytest.approx(min(row["together"] / row["upper"], 1.0))
    last, sums = table[-1], parts.table("variances")
    assert last["em"] == pytest.approx(sums.column("em-sum")[-1])
    assert last["together"] > last["em"], "one after the other is not the best on digits"


def test_the_samples_are_the_datas_own(parts):
    X = nnspca.datasets.load("digits").X
    first = [row["loading"] for row in parts.table("parts").to_records() if row["group"] == "samples"][:64]
    assert first == X[0].tolist()


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
    for row in result.table("guarantees").to_records():
        assert 0 < row["promised"] <= 1
        assert 0 < row["paper_share"] <= row["proven_share"] + 1e-9 <= 1 + 1e-9
    promises = result.table("theorem")
    for name in promises.names[1:]:
        falling = promises.column(name)
        assert falling == sorted(falling)


@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "within"), [("asteris2014-fig4", 0.03), ("asteris2014-fig5", 0.06), ("asteris2014-fig6", 0.05)]
)
def test_the_papers_own_guarantees_come_out_near_the_printed_ones(real, name, within, monkeypatch):
    """At the k that the paper prints numbers of; the browser's tests run the whole reduced form on these data."""
    budgets.quick(monkeypatch)
    ks = [p.k for p in printed.of(name)]
    result = dataclasses.replace(STUDIES[name], work=asteris2014_curves.curves_of(name, ks, ks)).run()
    assert not result.stopped
    beside = result.table("printed")
    assert len(beside.rows) == len(ks)
    assert all(abs(d) < within for d in beside.column("difference"))
    assert all(share > 0.9 for share in beside.column("better"))
