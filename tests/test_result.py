"""The derived numbers of results are what their names say."""

import numpy as np
import pytest

import nnspca
from nnspca.control.progress import Monitor


def test_a_certificate_derives_ratio_gap_and_winner():
    part = nnspca.Component(np.array([0.6, 0.0, 0.8]), 2.0, "best", 2)
    values = {"eigenvalue": 5.0, "paper": 1.0, "rank": 4.0}
    bounds = [nnspca.Bound(name, value, name != "paper") for name, value in values.items()]
    cert = nnspca.Certificate(2, True, 2.0, 4.0, part, tuple(bounds), 5.0, "print")
    assert cert.ratio == 0.5
    assert cert.gap == 0.5
    assert cert.winner.name == "rank"
    assert cert.bound("paper").value == 1.0
    with pytest.raises(KeyError, match="tried: eigenvalue, paper, rank"):
        cert.bound("rows")


def test_a_part_of_a_watch_tells_its_share_of_the_whole():
    told = []
    monitor = Monitor(lambda: True, told.append)
    monitor.part(0.5, 1.0).part(0.0, 0.5).tell(0.5, "stage", 1.0, 2.0)
    assert told == [nnspca.result.Progress(0.625, "stage", 1.0, 2.0)]
    monitor.tell(7.0, "beyond")
    monitor.tell(-1.0, "before")
    assert [p.fraction for p in told[1:]] == [1.0, 0.0]
    assert monitor.part(0, 1).stop()
    assert not Monitor().stop()
    Monitor().tell(0.5, "unheard")
