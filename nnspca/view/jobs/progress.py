"""Progress of a run in the browser: the server is asked for it without a rerun of the page, until there is news."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from nnspca.view import session
from nnspca.view.link import canvas, state

_mount = canvas.component("progress", canvas.SHARED, ("progress.js",))


@dataclass(frozen=True)
class Look:
    """One look at a run."""

    fraction: float = 0.0  # share that is done, from 0 to 1
    text: str = ""  # what it does; empty where nothing is to be shown
    draw: bool = False  # whether the page has something new to draw


def show(name: str, look: Callable[[], Look], every: float) -> None:
    """Show progress, looked at every so many seconds; the page is run again once ``look`` has something to draw."""
    key = f"progress-{name}"
    here = session.current()
    here.runs += 1
    _mount(
        key=key,
        data={
            **vars(replace(look(), draw=False)),
            "address": here.publish(key, lambda _: vars(look())),
            "every": round(1000 * every),
            "assignments": state.assignments(),
            "run": here.runs,
        },
        on_draw_change=lambda: keep_choices(key, "draw"),
    )


def keep_choices(key: str, field: str) -> None:
    """Keep choices that the browser had not learned of when a component asked for a rerun."""
    seen = canvas.sent(key, field)
    if seen is not None:
        state.reassign(int(seen))
