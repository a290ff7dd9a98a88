"""What holds of every call: neither order, unit, seed nor threads change what is found; progress and Stop are told.

Each call that seeks or proves is made on small data. What it is, is tested elsewhere: here is what all have in common.
"""

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count, cycle
from typing import Any

import numpy as np
import pytest

import nnspca
from tests import budgets, oracle
from tests.blas import with_blas_threads

SIGNS = {"x ≥ 0": True, "any sign": False}
# Their samples are random, and are drawn for the features as they come: another order gives nearly as much.
SAMPLERS = ("epsilon-net", "quasi-orthogonal")
REPEATED = ("em",)  # which finds the same from enough starts, whatever they are


def of_covariance(call: Callable[..., Any], *words: object, **settings: object) -> Callable[..., Any]:
    """Return the call as a function of samples."""
    return lambda X, **more: call(nnspca.Covariance.from_data(X), *words, **settings, **more)


CALLS: dict[str, Callable[..., Any]] = {
    f"solve {method}, {said}": of_covariance(
        nnspca.solve, 4, method, nonnegative=sign, **({"restarts": 100} if method in REPEATED else {})
    )
    for method, info in nnspca.METHODS.items()
    for said, sign in SIGNS.items()
    if sign in info.signs
}
for said, sign in SIGNS.items():
    CALLS |= {
        f"certify, {said}": of_covariance(nnspca.certify, 4, nonnegative=sign),
        f"certify_parts, {said}": of_covariance(nnspca.certify_parts, 2, 3, nonnegative=sign),
        f"necessity, {said}": of_covariance(nnspca.necessity, 4, 0.02, nonnegative=sign),
        f"solve_all, {said}": of_covariance(nnspca.solve_all, 2, within=0.05, nonnegative=sign),
        f"sweep, {said}": of_covariance(nnspca.sweep, [1, 3, 6], nonnegative=sign),
        f"sweep_parts, {said}": of_covariance(nnspca.sweep_parts, [1, 2], 2, nonnegative=sign),
        **{
            f"decompose {name}, {said}": of_covariance(nnspca.decompose, 2, 3, deflation=name, nonnegative=sign)
            for name in nnspca.DEFLATIONS
            if name != "joint"
        },
    }
CALLS |= {
    "decompose joint": of_covariance(nnspca.decompose, 2, 3, "nmf", deflation="joint"),
    "decompose, certified": of_covariance(nnspca.decompose, 2, 3, deflation="projection", certify="live"),
    "bootstrap": functools.partial(nnspca.bootstrap, k=3, n_components=2, resamples=2),
    "parallel_analysis": functools.partial(nnspca.parallel_analysis, k=3, draws=19, method="greedy"),
    "cross_validate": functools.partial(nnspca.cross_validate, k=[2, 4], folds=3),
}
SCALES = dict(zip(CALLS, cycle((2.0**-120, 2.0**110)), strict=False))


@pytest.fixture(scope="module", params=CALLS)
def call(request: pytest.FixtureRequest) -> str:
    """All that is asked of one call comes in a row: what it finds is made once."""
    return request.param


def samples(m: int = 30, n: int = 12, seed: int = 0) -> np.ndarray:
    """Five features that vary together, and others."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, n)) + rng.standard_normal((m, 1)) * (np.arange(n) < 5) * 1.5


@functools.cache
def optimum(k: int, nonnegative: bool) -> float:
    return oracle.optimum(nnspca.Covariance.from_data(samples()).matrix, k, nonnegative)[0]


@functools.cache
def plain(call: str) -> tuple[Any, list[nnspca.result.Progress]]:
    """Return what is found, and the progress that was told."""
    told: list[nnspca.result.Progress] = []
    return CALLS[call](samples(), on_progress=told.append, should_stop=lambda: False), told


def parts_of(result: Any) -> list[nnspca.Component]:
    """Return every component that a result names."""
    if isinstance(result, nnspca.Component):
        return [result]
    if hasattr(result, "points"):
        return [part for p in result.points for part in parts_of(getattr(p, "component", None) or p.together)]
    held = getattr(result, "component", None) or getattr(result, "parts", None) or getattr(result, "components", ())
    return parts_of(held) if isinstance(held, nnspca.Component) else list(held)


def certificates_of(result: Any) -> list[Any]:
    """Return every certificate that a result holds and that speaks of the covariance given."""
    if hasattr(result, "points"):
        return [p.certificate for p in result.points if p.certificate is not None]
    return [result] if hasattr(result, "upper") else []


def test_neither_order_and_unit_of_the_features_nor_who_listens_changes_anything_else(call):
    order, scale = np.random.default_rng(1).permutation(12), SCALES[call]
    moved, (kept, _) = CALLS[call](samples()[:, order] * scale), plain(call)
    if call == "cross_validate":
        np.testing.assert_allclose(moved.held_out, kept.held_out, rtol=1e-6)
    for part, was in zip(parts_of(moved), parts_of(kept), strict=True):
        close = {"rel": 0.05} if any(name in call for name in SAMPLERS) else {"rel": 1e-6}
        assert part.variance == pytest.approx(was.variance * scale**2, **close)
        if not any(name in call for name in SAMPLERS):
            np.testing.assert_allclose(part.loadings, was.loadings[order], atol=1e-5)
    for cert, was in zip(certificates_of(moved), certificates_of(kept), strict=True):
        assert cert.upper == pytest.approx(was.upper * scale**2, rel=1e-5)
    for name in ("essential", "dispensable", "limit"):
        if hasattr(kept, name):
            np.testing.assert_allclose(getattr(moved, name), getattr(kept, name)[order], rtol=1e-8)


def test_the_same_call_has_the_same_answer_on_any_thread_and_any_number_of_blas_threads(call, monkeypatch):
    """Solvers on data of which BLAS shares the sums among its threads."""
    budgets.few_steps(monkeypatch)
    X = samples(300, 40) if call.startswith("solve ") and "exact" not in call else samples()
    with with_blas_threads(1):
        first = CALLS[call](X, seed=7)
    with with_blas_threads(2), ThreadPoolExecutor(2) as pool:
        assert all(again == first for again in pool.map(lambda _: CALLS[call](X, seed=7), range(2)))


def test_progress_never_goes_back_and_ends_at_one(call):
    _, told = plain(call)
    fractions = [progress.fraction for progress in told]
    assert fractions == sorted(fractions) and fractions[0] >= 0 and fractions[-1] == 1.0
    assert all(progress.stage for progress in told)


@pytest.mark.parametrize("after", [0, 6])
def test_whenever_it_is_stopped_it_says_so_and_what_it_has_holds(call, after):
    cov, asked = nnspca.Covariance.from_data(samples()), count()
    result = CALLS[call](samples(), should_stop=lambda: next(asked) >= after)
    if next(asked) > after + 1 and "epsilon-net" not in call:  # whose one batch may just be over
        assert result.stopped
    for part in parts_of(result):
        assert part.variance == pytest.approx(cov.variance(part.loadings))
        if nnspca.METHODS[part.method].feasible:
            assert part.cardinality <= part.k
            assert part.variance <= optimum(part.k, part.nonnegative) * (1 + 1e-9)
        assert not part.nonnegative or (part.loadings >= 0).all()
    for cert in certificates_of(result):
        assert cert.upper >= cert.lower
        nnspca.verify(cert, cov)
