"""A run that ends while its progress is being drawn: the bar and Stop do not stay for good."""

import threading

import pytest

from nnspca.view.session import runs
from nnspca.view.session.runs import Job


class EndsWhile(Job):
    """A run that has handed over its only thing and ends in the page's next wait, which is told too soon."""

    def __init__(self, *, first):
        super().__init__("sudden")
        self.first = first

    def _end(self):
        if not self.done:
            thread = threading.Thread(target=self.take_part, args=(lambda job: job.publish("all"),))
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
    monkeypatch.setattr(runs.st, "fragment", lambda draw, run_every: lambda job, drawn: looks.append((job, drawn)))
    job = EndsWhile(first=first)
    runs._watch("sudden", job, first)
    ((watched, drawn),) = looks
    assert watched.done
    again = []
    monkeypatch.setattr(runs.st, "rerun", lambda: again.append(True))
    runs._draw(watched, drawn)
    assert again
