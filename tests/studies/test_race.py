"""The race: what is marked is feasible and was met, bounds are bounds, clocks are fair, Stop stops."""

import time

import numpy as np
import pytest

import nnspca
from nnspca import Covariance
from nnspca.datasets import load
from nnspca.studies import race, racing
from nnspca.studies.racing import BARRED, FINISHED, STOPPED, Race


@pytest.fixture(scope="module")
def small():
    return Covariance.from_data(np.random.default_rng(4).standard_normal((30, 14)) @ np.diag(np.linspace(1, 2, 14)))


@pytest.mark.parametrize("nonnegative", [True, False])
def test_every_solver_shows_feasible_points_and_ends_with_its_own_answer(small, nonnegative):
    names = [name for name in nnspca.METHODS if not racing.reason_excluded(name, 14, nonnegative)]
    ended = race(small, 4, names, nonnegative=nonnegative, seed=3)
    best = nnspca.solve(small, 4, "exact", nonnegative=nonnegative).variance
    assert best <= ended.upper
    for lane in ended.lanes:
        assert lane.state == FINISHED, lane
        answer = nnspca.solve(small, 4, lane.method, nonnegative=nonnegative, seed=3)
        assert answer.variance <= lane.variance * (1 + 2 * racing.MARK_GAIN)
        part = lane.component
        assert np.linalg.norm(part.loadings) == pytest.approx(1)
        assert small.variance(part.loadings) == pytest.approx(lane.variance)
        assert not nonnegative or (part.loadings >= 0).all()
        assert all(mark.features <= 4 and mark.variance <= best * (1 + 1e-9) for mark in lane.marks)
        assert best * (1 + 1e-9) <= ended.upper * (1 + 2e-9)
    nnspca.verify(ended.certificate, small)


def test_each_way_rises_and_the_upper_bound_falls_on_clocks_that_run_forward(small):
    ended = race(small, 3, ("best", "em", "dspca"))
    for lane in ended.lanes:
        assert [m.variance for m in lane.marks] == sorted(m.variance for m in lane.marks)
        times = [m.seconds for m in lane.marks]
        assert times == sorted(times)
        assert times[-1] <= lane.seconds
    uppers = [fall.upper for fall in ended.falls]
    assert uppers == sorted(uppers, reverse=True)
    assert uppers[-1] == ended.certificate.upper


def test_the_same_seed_gives_the_same_points_on_the_way(small):
    first, second = (race(small, 5, ("em", "best"), seed=7) for _ in range(2))
    for a, b in zip(first.lanes, second.lanes, strict=True):
        assert [m.variance for m in a.marks] == [m.variance for m in b.marks]
        assert (a.component.loadings == b.component.loadings).all()


def test_nobody_is_charged_for_what_runs_beside_it():
    cov = Covariance.from_dataset(load("digits"))
    slow = {"epsilon-net": {"rank": 8, "epsilon": 0.01, "max_samples": 10**7}, "dspca": {}}
    asked = time.process_time()
    ended = race(cov, 10, tuple(slow), options=slow, seconds=0.4)
    used = time.process_time() - asked
    assert sum(lane.seconds for lane in ended.lanes) + ended.proof_seconds <= used * 1.05 + 0.05
    (late,) = [lane for lane in ended.lanes if lane.method == "epsilon-net"]
    assert (late.state, late.reason) == (STOPPED, "its time was up")
    assert late.marks, "what was found by then stays"
    assert 0.4 <= late.seconds < 0.9


def test_stop_ends_all_within_a_second_and_keeps_what_was_found():
    cov = Covariance.from_dataset(load("lfw-faces"), True)
    wide = {"epsilon-net": {"rank": 8, "epsilon": 0.01, "max_samples": 10**7}}
    pressed = []

    def stop():
        if not pressed and looks and looks[-1].lanes[0].marks:
            pressed.append(time.process_time())
        return bool(pressed)

    looks: list[Race] = []
    ended = race(cov, 40, ("epsilon-net", "coordinate-descent"), options=wide, should_stop=stop, on_look=looks.append)
    assert time.process_time() - pressed[0] < 1.0
    assert ended.stopped
    assert ended.lanes[0].state == STOPPED
    assert ended.lanes[0].reason == "it was stopped"
    assert ended.upper is None or ended.upper >= ended.lanes[0].variance
    assert [look.fraction for look in looks] == sorted(look.fraction for look in looks)


def test_who_cannot_take_part_says_why():
    cov = Covariance.from_dataset(load("lfw-faces"))
    ended = race(
        cov, 10, ("thresholding", "exact", "pca", "enumeration"), options={"enumeration": {"rank": 5}}, seconds=0.3
    )
    said = {lane.method: lane.reason for lane in ended.lanes if lane.state == BARRED}
    assert set(said) == {"exact", "pca", "enumeration"}
    assert "these data have 625" in said["exact"]
    assert "every feature" in said["pca"]
    assert "directions" in said["enumeration"]
    reason = racing.reason_excluded("pca", 5, True)
    assert "nonnegative" in reason or "every feature" in reason
    assert "either sign" in racing.reason_excluded("nmf", 5, False)


def test_very_many_steps_are_thinned_from_the_middle(monkeypatch):
    monkeypatch.setattr(racing, "MAX_MARKS", 6)
    cov = Covariance.from_dataset(load("digits"))
    (lane,) = race(cov, 30, ("greedy",), seconds=5).lanes
    assert len(lane.marks) <= 6
    assert lane.variance == pytest.approx(nnspca.solve(cov, 30, "greedy").variance)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"methods": ()}, "at least one method"),
        ({"methods": ("magic",)}, "magic"),
        ({"seconds": 0}, "seconds above 0; got"),
        ({"seconds": float("nan")}, "nan"),
        ({"k": 15}, "k=15"),
    ],
)
def test_what_makes_no_race_is_refused(small, change, said):
    asked = {"k": 3, "methods": ("best",)} | change
    with pytest.raises(ValueError, match=said):
        race(small, asked.pop("k"), **asked)
