"""What is stored of each data set is feasible, attained, and never below what a solver finds."""

import functools
import itertools
import math

import numpy as np
import pytest

import nnspca
from nnspca.datasets.catalogue import STORED
from nnspca.view import stored
from nnspca.view.link.state import default_k
from tests import ledger as made
from tests import shelf

KEYS = [(held.name, *held.problem[1:]) for held in stored.problems().values()]
FETCHED = ("cbcl-faces", "cbcl-faces-raw", "leukemia", "lrs")
OPENED = [key for key in KEYS if key == stored.opening_key(key[0])]
ROUND = 1e-9  # relative: sums in another order


def listed(keys):
    return [pytest.param(key, marks=pytest.mark.real_data if key[0] in FETCHED else ()) for key in sorted(keys)]


def record_of(key):
    """Return a stored record by its key, and the covariance it speaks about."""
    record = shelf.records()[key]
    if not {info.name: info.local for info in nnspca.datasets.available()}[record.name]:
        pytest.skip(f"{record.name} is not on this machine")
    content_hash, cov = covariance_of(record.name, record.standardise)
    assert record.content_hash == content_hash
    return record, cov


@functools.cache
def covariance_of(name, standardise):
    data = nnspca.datasets.load(name)
    return data.content_hash, nnspca.Covariance.from_dataset(data, standardize=standardise)


def test_every_data_set_is_stored_at_both_scales_with_the_sign_constraint_and_without():
    assert set(shelf.records()) == set(itertools.product(STORED, (False, True), (False, True)))
    for key, record in shelf.records().items():
        assert made.missing(key, record) == ([], []) and record.opening == default_k(record.n, record.name)
        assert made.weakest(record) is None  # between two stored k little is lost by carrying
    assert stored.FILE.stat().st_size < 3_000_000


@pytest.mark.parametrize("key", listed(KEYS))
def test_what_is_stored_is_feasible_and_has_the_variances_that_are_said(key):
    record, cov = record_of(key)
    for k, (part, upper) in record.components.items():
        assert part.cardinality <= k and ((part.loadings >= 0).all() or not record.nonnegative)
        assert np.isclose(cov.variance(part.loadings), part.variance, rtol=ROUND) and part.variance <= upper
    for (k, _), (parts, upper) in record.parts.items():
        assert (sum((part.loadings != 0).astype(int) for part in parts) <= 1).all()  # no feature is shared
        for part in parts:
            assert part.cardinality <= k
            assert np.isclose(cov.variance(part.loadings), part.variance, rtol=ROUND)
        assert math.fsum(part.variance for part in parts) <= upper


@pytest.mark.parametrize("key", listed(OPENED))
def test_no_solver_finds_more_than_a_stored_bound_allows(key):
    record, cov = record_of(key)
    ks = made.proven_at(record)
    for k in {record.opening, ks[len(ks) // 2]}:
        part, upper = record.components[k]
        assert max(nnspca.solve(cov, k, method, seed=7).variance for method in ("best", "em")) <= upper
        assert part.variance / upper >= 0.995
    if record.n <= 1000:  # many seconds of more
        found = nnspca.decompose(cov, 2, record.opening, deflation="together", seed=7)
        assert found.variances.sum() <= record.parts[record.opening, 2][1]


def test_stored_loadings_lose_next_to_nothing():
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("digits"))
    part = nnspca.solve(cov, 12)
    again = stored.unit_vector(*shelf.pack(part.loadings), cov.n_features)
    assert np.isclose(np.linalg.norm(again), 1.0)
    assert cov.variance(again) >= part.variance * (1 - 1e-7)
