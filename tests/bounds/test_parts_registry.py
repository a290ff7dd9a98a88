"""A joint bound is a module and an entry too: what certify_parts, verify and the file know of it, they read there."""

import numpy as np
import pytest

import nnspca
from nnspca.bounds import parts as certificate
from nnspca.bounds.plan import PLANS
from nnspca.bounds.registry import PARTS_BOUNDS
from nnspca.covariance import samples as making
from nnspca.covariance.problem import Problem
from nnspca.result import Bound
from tests import budgets

LEAN = {"relaxation": 0.4, "trees": 0.1, "closed": -1.0}  # none for long, none left out for a small gap


@pytest.fixture
def lean(monkeypatch):
    """Every bound is made, none for long."""
    budgets.of_live_parts(monkeypatch, **LEAN)
    budgets.at_any_gap(monkeypatch)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("held", ["matrix", "factor"])
def test_every_bound_hands_over_a_proof_that_its_entry_names(held, nonnegative, lean, monkeypatch):
    budgets.few_starts(monkeypatch)
    monkeypatch.setattr(making, "DENSE_FEATURES", 500)
    X = np.random.default_rng(0).standard_normal((12, 12 if held == "matrix" else 720))
    cov = nnspca.Covariance.from_data(X * np.linspace(1, 0.01, X.shape[1]))
    assert cov.form.name == held
    bounds = nnspca.certify_parts(cov, 2, 4, nonnegative=nonnegative).bounds
    for bound in bounds:
        assert type(bound.ingredients) in PARTS_BOUNDS[bound.name].proofs
    if held == "matrix":
        assert {bound.name for bound in bounds} >= set(PARTS_BOUNDS) - {"larger-k", "each"}


def test_cases_are_made_only_where_the_others_leave_the_parts_short_of_optimal(cov, monkeypatch):
    budgets.of_live_parts(monkeypatch, **LEAN)
    budgets.at_any_gap(monkeypatch)
    for optimal, made in ((-1.0, True), (10.0, False)):
        monkeypatch.setattr(certificate, "OPTIMAL", optimal)
        names = [bound.name for bound in nnspca.certify_parts(cov, 2, 2).bounds]
        assert ("joint-branch" in names) == made


def test_one_part_alone_is_bounded_only_where_that_can_tell_more(monkeypatch):
    asked = []

    def single():
        asked.append(True)
        return Bound("eigenvalue", 2.0)

    problem = Problem(nnspca.Covariance.from_matrix(np.diag([2.0, 1.0, 1.0])), 1, True)
    for upper, tells in ((3.9, False), (4.1, True)):
        monkeypatch.setattr(certificate.plain, "variances", lambda problem, r, upper=upper: Bound("variances", upper))
        monkeypatch.setattr(certificate.plain, "largest_eigenvalues", lambda cov, r: None)
        known = certificate.KnownParts(X=np.eye(3)[:2], lower=3.0, best=2.0, single=single)
        monkeypatch.setattr(certificate.pair_scaled, "tighten", lambda *words, **more: ())
        made = []
        for bound in certificate.tighten(problem, known, PLANS["live"]):
            known.record(bound, 0.0)
            made.append(bound.name)
        assert ("each" in made) == tells
        assert len(asked) == tells
