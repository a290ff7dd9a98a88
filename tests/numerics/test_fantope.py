"""The Fantope: projections that follow one another stay near those made afresh."""

import numpy as np
import pytest

from nnspca.numerics import fantope
from nnspca.numerics.fantope import PARTIAL_FROM, Fantope


def drifting(n, rank, steps, size, seed=0):
    """A matrix with a few large eigenvalues, moved a little at each step."""
    rng = np.random.default_rng(seed)
    U = np.linalg.qr(rng.standard_normal((n, n)))[0]
    B = (U * np.r_[np.linspace(1.0, 0.6, rank), rng.uniform(-0.5, 0.1, n - rank)]) @ U.T
    for _ in range(steps):
        G = rng.standard_normal((n, n)) * size / np.sqrt(n)
        B = B + (G + G.T) / 2
        yield B


@pytest.mark.parametrize("rank", [1, 2, 5])
def test_a_projection_that_follows_is_nearly_the_one_made_afresh(rank):
    projector = Fantope()
    for B in drifting(PARTIAL_FROM + 30, rank, 12, 1e-2):
        X = projector.nearest(B)
        assert np.trace(X) == pytest.approx(1.0)
        assert np.linalg.eigvalsh(X)[0] > -1e-12
        assert np.linalg.norm(X - Fantope().nearest(B)) < 5e-3  # the matrix itself moved by 1e-1
    assert projector.updates  # it did not compute all pairs again


def test_a_direction_that_arises_is_found():
    n = PARTIAL_FROM + 30
    projector, B = Fantope(), np.diag(np.r_[2.0, np.full(n - 1, -0.1)])
    projector.nearest(B)
    B[7, 7] = 4.0  # at right angles to all that was looked at
    for _ in range(40):
        X = projector.nearest(B)
    assert np.linalg.norm(X - Fantope().nearest(B)) < 1e-12


def test_few_features_are_projected_exactly():
    projector = Fantope()
    for B in drifting(9, 3, 5, 0.3):
        assert projector.nearest(B) == pytest.approx(Fantope().nearest(B), abs=1e-12)


@pytest.mark.parametrize("size", [1e12, 1e20, 1e30])
def test_numbers_beside_which_one_is_lost_are_projected_all_the_same(size):
    B = np.diag([1.0, 1.0, -2.0, 0.5]).astype(np.float32) * np.float32(size)
    nearest = Fantope().nearest(B)
    np.testing.assert_allclose(nearest, np.diag([0.5, 0.5, 0.0, 0.0]), atol=1e-6)


@pytest.mark.parametrize("found", [0, 3, None])
def test_where_lapack_finds_fewer_pairs_than_asked_for_or_fails_all_are_computed(found, monkeypatch):
    """As it did of 356 eigenvalues nearly equal, in single precision; and, with kernels for AVX-512, failed."""
    B = np.diag(np.arange(50.0))
    honest = fantope.scipy.linalg.eigh

    def lapse(*args, **options):
        if found is None:
            raise np.linalg.LinAlgError("Internal Error.")
        values, vectors = honest(*args, **options)
        return values[:found], vectors[:, :found]

    monkeypatch.setattr(fantope.scipy.linalg, "eigh", lapse)
    values, vectors = fantope.largest_eigenpairs(B, 5)
    assert values[-5:].tolist() == [45, 46, 47, 48, 49]
    assert np.allclose(B @ vectors, vectors * values)


def test_of_many_features_more_directions_are_found_without_all_pairs(monkeypatch):
    n = fantope.ALL + 1
    honest = np.linalg.eigh
    monkeypatch.setattr(fantope.np.linalg, "eigh", lambda B: honest(B) if len(B) < n else pytest.fail("all pairs"))
    projector = Fantope()
    projector.nearest(np.diag(np.r_[2.0, np.full(n - 1, -0.1)]))
    for B in drifting(n, 12, 12, 1e-4):
        X = projector.nearest(B)
    assert np.linalg.norm(X - Fantope().nearest(B)) < 5e-3
