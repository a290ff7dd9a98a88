"""A bound is a module and an entry: what certify, verify, the file and the words know of it, they read there."""

import ast
import io
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import nnspca
from nnspca.bounds.parts.registry import PARTS_BOUNDS
from nnspca.bounds.plan import PLANS
from nnspca.bounds.registry import BOUNDS, Attempt, BoundInfo
from nnspca.bounds.schedule import attempts
from nnspca.certificates import file as certificate_file
from nnspca.certificates.derivations import DERIVATIONS
from nnspca.certificates.proofs import EigenvalueProof
from nnspca.result import Bound
from nnspca.tasks import _certify
from tests import budgets


def frobenius(problem, plan, known):
    """λ₁ <= √(Σ λ_i²): the Frobenius norm, which no eigenvalue exceeds."""
    every = np.arange(problem.n)
    value = float(np.linalg.norm(problem.cov.block(every, every))) * (1 + 1e-9)
    nothing = np.zeros((problem.n, 0))
    yield Bound("frobenius", value, ingredients=EigenvalueProof(nothing, value))


@pytest.fixture
def with_frobenius(monkeypatch):
    """One more entry, and nothing else."""
    entry = BoundInfo(
        "frobenius",
        "Frobenius norm",
        "No eigenvalue exceeds the root of the sum of all squares.",
        (EigenvalueProof,),
        attempts=(Attempt(12, frobenius),),
    )
    monkeypatch.setitem(BOUNDS, "frobenius", entry)
    return entry


@pytest.fixture
def cov():
    G = np.random.default_rng(3).standard_normal((9, 6))
    return nnspca.Covariance.from_matrix(G.T @ G)


def test_a_new_entry_is_certified_verified_and_filed_like_any_other(with_frobenius, cov):
    cert = nnspca.certify(cov, 3)
    made = cert.bound("frobenius")
    assert made.value == pytest.approx(np.linalg.norm(cov.block(np.arange(6))))
    nnspca.verify(cert, cov)
    file = io.BytesIO()
    nnspca.save_certificate(cert, file)
    read = nnspca.load_certificate(file.getvalue())
    nnspca.verify(read, cov)
    assert read.bound("frobenius").value == made.value
    forged = replace(made, value=made.value / 9, ingredients=replace(made.ingredients, tail=made.value / 9))
    with pytest.raises(nnspca.CertificateError):
        nnspca.verify(replace(cert, bounds=(*cert.bounds[:-1], forged)), cov)


@dataclass(frozen=True, eq=False)
class NormProof:
    """Nothing is needed to form the norm again."""

    order: int


def test_a_new_proof_is_judged_and_filed_once_its_derivation_is_named(with_frobenius, cov, monkeypatch):
    def norm(proof, r, problem):
        every = np.arange(problem.n)
        return float(np.linalg.norm(problem.cov.block(every, every)))

    def by_plan(problem, plan, known):
        (bound,) = frobenius(problem, plan, known)
        yield replace(bound, ingredients=NormProof(2))

    monkeypatch.setitem(
        BOUNDS, "frobenius", replace(with_frobenius, proofs=(NormProof,), attempts=(Attempt(12, by_plan),))
    )
    cert = nnspca.certify(cov, 3)
    with pytest.raises(nnspca.CertificateError, match="nothing to re-derive"):
        nnspca.verify(cert, cov)
    monkeypatch.setitem(DERIVATIONS, NormProof, norm)
    nnspca.verify(cert, cov)
    monkeypatch.setitem(certificate_file.PROOFS, "NormProof", NormProof)
    file = io.BytesIO()
    nnspca.save_certificate(cert, file)
    nnspca.verify(nnspca.load_certificate(file.getvalue()), cov)


def test_the_judge_can_judge_what_the_entries_name_and_nothing_else():
    entries = (*BOUNDS.values(), *PARTS_BOUNDS.values())
    assert {proof for info in entries for proof in info.proofs} == set(DERIVATIONS)


