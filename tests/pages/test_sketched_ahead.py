"""A page that waits for a whole picture sketches it from its first points; one that has it all draws it at once."""

import threading

from nnspca.view.session import runs


def test_what_waits_for_a_whole_picture_is_sketched_from_a_few_things():
    job, seen, more = runs.Job("curves"), [], threading.Event()

    def work(job):
        job.publish(1)
        job.publish(2)
        more.wait(5)
        job.publish(3)

    thread = threading.Thread(target=job.take_part, args=(work,))
    thread.start()

    def sketch():
        seen.append(len(job.arrived))
        more.set()

    assert job.wait_for_picture(whole=3, few=2, sketch=sketch)
    thread.join()
    assert seen == [2]
    assert job.wait_for_picture(whole=3, few=2, sketch=sketch)  # all is known: nothing to wait for
    assert seen == [2]


def test_it_is_sketched_again_whenever_there_is_as_much_more(monkeypatch):
    monkeypatch.setattr(runs, "SKETCHED", 60.0)
    monkeypatch.setattr(runs, "FIRST", 60.0)
    job, seen, more = runs.Job("curves"), [], threading.Semaphore(0)

    def work(job):
        for number in range(7):
            job.publish(number)
            if number % 2:
                more.acquire(timeout=5)

    thread = threading.Thread(target=job.take_part, args=(work,))
    thread.start()

    def sketch():
        seen.append(len(job.arrived))
        more.release()

    assert job.wait_for_picture(whole=7, few=2, sketch=sketch)
    thread.join()
    assert seen == [2, 4, 6]


def test_what_is_drawn_as_it_runs_is_drawn_once_there_is_something(monkeypatch):
    monkeypatch.setattr(runs, "FIRST", 5.0)
    monkeypatch.setattr(runs, "WHOLE", 60.0)
    job, ended = runs.Job("race"), threading.Event()

    def work(job):
        job.about = "the race as it stands"
        ended.wait(30)

    thread = threading.Thread(target=job.take_part, args=(work,))
    thread.start()
    assert not job.wait_for_picture(whole=0)
    assert job.about
    assert job.age < 5
    ended.set()
    thread.join()
