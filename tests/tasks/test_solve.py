"""Every method of METHODS: feasible, never above the optimum, monotone, repeatable, stoppable, strict at the door."""

import numpy as np
import pytest

import nnspca
from nnspca import METHODS
from nnspca.covariance import samples as making
from nnspca.numerics import feasible
from tests import oracle, problems

CASES = [(name, sign) for name, info in METHODS.items() for sign in info.signs]
EACH = pytest.mark.parametrize(("method", "nonnegative"), CASES, ids=[f"{m}-{'+' if s else '±'}" for m, s in CASES])


def spiked(seed=0, m=30, n=12):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, n)) + rng.standard_normal((m, 1)) * (np.arange(n) < 5) * 1.5


def most(method, n):
    """n features, or as many as the method takes."""
    return min(n, METHODS[method].max_features or n)


def check(part, cov, k, nonnegative):
    info = METHODS[part.method]
    assert part.loadings.shape == (cov.n_features,)
    assert np.isfinite(part.loadings).all()
    assert abs(np.linalg.norm(part.loadings) - 1) <= 1e-12
    if info.feasible:
        assert feasible.infeasibility(part.loadings, k, nonnegative) == ""
    if not nonnegative:
        assert part.loadings[np.abs(part.loadings).argmax()] > 0
    assert not np.signbit(part.loadings[part.loadings == 0]).any()
    assert part.variance == pytest.approx(cov.variance(part.loadings), rel=1e-12)
    assert part.history
    assert list(part.history) == sorted(part.history)
    assert part.history[-1] <= part.variance * (1 + 1e-9)
    assert (part.k, part.nonnegative) == (k, nonnegative)
    assert part.support.tolist() == np.flatnonzero(part.loadings).tolist()
    assert part.cardinality == len(part.support)
    assert part.seconds >= 0
    assert not part.stopped
    assert set(part.options) == {option.name for option in info.options}
    assert not part.loadings.flags.writeable


# ---------------------------------------------------------------------- order


@EACH
@pytest.mark.parametrize("make", problems.MATRICES + problems.DATA, ids=lambda make: make.__name__)
def test_no_component_exceeds_the_brute_force_optimum(make, method, nonnegative):
    """One feature, and one more problem of each kind, another for each method."""
    rng = np.random.default_rng([len(make.__name__), len(method)])
    for n in (1, int(rng.integers(2, 8))):
        problem = make(rng, n)
        for k in {1, int(rng.integers(1, n + 1)), n}:
            part = nnspca.solve(problem.cov, k, method, nonnegative=nonnegative)
            check(part, problem.cov, k, nonnegative)
            if METHODS[method].feasible:
                best = oracle.optimum(problem.A, k, nonnegative)[0]
                assert part.variance <= best * (1 + 1e-9) + 2 * problem.cov.representation_error


@EACH
@pytest.mark.parametrize("sparse", [True, False])
def test_components_are_feasible_where_the_covariance_is_never_formed(method, nonnegative, sparse, monkeypatch):
    monkeypatch.setattr(making, "DENSE_FEATURES", 1)
    rng = np.random.default_rng(3)
    for _ in range(2):
        problem = problems.factored(rng, 8, sparse=sparse)
        k = int(rng.integers(1, 9))
        part = nnspca.solve(problem.cov, k, method, nonnegative=nonnegative)
        check(part, problem.cov, k, nonnegative)
        if METHODS[method].feasible:
            assert part.variance <= oracle.optimum(problem.A, k, nonnegative)[0] * (1 + 1e-9)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_best_finds_the_optimum_of_small_problems(nonnegative):
    rng = np.random.default_rng(11)
    missed = 0
    for trial in range(40):
        make = problems.MATRICES[trial % len(problems.MATRICES)]
        problem = make(rng, 8)
        k = int(rng.integers(1, 9))
        part = nnspca.solve(problem.cov, k, nonnegative=nonnegative)
        missed += part.variance < oracle.optimum(problem.A, k, nonnegative)[0] * (1 - 1e-7)
    assert missed <= 1


# ---------------------------------------------------------------------- symmetry


# ---------------------------------------------------------------------- exact cases


@EACH
def test_rank_one_is_solved_exactly_by_all_but_samplers(method, nonnegative):
    a = np.array([3.0, -4.0, 1.0, 2.0, -0.5])
    cov = nnspca.Covariance.from_matrix(np.outer(a, a))
    part = nnspca.solve(cov, 2, method, nonnegative=nonnegative)
    check(part, cov, 2, nonnegative)
    if METHODS[method].feasible:
        best = 4.0**2 + 0.5**2 if nonnegative else 25.0
        assert part.variance == pytest.approx(oracle.optimum(cov.matrix, 2, nonnegative)[0], rel=1e-9)
        assert part.variance == pytest.approx(max(best, 25.0 if not nonnegative else 16.25), rel=1e-9)


