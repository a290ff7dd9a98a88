"""What a comparison of solvers is asked: which ones, their time, and whose component is shown."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

import nnspca
from nnspca.studies.race_state import RUNNING, Race
from nnspca.view.link import state
from nnspca.view.link.solver import TITLES, title
from nnspca.view.link.state import State
from nnspca.view.link.widgets import DeltaGenerator, choose

KEYS = state.keys_of("compare")
CLOCK = "Solvers take turns on one processor; each clock counts its own solver's seconds only."


@dataclass(frozen=True)
class Choices:
    """Which solvers run, and after how many seconds of its own each is stopped, by their keys in the link."""

    racers: tuple[str, ...]
    limit: int

    def options(self, now: State) -> dict[str, dict[str, object]]:
        """What the solvers are called with: those that work in few directions take the sidebar's number of them."""
        ranked = (name for name in self.racers if any(o.name == "rank" for o in nnspca.METHODS[name].options))
        return {name: {"rank": now.d} for name in ranked}


def ask(which: DeltaGenerator, limit: DeltaGenerator) -> Choices:
    """Draw the choice of solvers and of their time."""
    with which:
        racers = choose(
            KEYS["racers"],
            "Solvers",
            allowed=f"up to {state.MOST_RACERS} of {', '.join(state.METHODS)}",
            format_func=TITLES.__getitem__,
            help=f"Up to {state.MOST_RACERS}. A solver that cannot solve this problem does not start. {CLOCK}",
        )
    with limit:
        seconds = choose(
            KEYS["limit"],
            "Seconds per solver",
            help="Processor time after which each solver, and the proof of the upper bound, is stopped.",
        )
    return Choices(racers, seconds)


def open_mark(race: Race | None, choice: Choices) -> tuple[str | None, int]:
    """Let the person choose a solver and a step by keyboard; a click on a point sets the same two.

    No solver is the one that leads. Steps count from 1; 0 is the last one, as long as it runs.
    """
    with st.expander("Component shown: which solver, which step", icon=":material/image_search:"):
        whose, when = st.columns(2, vertical_alignment="bottom")
    with whose:
        who = choose(
            KEYS["who"],
            "Solver",
            options=list(choice.racers),
            format_func=TITLES.__getitem__,
            placeholder="the one that leads",
            on_change=lambda: state.assign(mark=None),
            help="Or click a point of the figure.",
        )
    lane = None if race is None else next((lane for lane in race.lanes if lane.method == who), None)
    count = len(lane.marks) if lane is not None and lane.state != RUNNING else 0
    with when:  # the same widget whatever the count: Streamlit keeps the link of no other in step with a click
        step = st.session_state.get("mark")
        if count and step is not None and step > count:
            st.session_state["mark"] = count
            st.caption(f"{title(str(who))} made {count} steps; its last one is shown, not step {step}.")
        mark = choose(
            KEYS["mark"],
            "Step",
            placeholder="the last",
            help="Each step is a better component than the one before.",
        )
    return who, (mark or 0) if count else 0
