"""What is stored of each data set is feasible, attained, and never below what a solver finds."""

import functools
import itertools
import math

import numpy as np
import pytest

import nnspca
from nnspca.view import ledger
from nnspca.view.explore.run import cardinalities
from nnspca.view.link.state import usual_k
from tests import ledger as made

RECORDS = ledger.records()
FETCHED = ("cbcl-faces", "cbcl-faces-raw", "leukemia", "lrs")
OPENED = [key for key in RECORDS if key == ledger.opened_as(key[0])]
ROUND = 1e-9  # relative: sums in another order


def listed(keys):
    return [pytest.param(key, marks=pytest.mark.real_data if key[0] in FETCHED else ()) for key in sorted(keys)]


@pytest.fixture(scope="module")
def record_of():
    """A stored record by its key, and the covariance it speaks about."""

    def made(key):
        record = RECORDS[key]
        if not {info.name: info.local for info in nnspca.datasets.available()}[record.name]:
            pytest.skip(f"{record.name} is not on this machine")
        data = nnspca.datasets.load(record.name)
        assert record.content_hash == data.content_hash
        return record, nnspca.Covariance.from_dataset(data, standardize=record.standardise)

    return functools.cache(made)


@pytest.fixture(params=listed(OPENED))
def opened(request, record_of):
    """The stored record of the view that a data set opens with."""
    return record_of(request.param)


def test_every_data_set_of_the_catalogue_is_stored_and_the_file_is_small():
    assert {key[0] for key in OPENED} == {info.name for info in nnspca.datasets.available()}
    assert ledger.FILE.stat().st_size < 3_000_000


@pytest.mark.parametrize("key", sorted(OPENED))
def test_what_readme_the_benchmarks_the_papers_and_the_curve_name_is_stored(key):
    record = RECORDS[key]
    drawn = cardinalities(record.n, record.opening)
    assert record.opening == usual_k(record.n, record.name)
    assert set(record.components) >= {*made.named(record.name, record.n), *drawn}
    assert set(record.parts) == set(range(1, min(10, record.n) + 1))


def test_every_data_set_is_stored_at_both_scales_with_the_sign_constraint_and_without():
    names = [info.name for info in nnspca.datasets.available()]
    assert set(RECORDS) == set(itertools.product(names, (False, True), (False, True)))
    assert all(made.missing(key, record) == ([], []) for key, record in RECORDS.items())


@pytest.mark.parametrize("key", sorted(RECORDS))
def test_between_two_stored_k_little_is_lost_by_carrying(key):
    assert made.weakest(RECORDS[key]) is None


@pytest.mark.parametrize("key", listed(RECORDS))
def test_what_is_stored_is_feasible_and_has_the_variances_that_are_said(key, record_of):
    record, cov = record_of(key)
    for k, (part, upper) in record.components.items():
        assert part.cardinality <= k and ((part.loadings >= 0).all() or not record.nonnegative)
        assert np.isclose(cov.variance(part.loadings), part.variance, rtol=ROUND) and part.variance <= upper
    for parts, upper in record.parts.values():
        assert (sum((part.loadings != 0).astype(int) for part in parts) <= 1).all(), "no feature is shared"
        for part in parts:
            assert part.cardinality <= record.opening
            assert np.isclose(cov.variance(part.loadings), part.variance, rtol=ROUND)
        assert math.fsum(part.variance for part in parts) <= upper


def test_no_solver_finds_more_than_a_stored_bound_allows(opened):
    record, cov = opened
    ks = made.proven_at(record)
    for k in {ks[len(ks) // 4], record.opening, ks[len(ks) // 2]}:
        for method in ("best", "em", "greedy", "thresholding", "spannogram"):
            part = nnspca.solve(cov, k, method, seed=7)
            if nnspca.METHODS[method].feasible and part.cardinality <= k:
                assert part.variance <= record.components[k][1], (record.name, k, method)
    found = nnspca.decompose(cov, 2, record.opening, deflation="together", seed=7)
    assert found.variances.sum() <= record.parts[2][1]


def test_a_live_certificate_of_the_opening_view_verifies_and_meets_what_is_stored(opened):
    """Live intervals and stored ones hold the same optimum, so that they overlap."""
    record, cov = opened
    part, upper = record.components[record.opening]
    live = nnspca.certify(cov, record.opening)
    nnspca.verify(live, cov)
    assert live.lower <= upper
    assert part.variance <= live.upper
    assert part.variance / upper >= 0.995


def test_stored_loadings_lose_next_to_nothing():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 40)) + rng.standard_normal((30, 1))
    cov = nnspca.Covariance.from_data(X)
    part = nnspca.solve(cov, 12)
    again = ledger.unpack(*ledger.pack(part.loadings), 40)
    assert np.isclose(np.linalg.norm(again), 1.0)
    assert cov.variance(again) >= part.variance * (1 - 1e-7)
