"""Whichever executor runs the tasks: each is done, shared data are there, and Stop is obeyed."""

import threading
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor

import numpy as np
import pytest

import nnspca
from nnspca.control.progress import Monitor
from nnspca.machines import HERE, Workers
from tests.machines.doing import times


class Plain(Executor):
    """An executor of which nothing is known."""

    def submit(self, task, /, *arguments):
        done = Future()
        done.set_result(task(*arguments))
        return done


@pytest.mark.parametrize("executor", [HERE, None, ThreadPoolExecutor(3), Plain()], ids=["here", "two", "three", "any"])
def test_every_task_is_done_once(executor):
    with Workers(executor, 7, Monitor()) as workers:
        assert dict(workers.each(times, ((by,) for by in range(40)))) == {by: 7 * by for by in range(40)}
        assert workers.result(workers.submit(times, 6)) == 42
        with pytest.raises(TypeError):
            workers.result(workers.submit(times, object()))


def test_a_caller_who_is_held_up_holds_the_workers_up():
    begun = []

    def begin(shared, number, should_stop):
        begun.append(number)

    with ThreadPoolExecutor(2) as threads, Workers(threads, None, Monitor()) as workers:
        came = workers.each(begin, ((number,) for number in range(100)))
        next(came)
        time.sleep(0.1)
        assert len(begun) <= 6
        came.close()


def test_none_is_begun_once_stopped():
    stopped = threading.Event()
    for executor in (HERE, None, Plain()):
        stopped.clear()
        done = []
        with Workers(executor, 1, Monitor(stopped.is_set)) as workers:
            for number, _ in workers.each(times, ((by,) for by in range(1000))):
                done.append(number)
                stopped.set()
        assert len(done) < 40


def test_a_worker_makes_the_whole_call_and_an_executor_that_would_do_nothing_is_refused():
    cov = nnspca.Covariance.from_matrix(np.diag([4.0, 3.0, 2.0, 1.0]) + 0.5)
    with ThreadPoolExecutor(1) as threads:
        for call in (nnspca.certify, nnspca.necessity, nnspca.solve_all):
            assert call(cov, k=2, executor=threads).k == call(cov, k=2).k
        assert nnspca.certify_parts(cov, 2, 2, executor=threads).upper == nnspca.certify_parts(cov, 2, 2).upper
        with pytest.raises(ValueError, match="would do nothing"):
            nnspca.decompose(cov, 2, 2, executor=threads)
