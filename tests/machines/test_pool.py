"""Processes of the server's own do what threads would: Stop and waiting reach them, and none is left behind."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import wait

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nnspca
from nnspca.control.progress import Monitor
from nnspca.machines import Pool, call, crew
from nnspca.machines import pool as pools
from nnspca.machines.process import Worker, _key
from nnspca.tasks._path import certify_path, path
from tests.machines.doing import count, fails, fails_oddly, leave, looks, total, wait_for_stop
from tests.pages.conftest import ROOT, settle
from tests.resampling.test_bootstrap import planted
from tests.tasks.test_sweep import plain

pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("papers_read_once")]

SOON = 20.0  # seconds in which what takes none of its own has happened, however busy the machine


@pytest.fixture(scope="module")
def pool():
    with Pool(2) as made:
        made.warm()
        until(lambda: all(worker.ready for worker in made._idle))
        yield made
    until(lambda: not made._idle)


@pytest.fixture(scope="module")
def cov():
    return nnspca.Covariance.from_data(planted(m=40, n=16))


def until(so, seconds=SOON):
    end = time.monotonic() + seconds
    while not so():
        assert time.monotonic() < end, "it never came to that"
        time.sleep(0.01)


def test_as_an_executor_it_calls_plain_functions(pool):
    assert sorted(pool.map(abs, [-3, 2, -1])) == [1, 2, 3]
    assert pool.submit(int, "ff", base=16).result(SOON) == 255
    with pytest.raises(ValueError, match="invalid literal") as caught:
        pool.submit(int, "z").result(SOON)
    assert "In a worker process" in caught.value.__notes__[0]
    with pytest.raises(Exception, match=r"pickle|local object"):
        pool.submit(lambda: 1).result(SOON)
    assert pool.submit(abs, -1).result(SOON) == 1
    with pytest.raises(ValueError, match="size=0, call_slots=1 are not allowed"):
        Pool(0)


def test_every_task_is_done_once_elsewhere_and_what_is_shared_is_held_there(pool, cov):
    shared = nnspca.Covariance.from_matrix(np.eye(3))
    with crew(pool, np.ones(5), Monitor()) as workers:
        done = dict(workers.each(total, ((by,) for by in range(30))))
    assert [value for _, value in (done[by] for by in range(30))] == [5.0 * by for by in range(30)]
    assert os.getpid() not in {who for who, _ in done.values()}
    for _ in range(5):
        until(lambda: any(worker.ready for worker in pool._idle))
        call(pool, nnspca.solve, shared, 2, should_stop=None, listeners={})
    keys = [key for worker in pool._idle for key in worker._cached]
    assert keys.count(_key(shared)) >= 1
    for worker in pool._idle:
        assert len(worker._cached) <= 3


def test_a_curve_and_its_proofs_come_out_as_they_do_here(pool, cov):
    here, there = (path(cov, [1, 3, 5, 9, 16], ("best", "em"), executor=where) for where in (None, pool))
    assert plain(here) == plain(there)
    assert plain(certify_path(cov, here)) == plain(certify_path(cov, there, executor=pool))
    band = nnspca.sweep(cov, [2, 4], ("best",), executor=pool)
    assert plain(band) == plain(nnspca.sweep(cov, [2, 4], ("best",)))


def test_stop_reaches_tasks_and_calls_in_their_middle(pool):
    halted = []
    with crew(pool, 1, Monitor(lambda: bool(halted))) as workers:
        waiting = {workers.submit(wait_for_stop, 60.0) for _ in range(5)}
        threading.Timer(0.3, halted.append, (True,)).start()
        begun = time.monotonic()
        ended = [value for _, value in workers.completed(waiting)]
        assert ended == ["stopped"] * len(ended)
        assert 1 <= len(ended) <= 2, "the others never began"
        assert time.monotonic() - begun < SOON
    begun, told = time.monotonic(), []
    until(lambda: any(worker.ready for worker in pool._idle))
    made = call(pool, looks, 1, should_stop=lambda: len(told) > 3, listeners={"on_found": told.append})
    assert made == len(told) > 3
    assert time.monotonic() - begun < SOON


def test_a_crew_that_is_left_ends_what_it_began_and_begins_nothing(pool, monkeypatch):
    def tell_and_be_slow(worker, order, word):
        """A process told to stop is free before the next is told."""
        told(worker, order, word)
        wait([order.future], SOON)

    told = Worker.tell
    monkeypatch.setattr(Worker, "tell", tell_and_be_slow)
    with pytest.raises(ZeroDivisionError), crew(pool, 1, Monitor()) as workers:
        tasks = [workers.submit(wait_for_stop, 60.0) for _ in range(3)]
        raise ZeroDivisionError
    assert [task.cancelled() or task.result(SOON) for task in tasks] == ["stopped", "stopped", True]


def test_a_call_tells_what_it_finds_in_order_and_its_last_progress_always(pool):
    told, found = [], []
    listeners = {"on_progress": told.append, "on_found": lambda x, number: found.append(number)}
    until(lambda: any(worker.ready for worker in pool._idle))
    assert call(pool, count, "it", 1000, should_stop=None, listeners=listeners) == "it"
    assert found == list(range(0, 1000, 100))
    assert told[-1].stage == "999"
    assert len(told) < 1000
    assert [p.fraction for p in told] == sorted(p.fraction for p in told)


def test_a_call_waits_while_its_caller_has_to_wait(pool):
    """A run that gives way to another is held up where it looks for Stop; its process must not go on meanwhile."""
    told, turn = [], threading.Event()

    def in_turn():
        if len(told) >= 5 and "back" not in told:
            turn.wait(2.5)  # another task's turn
            told.append("back")
        return len(told) > 60

    until(lambda: any(worker.ready for worker in pool._idle))
    call(pool, looks, 1, should_stop=in_turn, listeners={"on_found": lambda number: told.append(time.monotonic())})
    before = [moment for moment in told if moment != "back"]
    assert max(b - a for a, b in itertools.pairwise(before)) > 0.5


def test_what_goes_wrong_there_is_said_here(pool):
    until(lambda: any(worker.ready for worker in pool._idle))
    with pytest.raises(nnspca.DataError, match="7 is not allowed"):
        call(pool, fails, 7, should_stop=None, listeners={})
    with pytest.raises(RuntimeError, match="Odd: a b"):
        call(pool, fails_oddly, 7, should_stop=None, listeners={})

    def deaf(*what):
        raise KeyError("no listener")

    with pytest.raises(KeyError, match="no listener"):
        call(pool, looks, 1, should_stop=None, listeners={"on_found": deaf})


def test_a_process_that_is_lost_costs_time_only(pool):
    with crew(pool, 40, Monitor()) as workers:
        done = dict(workers.each(leave, ((os.getpid(),) for _ in range(3))))
    assert done == {0: 40, 1: 40, 2: 40}
    pool.warm()
    until(lambda: sum(worker.ready for worker in pool._idle) == 2)
    worker = next(worker for worker in pool._idle if worker.ready)
    os.kill(worker._process.pid, signal.SIGKILL)
    assert call(pool, nnspca.solve, nnspca.Covariance.from_matrix(np.eye(2)), 1, should_stop=None, listeners={}).k == 1
    assert pool.submit(abs, -2).result(SOON) == 2


def test_a_call_that_finds_no_process_ready_is_made_here():
    with Pool(1) as cold:
        assert call(cold, lambda shared, *, should_stop: shared, "here", should_stop=None, listeners={}) == "here"


def test_processes_too_many_end_when_they_have_rested(monkeypatch):
    monkeypatch.setattr(pools, "IDLE_SECONDS", 0.2)
    with Pool(1) as small:
        small.warm()
        until(lambda: small._idle[0].ready)
        told, ended = [], []
        listeners = {"on_found": told.append}
        calling = threading.Thread(
            target=lambda: call(small, looks, 1, should_stop=lambda: bool(ended), listeners=listeners)
        )
        calling.start()
        until(lambda: told)
        assert small.submit(abs, -1).result(SOON) == 1  # beside the call
        ended.append(True)
        calling.join(SOON)
        until(lambda: len(small._idle) == 1)
        assert small.submit(abs, -1).result(SOON) == 1
    with pytest.raises(RuntimeError, match="shut down"):
        small.submit(abs, 1)


def test_no_process_outlives_the_one_it_works_for():
    script = (
        "import os, time\nfrom nnspca.machines import Pool\n"
        "pool = Pool(2)\npool.warm()\n"
        "print(pool.submit(os.getpid).result(), *(w._process.pid for w in pool._idle), flush=True)\n"
        "pool.submit(time.sleep, 600)\n"
        "time.sleep(0.2)\nos.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    pids = {int(pid) for pid in ended.stdout.split()}
    assert len(pids) >= 1, ended.stderr
    until(lambda: not any(alive(pid) for pid in pids))


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_app_has_its_runs_done_there_unless_told_otherwise(monkeypatch):
    from nnspca.view.jobs import machines

    monkeypatch.setenv("NNSPCA_PROCESSES", "2")
    pool = machines.executor()
    assert isinstance(pool, Pool)
    assert pool.size == 2
    assert machines.executor() is pool
    done, honest_give = set(), Pool.give

    def spy(self, order):
        done.add(order.arguments[0].__name__)
        return honest_give(self, order)

    monkeypatch.setattr(Pool, "give", spy)
    page = AppTest.from_file(str(ROOT / "pages" / "explore.py"), default_timeout=60)
    for key, value in {"data": "pitprops", "k": 4, "ks": "2, 5", "methods": ["best", "em"], "seed": 4}.items():
        page.session_state[key] = value
    page.run()
    settle(page, path=True)
    assert not page.exception
    job = page.session_state["session"].jobs["path"]
    assert {p.k for p in job.arrived if p.certificate is not None} == {2, 5}
    assert done == {"_solved", "_first", "certified"}
    begun, honest_begin = set(), Pool.begin

    def spy_call(self, order):
        there = honest_begin(self, order)
        begun.update([order.function.__name__] if there else [])
        return there

    monkeypatch.setattr(Pool, "begin", spy_call)
    asked = {
        "compare": {"what": "solvers", "data": "pitprops", "k": 4, "racers": ["em"], "limit": 1},
        "papers": {"paper": "zass2006"},
        "explore": {"data": "pitprops", "k": 4, "seed": 5},  # the last: the path behind it takes all that are free
    }
    for name, state in asked.items():
        until(lambda: any(worker.ready for worker in pool._idle))
        page = AppTest.from_file(str(ROOT / "pages" / f"{name}.py"), default_timeout=60)
        for key, value in state.items():
            page.session_state[key] = value
        page.run()
        for button in [b for b in page.button if b.label == "Solve live" and name == "papers"]:
            button.click().run()
        settle(page)
        assert not page.exception
        assert not page.error
    assert begun >= {"solve", "certify", "race", "_result"}
    monkeypatch.setenv("NNSPCA_PROCESSES", "0")
    assert machines.executor() is None
    for said in ("many", "-1", "65"):
        monkeypatch.setenv("NNSPCA_PROCESSES", said)
        caption = AppTest.from_function(notes).run().caption[0].value
        assert said in caption
        assert "takes a whole number from 0 to 64" in caption


def notes():
    from nnspca.view.jobs import machines

    machines.location_note()
