"""The methods at their limits: exact cases, options and starts; what holds of each is in test_against_brute_force."""

import numpy as np
import pytest

import nnspca
from nnspca import METHODS
from tests import oracle, problems


def spiked(seed=0, m=30, n=12):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, n)) + rng.standard_normal((m, 1)) * (np.arange(n) < 5) * 1.5


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


def test_without_sign_or_sparsity_every_exact_method_is_pca():
    cov = nnspca.Covariance.from_data(spiked())
    leading = cov.eigenpairs(1)[0][0]
    for method in ("pca", "best", "em", "thresholding", "spannogram", "scotlass"):
        part = nnspca.solve(cov, 12, method, nonnegative=False)
        assert part.variance == pytest.approx(leading, rel=1e-6 if method == "scotlass" else 1e-9), method


@pytest.mark.parametrize("name", METHODS)
def test_every_option_has_a_default_inside_its_range_and_refuses_what_is_outside(name):
    cov = nnspca.Covariance.from_matrix(np.eye(3))
    for option in METHODS[name].options:
        inside, wrong = [option.default], [None, "much", [1], float("nan"), {}]
        assert isinstance(option.default, option.kind) and option.help.endswith(".")
        if option.kind is not bool:
            wrong += [True]
        if option.kind in (int, float):
            inside += [option.low] if option.high is None else [option.low, option.high]
            wrong += [option.low - 1, float("-inf")]
            wrong += [] if option.high is None else [option.high * 2 + 1, float("inf")]
        if option.kind is int:
            wrong += [option.low + 0.5]
        assert [option.check(value) for value in inside] == inside, option.name
        for value in wrong:
            with pytest.raises(ValueError, match=rf"option {option.name}=.* is not (allowed|known); give ") as caught:
                nnspca.solve(cov, 1, name, nonnegative=METHODS[name].signs[0], **{option.name: value})
            assert repr(value) in str(caught.value)


@pytest.fixture
def cov3():
    return nnspca.Covariance.from_matrix(np.eye(3))


def test_an_unknown_option_is_refused_with_the_known_ones(cov3):
    with pytest.raises(ValueError, match=r"method 'em' has no option speed=.*; its options: restarts, renormalise"):
        nnspca.solve(cov3, 1, "em", speed=3)
    for call, name, near in (
        (lambda **more: nnspca.solve(cov3, 2, **more), "nonegative", "the nearest of solve are nonnegative"),
        (lambda **more: nnspca.decompose(cov3, 2, 2, **more), "deflaton", "the nearest of decompose are deflation"),
        (lambda **more: nnspca.bootstrap(np.eye(4), 2, **more), "resample", "the nearest of bootstrap are resamples"),
    ):
        with pytest.raises(TypeError, match=near):
            call(**{name: 2})
    with pytest.raises(ValueError, match=r"method 'pca' has no option rank=.*; its options: it has none"):
        nnspca.solve(cov3, 1, "pca", nonnegative=False, rank=3)


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
