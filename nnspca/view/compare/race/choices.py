"""What the race page is asked: who runs, for how long at most, and whose picture is open."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

import nnspca
from nnspca.studies.standing import RUNNING, Lane, Race
from nnspca.view.session import state
from nnspca.view.session.state import State
from nnspca.view.session.widgets import choose

KEYS = state.keys_of("compare")


@dataclass(frozen=True)
class Choices:
    """Who runs, and after how many seconds of its own each is stopped, by their keys in the link."""

    racers: tuple[str, ...]
    limit: int

    def options(self, now: State) -> dict[str, dict[str, object]]:
        """What the solvers are called with: those that work in few directions take the sidebar's number of them."""
        ranked = (name for name in self.racers if any(o.name == "rank" for o in nnspca.METHODS[name].options))
        return {name: {"rank": now.d} for name in ranked}


def ask() -> Choices:
    """Draw the choice of solvers and of their time."""
    solvers, seconds = st.columns([3, 1], vertical_alignment="bottom")
    with solvers:
        racers = choose(
            KEYS["racers"],
            "Solvers at the start",
            allowed=f"up to {state.MOST_RACERS} of {', '.join(state.METHODS)}",
            help=f"Up to {state.MOST_RACERS}. One that does not suit these data says why, and does not start.",
        )
    with seconds:
        limit = choose(
            KEYS["limit"],
            "Seconds each may use",
            help="Of the processor's time. Whoever has used so many is stopped, the proof of the ceiling as well.",
        )
    return Choices(racers, limit)


def open_mark(race: Race | None, choice: Choices) -> tuple[str | None, int]:
    """Let the person choose a solver and a moment by keyboard; a click on a point sets the same two.

    Returns
    -------
    who : str or None
        None: whoever is in the lead.
    mark : int
        Its point, counted from 1; 0 for its last one, as long as it runs.
    """
    whose, when = st.columns(2, vertical_alignment="bottom")
    with whose:
        who = choose(
            KEYS["who"],
            "Whose picture",
            options=list(choice.racers),
            placeholder="Whoever is in the lead; click a point to choose",
            on_change=lambda: st.session_state.update(mark=None),
            help="Which solver's component is shown.",
        )
    lane = _lane(race, who)
    count = len(lane.marks) if lane is not None and lane.state != RUNNING else 0
    with when:  # the same widget whatever the count: Streamlit keeps the link of no other in step with a click
        held = st.session_state.get("mark")
        if count and held is not None and held > count:
            st.session_state["mark"] = count
            st.caption(f"{who} made {count} steps; its last one is shown, not step {held}.")
        mark = choose(
            KEYS["mark"],
            "At which of its steps",
            placeholder="its last",
            help="Each step is a better component than the one before; the last one stands where none is named.",
        )
    return who, (mark or 0) if count else 0


def take(who: str, mark: int) -> None:
    """Choose what a click on a point asks for."""
    st.session_state.update(who=who, mark=mark)


def _lane(race: Race | None, who: str | None) -> Lane | None:
    return None if race is None else next((lane for lane in race.lanes if lane.method == who), None)
