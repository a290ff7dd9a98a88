"""Runs share a few workers: first come first served, in turns, the background and what was left last, Stop heeded."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from nnspca.result import Progress
from nnspca.view import jobs
from nnspca.view.jobs import FairSemaphore, Job
from tests.pages.conftest import until

SOON = 60  # seconds within which a thread that may go on does so, however busy the machine


@pytest.fixture(autouse=True)
def nothing_is_over_by_itself(monkeypatch):
    """A turn ends, and a run is left, where a test says so: on a busy machine seconds are nothing."""
    monkeypatch.setattr(jobs, "TURN", 600.0)
    monkeypatch.setattr(jobs, "LEFT", 600.0)


class Endless:
    """Work that goes on until it is told to stop, and says whether it is moving."""

    def __init__(self, background: bool = False):
        self.background, self.steps = background, 0

    def __call__(self, job: Job) -> int:
        if self.background:
            job.deprioritise()
        while not job.should_stop():
            self.steps += 1
            time.sleep(0.005)
        return self.steps

    def moves(self) -> bool:
        before = self.steps
        return until(lambda: self.steps > before, SOON)

    def rests(self) -> bool:
        before = self.steps
        time.sleep(0.3)
        return self.steps <= before + 1


@pytest.fixture
def begin():
    jobs = []

    def start(shared: FairSemaphore, work) -> Job:
        job = Job(("test", len(jobs)), workers=shared)
        jobs.append(job)
        threading.Thread(target=job.run, args=(work,), daemon=True).start()
        return job

    yield start
    for job in jobs:
        job.stop()
    assert all(job.wait(SOON) for job in jobs)


def waiting(job: Job) -> bool:
    return until(lambda: job.stage.startswith("Waiting"), SOON)


def test_what_runs_in_the_background_gives_way_at_once_and_goes_on_afterwards(begin):
    shared, band = FairSemaphore(1), Endless(background=True)
    begin(shared, band)
    assert band.moves()
    asked = Endless()
    person = begin(shared, asked)
    assert asked.moves()
    assert band.rests()
    person.stop()
    assert person.wait(SOON)
    assert band.moves()


def test_a_quick_run_waits_for_a_turn_of_a_long_one_and_not_for_its_end(begin, monkeypatch):
    shared, long = FairSemaphore(1), Endless()
    begin(shared, long)
    assert long.moves()
    quick = begin(shared, lambda job: "answer")
    assert waiting(quick) and long.moves() and not quick.done
    monkeypatch.setattr(jobs, "TURN", 0.2)
    assert quick.wait(SOON)
    assert quick.result == "answer"
    assert long.moves()


def test_who_waits_is_told_how_many_are_served_before(begin):
    shared = FairSemaphore(1)
    holder = begin(shared, Endless())
    holder.report(Progress(0.5, "Solving"))
    assert holder.stage == "Solving"
    first = begin(shared, Endless())
    assert waiting(first)
    second = begin(shared, Endless())
    assert waiting(second)
    assert second.stage.removeprefix(first.stage) == ": 1 ahead"


def test_stop_is_heeded_while_a_run_waits_and_gives_no_worker_away_twice(begin):
    shared = FairSemaphore(1)
    band = begin(shared, Endless(background=True))
    person = begin(shared, Endless())
    assert waiting(band)
    band.stop()
    assert band.wait(SOON)
    never = begin(shared, Endless())
    assert waiting(never)
    never.stop()
    assert never.wait(SOON)
    assert never.result is None
    person.stop()
    assert person.wait(SOON)
    one, two = Endless(), Endless()
    begin(shared, one)
    assert one.moves()
    assert waiting(begin(shared, two))
    assert two.steps == 0


def test_all_are_served_when_many_ask_at_once_and_some_have_failed(begin, monkeypatch):
    monkeypatch.setattr(jobs, "TURN", 0.05)

    def some(job: Job) -> int:
        for _ in range(30):
            assert not job.should_stop()
            time.sleep(0.005)
        return 30

    def fail(job: Job) -> None:
        raise ValueError("k = 0 is not allowed")

    shared = FairSemaphore(2)
    assert all(begin(shared, fail).wait(SOON) for _ in range(3))  # each gives its worker back
    runs = [begin(shared, some) for _ in range(10)]
    assert all(run.wait(SOON) for run in runs)
    assert all(run.result == 30 for run in runs), [run.problem for run in runs]


def test_a_run_nobody_looks_at_lets_the_page_at_hand_go_first_and_goes_on_when_looked_at_again(begin, monkeypatch):
    monkeypatch.setattr(jobs, "LEFT", 0.4)
    monkeypatch.setattr(jobs, "POLL_SECONDS", 0.05)
    shared, over = FairSemaphore(1), threading.Event()
    behind, ahead = Endless(), Endless()
    left = begin(shared, behind)
    assert behind.moves()
    at_hand = begin(shared, ahead)

    def look() -> None:  # again and again, as a page does
        while not over.wait(0.02):
            at_hand.wait(0.0)

    looks = threading.Thread(target=look)
    looks.start()
    try:
        assert until(lambda: ahead.steps > 0, SOON)  # it does not wait for the turn of one that was left to end
        assert behind.rests() and waiting(left)
    finally:
        at_hand.stop()
        over.set()
        looks.join()
    assert behind.moves()


def test_a_run_that_works_in_threads_of_its_own_gives_way_in_all_of_them(begin, monkeypatch):
    monkeypatch.setattr(jobs, "TURN", 0.2)
    shared, both = FairSemaphore(1), (Endless(), Endless())

    def in_threads(job: Job) -> None:
        with ThreadPoolExecutor(2) as threads:
            for task in [threads.submit(work, job) for work in both]:
                task.result()

    begin(shared, in_threads)
    assert all(work.moves() for work in both)
    ahead = Endless()
    at_hand = begin(shared, lambda job: monkeypatch.setattr(jobs, "TURN", 600.0) or ahead(job))  # its turn lasts
    assert ahead.moves()
    assert all(work.rests() for work in both)
    at_hand.stop()
    assert all(work.moves() for work in both)
