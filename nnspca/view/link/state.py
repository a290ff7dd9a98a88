"""The link: the table of its query parameters, how a text given for one is read, and what all pages share."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import streamlit as st

import nnspca
from nnspca.datasets import preparing
from nnspca.studies import PAPERS, STUDIES
from nnspca.view import session

USUAL_K = 40
NUMBER = re.compile(r"[+-]?([0-9]{1,17}\.?[0-9]{0,17}|\.[0-9]{1,17})([eE][+-]?[0-9]{1,3})?")
LARGEST_WHOLE = 2**53 - 1  # the largest whole number that a browser can tell from its neighbours
UNWRITTEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # controls, and halves of characters
KeyKind = Literal["switch", "fold", "whole", "number", "one", "several", "text"]
AS_IS, STANDARDISED = "as is", "standardised"
NONNEGATIVE, ANY_SIGN = "nonnegative", "any sign"
FOUR, RANDOM, DATA = "four curves", "random", "data set"
ON_FOUR, ON_RANDOM, ON_DATA = (f"spannogram of {curves}" for curves in (FOUR, RANDOM, DATA))
CIRCLE, SPHERE = "2: a circle", "3: a sphere"
TOLERANCES = (0.0, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # per cent of the best that a near-best component may lack
OVERLAPS = (0.05, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 1000.0)
RESAMPLES = (10, 20, 50, 100, 200, 500)
FOLDS = (2, 3, 5, 10, 20)
SPEEDS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0)
MOST_BESIDE = 4  # solvers, or data sets, side by side
MOST_RACERS = 6
FIRST_RACE = ("best", "em", "greedy", "thresholding", "spannogram")
SETS, SOLVERS = "data sets", "solvers"
OF_SETS, OF_SOLVERS = f"compare of {SETS}", f"compare of {SOLVERS}"
ONE_SET = ("explore", "parts", ON_DATA, OF_SOLVERS)  # where the sidebar's data set is in use
EVERY_FIGURE = ("explore", "parts", ON_FOUR, ON_RANDOM, ON_DATA, OF_SETS, OF_SOLVERS)
PARTS_PROOF = ("certificate", "each part alone", "indispensable", "stability")
PARTS_USE = ("samples", "downloads")
STUDIED = {paper: tuple(f"{s.figure}: {s.title}" for s in STUDIES.values() if s.paper == paper) for paper in PAPERS}
METHODS = tuple(nnspca.METHODS)
TITLES = {name: info.title for name, info in nnspca.METHODS.items()}  # of the solvers, on the screen
SHORT = tuple(dict.fromkeys(PAPERS[study.paper].short for study in STUDIES.values()))  # names of the papers
CHOICES = {"spannogram": "curves", "compare": "what"}  # the key of the choice, where a page has one


@dataclass(frozen=True)
class Opening:
    """Preprocessing and k where the link is silent; k is taken from the size of the data when None."""

    standardise: bool = False
    k: int | None = None


OPENINGS = {
    "lfw-faces": Opening(standardise=True, k=40),  # as they are, the first component is background at the border
    "cbcl-faces-raw": Opening(standardise=True, k=40),  # as they are, brightness outweighs everything else
    "lrs": Opening(k=8),  # from 11 on, the sign constraint lets no further wavelength in
}


def opening(name: str) -> Opening:
    """Return the view a data set opens with."""
    return OPENINGS.get(name, Opening())


def default_k(n: int, name: str = "") -> int:
    """Return the cardinality a data set of ``n`` features opens with.

    One feature alone varies with nothing: two are the fewest of which a component says anything.

    >>> default_k(625), default_k(64), default_k(13), default_k(4), default_k(1), default_k(93, "lrs")
    (40, 16, 4, 2, 1, 8)
    """
    return min(opening(name).k or min(USUAL_K, max(2, math.ceil(n / 4))), n)


@dataclass(frozen=True)
class LinkKey:
    """One key of a link; what depends on the data is narrowed where the widget is drawn."""

    key: str  # the name in the link, and that of the field which holds the choice
    pages: tuple[str, ...]  # the pages that know the key; none: the sidebar, on every page
    kind: KeyKind  # a switch, an opened fold, a whole number, any number, one or several of the options, or free text
    default: Any = None  # what the page shows when the link is silent
    # ends of a number; None for as far as a browser counts
    low: float | None = None
    high: float | None = None
    options: tuple[Any, ...] = ()  # what may be chosen
    widget: str = ""  # name of Streamlit's widget, where it is not the usual one of its kind
    most: int | None = None  # how many options may be chosen at once
    # the widget's words, for a key that several pages share
    label: str = ""
    help: str = ""
    counts: tuple[str, ...] = ()  # for a key of the sidebar: the pages it counts on, where else it is not shown
    by_browser: bool = False  # whether a component of its page writes it into the address

    def read(
        self,
        texts: Sequence[str],
        low: float | None = None,
        high: float | None = None,
        options: Sequence[Any] | None = None,
    ) -> tuple[Any, bool]:
        """Return what a link says, None when nothing of it can be used, and whether all of it can.

        >>> k = LinkKey("k", (), "whole", 40, low=1)
        >>> k.read(["12"], high=625), k.read(["inf"]), k.read(["900"], high=625)
        ((12, True), (None, False), (None, False))
        >>> LinkKey("with", ("parts",), "several", options=("em", "best")).read(["em", "magic"])
        (('em',), False)
        """
        text = texts[-1] if texts else ""
        if self.kind == "text":
            return (None, False) if UNWRITTEN.search(text) else (text, True)
        if self.kind in ("switch", "fold"):
            value = {"true": True, "false": False}.get(text.lower())
            return value, value is not None
        if self.kind in ("whole", "number"):
            whole, number = self.kind == "whole", float(text) if NUMBER.fullmatch(text) else math.nan
            low, high = self.low if low is None else low, self.high if high is None else high
            low, high = -LARGEST_WHOLE if low is None else low, LARGEST_WHOLE if high is None else high
            fits = low <= number <= high and (not self.options or number in self.options)
            fits = fits and (not whole or number.is_integer())
            return (int(number) if whole else number, True) if fits else (None, False)
        known = {str(option): option for option in (self.options if options is None else options)}
        if self.kind == "one":
            return (known[text], True) if text in known else (None, not text and self.default is None)
        if not any(texts):
            return (), True
        chosen = tuple(dict.fromkeys(known[said] for said in texts if said in known))[: self.most]
        return chosen or None, len(chosen) == len(texts)


def _every_option() -> tuple[LinkKey, ...]:
    """Return the keys of the solvers' own options, as ``em.restarts``; rank and seed stand in the sidebar."""
    kinds: dict[type, KeyKind] = {bool: "switch", int: "whole", float: "number", str: "one"}
    return tuple(
        LinkKey(
            f"{name}.{option.name}",
            ("explore",),
            kinds[option.kind],
            option.kind(option.default),
            option.low,
            option.high,
            tuple(option.choices or ()),
        )
        for name, method in nnspca.METHODS.items()
        for option in method.options
        if option.name not in ("rank", "seed")
    )


