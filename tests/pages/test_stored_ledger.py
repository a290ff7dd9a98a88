"""What is stored of each data set is feasible, attained, and never below what a solver finds."""

import math

import numpy as np
import pytest

import nnspca
from nnspca.view import ledger
from nnspca.view.explore.run import cardinalities
from nnspca.view.link.state import opening, usual_k
from tests import ledger as made

RECORDS = ledger.records()
FETCHED = ("cbcl-faces", "cbcl-faces-raw", "leukemia", "lrs")
NAMES = [pytest.param(name, marks=pytest.mark.real_data if name in FETCHED else ()) for name in sorted(RECORDS)]
DRAWN = {name: cardinalities(record.n, record.opening) for name, record in RECORDS.items()}
ROUND = 1e-9  # relative: sums in another order


@pytest.fixture(scope="module", params=NAMES)
def at_hand(request):
    """A stored record, and the covariance it speaks about."""
    record = RECORDS[request.param]
    data = nnspca.datasets.load(record.name)
    assert record.content_hash == data.content_hash
    return record, nnspca.Covariance.from_dataset(data, standardize=record.standardise)


def test_every_data_set_of_the_catalogue_is_stored_and_the_file_is_small():
    assert set(RECORDS) == {info.name for info in nnspca.datasets.available()}
    assert ledger.FILE.stat().st_size < 500_000


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_what_readme_the_benchmarks_and_the_papers_name_is_stored(name):
    assert set(RECORDS[name].components) >= made.named(name, RECORDS[name].n)


def test_what_is_stored_is_of_the_view_that_opens_feasible_and_has_the_variances_that_are_said(at_hand):
    record, cov = at_hand
    assert record.standardise == opening(record.name).standardise
    assert record.opening == usual_k(cov.n_features, record.name)
    assert set(record.components) >= set(DRAWN[record.name])
    assert set(record.parts) == set(range(1, min(10, cov.n_features) + 1))
    for k, (part, upper) in record.components.items():
        assert part.cardinality <= k and (part.loadings >= 0).all()
        assert np.isclose(cov.variance(part.loadings), part.variance, rtol=ROUND) and part.variance <= upper
    for parts, upper in record.parts.values():
        assert (sum((part.loadings != 0).astype(int) for part in parts) <= 1).all(), "no feature is shared"
        for part in parts:
            assert part.cardinality <= record.opening
            assert np.isclose(cov.variance(part.loadings), part.variance, rtol=ROUND)
        assert math.fsum(part.variance for part in parts) <= upper


def test_no_solver_finds_more_than_a_stored_bound_allows(at_hand):
    record, cov = at_hand
    ks = sorted(record.components)
    for k in {ks[len(ks) // 4], record.opening, ks[len(ks) // 2]}:
        for method in ("best", "em", "greedy", "thresholding", "spannogram"):
            part = nnspca.solve(cov, k, method, seed=7)
            if nnspca.METHODS[method].feasible and part.cardinality <= k:
                assert part.variance <= record.components[k][1], (record.name, k, method)
    found = nnspca.decompose(cov, 2, record.opening, deflation="together", seed=7)
    assert found.variances.sum() <= record.parts[2][1]


def test_a_live_certificate_of_the_opening_view_verifies_and_meets_what_is_stored(at_hand):
    """Live intervals and stored ones hold the same optimum, so that they overlap."""
    record, cov = at_hand
    part, upper = record.components[record.opening]
    live = nnspca.certify(cov, record.opening)
    nnspca.verify(live, cov)
    assert live.lower <= upper
    assert part.variance <= live.upper
    assert part.variance / upper >= 0.995


def test_sixteen_bits_lose_next_to_nothing():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 40)) + rng.standard_normal((30, 1))
    cov = nnspca.Covariance.from_data(X)
    part = nnspca.solve(cov, 12)
    again = ledger.unpack(*ledger.pack(part.loadings), 40)
    assert np.isclose(np.linalg.norm(again), 1.0)
    assert cov.variance(again) >= part.variance * (1 - 1e-8)
