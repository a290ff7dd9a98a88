"""Processes of this machine do what threads would: Stop, waiting and reports reach them, and none is left behind."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
import types
from concurrent.futures import ProcessPoolExecutor, wait
from multiprocessing import get_context
from multiprocessing.connection import Connection

import numpy as np
import pytest
from joblib.externals import loky
from streamlit.testing.v1 import AppTest

import nnspca
from nnspca.control.progress import Monitor
from nnspca.machines import Processes, Workers, call
from nnspca.tasks import certify_path, path
from nnspca.view import machines as pool
from tests.machines.doing import count, fails, here, leave, looks, nap, times, trace, wait_for_stop
from tests.pages.conftest import ROOT, drawn_with, settle, until
from tests.resampling.test_bootstrap import planted
from tests.tasks.test_sweep import plain

pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("papers_read_once")]

SOON = 20.0  # seconds in which what takes none of its own has happened, however busy the machine


@pytest.fixture(autouse=True)
def no_page_is_the_program(monkeypatch):
    """A spawned process imports the main module, and that of a page's test is the page."""
    monkeypatch.setitem(sys.modules, "__main__", types.ModuleType("__main__"))


@pytest.fixture(scope="module")
def processes():
    with Processes(2) as made:
        yield ready(made)


def ready(processes):
    processes.warm()
    assert until(lambda: processes.take() and not processes.give_back(), SOON)
    return processes


@pytest.fixture(scope="module")
def cov():
    return nnspca.Covariance.from_data(planted(m=40, n=16))


def test_as_an_executor_it_calls_plain_functions(processes):
    assert sorted(processes.map(abs, [-3, 2, -1])) == [1, 2, 3]
    with pytest.raises(ValueError, match="invalid literal"):
        processes.submit(int, "z").result(SOON)
    with pytest.raises(ValueError, match="size=0 is not allowed"):
        Processes(0)


def test_every_task_is_done_once_elsewhere_and_what_is_shared_is_sent_once_to_each(processes, monkeypatch):
    sent, honest = [], Connection.send_bytes
    monkeypatch.setattr(Connection, "send_bytes", lambda end, what: sent.append(what) or honest(end, what))
    shared = nnspca.Covariance.from_matrix(np.eye(3))
    with Workers(processes, shared, Monitor()) as workers:
        done = dict(workers.each(trace, ((by,) for by in range(30))))
    assert [value for _, value in (done[by] for by in range(30))] == [3.0 * by for by in range(30)]
    assert os.getpid() not in {who for who, _ in done.values()}
    for _ in range(3):
        assert call(processes, nnspca.solve, shared, 2, should_stop=None, listeners={}).k == 2
    assert 1 <= sum(len(what) > 500 for what in sent) <= 2


def test_a_curve_and_its_proofs_come_out_as_they_do_here(processes, cov):
    here, there = (path(cov, [1, 3, 5, 9, 16], ("best", "em"), executor=where) for where in (None, processes))
    assert plain(here) == plain(there)
    assert plain(certify_path(cov, here)) == plain(certify_path(cov, there, executor=processes))


@pytest.mark.parametrize(
    "make",
    [lambda: Processes(2), lambda: ProcessPoolExecutor(2, get_context("spawn")), lambda: loky.ProcessPoolExecutor(2)],
    ids=["own", "concurrent.futures", "loky"],
)
def test_stop_reaches_tasks_in_their_middle(make):
    halted = []
    with make() as processes, Workers(processes, 7, Monitor(lambda: bool(halted))) as workers:
        assert workers.result(workers.submit(times, 6)) == 42
        waiting = {workers.submit(wait_for_stop, 60.0) for _ in range(8)}
        time.sleep(1.0)
        halted.append(time.monotonic())
        ended = [value for _, value in workers.completed(waiting)]
        assert ended == ["stopped"] * len(ended)
        assert 1 <= len(ended) < 8, "the others never began"
        assert time.monotonic() - halted[0] < SOON


def test_a_call_stops_and_what_is_left_ends(processes):
    told = []
    made = call(processes, looks, 1, should_stop=lambda: len(told) > 3, listeners={"on_found": told.append})
    assert made == len(told) > 3
    with pytest.raises(ZeroDivisionError), Workers(processes, 1, Monitor()) as workers:
        tasks = [workers.submit(wait_for_stop, 60.0) for _ in range(3)]
        raise ZeroDivisionError
    assert not wait(tasks, SOON).not_done


def test_a_call_tells_what_it_finds_in_order(processes):
    told, found = [], []
    listeners = {"on_progress": told.append, "on_found": lambda x, number: found.append(number)}
    assert call(processes, count, "it", 1000, should_stop=None, listeners=listeners) == "it"
    assert found == list(range(0, 1000, 100))
    assert 0 < len(told) < 1000
    assert [p.fraction for p in told] == sorted(p.fraction for p in told)


def test_a_call_waits_while_its_caller_has_to_wait(processes):
    """A run that gives way to another is held up where it looks for Stop; its process must not go on meanwhile."""
    told, turn = [], threading.Event()

    def in_turn():
        if len(told) >= 5 and "back" not in told:
            turn.wait(1.5)  # another task's turn
            told.append("back")
        return len(told) > 60

    call(processes, looks, 1, should_stop=in_turn, listeners={"on_found": lambda number: told.append(time.monotonic())})
    before = [moment for moment in told if moment != "back"]
    assert max(b - a for a, b in itertools.pairwise(before)) > 0.5


