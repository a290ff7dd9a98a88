"""Visitors come at once to a fresh server: each is shown its run or its place, and the health is told all the while."""

import os
import time

import psutil
import pytest

from tests.benchmarks.load import LINK, LONG, PLACE, Health, Visitor
from tests.server import serving

VISITORS = max(2, os.cpu_count() or 2) + 4  # four more than there are workers
WITHIN, HEALTH = 60, 5.0  # seconds; several times what it takes on a quiet machine


@pytest.mark.heavy
def test_who_comes_to_a_fresh_server_at_once_is_served_or_told_the_place_and_the_health_is_told():
    with serving() as server:
        with Health().watching(server) as health:
            visitors = [Visitor(server.address, LINK.format(seed)) for seed in range(VISITORS)]
            try:
                assert all(visitor.drawn.wait(WITHIN) for visitor in visitors), server.output()
            finally:
                for visitor in visitors:
                    visitor.leaves.set()
                    visitor.join(WITHIN)
        output = server.output()
    assert "Traceback" not in output, output
    assert not [visitor for visitor in visitors if b"encountered an error" in visitor.shown]
    assert sum(bool(PLACE.search(visitor.shown)) for visitor in visitors) >= 2
    assert health.late < HEALTH, sorted(health)[-5:]


@pytest.mark.heavy
def test_six_runs_leave_the_servers_own_process_nine_tenths_of_a_core():
    with serving() as server:
        visitors = [Visitor(server.address, LONG.format(seed), WITHIN) for seed in range(6)]
        assert all(visitor.drawn.wait(WITHIN) for visitor in visitors), server.output()
        used, began = psutil.Process(server.process).cpu_times, time.monotonic()
        before = sum(used()[:2])
        time.sleep(5.0)
        share = (sum(used()[:2]) - before) / (time.monotonic() - began)
        for visitor in visitors:
            visitor.leaves.set()
    assert share < 0.1


@pytest.mark.heavy
def test_runs_whose_visitors_have_left_make_room():
    """Each would take minutes; a visitor behind them is served once their pages are closed."""
    with serving() as server:
        visitors = [Visitor(server.address, LONG.format(seed)) for seed in range(VISITORS)]
        assert all(visitor.drawn.wait(WITHIN) for visitor in visitors), server.output()
        late = Visitor(server.address, LINK.format(VISITORS))
        assert late.drawn.wait(WITHIN) and not late.done
        for visitor in visitors:
            visitor.leaves.set()
        late.join(WITHIN)
        assert late.done, server.output()
        for visitor in visitors:
            visitor.join(WITHIN)
            assert not visitor.done