def test_without_sign_or_sparsity_every_exact_method_is_pca():
    cov = nnspca.Covariance.from_data(spiked())
    leading = cov.eigenpairs(1)[0][0]
    for method in ("pca", "best", "em", "thresholding", "spannogram"):
        part = nnspca.solve(cov, 12, method, nonnegative=False)
        assert part.variance == pytest.approx(leading, rel=1e-9), method


# ---------------------------------------------------------------------- progress and stop


# ---------------------------------------------------------------------- the registry


OPTIONS = [(name, option) for name, info in METHODS.items() for option in info.options]
EVERY_OPTION = pytest.mark.parametrize(("name", "option"), OPTIONS, ids=[f"{n}-{o.name}" for n, o in OPTIONS])


@EVERY_OPTION
def test_every_option_has_a_default_inside_its_range(name, option):
    assert option.check(option.default) == option.default
    assert isinstance(option.default, option.kind)
    assert option.help.endswith(".")
    if option.kind in (int, float):
        assert option.low is not None
        assert option.check(option.low) == option.low
        if option.high is not None:
            assert option.low < option.high
            assert option.check(option.high) == option.high


@EVERY_OPTION
def test_every_option_refuses_what_is_outside_its_range(name, option):
    wrong = [None, "much", [1], float("nan"), {}]
    if option.kind is not bool:
        wrong += [True]
    if option.kind in (int, float):
        wrong += [option.low - 1, float("-inf")]
        wrong += [] if option.high is None else [option.high * 2 + 1, float("inf")]
    if option.kind is int:
        wrong += [option.low + 0.5]
    cov = nnspca.Covariance.from_matrix(np.eye(3))
    for value in wrong:
        with pytest.raises(ValueError, match=rf"option {option.name}=.* is not allowed; give ") as caught:
            nnspca.solve(cov, 1, name, nonnegative=METHODS[name].signs[0], **{option.name: value})
        assert repr(value) in str(caught.value)


# ---------------------------------------------------------------------- what is refused


@pytest.fixture
def cov3():
    return nnspca.Covariance.from_matrix(np.eye(3))


def test_an_unknown_option_is_refused_with_the_known_ones(cov3):
    with pytest.raises(ValueError, match=r"method 'em' has no option 'speed'; its options: restarts, renormalise"):
        nnspca.solve(cov3, 1, "em", speed=3)
    for call, name, near in (
        (lambda **more: nnspca.solve(cov3, 2, **more), "nonegative", "the nearest of solve are nonnegative"),
        (lambda **more: nnspca.decompose(cov3, 2, 2, **more), "deflaton", "the nearest of decompose are deflation"),
        (lambda **more: nnspca.bootstrap(np.eye(4), 2, **more), "resample", "the nearest of bootstrap are resamples"),
    ):
        with pytest.raises(TypeError, match=near):
            call(**{name: 2})
    with pytest.raises(ValueError, match=r"method 'pca' has no option 'rank'; its options: it has none"):
        nnspca.solve(cov3, 1, "pca", nonnegative=False, rank=3)


def test_a_sign_the_method_does_not_have_is_refused(cov3):
    with pytest.raises(ValueError, match="'pca' does not support nonnegative=True; give nonnegative=False"):
        nnspca.solve(cov3, 1, "pca")
    with pytest.raises(ValueError, match="nonnegative='yes' is not allowed; give True or False"):
        nnspca.solve(cov3, 1, nonnegative="yes")


def test_a_rank_beyond_the_features_is_refused(cov3):
    for method in ("spannogram", "epsilon-net"):
        with pytest.raises(ValueError, match=r"option rank=5 is not allowed; give a whole number from 1 to 3"):
            nnspca.solve(cov3, 1, method, rank=5)
        small = nnspca.Covariance.from_matrix(np.eye(2))
        assert nnspca.solve(small, 1, method).options["rank"] == 2  # the default fits itself to the data


@pytest.mark.parametrize("nonnegative", [True, False])
def test_a_good_start_is_never_lost(nonnegative):
    cov = nnspca.Covariance.from_data(spiked(5))
    start = nnspca.solve(cov, 5, nonnegative=nonnegative)
    again = nnspca.solve(cov, 5, nonnegative=nonnegative, start=start.loadings, restarts=1, leaders=1)
    assert again.variance >= start.variance * (1 - 1e-12)


def test_a_start_for_a_method_that_would_ignore_it_is_refused():
    cov = nnspca.Covariance.from_matrix(np.diag([9.0, 8.0, 7.0, 1.0]))
    with pytest.raises(ValueError, match="only 'best' begins at given points"):
        nnspca.solve(cov, 1, "em", start=np.eye(4)[0])
