"""A run that waits for its turn asks little of the browser that watches it."""

from nnspca.view.session import runs
from nnspca.view.session.workers import Ticket, Workers
from tests.pages.conftest import settle


def test_a_curve_that_waits_for_a_worker_is_a_sketch_and_then_a_figure(open_page, monkeypatch):
    workers, others = Workers(1), Ticket()
    assert workers.acquire(others, lambda: False)
    monkeypatch.setattr(runs, "shared_workers", lambda: workers)
    page = open_page("pages/variance.py", data="pitprops", ks="2, 5, 13", seed=8642)
    assert [told.proto.body for told in page.get("html") if "sketch" in told.proto.body]
    assert not page.get("plotly_chart")
    workers.release()
    page = settle(page)
    assert page.get("plotly_chart")