def test_what_goes_wrong_there_is_said_here(processes):
    with pytest.raises(nnspca.DataError, match="7 is not allowed"):
        call(processes, fails, 7, should_stop=None, listeners={})

    def deaf(*what):
        raise KeyError("no listener")

    with pytest.raises(KeyError, match="no listener"):
        call(processes, looks, 1, should_stop=None, listeners={"on_found": deaf})
    with (
        pytest.raises(TypeError, match=r"lock.* cannot be sent to other processes \(cannot pickle .*give threads"),
        Workers(processes, threading.Lock(), Monitor()) as workers,
    ):
        workers.result(workers.submit(times, 2))


def test_a_lost_process_costs_time_and_a_task_that_loses_it_again_says_so(processes):
    with Workers(processes, np.full(2, 20.0), Monitor()) as workers:
        pid, *_ = workers.result(workers.submit(nap, 0, 0.0))
        tasks = {workers.submit(nap, 0, 1.0) for _ in range(4)}
        time.sleep(0.3)
        os.kill(pid, signal.SIGKILL)
        assert [value[1:] for _, value in workers.completed(tasks)] == [(0, 40.0)] * 4
        with pytest.raises(RuntimeError, match="a worker ended before its task was done"):
            workers.result(workers.submit(leave, os.getpid()))
    assert processes.submit(abs, -2).result(SOON) == 2
    with ProcessPoolExecutor(1, get_context("spawn")) as pool, Workers(pool, 7, Monitor()) as workers:
        with pytest.raises(RuntimeError, match="a worker ended before its task was done"):
            workers.result(workers.submit(leave, os.getpid()))
        with pytest.raises(RuntimeError, match="a worker ended before its task was done"):
            workers.submit(times, 2)


def test_a_call_that_waits_for_its_turn_keeps_its_process_and_no_other_one_is_made_here(monkeypatch):
    monkeypatch.setenv("NNSPCA_PROCESSES", "1")
    assert pool.call(here, 0, should_stop=None) != os.getpid()  # once a process is ready
    looks, turn, pids = [], threading.Event(), []

    def waits_for_its_turn():  # from its second look on, which it takes in its process
        looks.append(0)
        return len(looks) > 1 and not turn.wait(SOON)

    first = threading.Thread(target=lambda: pids.append(pool.call(here, 0, should_stop=waits_for_its_turn)))
    first.start()
    assert until(lambda: len(looks) > 1, SOON)
    pids.append(pool.call(here, 0, should_stop=None))
    turn.set()
    first.join(SOON)
    assert len({*pids, os.getpid()}) == 3


def test_a_call_that_finds_no_process_ready_is_made_here():
    with Processes(1) as cold:
        assert call(cold, lambda shared, *, should_stop: os.getpid(), 1, should_stop=None, listeners={}) == os.getpid()


def test_no_process_outlives_the_one_it_works_for():
    script = (
        "import os, time\nfrom nnspca.machines import Processes\n"
        "made = Processes(2)\nprint(*{made.submit(os.getpid).result() for _ in range(9)}, flush=True)\n"
        "made.submit(time.sleep, 600)\ntime.sleep(0.2)\nos.kill(os.getpid(), 9)\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=60)
    pids = {int(pid) for pid in ended.stdout.split()}
    assert pids, ended.stderr
    assert until(lambda: not any(alive(pid) for pid in pids), SOON)


def test_a_program_that_ends_waits_for_no_task():
    script = (
        "import time\nfrom nnspca.control.progress import Monitor\n"
        "from nnspca.machines import Processes, Workers\nfrom tests.machines.doing import wait_for_stop\n"
        "made = Processes(1)\nworkers = Workers(made, 1, Monitor())\n"
        "workers.submit(wait_for_stop, 600.0)\ntime.sleep(2)\n"
    )
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, timeout=60, check=True)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_app_has_its_runs_done_there_unless_told_otherwise(empty_ledger, monkeypatch):
    monkeypatch.setenv("NNSPCA_PROCESSES", "2")
    tasks = pool.executor()
    assert isinstance(tasks, Processes)
    assert pool.executor() is tasks
    assert pool.call(here, 0, should_stop=None) != os.getpid()  # once a process is ready
    done, honest = set(), Processes.submit

    def spy(self, function, /, *arguments, **settings):
        if len(arguments) == 3:
            task, its = arguments[1:]
            done.add((task.__name__, its[0].__name__))
        return honest(self, function, *arguments, **settings)

    monkeypatch.setattr(Processes, "submit", spy)
    page = explored(seed=4)
    assert page.session_state["session"].jobs["path"].done
    assert done >= {(task, call) for task in ("_called", "asked") for call in ("solve", "certify")}, done
    monkeypatch.setenv("NNSPCA_PROCESSES", "0")
    assert pool.executor() is None
    for said in ("many", "-1", "65"):
        monkeypatch.setenv("NNSPCA_PROCESSES", said)
        caption = AppTest.from_function(notes).run().caption[0].value
        assert said in caption
        assert "takes a whole number from 0 to 64" in caption


def explored(seed):
    """The page of pit props once its runs, those along the curve too, have ended."""
    page = AppTest.from_file(str(ROOT / "pages" / "explore.py"), default_timeout=60)
    asked = {"data": "pitprops", "k": 4, "ks": "2, 5", "methods": ["best", "em"], "seed": seed}
    return settle(drawn_with(page, {}, asked), path=True)


def notes():
    from nnspca.view import machines

    machines.start_processes()
