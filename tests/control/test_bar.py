"""A bar shows how far any call has come, with tqdm and without."""

import sys

import nnspca

COV = nnspca.Covariance.from_matrix([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])


def test_tqdm_draws_to_the_end(capsys):
    for call in (nnspca.certify, nnspca.necessity):
        call(COV, 2, on_progress=nnspca.progress_bar("mine"))
        said = capsys.readouterr().err
        assert "mine" in said and "100 %" in said


def test_without_tqdm_there_is_a_line_for_every_tenth(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    tell = nnspca.progress_bar("mine")
    for tenth in (0.0, 0.1, 0.15, 0.5, 1.0):
        tell(nnspca.Progress(tenth, "seeking"))
    assert capsys.readouterr().err.splitlines() == [
        "mine: 10 % (seeking)",
        "mine: 50 % (seeking)",
        "mine: 100 % (seeking)",
    ]
