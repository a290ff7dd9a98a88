"""What the compare page is asked: which data sets, by which solvers, at which shares of the features."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from nnspca.datasets import Dataset
from nnspca.studies import comparison
from nnspca.view.session import catalogue, state
from nnspca.view.session.state import State, methods_for
from nnspca.view.session.streamlit_private import DeltaGenerator
from nnspca.view.session.widgets import choose, propose

KEYS = state.keys_of("compare")
BESIDE = "digits"  # what stands beside a person's own data at first
SHARES = {
    "few": (0.05, 0.25, 1.0),
    "some": comparison.SHARES,
    "many": (0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.35, 0.6, 1.0),
}


@dataclass(frozen=True)
class Choices:
    """What is compared, each field by its key in the link: data sets, solvers, how many values of k."""

    vs: tuple[str, ...]
    by: tuple[str, ...]
    fine: str
    panels: bool = False

    @property
    def shares(self) -> tuple[float, ...]:
        """The values of k as shares of the features."""
        return SHARES[self.fine]


def ask(now: State) -> tuple[Choices, tuple[Dataset, ...], DeltaGenerator]:
    """Draw the page's choices; data that are not on this machine are named, with the way to get them.

    Returns
    -------
    choice : Choices
    sets : tuple of Dataset
        Those chosen, in their order.
    press : DeltaGenerator
        The place for Run.
    """
    infos = catalogue.infos()
    here = [name for name, info in infos.items() if info.local]
    if now.data in catalogue.uploads():  # who has brought a file wants to know how it compares
        propose(KEYS["vs"], [now.data, BESIDE])
    names = choose(
        KEYS["vs"],
        "Data sets, side by side",
        options=here,
        allowed=f"two to four of {', '.join(here)}",
        help="Two to four. Those of this session's uploads may take part.",
    )
    how, grid = st.columns([2, 1], vertical_alignment="bottom")
    sets = catalogue.ready(names, now)
    n = max((data.n_features for data in sets), default=1)
    with how:
        known = methods_for(now.nonnegative, n)
        solvers = choose(
            KEYS["by"],
            "Solvers",
            options=known,
            allowed=f"choose up to {state.MOST} from {', '.join(known)}",
            help="What is proven is about the best of them; in the small panels each has a curve of its own.",
        )
    with grid:
        fine = choose(
            KEYS["fine"],
            "Values of k",
            help="k as a share of the features, the same shares for every data set.",
        )
    absent = [f"**{info.title}**" for info in infos.values() if not info.local]
    if absent:
        st.caption(f"Not on this machine: {', '.join(absent)}. The [data page](data) says how to get them.")
    switch, press = st.columns([2, 1], vertical_alignment="center")
    with switch:
        return Choices(tuple(names), solvers, fine, choose(KEYS["panels"])), sets, press
