"""Features shown to be in every optimal support: true by brute force, and the bound they give as well."""

import contextlib
import dataclasses
import io

import numpy as np
import pytest

import nnspca
from nnspca.bounds import forced
from nnspca.rederive import pairs
from nnspca.watch import Watch
from tests import oracle


def problem(seed, n=9):
    """A covariance with a group of features that belong together, and noise."""
    rng = np.random.default_rng(seed)
    u = np.zeros(n)
    u[: n // 2] = rng.uniform(0.7, 1.0, n // 2)
    G = rng.standard_normal((2 * n, n))
    return 6 * np.outer(u, u) + G.T @ G / n


def bounds_of(A, k, nonnegative, goal=0.0):
    cov = nnspca.Covariance.from_matrix(A)
    part = nnspca.solve(cov, k, nonnegative=nonnegative)
    made = forced.tighten(
        cov, k, np.asarray(part.loadings), part.variance, nonnegative=nonnegative, goal=goal, watch=Watch()
    )
    return cov, part, list(made)


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("seed", range(8))
def test_no_bound_falls_below_the_optimum_and_every_forced_feature_is_in_it(seed, nonnegative):
    A = problem(seed)
    for k in (3, 5):
        best, point = oracle.optimum(A, k, nonnegative)
        cov, _, made = bounds_of(A, k, nonnegative)
        for bound in made:
            assert bound.value >= best * (1 - 1e-12)
            assert set(bound.ingredients.features) <= set(np.flatnonzero(point))
            assert pairs.branch_bound(bound.ingredients, k, nonnegative, cov) <= bound.value


def test_somewhere_features_are_forced():
    assert any(bounds_of(problem(seed), 5, True)[2] for seed in range(8))


def forgeries(proof, n):
    yield "a feature repeated", dataclasses.replace(proof, features=(proof.features[0],) * len(proof.features))
    yield "a feature of no proof", dataclasses.replace(proof, features=(*proof.features, n - 1))
    yield "a feature out of range", dataclasses.replace(proof, features=(n, *proof.features[1:]))
    yield "a feature as a float", dataclasses.replace(proof, features=(0.5, *proof.features[1:]))
    first = proof.without[0]
    lower = dataclasses.replace(first, tail=first.tail - 1e-3)
    yield "a tail lowered", dataclasses.replace(proof, without=(lower, *proof.without[1:]))
    yield (
        "the rest's shares lowered",
        dataclasses.replace(proof, rest=dataclasses.replace(proof.rest, M=proof.rest.M / 2)),
    )


def test_forged_branches_are_refused():
    A = problem(1)
    cov, _, made = next(found for seed in range(8) if (found := bounds_of(problem(seed), 5, True))[2])
    proof = made[-1].ingredients
    for what, forged in forgeries(proof, len(A)):
        with pytest.raises(nnspca.CertificateError):
            pairs.branch_bound(forged, 5, True, cov)
            pytest.fail(what)


def test_a_proof_without_another_feature_proves_less():
    """The proofs of two features swapped: each is checked on the covariance without *its* feature."""
    cov, _, made = next(found for seed in range(8) if (found := bounds_of(problem(seed), 5, True))[2])
    proof = made[-1].ingredients
    honest = pairs.branch_bound(proof, 5, True, cov)
    swapped = dataclasses.replace(proof, without=proof.without[::-1])
    with contextlib.suppress(nnspca.CertificateError):
        assert pairs.branch_bound(swapped, 5, True, cov) >= honest * (1 - 1e-12)


@pytest.mark.parametrize("effort", ["live", "thorough"])
def test_a_certificate_with_forced_features_verifies_and_survives_a_file(effort):
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("digits"))
    cert = nnspca.certify(cov, 10, effort=effort)
    file = io.BytesIO()
    nnspca.save_certificate(cert, file)
    nnspca.verify(nnspca.load_certificate(file.getvalue()), cov)
