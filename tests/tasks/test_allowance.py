"""What a certificate may cost: counted work ends a live one, and a thorough one is never behind it."""

from dataclasses import replace

import numpy as np
import pytest

import nnspca
from nnspca.bounds.plan import PLANS
from nnspca.control.progress import Allowance
from nnspca.tasks import _rounds
from tests import problems

PLENTY = 1e6


class Counted(Allowance):
    """An allowance that knows how much was paid."""

    paid = 0.0

    def __setattr__(self, name, value):
        if name == "left" and hasattr(self, "left") and not self.limiting:
            self.paid += self.left - value
        object.__setattr__(self, name, value)

    limiting = False

    def limit(self, seconds):
        self.limiting = True
        super().limit(seconds)
        self.limiting = False


SHAPES = [(20, 30, 3), (30, 60, 5), (15, 40, 12), (40, 40, 10), (25, 50, 25)]
CASES = [(*shape, kind) for shape in SHAPES for kind in ("matrix", "data")]


def made(m, n, k, kind):
    rng = np.random.default_rng(n + k)
    X = rng.standard_normal((m, 4)) @ rng.standard_normal((4, n)) + rng.standard_normal((m, n))
    cov = nnspca.Covariance.from_matrix(X.T @ X / m) if kind == "matrix" else problems.held_as_factor(X)
    return cov, nnspca.solve(cov, k)


@pytest.fixture
def spent(monkeypatch):
    """A function that returns the work counted so far in this call."""
    allowances = []
    plain = _rounds.allowance

    def counted(problem, plan):
        left = plain(problem, plan).left
        allowances.append(Counted(min(left, PLENTY)))
        return allowances[-1]

    monkeypatch.setattr(_rounds, "allowance", counted)

    def work():
        return sum(allowance.paid for allowance in allowances)

    work.reset = allowances.clear
    return work


def curve(cov, k, part, effort, spent):
    """The work counted and the upper bound proven at each report."""
    points = []
    spent.reset()
    nnspca.certify(
        cov, k, component=part, effort=effort, on_progress=lambda p: points.append((spent(), p.upper or np.inf))
    )
    return points


@pytest.mark.parametrize(("m", "n", "k", "kind"), CASES)
def test_at_any_cost_a_thorough_certificate_has_proven_what_a_live_one_has(m, n, k, kind, spent, monkeypatch):
    lean, live = replace(PLANS["thorough"], relaxation=0.2, trees=0.2), replace(PLANS["live"], trees=0.1)
    monkeypatch.setattr(_rounds, "SMALL", 0.0)
    monkeypatch.setattr(_rounds, "PLANS", {"live": live, "thorough": lean})
    cov, part = made(m, n, k, kind)
    quick, long = (curve(cov, k, part, effort, spent) for effort in ("live", "thorough"))
    assert long[-1][1] <= quick[-1][1]
    for cost, upper in quick[:-1]:
        assert min(u for c, u in long if c <= cost) <= upper


@pytest.mark.parametrize("seconds", [1e-9, 0.003, 0.02])
def test_work_ends_with_the_allowance_and_what_was_proven_holds(seconds, spent, monkeypatch):
    cov, part = made(40, 120, 12, "matrix")
    monkeypatch.setattr(_rounds, "PLANS", {**PLANS, "live": replace(PLANS["live"], seconds=seconds)})
    certs = []
    for _ in range(2):
        spent.reset()
        certs.append(nnspca.certify(cov, 12, component=part))
        assert spent() < seconds + 0.02
    assert certs[0].upper == certs[1].upper
    assert certs[0].lower <= certs[0].upper and not certs[0].stopped
    nnspca.verify(certs[0], cov)


def test_below_a_small_gap_little_more_is_done(spent, monkeypatch):
    cov, part = made(40, 120, 12, "matrix")
    monkeypatch.setattr(_rounds, "SMALL", np.inf)
    monkeypatch.setattr(_rounds, "REST", 0.004 / PLANS["live"].seconds)
    assert nnspca.certify(cov, 12, component=part).upper < np.inf
    assert spent() < 0.03
