"""Between live and thorough: work goes on until a gap is met or the time is over, or from where a certificate ended."""

import time
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import nnspca
from nnspca.bounds.plan import PLANS
from nnspca.result import Bound
from nnspca.tasks import _rounds
from tests import budgets, oracle

NOISE = nnspca.Covariance.from_matrix(np.corrcoef(np.random.default_rng(0).standard_normal((40, 30)), rowvar=False))
PART = nnspca.solve(NOISE, 8)


def test_work_ends_at_the_gap_asked_for_and_the_answer_is_always_the_same():
    loose, near = (nnspca.certify(NOISE, 8, gap=gap) for gap in (0.2, 0.01))
    assert loose.gap <= 0.2 < 1 - PART.variance / loose.leading
    assert near.gap <= 0.01
    assert len(loose.bounds) < len(near.bounds) and not loose.stopped
    assert [b.value for b in nnspca.certify(NOISE, 8, gap=0.01).bounds] == [b.value for b in near.bounds]
    nnspca.verify(near, NOISE)


@pytest.mark.parametrize("given", ["nothing", "component"])
@pytest.mark.parametrize("limit", [1e-6, 0.4])
def test_the_time_limit_is_kept_and_the_bounds_hold(limit, given):
    X = np.random.default_rng(1).standard_normal((300, 400))
    cov, told = nnspca.Covariance.from_data(X), []
    part = nnspca.solve(cov, 20, "thresholding") if given == "component" else None
    began = time.monotonic()
    cert = nnspca.certify(cov, 20, gap=0.0, time_limit=limit, component=part, on_progress=told.append)
    assert time.monotonic() - began < limit + 1.0  # a step, and other tests beside this one
    assert cert.stopped
    assert cert.lower <= cert.upper
    nnspca.verify(cert, cov)
    fractions = [progress.fraction for progress in told]
    assert fractions == sorted(fractions) and fractions[-1] == 1.0


def test_going_on_from_a_certificate_never_loses_what_it_has(monkeypatch):
    monkeypatch.setattr(_rounds, "PLANS", {"live": PLANS["live"], "thorough": replace(PLANS["live"], seconds=np.inf)})
    best = oracle.optimum(NOISE.matrix[:12, :12], 4)[0]
    cov = NOISE.restrict(np.arange(12))
    certs = [nnspca.certify(cov, 4, gap=0.3)]
    for ask in ({"gap": 0.1}, {"effort": "live"}, {"time_limit": 0.5}, {"effort": "thorough"}):
        certs.append(nnspca.certify(cov, 4, warm_start=certs[-1], **ask))
        nnspca.verify(certs[-1], cov)
    for before, after in pairwise(certs):
        assert best * (1 - 1e-12) <= after.upper <= before.upper
        assert after.lower >= before.lower


def test_a_certificate_that_lies_is_taken_at_what_it_proves():
    cert = nnspca.certify(NOISE, 8)
    low = tuple(replace(bound, value=bound.value * 0.9) for bound in cert.bounds)
    for forged in (low, (Bound("eigenvalue", 1e-3),), (Bound("pair-scaled", np.nan),), ()):
        again = nnspca.certify(NOISE, 8, warm_start=replace(cert, upper=cert.lower, bounds=forged))
        assert again.upper >= again.lower
        nnspca.verify(again, NOISE)


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        ({"gap": 1.0}, "gap=1.0"),
        ({"gap": -0.1}, "gap=-0.1"),
        ({"time_limit": 0}, "time_limit=0 .*positive number of seconds"),
        ({"time_limit": np.nan}, "time_limit=nan"),
    ],
)
def test_limits_that_are_none_are_refused(ask, says):
    with pytest.raises(ValueError, match=says):
        nnspca.certify(NOISE, 2, **ask)


def test_parts_go_on_until_the_gap_is_met_and_from_a_certificate_of_their_own(pitprops):
    first = nnspca.certify_parts(pitprops, 2, 3, gap=0.2)
    near = nnspca.certify_parts(pitprops, 2, 3, gap=0.001, time_limit=60.0, warm_start=first)
    assert near.gap <= 0.001 and near.lower >= first.lower and near.upper <= first.upper
    nnspca.verify(near, pitprops)
    with pytest.raises(ValueError, match="time_limit"):
        nnspca.certify_parts(pitprops, 2, 3, time_limit=-1)
    forged = tuple(replace(bound, value=bound.value * 0.5) for bound in near.bounds)
    again = nnspca.certify_parts(pitprops, 2, 3, warm_start=replace(near, bounds=forged))
    assert again.upper >= again.lower
    nnspca.verify(again, pitprops)


@pytest.mark.slow
def test_a_search_that_was_ended_goes_on_with_its_certificate(monkeypatch):
    # what is found is asked, not how tight the bound gets
    budgets.of_live_parts(monkeypatch, relaxation=PLANS["live"].relaxation / 20, trees=0.0)
    cov = nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((40, 50)))
    ended = nnspca.certify(cov, 12, should_stop=lambda: True)
    assert nnspca.certify(cov, 12, warm_start=ended).lower >= nnspca.solve(cov, 12).variance * (1 - 1e-9)
    ended = nnspca.certify_parts(cov, 3, 6, should_stop=lambda: True)
    again = nnspca.certify_parts(cov, 3, 6, warm_start=ended)
    sought = nnspca.decompose(cov, 3, 6, deflation="together")
    assert len(again.parts) == 3 and again.lower >= 0.99 * sought.variances.sum()
