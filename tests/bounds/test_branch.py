"""Branch and bound: no tree proves less than the optimum, and every leaf is needed."""

import dataclasses

import numpy as np
import pytest

import nnspca
from nnspca.bounds import branch
from nnspca.bounds.plan import step_seconds
from nnspca.certificates import pairs
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from tests import oracle

BUDGET = 2000 * step_seconds(10)


def problem(seed, n=9):
    """A covariance with a group of features that belong together, and noise."""
    rng = np.random.default_rng(seed)
    u = np.zeros(n)
    u[: n // 2] = rng.uniform(0.7, 1.0, n // 2)
    G = rng.standard_normal((2 * n, n))
    return rng.choice([0.0, 2.0, 6.0]) * np.outer(u, u) + G.T @ G / n


def bounds_of(A, k, nonnegative, goal=0.0, budget=BUDGET):
    cov = nnspca.Covariance.from_matrix(A)
    x = np.asarray(nnspca.solve(cov, k, nonnegative=nonnegative).loadings)
    made = branch.branch_and_bound(Problem(cov, k, nonnegative), x, goal=goal, monitor=Monitor().within(budget))
    return cov, list(made)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("seed", [0, 5])  # without a group, and with one
def test_no_bound_falls_below_the_optimum_and_the_judge_agrees(seed, nonnegative):
    A = problem(seed)
    for k in (1, 4, 9):
        best = oracle.optimum(A, k, nonnegative)[0]
        cov, made = bounds_of(A, k, nonnegative)
        values = [bound.value for bound in made]
        assert values == sorted(values, reverse=True)
        for bound in made[-3:]:
            assert bound.value >= best * (1 - 1e-12)
            assert pairs.tree_bound(bound.ingredients, 1, Problem(cov, k, nonnegative)) <= bound.value


@pytest.mark.parametrize("nonnegative", [True, False])
def test_the_tree_closes_on_the_optimum(nonnegative):
    for seed in range(4):
        A = problem(seed)
        best = oracle.optimum(A, 3, nonnegative)[0]
        _, made = bounds_of(A, 3, nonnegative, goal=best * (1 + 1e-6), budget=100 * BUDGET)
        assert made[-1].value <= best * (1 + 1e-5)  # if more steps on the whole are enough, they are told as well


def test_what_the_relaxation_leaves_open_the_tree_takes():
    """A random correlation matrix without sign, where the relaxation of the whole stays well above the optimum."""
    G = np.random.default_rng(5).standard_normal((6, 12))
    A = G.T @ G
    A = A / np.sqrt(np.outer(A.diagonal(), A.diagonal()))
    A = (A + A.T) / 2
    best = oracle.optimum(A, 6, False)[0]
    root = nnspca.certify(nnspca.Covariance.from_matrix(A), 6, nonnegative=False).bound("pair-scaled").value
    _, made = bounds_of(A, 6, False, goal=best * (1 + 1e-5), budget=20 * BUDGET)
    assert root > best * 1.01
    assert made[-1].value <= best * (1 + 2e-5)


def test_a_live_certificate_with_cases_verifies_and_survives_a_file():
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("digits"))
    cert = nnspca.certify(cov, 12, nonnegative=False)
    assert cert.winner.name == "branch"
    assert cert.gap <= 1e-4
    oracle.read_back(cert, cov)
    tampered = dataclasses.replace(cert, upper=cert.upper * (1 - 1e-6))
    with pytest.raises(nnspca.CertificateError):
        nnspca.verify(tampered, cov)


def test_little_work_goes_into_more_nodes(monkeypatch):
    """With the steps in each node that suit work for hundreds, 68 correlations of any sign had half of the cases."""
    A, leaves = np.corrcoef(np.random.default_rng(0).standard_normal((120, 30)), rowvar=False), []
    for nodes in (0, branch.NODES):
        monkeypatch.setattr(branch, "NODES", nodes)
        _, made = bounds_of(A, 8, False, budget=400 * step_seconds(30))
        leaves.append(made[-1].ingredients.splits.count(-1))
    assert leaves[1] > 1.5 * leaves[0]
