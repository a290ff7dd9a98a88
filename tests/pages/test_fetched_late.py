"""A file that was asked for is there when the browser comes for it, whatever other visitors' pages did meanwhile."""

import pytest
from streamlit import runtime
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage

from nnspca.view.session import streamlit_private as private


@pytest.fixture
def files(monkeypatch):
    """Streamlit's own keeper of files, as a server has it."""
    storage = MemoryMediaFileStorage("/media")
    manager = MediaFileManager(storage)
    monkeypatch.setattr(runtime, "exists", lambda: True)
    monkeypatch.setattr(runtime, "get_instance", lambda: type("Server", (), {"media_file_mgr": manager}))
    return manager


def asked(files, make):
    """Have a file made as a press of its button does; return its name in the address."""
    entry = files.add_deferred(make, "text/csv", "button", "a.csv")
    return files.execute_deferred(entry).rpartition("/")[2]


def runs_end(files, count):
    """So many runs of other sessions end."""
    for _ in range(count):
        files.remove_orphaned_files()


def is_there(files, name):
    return name.partition(".")[0] in files._file_metadata


def test_streamlit_alone_throws_a_file_away_before_it_is_fetched(files):
    """Where this fails, Streamlit has mended it, and what we do about it can go."""
    name = asked(files, lambda: b"a,b")
    runs_end(files, 2)
    assert not is_there(files, name)


def test_a_file_outlives_other_sessions_runs_until_enough_later_ones_have_been_made(files):
    name = asked(files, private.held(lambda: b"a,b", "text/csv", "a.csv"))
    runs_end(files, 5)
    assert is_there(files, name)
    for other in range(private.HELD):
        asked(files, private.held(lambda other=other: b"%d" % other, "text/csv", "a.csv"))
    runs_end(files, 2)
    assert not is_there(files, name)
    assert len(files._file_metadata) <= private.HELD + 1


def test_a_file_made_beforehand_outlives_those_that_take_its_place_on_the_page(files, monkeypatch):
    def drawn(content):
        """The page is drawn with this file behind its button, and what it had before is not referred to any more."""
        offered = private.held(content, "text/csv", "a.csv")
        address = files.add(offered, "text/csv", "button", "a.csv", is_for_static_download=True)
        files.clear_session_refs()
        runs_end(files, 2)
        return address.rpartition("/")[2]

    monkeypatch.setattr(private, "_shown", {})
    first = drawn(b"k,variance")
    for other in range(private.SHOWN - 1):
        drawn(b"%d" % other)
        drawn(b"%d" % other)  # drawn anew with the same: one file, one place
    assert is_there(files, first)
    drawn(b"one more")
    drawn(b"and another")
    assert not is_there(files, first)
    assert len(files._file_metadata) <= private.SHOWN + 2