def _key(kind: KeyKind, default: Any, **more: Any) -> Any:
    """Return a field that is a key of the link on every page."""
    return field(default=default, metadata={"kind": kind, **more})


@dataclass(frozen=True)
class State:
    """What the sidebar says, each field by its key in the link; a page that runs alone gets these defaults."""

    data: str = _key("one", "lfw-faces", counts=(*ONE_SET, "data"))  # name of the data set
    # whether every feature is first divided by its standard deviation
    scale: str = _key("one", AS_IS, options=(AS_IS, STANDARDISED), widget="radio", counts=(*ONE_SET, "data"))
    # what else is done to the data first: names of :data:`nnspca.datasets.preparing.STEPS`
    prep: tuple[str, ...] = _key("several", (), options=tuple(preparing.STEPS), counts=(*ONE_SET, "data"))
    # whether loadings must be nonnegative
    sign: str = _key("one", NONNEGATIVE, options=(NONNEGATIVE, ANY_SIGN), widget="radio", counts=EVERY_FIGURE)
    k: int = _key("whole", 40, low=1, counts=ONE_SET)  # largest number of nonzero loadings
    # how many leading directions the rank-d methods work in
    d: int = _key("whole", 3, low=1, high=8, counts=("explore", "parts", OF_SOLVERS))
    # seed of everything random
    seed: int = _key(
        "whole", 0, low=0, high=2**31 - 1, counts=("explore", "parts", ON_RANDOM, OF_SETS, OF_SOLVERS, "papers")
    )

    @property
    def standardise(self) -> bool:
        """What ``scale`` says, as the library takes it."""
        return self.scale == STANDARDISED

    @property
    def nonnegative(self) -> bool:
        """What ``sign`` says, as the library takes it."""
        return self.sign == NONNEGATIVE


