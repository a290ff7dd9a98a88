"""A run on a page that was left lets the page at hand go first, and has its turns again when someone comes back."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

from nnspca.view import jobs
from nnspca.view.jobs import FairSemaphore, Job
from tests.pages.test_workers import SOON, Endless, begin

__all__ = ["begin"]


def looked_at(job: Job, over: threading.Event) -> threading.Thread:
    """Look at a run again and again, as a page does."""

    def look() -> None:
        while not over.wait(0.02):
            job.wait(0.0)

    thread = threading.Thread(target=look)
    thread.start()
    return thread


def until(holds) -> bool:
    deadline = time.monotonic() + SOON
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.02)
    return holds()


def test_a_run_nobody_looks_at_lets_the_page_at_hand_go_first_and_goes_on_when_looked_at_again(begin, monkeypatch):
    monkeypatch.setattr(jobs, "LEFT", 0.4)
    monkeypatch.setattr(jobs, "POLL_SECONDS", 0.05)
    shared, over = FairSemaphore(1), threading.Event()
    behind, ahead = Endless(), Endless()
    left = begin(shared, behind)
    assert behind.moves()
    at_hand = begin(shared, ahead)
    looks = looked_at(at_hand, over)
    try:
        assert until(lambda: ahead.steps > 0), "the page at hand waits for the turn of one that was left to end"
        assert behind.rests()
        assert left.stage == "Waiting for a free worker"
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
    at_hand = begin(shared, ahead)
    assert until(lambda: ahead.steps > 0)
    monkeypatch.setattr(jobs, "TURN", 60)
    assert until(lambda: not at_hand.stage.startswith("Waiting"))
    assert all(work.rests() for work in both)
    at_hand.stop()
    assert all(work.moves() for work in both)
