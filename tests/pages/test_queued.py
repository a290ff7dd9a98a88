"""A run that waits for its turn: what is known already stands there meanwhile, and the page says what it waits for."""

import pytest

from nnspca.view import tasks
from nnspca.view.jobs import FairSemaphore, Ticket
from tests.pages.conftest import played, settle


@pytest.mark.usefixtures("short_proofs")
def test_a_page_that_waits_for_a_worker_shows_the_stored_picture_and_then_the_live_run(open_page, monkeypatch):
    workers, others = FairSemaphore(1), Ticket()
    assert workers.acquire(others, lambda: False)
    monkeypatch.setattr(tasks, "shared_workers", lambda: workers)
    page = open_page("pages/explore.py", data="lfw-faces", k=40, scale="standardised", seed=8642)
    waiting = played(page)
    assert "(stored proof)" in waiting["says"][waiting["ks"].index(40)]
    assert len(waiting["band"]["ks"]) > 5
    assert waiting["live"]["ks"] == []
    assert waiting["live_says"] == "Live: solving …"
    assert waiting["note"]  # says that it waits
    workers.release()
    shown = played(settle(page, path=True))
    assert shown["live_says"].startswith("Live: ") and "of λ₁ found in" in shown["live_says"]
    assert 40 in shown["live"]["ks"]
    assert shown["note"] == ""
