"""Uploaded data sets: kept for one visit, within a limit of bytes; which went to make room, and what to warn of."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable

import streamlit as st

import nnspca
from nnspca.datasets import Dataset, Inspection
from nnspca.view import cache, sanitize, session
from nnspca.view.cache import nbytes
from nnspca.view.link import state
from nnspca.view.link.state import STANDARDISED, State
from nnspca.view.sources import catalogue, store
from nnspca.view.sources.preparation import Preparation

OWN, ALL = 400 * 2**20, 1024 * 2**20  # bytes of files that one visit keeps, and all visits together


def keep(data: Dataset, *, repair: bool = False) -> nnspca.Covariance:
    """Keep a data set for this session, once its covariance is known to be one; return that.

    With ``repair``, a matrix that is none stands for the nearest one from here on.

    Raises nnspca.DataError: when no page could use it: an indefinite matrix, or numbers too small or too large to
    square.
    """
    room = _make_room(data)
    cov = store.covariance_for(data, standardise=False, repair=repair)
    mended = session.current().repaired
    (mended.add if repair else mended.discard)(data.content_hash)
    for name in room:
        del catalogue.uploaded()[name]
    catalogue.uploaded()[data.name] = data
    _brought().add(data)
    return cov


@st.cache_resource(show_spinner=False)
def _brought() -> weakref.WeakSet[Dataset]:
    """Return the data sets that visitors have brought and that are still held for any of them."""
    return weakref.WeakSet()


def _make_room(data: Dataset) -> list[str]:
    """Return which of this visit's data sets go for this one, the oldest first; refuse it where others fill all."""
    own = {name: nbytes(other) for name, other in catalogue.uploaded().items() if name != data.name}
    away = []
    while own and sum(own.values()) + nbytes(data) > OWN:
        away.append(next(iter(own)))
        del own[away[-1]]
    others = _others()
    if others + sum(own.values()) + nbytes(data) > ALL:
        gc.collect()  # sessions that have ended lie in cycles
        others = _others()
    if others + sum(own.values()) + nbytes(data) > ALL:
        raise nnspca.DataError(
            f"visitors' files take {others >> 20:,} MB of this server's memory already, and at most "
            f"{ALL >> 20:,} MB are kept: try again later, or upload fewer rows or columns"
        )
    session.current().put_away = [*(n for n in evicted() if n not in (data.name, *away)), *away]
    return away


def _others() -> int:
    return sum(nbytes(other) for other in _brought() if other not in catalogue.uploaded().values())


def evicted() -> list[str]:
    """Return the data sets of this visit that went to make room for later ones."""
    return list(session.current().put_away)


def preparer() -> Callable[[Dataset], None]:
    """Return what a run can call to prepare data as they are, so that the page finds them prepared."""
    shared = cache.shared()
    return lambda data: Preparation(data, held=shared).make(lambda share, doing: None, lambda: False)


def note(data: Dataset, seen: Inspection) -> None:
    """Keep what was noticed in a file: whether it opens standardised, and what its pages warn of."""
    here = session.current()
    (here.mixed.add if seen.standardise else here.mixed.discard)(data.name)
    here.inspected[data.name] = seen


def warn(now: State) -> None:
    """Warn if one column of the visitor's own table holds nearly all the variance, until it is changed or accepted."""
    seen, accepted = session.current().inspected.get(now.data), session.current().accepted
    if seen is None or now.standardise or now.prep or now.data in accepted or now.data not in catalogue.uploaded():
        return
    dominant = seen.note("dominant")
    if dominant is None:
        return
    with st.container(border=True, key="caution"):
        st.warning(
            f"{sanitize.plain(dominant.says)} A component then only shows which column has the largest unit.",
            icon=":material/scale:",
        )
        with st.container(horizontal=True):
            st.button(
                "Standardise",
                key="caution-standardise",
                on_click=state.assign,
                kwargs={"scale": STANDARDISED},
                icon=":material/balance:",
            )
            st.button("Keep it as it is", key="caution-keep", on_click=accepted.add, args=(now.data,))
