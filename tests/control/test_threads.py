"""One BLAS thread while solving, also beside other solvers; the process's own setting comes back."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from nnspca.control.threads import one_blas_thread
from tests.blas import blas_threads, with_blas_threads


@pytest.fixture(autouse=True)
def two_threads():
    """Two BLAS threads around each test, where the machine's libraries can have them."""
    with with_blas_threads(2):
        yield


def test_blas_runs_on_one_thread_inside_and_as_before_outside():
    before = blas_threads()
    with one_blas_thread():
        assert set(blas_threads()) == {1}
        with one_blas_thread():
            assert set(blas_threads()) == {1}
        assert set(blas_threads()) == {1}
    assert blas_threads() == before


def test_the_last_of_many_callers_restores_the_setting():
    before = blas_threads()
    barrier = threading.Barrier(6)

    def work(_):
        with one_blas_thread():
            barrier.wait(10)
            return set(blas_threads())

    for _ in range(3):
        with ThreadPoolExecutor(6) as pool:
            assert list(pool.map(work, range(6))) == [{1}] * 6
        assert blas_threads() == before


def test_a_thread_that_lives_on_does_not_keep_the_others_from_limiting():
    before = blas_threads()

    def work():
        with one_blas_thread():
            return set(blas_threads())

    with ThreadPoolExecutor(1) as first:
        assert first.submit(work).result() == {1}
        with ThreadPoolExecutor(1) as second:
            assert second.submit(work).result() == {1}
        assert work() == {1}
        assert blas_threads() == before


def test_where_blas_has_one_thread_already_nothing_is_changed(monkeypatch):
    def start(thread):
        raise AssertionError("there is nothing to change")

    with with_blas_threads(1), monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", start)  # in one of its own the setting is changed
        before = blas_threads()
        with one_blas_thread(), one_blas_thread():
            assert blas_threads() == before
        assert blas_threads() == before


def test_an_error_inside_restores_the_setting_too():
    before = blas_threads()
    with pytest.raises(ZeroDivisionError), one_blas_thread():
        raise ZeroDivisionError
    assert blas_threads() == before
