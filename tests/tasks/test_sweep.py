"""A sweep is its solves and certificates, in order, with everything told as it comes."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import nnspca
from tests import oracle


@pytest.fixture(scope="module")
def cov():
    rng = np.random.default_rng(0)
    return nnspca.Covariance.from_data(rng.standard_normal((30, 9)) + rng.standard_normal((30, 1)) * (np.arange(9) < 4))


def plain(curve):
    """What does not depend on the clock."""
    return [
        (p.k, p.method, p.component.loadings.tolist(), p.certificate and (p.certificate.lower, p.certificate.upper))
        for p in curve.points
    ]


def test_points_come_ordered_by_k_and_then_as_the_methods_were_given(cov):
    curve = nnspca.sweep(cov, [5, 2, 5, 3], ("em", "best", "em"), certify=None)
    assert [(p.k, p.method) for p in curve.points] == [(k, name) for k in (2, 3, 5) for name in ("em", "best")]
    assert not curve.stopped
    bare = curve.to_records()[0]
    assert bare["lower"] is bare["upper"] is bare["ratio"] is None
    assert curve.leading == cov.eigenpairs(1)[0][0]


def test_methods_without_a_warm_start_give_what_solve_gives(cov):
    methods = ("em", "spannogram", "epsilon-net", "thresholding")
    curve = nnspca.sweep(cov, [2, 4], methods, certify=None, seed=3)
    for p in curve.points:
        alone = nnspca.solve(cov, p.k, p.method, seed=3)
        assert p.component.loadings.tolist() == alone.loadings.tolist()
        assert p.component.variance == alone.variance


@pytest.mark.parametrize("nonnegative", [True, False])
def test_certified_bounds_hold_the_optimum_and_lower_never_falls(cov, nonnegative):
    curve = nnspca.sweep(cov, [1, 2, 9], ("em", "thresholding"), nonnegative=nonnegative)
    assert sorted(curve.certificates) == [1, 2, 9]
    lower = [curve.certificates[k].lower for k in sorted(curve.certificates)]
    assert lower == sorted(lower)
    for k, cert in curve.certificates.items():
        best = oracle.optimum(cov.matrix, k, nonnegative)[0]
        assert cert.lower <= best * (1 + 1e-9)
        assert cert.upper >= best
        nnspca.verify(cert, cov)
    for p, record in zip(curve.points, curve.to_records(), strict=True):
        assert p.component.variance <= p.certificate.upper
        assert record["lower"] <= record["upper"]
        assert 0 < record["ratio"] <= 1
        assert 0 < record["normalized_variance"] <= 1


def test_every_k_is_certified_even_where_no_method_is_feasible(cov):
    assert sorted(nnspca.sweep(cov, [2, 3], ("pca",), nonnegative=False).certificates) == [2, 3]


def test_each_point_is_told_when_solved_and_again_with_its_certificate(cov):
    seen, threads = [], set()

    def on_point(p):
        threads.add(threading.current_thread())
        seen.append((p.k, p.method, p.certificate is not None))

    nnspca.sweep(cov, [2, 4], ("best", "em"), on_point=on_point)
    places = [(k, m) for k in (2, 4) for m in ("best", "em")]
    assert sorted(seen) == sorted((*at, certified) for at in places for certified in (False, True))
    assert all(seen.index((*at, False)) < seen.index((*at, True)) for at in places)
    assert threads == {threading.current_thread()}


def test_threads_processes_and_one_worker_give_the_same(cov):
    own = nnspca.sweep(cov, [2, 5], ("best", "em"), seed=4)
    for count in (1, 4):
        with ThreadPoolExecutor(count) as threads:
            assert plain(nnspca.sweep(cov, [2, 5], ("best", "em"), seed=4, executor=threads)) == plain(own)
