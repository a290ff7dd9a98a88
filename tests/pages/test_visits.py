"""What a page offers beside Streamlit's connection: its files and news stay until the visit ends, and not longer."""

import gc
import gzip
import json

import pytest
from starlette.applications import Starlette

from nnspca.view.frame import server
from nnspca.view.session import COOKIE, FILES, NEWS, Session
from tests.pages.conftest import alone, answered, until

HOSTILE = "../<b>evil</b> é y.csv"


def get(address, version="", **headers):
    """Return what a server that has our routes alone answers."""
    return answered(Starlette(routes=server.routes()), f"/{address}?version={version}", **headers)


@pytest.fixture
def visit():
    """A visit, as a session's state has it."""
    return Session()


def test_a_file_is_there_whatever_other_visits_do_until_its_own_ends(visit):
    address = visit.offer("table", "a.csv", "k,variance", "text/csv")
    for _ in range(2 * FILES):
        other = Session()
        other.offer("table", "a.csv", b"other", "text/csv")
    status, headers, body = get(address)
    assert (status, body) == (200, b"k,variance") and headers["content-type"].startswith("text/csv")


def test_what_a_visit_offers_is_for_the_browser_that_opened_it(visit):
    visit.visitor = frozenset({"its", "its-second"})
    for address in (visit.offer("table", "a.csv", "k", "text/csv"), visit.publish("play", lambda version: {"k": 7})):
        nothing = 204 if address.startswith(NEWS) else 404
        assert get(address, cookie=f"{COOKIE}1=other")[0] == get(address)[0] == nothing
        assert get(address, cookie=f"{COOKIE}1=other; {COOKIE}2=its")[0] == 200


def test_addresses_stay_while_a_connection_is_lost_and_end_with_the_session():
    session = {"visit": Session()}
    file = session["visit"].offer("table", "a.csv", "k,variance", "text/csv")
    news = session["visit"].publish("play", lambda version: {"version": "1"})
    session["visit"].leave()
    assert get(file)[0] == get(news)[0] == 200
    session.clear()
    ended = until(lambda: gc.collect() >= 0 and get(file)[0] == 404)  # a thread may still hold the visit it answered
    assert ended and get(news)[0] == 204  # a page that is leaving may still look


def test_a_visit_keeps_its_latest_files_at_addresses_that_stay_and_cannot_be_guessed(visit):
    address = visit.offer("table", "a.csv", "before", "text/csv")
    assert visit.offer("table", "a.csv", lambda: b"now", "text/csv") == address
    assert get(address)[2] == b"now"
    hostile = visit.offer("table", HOSTILE, b"1", "text/csv")
    assert get(hostile)[2] == b"1" and hostile.count("/") == 3
    assert len(visit.name) >= 20
    assert get(address.replace(visit.name, Session().name))[0] == 404
    later = [visit.offer(str(i), "a.csv", b"", "text/csv") for i in range(FILES)]
    assert get(address)[0] == 404
    assert {get(one)[0] for one in later} == {200}


def test_a_compressed_file_is_kept_by_the_browser_and_by_nobody_between(visit):
    address = visit.offer("play", "path.json", lambda: gzip.compress(b"[1]"), "application/json", packed=True)
    status, headers, body = get(address)
    assert status == 200 and headers["content-encoding"] == "gzip" and gzip.decompress(body) == b"[1]"
    assert "private" in headers["cache-control"] and "immutable" in headers["cache-control"]


def test_a_component_is_sent_what_is_new_since_its_version(visit):
    address = visit.publish("play", lambda version: None if version == "2" else {"version": "2", "k": 7})
    assert json.loads(get(address)[2]) == {"version": "2", "k": 7}
    assert get(address, "2")[0] == 204
    assert get(address.replace("play", "other"))[0] == 204


def test_explore_is_found_under_its_own_name_too():
    status, headers, _ = answered(Starlette(routes=server.routes()), "/explore?k=7&data=digits")
    assert (status, headers["location"]) == (307, "./?k=7&data=digits")


PAGE = """
import streamlit as st
from nnspca.view.link import state
st.number_input("k", key="k", value=3)
st.session_state["_numbers"] = state.assignments()
st.button("choose 7", key="choose", on_click=lambda: state.assign(k=7))
st.button("late", key="late", on_click=lambda: state.assign_again(0))
st.button("known", key="known", on_click=lambda: state.assign_again(1))
"""


# What the browser says as it sends a request, whether it has heard of the choice of 7 by then, and what then stands.
REQUESTS = [(3, "late", 7), (5, "late", 5), (3, "known", 3)]


@pytest.mark.parametrize(("said", "button", "stands"), REQUESTS)
def test_a_request_undoes_no_choice_that_its_browser_had_not_heard_of_but_a_persons_own_counts(said, button, stands):
    page = alone(PAGE)
    page.button(key="choose").click().run()
    assert page.number_input(key="k").value == 7
    page.number_input(key="k").set_value(said)
    page.button(key=button).click().run()
    assert page.number_input(key="k").value == stands
