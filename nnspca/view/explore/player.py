"""The player of the Explore page, which draws k, the curve and the component, and follows the runs."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from nnspca.result.rounded import fixed
from nnspca.view import session
from nnspca.view.explore import choices
from nnspca.view.explore.payload import component_rows, curve, live_point, payload, played_ks
from nnspca.view.explore.view import Runs, View, view_of
from nnspca.view.link import canvas, widgets
from nnspca.view.link.state import assign, assign_again, assignments

HOME = Path(__file__).parent / "browser"
SCRIPTS = ("path.js", "curve.js", "strips.js", "player.js")
POLL_SECONDS = 0.6  # between two polls of running jobs
_mount = canvas.component("play", HOME, SCRIPTS)


def show(shown: View, runs: Runs) -> None:
    """Show the player, which polls for news while a run of this view goes on."""
    here = session.current()
    going = runs.going()  # asked before their results are read, so that those of a finished one are complete
    unfollowed = [job for job in going if job in (runs.curve, runs.others)]  # no progress bar draws the page at the end

    def path() -> bytes:
        now = view_of(shown, shown.choice, runs)
        return gzip.compress(json.dumps({**component_rows(now, played_ks(now)), "curve": curve(now)}).encode(), 1)

    address = here.offer("play", "path.json", path, "application/json", packed=True)
    whole = f"{address}?{canvas.signature(shown.found)}"  # asked for where the page has lost the curve
    once = {"address": whole} if here.had == whole else {"address": whole, "content": {"curve": curve(shown)}}
    here.had = whole

    def packed(shown: View, *, over: bool) -> dict[str, Any]:
        return payload(shown, address=address, note=_note(runs), going=not over, waits=runs.shown in going)

    def news(version: str) -> dict[str, Any] | None:
        """Return what is known now, without the path if the player has it."""
        over = all([job.wait(0.0) for job in going])
        now = view_of(shown, shown.choice, runs)
        path, point = packed(now, over=over), live_point(now)
        sign = f"{path['signature']} {point['says']} {over}"
        if sign == version:
            return None
        known = {} if version.startswith(path["signature"]) else {**path, "curve": curve(now)}
        return {**known, "live": point, "version": sign, "over": over, "rerun": over and bool(unfollowed)}

    _mount(
        key="play",
        data={
            **packed(shown, over=not going),
            "once": once,
            "live": live_point(shown),
            "address": here.publish("play", news) if going else "",
            "every": round(1000 * POLL_SECONDS),
            "assignments": assignments(),
        },
        on_point_change=take_point,
        on_why_change=lambda: press("why"),
        on_over_change=lambda: press("over"),
        on_ended_change=lambda: canvas.keep_choices("play", "ended"),
    )


def _message(key: str) -> Any:
    """Return what the player says; None where it is about data closed meanwhile: those opened since keep their view."""
    said = canvas.value_from("play", key)
    return None if said is None or assign_again(int(said["seen"])) else said


def take_point() -> None:
    """Show a k, and where it is a point of a curve the solver that found it."""
    if (point := _message("point")) is not None:
        if "method" in point:
            session.current().at_rest = None
        assign(k=int(point["k"]), **{key: str(point[key]) for key in ("method",) if key in point})


def press(key: str) -> None:
    """Ask why a feature is in the component, or for a sample over it; what was asked for is closed with -1."""
    if (said := _message(key)) is not None:
        session.current().at_rest = None
        widgets.set_value(choices.KEYS[key], None if said["at"] < 0 else int(said["at"]) + 1)


def _note(runs: Runs) -> str:
    """Say how far the run along k has come; once it has ended, that of the other solvers."""
    along = [job for job in (runs.curve, runs.others) if job is not None]
    if problem := next((job.problem for job in along if job.problem), None):
        return problem
    going = [job for job in along if not job.done]
    return f"{going[0].stage} ({fixed(100 * min(going[0].progress.fraction, 1.0), 0)} %)" if going else ""
