"""Results are frozen, and their derived numbers are what their names say."""

import dataclasses

import numpy as np
import pytest

import nnspca
from nnspca.control.progress import Monitor
from nnspca.result import SweepPoint


def part(variance=2.0, k=2, **more):
    return nnspca.Component(np.array([0.6, 0.0, 0.8]), variance, "best", k, **more)


def bound(name, value, deterministic=True):
    return nnspca.Bound(name, value, deterministic)


def certificate(k=2, upper=4.0):
    bounds = (bound("eigenvalue", 5.0), bound("paper", 1.0, False), bound("rank", upper))
    return nnspca.Certificate(k, True, 2.0, upper, part(), bounds, 5.0, "print")


def test_results_cannot_be_changed():
    for result in (part(), bound("x", 1.0), certificate(), nnspca.result.Progress(0.5, "half"), nnspca.Sweep((), 1.0)):
        first = dataclasses.fields(result)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(result, first, None)


def test_a_certificate_derives_ratio_gap_and_winner():
    cert = certificate()
    assert cert.ratio == 0.5
    assert cert.gap == 0.5
    assert cert.winner.name == "rank"
    assert cert.bound("paper").value == 1.0
    with pytest.raises(KeyError, match="tried: eigenvalue, paper, rank"):
        cert.bound("rows")


def test_records_have_one_row_a_point_with_none_where_nothing_was_certified():
    curve = nnspca.Sweep(
        (SweepPoint(2, "best", part(), certificate()), SweepPoint(3, "em", part(1.0, 3, seconds=0.25))),
        leading=4.0,
    )
    first, second = curve.to_records()
    assert (first["k"], first["method"], first["variance"], first["normalized_variance"]) == (2, "best", 2.0, 0.5)
    assert (first["lower"], first["upper"], first["ratio"], first["stopped"]) == (2.0, 4.0, 0.5, False)
    assert (second["k"], second["cardinality"], second["seconds"]) == (3, 2, 0.25)
    assert (second["lower"], second["upper"], second["ratio"]) == (None, None, None)
    assert list(curve.certificates) == [2]


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
