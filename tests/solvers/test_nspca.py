"""NSPCA: each step is the best there is, so the objective never falls; α keeps apart, β makes sparse."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nnspca
from nnspca.control.progress import Monitor
from nnspca.covariance.factor import DenseFactor
from nnspca.covariance.provenance import Provenance
from nnspca.numerics import feasible
from nnspca.solvers import coordinate_descent
from nnspca.solvers.coordinate_descent import Ascent, best_entry, coordinate_ascent, largest_root

number = st.floats(-1e6, 1e6)


@given(p=number, q=number)
@settings(max_examples=100, deadline=None)
def test_the_largest_root_is_a_root_and_no_root_is_larger(p, q):
    u = largest_root(p, q)
    size = max(abs(p) ** 0.5, abs(q) ** (1 / 3))
    assert abs(u**3 - p * u - q) <= 1e-9 * max(size**3, 1e-300)
    roots = np.roots([1.0, 0.0, -p, -q])
    real = roots.real[np.abs(roots.imag) <= 1e-7 * max(size, 1e-300)]
    assert u >= real.max() - 1e-5 * max(size, 1e-300)


@given(p=st.floats(-50, 50), q=st.floats(-50, 50))
@settings(max_examples=100, deadline=None)
def test_the_best_entry_beats_every_point_of_a_grid(p, q):
    def value(u):
        return -(u**4) / 4 + p * u**2 / 2 + q * u

    grid = np.linspace(0, 12, 4001)
    assert value(best_entry(p, q)) >= value(grid).max() - 1e-9 * max(1.0, abs(value(grid)).max())


def objective(A, U, alpha, beta):
    """The paper's objective, term by term."""
    apart = np.eye(U.shape[1]) - U.T @ U
    return np.trace(U.T @ A @ U) / 2 - alpha / 4 * (apart**2).sum() - beta * U.sum()


def covariance(seed, n=7, m=9, factor=False):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((m, n)) + np.abs(rng.standard_normal((m, 1)))
    if not factor:
        return nnspca.Covariance.from_data(X)
    return nnspca.Covariance(DenseFactor((X - X.mean(axis=0)) / np.sqrt(m)), Provenance(n_samples=m))


