"""Identifiers of sessions: one that is guessed, or another visitor's own, opens nothing that is not the asker's."""

import re
import urllib.error
import urllib.request
import uuid

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg

from tests.protocol import PATIENCE, cookie, drawn, session, told
from tests.server import at_hand


@pytest.fixture(scope="module")
def server():
    with at_hand() as running:
        yield running


def answered(address, method, data=None, **headers):
    """Return the status of an answer."""
    headers = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(address, data=data, method=method, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code


def test_an_identifier_that_is_guessed_is_not_taken(server):
    guess = str(uuid.uuid4())
    with session(server.address, "none", guess) as socket:
        assert drawn(socket, "data")[0] != guess


def test_an_identifier_read_in_a_log_opens_the_visit_to_the_browser_that_began_it_alone(server):
    """Streamlit resumes a page for anyone who sends its identifier, which it writes into its log then."""
    mine, other = cookie(server.address), cookie(server.address)
    assert mine != other and mine and other
    with session(server.address, cookie=mine) as socket:
        own, sent = drawn(socket, "explore")
        addresses = {found.decode() for found in re.findall(rb"(?:news|download)/[\w-]{20,}/[\w%/.~-]+", sent)}
        assert own.encode() in sent and addresses
        for stranger in (other, ""):
            with session(server.address, "none", own, cookie=stranger) as thief:
                given, sent = drawn(thief, "explore")
            assert given != own and own.encode() not in sent
            for address in addresses:
                assert answered(f"{server.address}/{address}", "GET", Cookie=stranger) == 404
        for address in addresses:
            assert answered(f"{server.address}/{address}", "GET", Cookie=mine) in (200, 204)
    with session(server.address, "none", own, cookie=mine) as again:
        assert drawn(again, "data")[0] == own


def test_a_file_is_taken_at_the_address_that_the_page_is_given_and_at_no_other_of_its_own(server):
    """Else one page could send any number of them, each of a size that is allowed, and have all of them kept."""
    mine = cookie(server.address)
    with session(server.address, cookie=mine) as socket:
        own, _ = drawn(socket, "data")
        request = BackMsg()
        request.file_urls_request.request_id = "1"
        request.file_urls_request.file_names.append("a.csv")
        socket.send(request.SerializeToString())
        while (answer := told(socket)[1]).WhichOneof("type") != "file_urls_response":
            pass
        (given,) = answer.file_urls_response.file_urls
        with urllib.request.urlopen(f"{server.address}/_stcore/health", timeout=PATIENCE) as health:
            token = health.headers["Set-Cookie"].partition("_streamlit_xsrf=")[2].partition(";")[0]
        place = f"/_stcore/upload_file/{own}/"
        assert given.upload_url.startswith(place)
        head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
        file = head + bytes(2**14) + b"\r\n--x--\r\n"  # which fits into what is sent before it is refused
        form = {"Content_Type": "multipart/form-data; boundary=x", "X_Xsrftoken": token}
        other = cookie(server.address)
        guess = f"/_stcore/upload_file/{uuid.uuid4()}/{uuid.uuid4()}"
        for method, address, whose, status in (
            ("PUT", given.upload_url, other, 404),
            ("PUT", f"{place}{uuid.uuid4()}", mine, 404),
            ("PUT", guess, mine, 404),
            ("PUT", given.upload_url, mine, 204),
            ("DELETE", given.upload_url, other, 404),
            ("DELETE", guess, mine, 404),
            ("DELETE", given.upload_url, mine, 204),
        ):
            form["Cookie"] = f"{whose}; _streamlit_xsrf={token}"
            assert answered(server.address + address, method, file, **form) == status, (method, address)


def test_the_page_for_files_says_whether_they_stay_on_the_visitors_machine_or_on_a_server(server):
    for place, where in (
        (
            b"machine",
            ("", "http://localhost:8501/data", "http://127.0.0.1:8501", "http://[::1]:8501", "http://a.localhost"),
        ),
        (b"server", ("https://nnspca.example.org/data", "http://192.168.0.7:8501", "http://localhost.example.org")),
    ):
        for address in where:
            with session(server.address) as socket:
                assert b"stays on this " + place in drawn(socket, "data", address=address)[1]
