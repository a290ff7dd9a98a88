"""A run that ends while its progress is being drawn: the bar and Stop do not stay for good."""

import threading

import pytest
from streamlit.testing.v1 import AppTest

from nnspca.view import tasks
from nnspca.view.jobs import Job


class EndsWhile(Job):
    """A run that has handed over its only thing and ends in the page's next wait, which is told too soon."""

    def wait(self, seconds):
        if not self.done:
            thread = threading.Thread(target=self.run, args=(lambda job: job.publish("all"),))
            thread.start()
            thread.join()
        return False


@pytest.fixture
def looks(monkeypatch):
    """The looks at runs that a browser would be asked to take."""
    taken = []
    monkeypatch.setattr(tasks.canvas, "progress", lambda name, look, every: taken.append(look))
    return taken


def test_the_page_is_drawn_again_after_a_run_that_ended_while_its_bar_was_drawn(looks):
    job = EndsWhile("sudden")
    tasks.follow(job)
    (look,) = looks
    assert job.done
    assert look().draw


def test_the_page_is_drawn_again_for_news_alone_and_the_bar_tells_how_long_a_long_run_goes(looks):
    job = Job("long")
    tasks.follow(job, waited=True)
    (look,) = looks
    assert not look().draw
    job._started -= tasks.LONG + 1
    assert "s so far" in look().text
    assert not look().draw
    job.publish("a first result")
    assert look().draw


def test_a_message_of_a_component_that_the_page_no_longer_has_changes_nothing():
    """A browser may send it while the page is run again without the component."""

    def page():
        import streamlit as st

        from nnspca.view.explore import stage
        from nnspca.view.link import canvas

        canvas.keep_choices("progress-explore", "draw")
        canvas.keep_choices("play", "ended")
        for answer in (stage._choose_k, stage._choose_point, stage._ask_why):
            answer()
        st.write(sorted(key for key in st.session_state if not key.startswith("_")))

    app = AppTest.from_function(page).run()
    assert not app.exception
    assert app.json[0].value == "[]"
