"""The curves of a visitor on the way: between asking for the page and opening it a browser reads scripts for a second.

Its address says all that the curves need, so the server solves them meanwhile.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

import nnspca
from nnspca.datasets import available
from nnspca.view.session import curves, openings, state, store
from nnspca.view.session.entry import Entry
from nnspca.view.session.runs import Job
from nnspca.view.session.state import AS_IS, SHARED, STANDARDISED, State
from nnspca.view.variance import choices
from nnspca.view.variance.choices import KEYS, Curves


def begin(query: str) -> None:
    """Begin, beside whatever answers the browser, the curves that a link to the variance page asks for."""
    threading.Thread(target=solve, args=(query,), name="nnspca-ahead", daemon=True).start()


def solve(query: str) -> Job | None:
    """Solve them; None where there is nothing to solve ahead: what is wrong with a link, or its data, the page says."""
    try:
        now = asked(query)
        if now is None:
            return None
        raw = store.of_all(now.data)
        preparation = store.Preparation.of(raw, (), standardise=now.standardise, repair=False)
        if preparation.cost > store.QUICK:  # the page prepares it as a run that can be watched and stopped
            return None
        choice = curves_of(query, now, raw.n_features)
        cov = preparation.covariance()
        return curves.begin_ahead(cov, raw, now, choice.ks, choice.methods) if choice.methods else None
    except (nnspca.DataError, OSError, ValueError):
        return None


def asked(query: str) -> State | None:
    """Return the state that a link asks for; None where it names what cannot be, or what is not to run by itself.

    >>> now = asked("seed=3")
    >>> now.data, now.scale, now.seed
    ('lfw-faces', 'standardised', 3)
    >>> asked("data=nowhere"), asked("data=digits&live=false"), asked("seed=-1")
    (None, None, None)
    """
    link = _read(query)
    names = [info.name for info in available() if info.local]
    wanted = ("data", "sign", "seed", "live", "prep")
    said = {key: _said(SHARED[key], link, names if key == "data" else None) for key in wanted}
    usual = STANDARDISED if said["data"] in openings.STANDARDISED else AS_IS
    said["scale"] = _said(SHARED["scale"], link, usual=usual)
    if None in said.values() or not said["live"] or said["prep"]:
        return None
    return State(**said)


def curves_of(query: str, now: State, n: int) -> Curves:
    """Return the curves that a link asks for of ``n`` features.

    >>> curves_of("ks=1,5", State(), 13)
    Curves(methods=('best', 'em'), ks=(1, 5))

    Raises
    ------
    ValueError
        Where the k cannot be read.
    """
    link = _read(query)
    able = state.methods_for(now.nonnegative, n)
    methods = _said(KEYS["methods"], link, able) or ()
    return Curves(tuple(name for name in methods if name in able), choices.read_ks(_said(KEYS["ks"], link) or "", n))


def _read(query: str) -> Mapping[str, Sequence[str]]:
    return parse_qs(query, keep_blank_values=True)


def _said(entry: Entry, link: Mapping[str, Sequence[str]], options: Sequence[Any] | None = None, **usual: Any) -> Any:
    """Return what a link says of a key, its default where the link is silent, None where it cannot be used."""
    texts = link.get(entry.key)
    if not texts:
        return usual.get("usual", entry.default)
    value, whole = entry.read(texts, options=options)
    return value if whole else None
