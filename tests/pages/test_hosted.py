"""Data sets that the environment names by path: listed, measured, read in passes, and no page shows where they lie."""

import os

import numpy as np
import pytest

import nnspca
from nnspca.datasets import open_lazily
from nnspca.view.sources import hosted, preparation
from nnspca.view.ui import downloads
from tests.pages.conftest import says, settle, texts

X = np.random.default_rng(0).normal(size=(60, 8)) * np.arange(1, 9)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder of its own, whose data sets the environment names."""
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside").mkdir()
    for folder in ("inside", "outside"):
        np.save(tmp_path / folder / "few.npy", X)
    named(monkeypatch, tmp_path / "inside" / "few.npy")
    return tmp_path


def named(monkeypatch, *paths):
    monkeypatch.setenv(hosted.OPEN, os.pathsep.join(map(str, paths)))


def small(monkeypatch, kept=8):
    """Let a few numbers be many."""
    monkeypatch.setattr(hosted, "READ_WHOLE", 0)
    monkeypatch.setattr("nnspca.covariance.samples.READ_WHOLE", 0)
    monkeypatch.setattr(hosted, "MOST_FEATURES", kept)


def test_a_small_file_is_read_at_once_and_used_as_any_other(place, open_page):
    page = settle(settle(open_page("pages/data.py", data="few.npy")))
    file = hosted.datasets()["few.npy"]
    assert says(page.markdown, file.info.description) and str(place) not in texts(page)
    assert (file.data.X == X).all()
    assert "open_lazily('few.npy').load()" in downloads.load_line("few.npy")


def test_a_table_is_read_in_a_run_when_it_is_asked_for_and_lies_on_the_desk(place, open_page, monkeypatch):
    inside = place / "inside"
    (inside / "t.csv").write_text("who;a;b;c\nx;1,5;2;1\ny;2,5;3;\nz;0,5;7;2\n")
    (inside / "words.csv").write_text("a,b\nred,blue\n")
    named(monkeypatch, inside / "t.csv", inside / "words.csv")
    with monkeypatch.context() as unread:
        unread.setattr(nnspca.datasets, "preview", pytest.fail)
        assert list(hosted.datasets()) == ["t.csv", "words.csv"] and not hosted.datasets()["t.csv"].info.local
    page = settle(open_page(data="t.csv", k=2))
    desk = page.session_state["session"].desk
    assert desk.seen.error.count == 1 and says(page.error, desk.problem)
    page = settle(page.switch_page("data.py").run())
    settle(page.selectbox(key="desk-missing").set_value("mean").run())
    data = page.session_state["session"].uploads["t.csv"]
    assert data.X[:, :2].tolist() == [[1.5, 2], [2.5, 3], [0.5, 7]] and data.sample_names == ("x", "y", "z")
    assert page.session_state["session"].desks["t.csv"].read.missing == "mean"
    page.switch_page("explore.py").run()
    assert page.number_input(key="k").value == 2  # what the link says of it
    page = settle(open_page(data="words.csv"))
    assert not page.exception and "words.csv" in page.error[0].value


@pytest.mark.parametrize("kept", [8, 3])
def test_of_a_large_one_the_covariance_is_kept_and_the_code_gives_the_same(kept, place, open_page, monkeypatch):
    small(monkeypatch, kept)
    page = settle(settle(open_page("pages/data.py", data="few.npy")))
    file = hosted.datasets()["few.npy"]
    assert says(page.markdown, file.kept_text)
    assert (file.kept, file.passes, file.in_memory) == (kept, 1 + (kept == 3), False)
    data = file.data
    assert data.feature_names == tuple(f"feature {j}" for j in range(9 - kept, 9))
    monkeypatch.chdir(place / "inside")
    for standardise in (False, True):
        there: dict = {}
        exec(
            f"import nnspca\n{downloads.load_line('few.npy')}\n"
            f"cov = nnspca.Covariance.from_dataset(data, standardize={standardise})",
            there,
        )
        shown = preparation.covariance_task(data, standardise, False)[1]()
        assert shown.fingerprint == there["cov"].fingerprint
        assert shown.n_samples == 60


def test_what_may_not_or_cannot_be_opened_is_an_error_on_the_data_page_without_its_path(
    place, open_page, monkeypatch, caplog
):
    inside, outside = place / "inside", place / "outside"
    (inside / "link.npy").symlink_to(outside / "few.npy")
    parts = inside / "parts.zarr"
    parts.mkdir()
    (parts / "0").symlink_to(outside)
    bad = [inside / "link.npy", inside / "gone.npy", parts]
    named(monkeypatch, inside / "few.npy", *bad)
    page = open_page("pages/data.py")
    errors = [e.value for e in page.error]
    assert len(errors) == 3
    for name, said in (
        ("link.npy", "leads outside its folder: name its real path in NNSPCA"),
        ("gone.npy", "there is no such file or folder"),
        ("parts.zarr", "leads outside"),
    ):
        assert any(name in error and said.replace("_", "\\_") in error for error in errors), (name, errors)
    assert str(place) not in texts(page)
    assert list(hosted.datasets()) == ["few.npy"]
    assert str(inside / "gone.npy") in caplog.text


def test_a_folder_opens_as_it_is_with_each_file_that_can_be_opened(place, monkeypatch):
    np.save(place / "inside" / "more.npy", X[:, :3])
    (place / "inside" / "notes.txt").write_text("not data")
    (place / "inside" / "table.csv").write_text("a,b\n1,2\n3,5\n4,0\n")
    (place / "inside" / ".hidden.npy").write_bytes(b"")
    (place / "inside" / "link.npy").symlink_to(place / "outside" / "few.npy")
    named(monkeypatch, place / "inside")
    assert list(hosted.datasets()) == ["few.npy", "more.npy", "table.csv"]
    (problem,) = hosted.problems()
    assert "link.npy" in problem


def test_an_error_while_it_is_read_shows_no_path(place, open_page, monkeypatch):
    class Broken:
        shape, dtype, chunks = X.shape, X.dtype, (10, 8)

        def __getitem__(self, rows):
            if rows.start:
                raise OSError(f"cannot read {place}")
            return X[rows]

    monkeypatch.setattr("nnspca.covariance.sources.CHUNK", 80)
    file = open_lazily(place / "inside" / "few.npy")
    monkeypatch.setattr(hosted, "open_lazily", lambda path: type(file)("few.npy", X.shape, 1, Broken()))
    named(monkeypatch, place / "inside" / "few.npy", place / "inside" / "gone.npy")
    page = settle(open_page("pages/data.py", data="few.npy"))
    (error,) = [e.value for e in page.error if "few.npy" in e.value]
    assert "OSError" in error and str(place) not in texts(page)
    assert any(b.key == "read-it" for b in page.button)
