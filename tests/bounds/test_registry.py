"""A bound is a module and an entry: what certify, verify, the file and the words know of it, they read there."""

import numpy as np
import pytest

import nnspca
from nnspca.bounds.certificate import Draft
from nnspca.bounds.registry import BOUNDS, PARTS_BOUNDS
from nnspca.certificates.derivations import DERIVATIONS
from nnspca.certificates.proofs import CarriedProof
from nnspca.covariance import samples as making
from nnspca.result import Bound
from tests import budgets

LEAN = {"relaxation": 0.4, "trees": 0.1, "closed": -1.0}  # of parts: none for long, none left out for a small gap


def test_the_judge_can_judge_what_the_entries_name_and_nothing_else():
    entries = (*BOUNDS.values(), *PARTS_BOUNDS.values())
    assert {proof for info in entries for proof in info.proofs} == set(DERIVATIONS)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_every_bound_hands_over_a_proof_that_its_entry_names(nonnegative, monkeypatch):
    budgets.small(monkeypatch, pair_steps=40)
    budgets.at_any_gap(monkeypatch)
    made = {}
    for held, n in (("matrix", 12), ("factor", 2000)):
        X = np.random.default_rng(0).standard_normal((12, n))
        cov = nnspca.Covariance.from_data(X * np.linspace(1, 0.01, n))
        assert cov.held.form.name == held
        bounds = nnspca.certify(cov, 4, nonnegative=nonnegative).bounds
        for bound in bounds:
            assert bound.deterministic and type(bound.ingredients) in BOUNDS[bound.name].proofs
        made[held] = {bound.name for bound in bounds}
    assert made["matrix"] >= {"eigenvalue", "leading-direction", "balanced-rows", "pair-scaled", "branch"}
    carried = {name for name, info in BOUNDS.items() if CarriedProof in info.proofs}
    assert made["matrix"] | made["factor"] == set(BOUNDS) - carried


def test_the_first_bound_is_one_on_every_direction(cov):
    """A call that is stopped at once still has an upper bound."""
    part = nnspca.solve(cov, 3)
    cert = nnspca.certify(cov, 3, component=part, should_stop=lambda: True)
    assert cert.stopped and [bound.holds_everywhere for bound in cert.bounds] == [True]


def test_a_bound_that_is_made_again_and_worse_stays_as_it_was():
    known = Draft(parts=(nnspca.Component(np.ones(1), 1.0, "given", 1),))
    for value, seconds in ((3.0, 1.0), (4.0, 0.5)):
        known.record(Bound("eigenvalue", value), seconds)
    assert (known.upper, known.bounds["eigenvalue"].seconds) == (3.0, 1.5)
    assert known.above(1.9) and not known.above(2.0)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("held", ["matrix", "factor"])
def test_every_joint_bound_hands_over_a_proof_that_its_entry_names(held, nonnegative, monkeypatch):
    budgets.of_live_parts(monkeypatch, **LEAN)
    budgets.at_any_gap(monkeypatch)
    budgets.few_starts(monkeypatch)
    monkeypatch.setattr(making, "DENSE_FEATURES", 500)
    X = np.random.default_rng(0).standard_normal((12, 12 if held == "matrix" else 720))
    cov = nnspca.Covariance.from_data(X * np.linspace(1, 0.01, X.shape[1]))
    assert cov.held.form.name == held
    bounds = nnspca.certify_parts(cov, 2, 4, nonnegative=nonnegative).bounds
    for bound in bounds:
        assert type(bound.ingredients) in PARTS_BOUNDS[bound.name].proofs
    if held == "matrix":
        assert {bound.name for bound in bounds} >= set(PARTS_BOUNDS) - {"each"}
