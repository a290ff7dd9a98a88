"""The pair-scaled dual on a working set: valid whatever the set, tight where the set holds what matters."""

import dataclasses
import io

import numpy as np
import pytest

import nnspca
from nnspca.bounds import certificate, working
from nnspca.bounds.plan import PLANS, step_seconds
from nnspca.certificates.derivations import derive
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from nnspca.result import Bound
from tests import oracle
from tests.problems import few_large, held_as_factor, wide


def spread(seed):
    """Data in which some features vary a great deal, together, and the others less."""
    return few_large(seed, small=(0.1, 0.6))


def bounds_of(cov, k, nonnegative, features, least=np.inf, steps=120):
    part = nnspca.solve(cov, k, nonnegative=nonnegative)
    least = min(least, 1.01 * cov.trace)
    made = working.tighten(
        Problem(cov, k, nonnegative),
        np.asarray(part.loadings),
        part.variance,
        least,
        features=features,
        budget=steps * step_seconds(features),
        goal=0.0,
        monitor=Monitor(),
    )
    return part, list(made)


@pytest.fixture
def small_sets(monkeypatch):
    """Working sets that leave features out even where there are only a dozen."""
    monkeypatch.setattr(working, "SHARE", 0.5)
    monkeypatch.setattr(working, "GROWTH", 1)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("seed", range(2))
def test_no_working_set_proves_less_than_the_optimum(small_sets, seed, nonnegative):
    X = spread(seed)
    A = np.cov(X.T, bias=True)
    for k in (1, 2, 4, 7):
        best = oracle.optimum(A, k, nonnegative)[0]
        for cov, features in ((nnspca.Covariance.from_data(X), 8), (held_as_factor(X), 12)):
            made = bounds_of(cov, k, nonnegative, features, steps=60)[1]
            assert all(bound.value >= best * (1 - 1e-12) for bound in made)
            for bound in {id(bound): bound for bound in (*made[:2], *made[-3:])}.values():
                assert derive(bound.ingredients, Problem(cov, k, nonnegative)) <= bound.value


def test_a_working_set_reaches_the_optimum_where_the_rest_is_small(small_sets):
    ratios = []
    for seed in range(6):
        cov = held_as_factor(spread(seed))
        part, made = bounds_of(cov, 3, True, 9)
        if made:
            assert len(made[-1].ingredients.features) <= 9
            ratios.append(part.variance / made[-1].value)
    assert max(ratios) > 0.99


def test_bounds_only_fall_and_never_above_the_one_known(small_sets):
    cov = held_as_factor(spread(0))
    _, made = bounds_of(cov, 3, True, 9)
    values = [b.value for b in made]
    assert values == sorted(values, reverse=True)
    assert not bounds_of(cov, 3, True, 9, least=values[-1] * 0.9)[1]


def proven(seed=0):
    cov = held_as_factor(spread(seed))
    return cov, bounds_of(cov, 3, True, 9)[1][-1]


def test_limits_of_another_size_prove_more_not_less(small_sets):
    """A smaller limit spares the row it belongs to and burdens those outside, a larger one the reverse."""
    cov, bound = proven()
    best = oracle.optimum(cov.block(np.arange(14), np.arange(14)), 3, True)[0]
    for factor in (1e-3, 0.5, 2.0, 1e3):
        forged = dataclasses.replace(bound.ingredients, limits=bound.ingredients.limits * factor)
        assert derive(forged, Problem(cov, 3)) >= best * (1 - 1e-12)


def test_a_certificate_with_a_working_set_verifies_and_survives_a_file():
    cov = wide(12)
    part, made = bounds_of(cov, 6, True, 300)
    assert part.variance / made[-1].value > 0.99
    plain = nnspca.certify(cov, 6, component=part)
    cert = dataclasses.replace(plain, upper=min(plain.upper, made[-1].value), bounds=(*plain.bounds, made[-1]))
    file = io.BytesIO()
    nnspca.save_certificate(cert, file)
    nnspca.verify(nnspca.load_certificate(file.getvalue()), cov)


@pytest.mark.parametrize(("upper_bound", "tried"), [(None, 1), (1.02, 0), (1.05, 1)])
def test_a_working_set_is_tried_where_no_elimination_came_near(monkeypatch, upper_bound, tried):
    asked = []
    eliminated = [] if upper_bound is None else [Bound("elimination", upper_bound)]
    monkeypatch.setattr(certificate.working, "tighten", lambda *words, **more: asked.append(words) or ())
    monkeypatch.setattr(certificate.elimination, "tighten", lambda *words, **more: eliminated)
    problem = Problem(held_as_factor(few_large(0)), 2, True)
    known = certificate.Known(x=np.zeros(problem.n), lower=1.0)
    for bound in certificate.tighten(problem, known, PLANS["live"]):
        known.record(bound, 0.0)
    assert len(asked) == tried
