"""A bar shows how far any call has come."""

import nnspca

COV = nnspca.Covariance.from_matrix([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0, 0.0, 1.0]])


def test_a_bar_fills_up_to_the_end(capsys):
    for call in (nnspca.certify, nnspca.necessity):
        call(COV, 2, on_progress=nnspca.progress_bar("mine"))
        said = capsys.readouterr().err
        assert "mine" in said and said.endswith("\n") and "100%" in said.split("\r")[-1]


def test_what_changes_nothing_on_the_screen_is_not_drawn(capsys):
    tell = nnspca.progress_bar("mine")
    for fraction in (0.0, 0.5, 0.501, 1.0):
        tell(nnspca.result.Progress(fraction, "seeking"))
    assert [line[:10] for line in capsys.readouterr().err.split("\r")[1:]] == ["mine:   0%", "mine:  50%", "mine: 100%"]
