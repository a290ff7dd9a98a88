"""One BLAS thread while solving, whoever else is solving; the caller's own setting comes back."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from nnspca.threads import one_blas_thread


def counts():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_blas_runs_on_one_thread_inside_and_as_before_outside():
    with threadpool_limits(2, user_api="blas"):
        before = counts()
        with one_blas_thread():
            assert set(counts()) == {1}
            with one_blas_thread():
                assert set(counts()) == {1}
            assert set(counts()) == {1}
        assert counts() == before


def test_the_last_of_many_callers_restores_the_setting():
    with threadpool_limits(2, user_api="blas"):
        before = counts()
        barrier = threading.Barrier(6)

        def work(_):
            with one_blas_thread():
                barrier.wait(10)
                return counts()

        with ThreadPoolExecutor(6) as pool:
            assert all(set(seen) == {1} for seen in pool.map(work, range(6)))
        assert counts() == before


def test_an_error_inside_restores_the_setting_too():
    with threadpool_limits(2, user_api="blas"):
        before = counts()
        with pytest.raises(ZeroDivisionError), one_blas_thread():
            raise ZeroDivisionError
        assert counts() == before
