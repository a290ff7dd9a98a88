"""Prefetch for the Variance page: its curves are begun while the visitor's browser still loads scripts.

Reading them takes a browser a second, and the link says all that the curves need.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs

import nnspca
from nnspca.datasets import available
from nnspca.view.explore.variance import choices
from nnspca.view.explore.variance.choices import KEYS, Curves
from nnspca.view.session import catalogue, curves, state, store
from nnspca.view.session.entry import Entry
from nnspca.view.session.job import Job
from nnspca.view.session.preparation import Preparation
from nnspca.view.session.state import SHARED, State

AT_ONCE = 2  # visitors for whom something is done ahead; what is asked for by more of them waits for their pages
LONGEST = 2000  # characters of a link that is read ahead
FEATURES = 2000  # up to which one k takes so little that nobody else waits for it
Link = Mapping[str, Sequence[str]]
_places = threading.BoundedSemaphore(AT_ONCE)


def begin(query: str) -> None:
    """Begin, beside whatever answers the browser, the curves that a link to the variance page asks for."""
    if len(query) > LONGEST or not _places.acquire(blocking=False):
        return
    try:
        threading.Thread(target=_begun, args=(query,), name="nnspca-ahead", daemon=True).start()
    except RuntimeError:  # no thread can be started
        _places.release()
        raise


def _begun(query: str) -> None:
    try:
        solve(query)
    finally:
        _places.release()


def solve(query: str) -> Job | None:
    """Solve them; None where there is nothing to solve ahead: what is wrong with a link, or its data, the page says."""
    link = parse_qs(query, keep_blank_values=True)
    try:
        now = state_of(link)
        if now is None:
            return None
        raw = catalogue.local_dataset(now.data)
        if store.is_large(raw) or raw.n_features > FEATURES:  # a run that is watched, and can be stopped
            return None
        Preparation(raw, standardise=now.standardise).make(lambda *_: None, lambda: False)
        choice = curves_of(link, now, raw.n_features)
        if not choice.methods:
            return None
        cov = store.formed(raw, standardise=now.standardise, repair=False)  # which is held by now
        return curves.begin_ahead(cov, raw, now, choice.ks, choice.methods)
    except (nnspca.DataError, OSError, ValueError):
        return None


def state_of(link: Link) -> State | None:
    """Return the state that a link asks for; None where it names what cannot be, or what is not to run by itself.

    >>> now = state_of({"seed": ["3"]})
    >>> now.data, now.scale, now.seed
    ('lfw-faces', 'standardised', 3)
    >>> state_of({"data": ["nowhere"]}), state_of({"live": ["false"]}), state_of({"seed": ["-1"]})
    (None, None, None)
    """
    names = [info.name for info in available() if info.local]
    wanted = ("data", "sign", "seed", "live", "prep")
    said = {key: _said(SHARED[key], link, names if key == "data" else None) for key in wanted}
    said["scale"] = _said(replace(SHARED["scale"], default=state.usual_scale(said["data"])), link)
    if None in said.values() or not said["live"] or said["prep"]:
        return None
    return State(**said)


def curves_of(link: Link, now: State, n: int) -> Curves:
    """Return the curves that a link asks for of ``n`` features.

    >>> curves_of({"ks": ["1,5"]}, State(), 13)
    Curves(methods=('best', 'em'), ks=(1, 5))

    Raises
    ------
    ValueError
        Where the k cannot be read.
    """
    able = state.methods_for(now.nonnegative, n)
    methods = _said(KEYS["methods"], link, able) or ()
    return Curves(tuple(name for name in methods if name in able), choices.read_ks(_said(KEYS["ks"], link) or "", n))


def _said(entry: Entry, link: Link, options: Sequence[Any] | None = None) -> Any:
    """Return what a link says of a key, its default where the link is silent, None where it cannot be used."""
    texts = link.get(entry.key)
    if not texts:
        return entry.default
    value, whole = entry.read(texts, options=options)
    return value if whole else None
