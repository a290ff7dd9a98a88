"""A run that ends while its progress is being drawn: the bar and Stop do not stay for good."""

import threading

import pytest

from nnspca.view.session import runs
from nnspca.view.session.job import Job


class EndsWhile(Job):
    """A run that has handed over its only thing and ends in the page's next wait, which is told too soon."""

    def __init__(self, *, first):
        super().__init__("sudden")
        self.first = first

    def _end(self):
        if not self.done:
            thread = threading.Thread(target=self.run, args=(lambda job: job.publish("all"),))
            thread.start()
            thread.join()

    def wait(self, seconds):
        if not self.first:
            self._end()
        return False

    def wait_for_first(self, age, count=1):
        self._end()
        return True


@pytest.mark.parametrize("first", [0, 1])
def test_the_page_looks_again_after_a_run_that_ended_while_its_bar_was_drawn(monkeypatch, first):
    looks = []
    monkeypatch.setattr(runs.st, "fragment", lambda draw, run_every: lambda *words: looks.append((run_every, *words)))
    job = EndsWhile(first=first)
    runs._watch("sudden", job, first)
    ((every, watched, drawn, pause),) = looks
    assert watched.done
    assert every == pause == runs.POLL_SECONDS
    again = []
    monkeypatch.setattr(runs.st, "rerun", lambda: again.append(True))
    runs._draw(watched, drawn, pause)
    assert again


def test_a_long_run_is_looked_at_less_often_until_it_is_stopped(monkeypatch):
    again, looks = [], []
    monkeypatch.setattr(runs.st, "fragment", lambda draw, run_every: lambda *words: looks.append((run_every, *words)))
    monkeypatch.setattr(runs.st, "rerun", lambda: again.append(True))
    job = Job("long")
    runs._watch("long", job, 0)
    runs._draw(*looks[-1][1:])
    assert not again
    job._started -= runs.LONG
    runs._draw(*looks[-1][1:])
    assert len(again) == 1  # the page says how often
    runs._watch("long", job, 0)
    runs._draw(*looks[-1][1:])
    assert len(again) == 1
    job.stop()
    runs._watch("long", job, 0)
    assert [every for every, *_ in looks] == [runs.POLL_SECONDS, runs.LONG_POLL_SECONDS, runs.POLL_SECONDS]


@pytest.mark.parametrize(("waited", "left"), [(False, 7.0), (True, 0.0)])
def test_a_page_that_has_waited_for_its_picture_waits_for_no_quick_end(monkeypatch, waited, left):
    class Asked(Job):
        def wait(self, seconds):
            asked.append(seconds)
            return True

    asked = []
    monkeypatch.setattr(runs, "PATIENCE", 7.0)
    runs.follow("young", Asked("young"), waited=waited)
    assert asked == [pytest.approx(left, abs=1.0)]
