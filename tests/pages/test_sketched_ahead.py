"""A page that waits for a whole picture sketches it from its first points; one that has it all draws it at once."""

import threading

from nnspca.view.session import runs
from nnspca.view.session.job import Job
from nnspca.view.session.runs import wait_for_picture


def sketches(job, work, go_on, whole):
    """Of how many things the picture of a run was sketched each time; the run is told to go on after each."""
    seen = []
    thread = threading.Thread(target=job.take_part, args=(work,))
    thread.start()

    def sketch():
        seen.append(len(job.arrived))
        go_on()

    wait_for_picture(job, whole=whole, few=2, sketch=sketch)
    assert job.done
    thread.join()
    return seen


def test_what_waits_for_a_whole_picture_is_sketched_from_a_few_things():
    job, again, more = Job("curves"), [], threading.Event()

    def work(job):
        job.publish(1)
        job.publish(2)
        more.wait(5)
        job.publish(3)

    assert sketches(job, work, more.set, whole=3) == [2]
    wait_for_picture(job, whole=3, few=2, sketch=lambda: again.append(1))  # all is known: nothing to wait for
    assert again == []


def test_it_is_sketched_again_whenever_there_is_as_much_more(monkeypatch):
    monkeypatch.setattr(runs, "SKETCHED", 60.0)
    monkeypatch.setattr(runs, "FIRST", 60.0)
    more = threading.Semaphore(0)

    def work(job):
        for number in range(7):
            job.publish(number)
            if number % 2:
                more.acquire(timeout=5)

    assert sketches(Job("curves"), work, more.release, whole=7) == [2, 4, 6]


def test_what_is_drawn_as_it_runs_is_drawn_once_there_is_something(monkeypatch):
    monkeypatch.setattr(runs, "FIRST", 5.0)
    monkeypatch.setattr(runs, "WHOLE", 60.0)
    job, ended = Job("race"), threading.Event()

    def work(job):
        job.about = "the race as it stands"
        ended.wait(30)

    thread = threading.Thread(target=job.take_part, args=(work,))
    thread.start()
    wait_for_picture(job, whole=0)
    assert not job.done
    assert job.about
    assert job.age < 5
    ended.set()
    thread.join()


def test_a_picture_that_is_whole_does_not_wait_for_what_is_still_to_come(monkeypatch):
    monkeypatch.setattr(runs, "PATIENCE", 60.0)
    job, ended = Job("curves"), threading.Event()

    def work(job):
        for number in range(3):
            job.publish(number)
        ended.wait(30)

    thread = threading.Thread(target=job.take_part, args=(work,))
    thread.start()
    wait_for_picture(job, whole=3, few=2, sketch=lambda: None)
    assert not job.done
    assert job.age < 30
    ended.set()
    thread.join()
