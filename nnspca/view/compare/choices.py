"""What a comparison of data sets is asked: which ones, by which solvers, at which shares of the features."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

import streamlit as st

from nnspca.datasets import Dataset
from nnspca.studies import comparison
from nnspca.view import sanitize
from nnspca.view.link import solver, state
from nnspca.view.link.state import State, methods_for
from nnspca.view.link.widgets import choose, propose
from nnspca.view.results import known, stored
from nnspca.view.sources import catalogue
from nnspca.view.ui import downloads

KEYS = state.keys_of("compare")
BESIDE = "digits"  # what stands beside a person's own data at first
SHARES = {
    "few": (0.05, 0.25, 1.0),
    "some": comparison.SHARES,
    "many": (0.01, 0.02, 0.04, 0.07, 0.12, 0.2, 0.35, 0.6, 1.0),
}


@dataclass(frozen=True)
class Choices:
    """What is compared, each field by its key in the link."""

    vs: tuple[str, ...]
    by: tuple[str, ...]
    fine: str
    scales: str = state.OPENING_SCALE

    def view(self, name: str, now: State) -> State:
        """Return the state in which a data set is compared: its own preprocessing, or the one chosen for all."""
        scale = state.usual_scale(name) if self.scales == state.OPENING_SCALE else self.scales
        return replace(now, data=name, scale=scale)

    def cardinalities(self, data: Dataset, now: State) -> tuple[int, ...]:
        """Return the k to solve: for each share of the features the nearest at which there is a stored proof."""
        ks = comparison.cardinalities(data.n_features, SHARES[self.fine])
        stored_ks = stored.cardinalities(known.problem(data, self.view(data.name, now)))
        if not stored_ks:
            return ks
        return tuple(sorted({min(stored_ks, key=lambda k: max(k / share, share / k)) for share in ks}))


def labels() -> dict[str, str]:
    """Return the short title of each data set, without what its brackets add where that tells no two apart."""
    titles = {name: sanitize.line(info.title) for name, info in catalogue.infos().items()}
    short = {name: title.partition(" (")[0] for name, title in titles.items()}
    counts = Counter(short.values())
    return {name: title if counts[title] == 1 else titles[name] for name, title in short.items()}


def ask_sets(now: State) -> tuple[str, ...]:
    """Draw the choice of the data sets; return the names of those that are on this machine."""
    infos = catalogue.infos()
    here = [name for name, info in infos.items() if info.local]
    if now.data in catalogue.uploaded():  # an uploaded file is compared at once
        propose(KEYS["vs"], [now.data, BESIDE])
    names: tuple[str, ...] = choose(
        KEYS["vs"],
        "Data sets",
        options=here,
        allowed=f"two to four of {', '.join(here)}",
        format_func=labels().__getitem__,
        help="Two to four, your own files included.",
    )
    return names


def ask_rest(names: tuple[str, ...], now: State) -> tuple[Choices, tuple[Dataset, ...]]:
    """Draw the other choices, folded; return all of them, and the data sets."""
    infos = catalogue.infos()
    with st.expander("Preprocessing, solvers and values of k", icon=":material/tune:"):
        scale, how, grid = st.columns([1.2, 1.4, 1], gap="medium")
        with scale:
            scales = choose(
                KEYS["scales"],
                "Preprocessing",
                help="“Each its own”: each data set is preprocessed as on the other pages.",
            )
        with grid:
            fine = choose(KEYS["fine"], "Values of k", help="k as a share of the features, the same for all data sets.")
        choices = Choices(names, (), fine, scales)
        sets = catalogue.ready(names, now, lambda name: choices.view(name, now).standardise)
        with how:
            able = methods_for(now.nonnegative, max((data.n_features for data in sets), default=1))
            by = choose(
                KEYS["by"],
                "Solvers",
                options=able,
                allowed=f"up to {state.MOST} of {', '.join(able)}",
                format_func=solver.TITLES.__getitem__,
                help="Each has its own curve in the small panels; the figure shows the best of all.",
            )
        if steps := preprocessing(choices, now):
            st.caption(steps)
        if absent := [
            f"**{sanitize.plain(info.title)}**" for info in infos.values() if catalogue.away(info) == catalogue.ABSENT
        ]:
            st.caption(f"Not on this machine: {', '.join(absent)}. The [data page](data) says how to get them.")
    return replace(choices, by=by), sets


def preprocessing(choice: Choices, now: State) -> str:
    """Say which data sets went through which of the steps asked for, and which could not; nothing without steps."""
    if not now.prep:
        return ""
    texts = []
    for name in choice.vs:
        done = downloads.steps_of(name, now)
        left = [step for step in now.prep if step not in done]
        besides = f"; not possible with it: {', '.join(left)}" if left else ""
        texts.append(f"{sanitize.plain(name)} ({', '.join(done) or 'none'}{besides})")
    return f"Extra preprocessing: {', '.join(texts)}."
