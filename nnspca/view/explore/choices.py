"""What the explore page is asked: which solver seeks the component, and with which options."""

from __future__ import annotations

import streamlit as st

from nnspca.view.session import solver, state
from nnspca.view.session.solver import Solver
from nnspca.view.session.state import State
from nnspca.view.session.streamlit_private import DeltaGenerator
from nnspca.view.session.widgets import choose

KEYS = state.keys_of("explore")


def ask(now: State, n: int) -> tuple[Solver, DeltaGenerator]:
    """Draw the choice of solver for ``n`` features; return it, and the place for Run beside it."""
    with st.expander("Another solver, and its options", icon=":material/tune:"):
        return solver.ask(now, n)


def every_ceiling() -> bool:
    """Let the person choose whether every upper bound that was tried is shown beside the component."""
    return bool(choose(KEYS["bounds"]))
