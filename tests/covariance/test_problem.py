"""A problem on fewer features asks for no more nonzeros than they allow, and changes nothing else."""

import dataclasses

import numpy as np
import pytest

import nnspca
from nnspca.covariance.problem import Problem


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_a_restricted_problem_is_the_one_on_the_features_kept(k, nonnegative):
    G = np.random.default_rng(k).standard_normal((8, 5))
    whole = Problem(nnspca.Covariance.from_matrix(G.T @ G), k, nonnegative)
    part = whole.restrict(np.array([0, 2, 3]))
    assert (part.n, part.k, part.nonnegative) == (3, min(k, 3), nonnegative)
    every = np.arange(3)
    assert (part.cov.block(every, every) == whole.cov.block(np.array([0, 2, 3]), np.array([0, 2, 3]))).all()


def test_a_problem_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Problem(nnspca.Covariance.from_matrix(np.eye(2)), 1).k = 2
