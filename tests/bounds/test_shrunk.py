"""Rows of shrunk eigenvalues: valid whatever the tail and the directions, and far lower where noise is high."""

import dataclasses
from unittest import mock

import numpy as np
import pytest

import nnspca
from nnspca import check, check_more
from nnspca.bounds import balanced, core, levelled, shrunk
from nnspca.certificates.derivations import derive
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.covariance import samples as making
from nnspca.covariance.factor import DenseFactor, SparseFactor
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError
from tests import oracle, problems
from tests.benchmarks.data import zipf_text


def samples(rng, n):
    """Few samples of n features: noise, ties, equal features, one that never varies, units far apart, sparse ones."""
    X = rng.standard_normal((int(rng.integers(2, 8)), n))
    kind = int(rng.integers(6))
    if kind == 0:
        X = np.round(X)
    elif kind == 1:
        X[:, 0] = X[:, 1]
    elif kind == 2:
        X[:, 2] = 0.0
    elif kind == 3:
        X *= 10.0 ** rng.integers(-6, 6, n)
    elif kind == 4:
        X = (rng.random(X.shape) < 0.3) * 1.0
    X[0, 0] += 1.0
    return X


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("kind", [DenseFactor, SparseFactor])
def test_no_tail_proves_less_than_the_optimum(kind, nonnegative, monkeypatch):
    monkeypatch.setattr(shrunk, "WORTH", -1e9)  # whatever is promised
    rng, proven = np.random.default_rng(66), 0
    for _ in range(40):
        n = int(rng.integers(3, 8))
        cov = Covariance(kind.of_data(samples(rng, n), bool(rng.integers(2))))
        problem = Problem(cov, int(rng.integers(1, n + 1)), nonnegative)
        optimum, x = oracle.optimum(cov.block(np.arange(n)), problem.k, nonnegative)
        rows = balanced.balanced_rows(problem, monitor=Monitor())
        high = 0.999 * float(levelled.cost_limits(problem, rows.ingredients.weights).max())
        for bound in shrunk.of_factor(problem, x, dataclasses.replace(rows, value=high), Monitor()):
            proven += 1
            assert oracle.allows(derive(bound.ingredients, problem), optimum)
            assert derive(bound.ingredients, problem) <= bound.value
    assert proven > 10


@pytest.mark.parametrize("nonnegative", [True, False])
def test_no_core_of_a_matrix_proves_less_than_the_optimum(nonnegative, monkeypatch):
    monkeypatch.setattr(shrunk, "WORTH", -1e9)
    monkeypatch.setattr(core, "HOPELESS", 1.0)
    rng, proven = np.random.default_rng(66), 0
    for make in problems.MATRICES * 2:
        made = make(rng, int(rng.integers(5, 9)))
        problem = Problem(made.cov, int(rng.integers(1, 4)), nonnegative)
        best, x = made.attained(problem.k, nonnegative), np.eye(problem.n)[0]
        monkeypatch.setattr(shrunk, "CORES", np.sort(10.0 ** rng.uniform(-2, 0, 2)))
        for bound in shrunk.of_matrix(problem, x, 9 * made.cov.trace, 0.01, Monitor()):
            proven += 1
            assert oracle.allows(derive(bound.ingredients, problem), best)
            assert derive(bound.ingredients, problem) <= bound.value
    assert proven


def test_a_core_of_a_matrix_of_texts_proves_far_more_than_its_rows():
    cov, k = nnspca.Covariance.from_data(zipf_text(100, 160), standardize=True), 10
    component, problem = nnspca.solve(cov, k), Problem(cov, k)
    rows = balanced.balanced_rows(problem, monitor=Monitor(), lower=component.variance, readings=4)
    (bound,) = shrunk.of_matrix(problem, component.loadings, rows.value, 0.5, Monitor())
    assert component.variance <= bound.value < component.variance + 0.5 * (rows.value - component.variance)
    assert derive(bound.ingredients, problem) <= bound.value


@pytest.fixture(scope="module")
def texts():
    """Words of few texts: a text's own words make the best component, and noise has as much variance."""
    X, k = zipf_text(60, 300).toarray(), 40
    with mock.patch.object(making, "DENSE_FEATURES", 10):
        cov = nnspca.Covariance.from_data(X, standardize=True)
    problem, component = Problem(cov, k), nnspca.solve(cov, k)
    rows = balanced.balanced_rows(problem, monitor=Monitor(), lower=component.variance)
    return X, problem, component, rows, list(shrunk.of_factor(problem, component.loadings, rows, Monitor()))


def test_of_texts_it_proves_far_more_than_the_rows_of_all(texts):
    _, _, component, rows, made = texts
    values = [bound.value for bound in made]
    assert values == sorted(values, reverse=True)
    assert component.variance <= values[-1] < component.variance + 0.6 * (rows.value - component.variance)


@pytest.mark.parametrize(
    "changes",
    [
        {"tail": lambda tail: tail * (1 - 1e-6)},
        {"tail": lambda tail: 0.0},
        {"tail": lambda tail: np.nan},
        {"directions": lambda W: W * (1 - 1e-6)},
        {"directions": lambda W: W[1:]},
        {"directions": lambda W: W[:, :-1]},
        {"directions": lambda W: np.hstack([W, W, W])},
        {"directions": lambda W: W[:, :1].astype(complex)},
    ],
)
def test_a_tail_or_directions_that_prove_nothing_are_refused(texts, changes):
    _, problem, _, _, made = texts
    proof = made[-1].ingredients
    changed = {name: change(getattr(proof, name)) for name, change in changes.items()}
    with pytest.raises(CertificateError):
        derive(dataclasses.replace(proof, **changed), problem)


def test_its_proof_survives_judge_file_and_exact_checker(texts, tmp_path):
    X, problem, component, _, made = texts
    cert = nnspca.certify(problem.cov, problem.k, component=component, should_stop=lambda: True)
    cert = dataclasses.replace(cert, upper=made[-1].value, bounds=(cert.bounds[0], made[-1]))
    files = oracle.judged_files(cert, problem.cov, X, tmp_path)
    assert check.main(files) == 2
    assert check.main(files, check_more.Checker) == 0