@given(
    seed=st.integers(0, 10**6),
    r=st.integers(1, 4),
    alpha=st.floats(0.05, 50),
    beta=st.floats(0, 0.5),
    factor=st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_the_objective_never_falls(seed, r, alpha, beta, factor):
    cov = covariance(seed, factor=factor)
    U = np.abs(np.random.default_rng(seed).standard_normal((7, r)))
    told = coordinate_ascent(cov, U, alpha, beta, max_iter=15, tol=0.0, monitor=Monitor())[1]
    assert (np.diff(told) >= -1e-10 * max(1.0, np.abs(told).max())).all()


@pytest.mark.parametrize("factor", [False, True])
def test_one_entry_is_set_to_what_a_search_along_it_finds(factor):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        cov = covariance(seed, factor=factor)
        A = np.array(cov.block(np.arange(7))) / cov.eigenpairs(1)[0][0]
        U = np.abs(rng.standard_normal((7, 3))) * (rng.random((7, 3)) < 0.7)
        alpha, beta, s, c = rng.uniform(0.1, 5), rng.uniform(0, 0.5), int(rng.integers(7)), int(rng.integers(3))
        ascent = Ascent(cov, alpha, beta, U.copy())
        assert ascent.objective() == pytest.approx(objective(A, U, alpha, beta))
        column = ascent.U[:, c]
        ascent._set(s, c, column, column if ascent.images is None else ascent.images[:, c])
        tried = []
        for u in np.linspace(0, 3, 1501):
            V = U.copy()
            V[s, c] = u
            tried.append(objective(A, V, alpha, beta))
        assert objective(A, ascent.U, alpha, beta) >= max(tried) - 1e-6
        assert np.allclose(ascent.G, ascent.U.T @ ascent.U)


def test_two_groups_by_hand():
    """Two blocks of equal features: with a price on overlap each component takes one of them."""
    A = np.zeros((5, 5))
    A[:3, :3], A[3:, 3:] = 2.0, 2.0
    cov = nnspca.Covariance.from_matrix(A + 1e-9 * np.eye(5))
    parts = nnspca.decompose(cov, 2, 3, "coordinate-descent", deflation="joint", alpha=10.0)
    assert sorted(tuple(part.support) for part in parts.parts) == [(0, 1, 2), (3, 4)]
    assert np.allclose(np.sort(parts.variances), [4.0, 6.0], rtol=1e-3)


@pytest.fixture(scope="module")
def faces():
    return nnspca.Covariance.from_dataset(nnspca.datasets.load("digits"))


def test_overlap_falls_with_alpha_and_features_drop_with_beta(faces):
    def run(alpha, beta):
        return nnspca.decompose(
            faces, 4, 64, "coordinate-descent", deflation="joint", alpha=alpha, beta=beta, match_k=False, restarts=1
        )

    overlaps = [run(alpha, 0.0).overlap for alpha in (0.05, 1.0, 50.0)]
    assert overlaps[0] > overlaps[1] > overlaps[2]
    counts = [int(run(1.0, beta).cardinalities.sum()) for beta in (0.0, 0.01, 0.05)]
    assert counts[0] > counts[1] > counts[2]


def test_a_component_that_ends_at_zero_is_left_out_and_said(faces):
    parts = nnspca.decompose(
        faces, 3, 5, "coordinate-descent", deflation="joint", alpha=0.1, beta=0.3, match_k=False, restarts=1
    )
    assert len(parts.parts) < 3
    assert "ended at zero" in parts.note
    assert np.isfinite(parts.loadings).all()


def test_k_is_met_by_bisection_in_every_column(faces):
    for k in (1, 5, 20, 64):
        parts = nnspca.decompose(faces, 3, k, "coordinate-descent", deflation="joint", restarts=1)
        assert parts.cardinalities.max() <= k
    assert nnspca.solve(faces, 10, "coordinate-descent").variance > 0.95 * nnspca.solve(faces, 10).variance


def test_without_cut_a_run_counts_only_if_its_price_leaves_exactly_k_loadings(monkeypatch, faces):
    """Or if none leaves more even at no price. Of a start on faces no price leaves 7; a denser run cut to 7 says so."""
    cov, ends, honest = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops")), [], coordinate_ascent
    kept = lambda *given, **more: ends.append(honest(*given, **more)) or ends[-1]  # noqa: E731
    monkeypatch.setattr(coordinate_descent, "coordinate_ascent", kept)
    for k in range(1, cov.n_features + 1):
        ends.clear()
        part = nnspca.solve(cov, k, "coordinate-descent", cut=False, renormalise=False)
        ended = [feasible.unit(U[:, 0]) for U, _ in ends if np.count_nonzero(U) == k or len(ends) == 2]  # one a start
        assert (part.history == ()) == (not ended)
        assert not ended or part.loadings.tolist() == max(ended, key=cov.variance).tolist()
    whole, part = (nnspca.solve(faces, 7, "coordinate-descent", cut=cut, restarts=1) for cut in (False, True))
    assert not whole.history and part.cardinality == 7 and "cut" in part.note


def test_a_joint_run_refuses_the_option_it_does_not_have(faces):
    """Weights made optimal one column at a time would undo what α holds apart."""
    with pytest.raises(ValueError, match=r"no option renormalise=.* with deflation 'joint'; its options: alpha, beta"):
        nnspca.decompose(faces, 2, 5, "coordinate-descent", deflation="joint", renormalise=True)
    parts = nnspca.decompose(faces, 2, 5, "coordinate-descent", deflation="joint", restarts=1, max_iter=5)
    assert "renormalise" not in parts.options
    one_by_one = nnspca.decompose(faces, 1, 5, "coordinate-descent", renormalise=False, restarts=1, max_iter=5)
    assert one_by_one.options["renormalise"] is False