SHARED = {of.name: LinkKey(of.name, (), default=of.default, **of.metadata) for of in fields(State)}
TABLE = (
    *SHARED.values(),
    LinkKey("reading", ("data",), "text", ""),  # how a file of one's own is read, on every page
    LinkKey("method", ("explore",), "one", "best", options=METHODS),
    *_every_option(),
    LinkKey("methods", ("explore",), "several", ("best",), options=METHODS, most=MOST_BESIDE),
    LinkKey("ks", ("explore",), "text", ""),
    LinkKey("samples", ("explore",), "fold", False),
    LinkKey("why", ("explore",), "whole", low=1),
    LinkKey("over", ("explore",), "whole", low=1),
    LinkKey("proof", ("explore",), "fold", False),
    LinkKey("within", ("explore", "parts"), "one", 1.0, options=TOLERANCES, widget="select_slider"),
    LinkKey("more", ("explore",), "fold", False),
    LinkKey("these", ("explore",), "fold", False),
    LinkKey("hold", ("explore",), "fold", False),
    LinkKey("folds", ("explore",), "one", 5, options=FOLDS, widget="select_slider"),
    LinkKey("take", ("compare",), "fold", False),
    LinkKey("given", ("compare",), "fold", False),
    LinkKey("r", ("parts",), "whole", 6, low=1, high=12),
    LinkKey("apart", ("parts",), "one", "together", options=tuple(nnspca.DEFLATIONS)),
    LinkKey("with", ("parts",), "several", ("best",), options=METHODS, most=MOST_BESIDE),
    LinkKey("angle", ("parts",), "number", 85.0, low=45.0, high=90.0, widget="slider"),
    LinkKey("alpha", ("parts",), "one", 1.0, options=OVERLAPS, widget="select_slider"),
    LinkKey("from", ("parts",), "one", widget="radio"),
    LinkKey("sample", ("parts",), "whole", 1, low=1, widget="slider"),
    LinkKey("used", ("parts",), "whole", low=0, widget="slider"),
    LinkKey("proven", ("parts",), "fold", False),
    LinkKey("proven_view", ("parts",), "one", PARTS_PROOF[0], options=PARTS_PROOF, widget="radio"),
    LinkKey("others", ("parts",), "fold", False),
    LinkKey("use", ("parts",), "fold", False),
    LinkKey("use_view", ("parts",), "one", PARTS_USE[0], options=PARTS_USE, widget="radio"),
    LinkKey("resamples", ("explore", "parts"), "one", 50, options=RESAMPLES, widget="select_slider"),
    LinkKey("curves", ("spannogram",), "one", FOUR, options=(FOUR, RANDOM, DATA), widget="radio"),
    LinkKey("dimensions", ("spannogram",), "one", CIRCLE, options=(CIRCLE, SPHERE), widget="radio"),
    LinkKey("n", ("spannogram",), "whole", 8, low=2, high=13000),
    LinkKey("top", ("spannogram",), "whole", 2, low=1),
    LinkKey("V", ("spannogram",), "text", ""),
    LinkKey("phi", ("spannogram",), "number", 0.35, low=-7.0, high=7.0, by_browser=True),
    LinkKey("speed", ("spannogram",), "number", 1.0, options=SPEEDS, by_browser=True),
    LinkKey("cells", ("spannogram",), "switch", False, by_browser=True),
    LinkKey("round", ("spannogram",), "whole", 0, low=0, high=200, by_browser=True),
    LinkKey("what", ("compare",), "one", SOLVERS, options=(SOLVERS, SETS), widget="radio"),
    LinkKey("racers", ("compare",), "several", FIRST_RACE, options=METHODS, most=MOST_RACERS),
    LinkKey("vs", ("compare",), "several", ("digits", "lfw-faces"), most=MOST_BESIDE),
    LinkKey("paper", ("papers",), "one", SHORT[0], options=SHORT),
    *(LinkKey(paper, ("papers",), "one", said[0], options=said) for paper, said in STUDIED.items() if said),
    LinkKey("tables", ("papers",), "fold", False),
    LinkKey("step", ("learn",), "whole", 0, low=0, high=8, by_browser=True),
    LinkKey("board", ("learn",), "one", "faces", options=("faces", "digits", "spectra"), by_browser=True),
    LinkKey("painted", ("learn",), "text", "", by_browser=True),
    LinkKey("best", ("learn",), "text", "", by_browser=True),
    LinkKey("at", ("learn",), "text", "", by_browser=True),
    LinkKey("guess", ("learn",), "text", "", by_browser=True),
)
PAGES = tuple(dict.fromkeys(page for entry in TABLE for page in (*entry.pages, *entry.counts) if " " not in page))


