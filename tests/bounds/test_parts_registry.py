"""A joint bound is a module and an entry too: what certify_parts, verify and the file know of it, they read there."""

import ast
import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import nnspca
from nnspca.bounds import plan as plan_of_one
from nnspca.bounds import schedule
from nnspca.bounds.bound import Attempt, BoundInfo
from nnspca.bounds.parts import plain
from nnspca.bounds.parts import plan as plan_of_parts
from nnspca.bounds.parts.plan import PARTS_PLANS, PartsContext
from nnspca.bounds.parts.registry import PARTS_BOUNDS
from nnspca.certificates.names import EFFORTS
from nnspca.certificates.proofs import VariancesProof
from nnspca.components import bounding
from nnspca.covariance import samples as making
from nnspca.covariance.problem import Problem
from nnspca.result import Bound
from tests import budgets

LEAN = {"steps": 40, "branch_seconds": 0.1, "closed": -1.0}  # none for long, none left out for a small gap


def trace(problem, plan, known):
    """All features together have no more variance than their trace."""
    yield Bound("trace", problem.cov.trace * (1 + 1e-9), ingredients=VariancesProof())


@pytest.fixture
def with_trace(monkeypatch):
    """One more entry, and nothing else."""
    attempt = Attempt(3, trace, counts_for_gap=True)
    entry = BoundInfo(
        "trace", "Trace", "All features hold no more than all variances.", (VariancesProof,), attempts=(attempt,)
    )
    monkeypatch.setitem(PARTS_BOUNDS, "trace", entry)
    return entry


@pytest.fixture
def cov():
    G = np.random.default_rng(3).standard_normal((9, 6))
    return nnspca.Covariance.from_matrix(G.T @ G)


@pytest.fixture
def lean(monkeypatch):
    """Every attempt is made, none for long."""
    budgets.of_live_parts(monkeypatch, **LEAN, optimal=-1.0)
    monkeypatch.setattr(plan_of_parts, "PARTS_WORTHWHILE", 1)


def test_a_new_entry_is_certified_verified_and_filed_like_any_other(with_trace, cov):
    cert = nnspca.certify_parts(cov, 2, 2)
    made = cert.bound("trace")
    assert made.value == pytest.approx(cov.trace)
    nnspca.verify(cert, cov)
    file = io.BytesIO()
    nnspca.save_certificate(cert, file, cov)
    read = nnspca.load_certificate(file.getvalue())
    nnspca.verify(read, cov)
    assert read.bound("trace").value == made.value
    with pytest.raises(nnspca.CertificateError):
        nnspca.verify(replace(cert, bounds=(replace(made, value=made.value / 2),), upper=made.value / 2), cov)


def test_a_new_entry_takes_its_turn(with_trace, cov):
    names = [bound.name for bound in nnspca.certify_parts(cov, 2, 2).bounds]
    assert names.index("variances") < names.index("trace") < names.index("eigenvalues")


def test_the_plan_is_data():
    """The order is the entries', so that no bound is known by name to the code that runs them."""
    turns = [attempt.at for _, attempt in schedule.attempts(PARTS_BOUNDS)]
    assert turns == sorted(set(turns)), "two attempts at one place"
    assert turns[0] > 0
    assert turns[-1] < 100
    for module in (schedule, bounding):
        source = Path(module.__file__).read_text(encoding="utf-8")
        words = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
        assert not words & {*PARTS_BOUNDS, *nnspca.BOUNDS}


def test_an_entry_says_in_one_sentence_why_it_holds():
    for name, info in PARTS_BOUNDS.items():
        assert info.name == name
        assert info.summary.endswith(".")
        assert info.summary.count(". ") == 0


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
    monkeypatch.setattr(plan_of_parts, "PARTS_WORTHWHILE", 1)
    for optimal, made in ((-1.0, True), (10.0, False)):
        budgets.of_live_parts(monkeypatch, **LEAN, optimal=optimal)
        names = [bound.name for bound in nnspca.certify_parts(cov, 2, 2).bounds]
        assert ("joint-branch" in names) == made


def test_one_part_alone_is_bounded_only_where_that_can_tell_more():
    asked = []

    def single():
        asked.append(True)
        return Bound("eigenvalue", 2.0)

    problem = Problem(nnspca.Covariance.from_matrix(np.diag([2.0, 1.0, 1.0])), 1, True)
    for upper, tells in ((3.9, False), (4.1, True)):
        known = PartsContext(X=np.eye(3)[:2], lower=3.0, best=2.0, single=single, bounds={"x": Bound("x", upper)})
        made = list(plain.each_by_plan(problem, PARTS_PLANS["live"], known))
        assert len(made) == len(asked) == tells
        assert all(bound.value >= 4.0 for bound in made)


def test_the_two_plans_know_the_same_efforts_and_share_no_name():
    assert tuple(PARTS_PLANS) == tuple(plan_of_one.PLANS) == EFFORTS
    of_one, of_parts = (defined_in(plan) for plan in (plan_of_one, plan_of_parts))
    assert not of_one & of_parts


def defined_in(module):
    """The public names that a module's own statements give."""
    body = ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body
    named = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    named |= {target.id for node in body if isinstance(node, ast.Assign) for target in node.targets}
    assert {"PLANS", "PARTS_PLANS"} & named
    return {name for name in named if not name.startswith("_")}