def test_a_gap_is_asked_for_once(cov, monkeypatch):
    """What the first attempt behind a gap closes does not keep the second from being made."""

    def made(name, factor):
        def make(problem, plan, known):
            asked.append(name)
            (bound,) = frobenius(problem, plan, known)
            yield replace(bound, name=name, value=factor * known.lower)

        return make

    asked = []
    entries = [BOUNDS["eigenvalue"]]
    turns = (("loose", 6, ""), ("closes", 8, "narrow"), ("second", 10, "narrow"), ("last", 12, "optimal"))
    for name, at, above in turns:
        attempt = Attempt(at, made(name, 2.0 if name == "loose" else 1.0), above=above, counts_for_gap=True)
        entries.append(BoundInfo(name, name, name, (EigenvalueProof,), attempts=(attempt,)))
    for name in list(BOUNDS):
        monkeypatch.delitem(BOUNDS, name)
    for entry in entries:
        monkeypatch.setitem(BOUNDS, entry.name, entry)
    nnspca.certify(cov, 3)
    assert asked == ["loose", "closes", "second"]


def test_a_second_attempt_that_comes_out_worse_changes_nothing(with_frobenius, cov, monkeypatch):
    def worse(problem, plan, known):
        (bound,) = frobenius(problem, plan, known)
        assert known.bounds["frobenius"].value == bound.value
        yield replace(bound, value=2 * bound.value)

    twice = (*with_frobenius.attempts, Attempt(13, worse))
    monkeypatch.setitem(BOUNDS, "frobenius", replace(with_frobenius, attempts=twice))
    made = nnspca.certify(cov, 3).bounds
    assert [bound.value for bound in made if bound.name == "frobenius"] == [
        pytest.approx(np.linalg.norm(cov.block(np.arange(6))))
    ]


def test_a_new_entry_takes_its_turn(with_frobenius, cov):
    names = [bound.name for bound in nnspca.certify(cov, 3).bounds]
    assert names.index("eigenvalue") < names.index("frobenius") < names.index("balanced-rows")


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("held", ["matrix", "factor"])
def test_every_bound_hands_over_a_proof_that_its_entry_names(held, nonnegative, monkeypatch):
    every = {"closed": -1.0, "narrow": -1.0, "optimal": -1.0}
    pairs = {"steps": 40, "working_features": 60, "seconds": 0.01}
    plan = budgets.changed(PLANS["live"], **every, pairs=pairs)
    monkeypatch.setattr(_certify, "PLANS", {"live": plan})
    X = np.random.default_rng(0).standard_normal((12, 12 if held == "matrix" else 2000))
    cov = nnspca.Covariance.from_data(X * np.linspace(1, 0.01, X.shape[1]))
    assert cov.form.name == held
    bounds = nnspca.certify(cov, 4, nonnegative=nonnegative).bounds
    for bound in bounds:
        entry = BOUNDS[bound.name]
        assert bound.deterministic and type(bound.ingredients) in entry.proofs
    if held == "matrix":
        assert {bound.name for bound in bounds} == set(BOUNDS) - {"larger-k", "smaller-k", "elimination"}


def test_the_first_attempt_is_a_bound_on_every_direction():
    first, _ = attempts(BOUNDS)[0]
    assert first.every_direction


def test_the_plan_is_data():
    """The order is the entries', so that no bound is known by name to the code that runs them."""
    turns = [attempt.at for _, attempt in attempts(BOUNDS)]
    assert turns == sorted(set(turns)), "two attempts at one place"
    assert turns[0] > 0
    assert turns[-1] < 100
    source = Path(_certify.__file__).read_text(encoding="utf-8")
    words = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    assert not words & set(BOUNDS)


def test_an_entry_says_in_one_sentence_why_it_holds():
    for name, info in BOUNDS.items():
        assert info.name == name
        assert info.summary.endswith(".")
        assert info.summary.count(". ") == 0


@pytest.mark.parametrize("name", list(BOUNDS))
def test_an_entry_argues_in_two_to_five_sentences_why_it_holds(name):
    assert 2 <= BOUNDS[name].argument.count(". ") + 1 <= 5