def keys_of(page: str) -> dict[str, LinkKey]:
    """Return the page's own keys, by name.

    >>> sorted(keys_of("compare"))
    ['given', 'racers', 'take', 'vs', 'what']
    """
    return {entry.key: entry for entry in TABLE if page in entry.pages}


def keys_used(page: str, choice: str = "") -> set[str]:
    """Return the sidebar's keys that count on a page; on some it depends on a ``choice`` made there.

    >>> sorted(keys_used("compare", SETS)), keys_used("papers"), keys_used("spannogram", FOUR)
    (['seed', 'sign'], {'seed'}, {'sign'})
    >>> sorted(keys_used("spannogram", DATA))
    ['data', 'k', 'prep', 'scale', 'sign']
    """
    here = f"{page} of {choice}" if choice else page
    return {key for key, entry in SHARED.items() if here in entry.counts}


def default_scale(name: str) -> str:
    """Return what ``scale`` says of a data set where the link is silent."""
    own = session.current().desks.get(name)
    mixed = own is not None and own.standardise  # a file of a visitor's own, in mixed units
    return STANDARDISED if mixed or opening(name).standardise else AS_IS


def of_sidebar() -> State:
    """Return the state the sidebar shows now, or its defaults where there is no sidebar."""
    stored = dict(zip(SHARED, session.last_values(*(((), key) for key in SHARED)), strict=True))
    choices = {key: SHARED[key].default if value is None else value for key, value in stored.items()}
    if stored["scale"] is None:
        choices["scale"] = default_scale(choices["data"])
    choices["prep"] = tuple(step for step in preparing.STEPS if step in choices["prep"])  # in the order they are done
    return State(**choices)


def value_in_link(key: str) -> list[str]:
    """Return what the link that was opened says of a key that no widget has shown yet: it is read once."""
    here = session.current()
    if here.linked is None:
        here.linked = {name: st.query_params.get_all(name) for name in st.query_params}
    return here.linked.get(key, [])


def last_value(entry: LinkKey) -> Any:
    """Return what a key last said in this session, whether or not its widget is shown; None when it never did."""
    (value,) = session.last_values((entry.pages, entry.key))
    return value


def assign(**choices: Any) -> None:
    """Choose values for widgets from elsewhere: by another widget's callback, or before they are drawn."""
    here = session.current()
    here.assignments += 1
    for key, value in choices.items():
        here.assigned[key] = here.assignments, st.session_state.get(key), value
        st.session_state[key] = value


def assignments() -> int:
    """Return how often widgets were assigned values: a component sends it back with its requests."""
    return session.current().assignments


def assign_again(assignments_seen: int) -> bool:
    """Choose again what was assigned after a request left the browser; return whether other data were opened since.

    To be called in the request's callback: it carries the values of all widgets. One that a component sends by itself
    may leave just before the browser learns of an assignment, and would undo it.
    """
    assigned = session.current().assigned
    closed = "scale" in assigned and assigned["scale"][0] > assignments_seen  # each data set opens with its own
    for key, (number, before, value) in assigned.items():
        if number > assignments_seen and (closed or st.session_state.get(key) == before):
            st.session_state[key] = value
    return closed


def methods_for(nonnegative: bool, n: int) -> list[str]:
    """Return the names of the methods that can keep this sign constraint, and take ``n`` features.

    >>> "exact" in methods_for(True, 13), "exact" in methods_for(True, 625)
    (True, False)
    """
    return [
        name
        for name, method in nnspca.METHODS.items()
        if nonnegative in method.signs and (method.max_features or n) >= n
    ]
