"""What the Explore page is asked: solvers, their options, the values of k, and what was pressed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import streamlit as st

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import sanitize, session, stored
from nnspca.view.link import state, widgets
from nnspca.view.link.state import default_k
from nnspca.view.link.widgets import choose, next_value
from nnspca.view.subject import Subject

POINTS = 26  # about how many k a path has
KEYS = state.keys_of("explore")
MOST_TYPED = 60  # values of k that may be typed
SCORED = 10**7  # numbers of data whose samples are scored unasked, where they have classes


def path_ks(n: int, usual: int) -> tuple[int, ...]:
    """Return the k of a path on n features: all of few, else some 25 in equal ratios, and the ``usual`` one.

    >>> path_ks(13, 4)
    (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
    >>> len(path_ks(625, 40)), len(path_ks(12582, 40))
    (25, 26)
    """
    if n <= POINTS:
        return tuple(range(1, n + 1))
    spread = {round(n ** (i / (POINTS - 1))) for i in range(POINTS)}
    return tuple(sorted(spread | {2, usual}))


def thinned(ks: tuple[int, ...], most: int) -> tuple[int, ...]:
    """Return at most so many of the k, evenly.

    >>> thinned(tuple(range(1, 23, 2)), 12), thinned(tuple(range(1, 100)), 4)
    ((1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21), (1, 34, 66, 99))
    """
    if len(ks) <= most:
        return ks
    return tuple(sorted({ks[round(i * (len(ks) - 1) / (most - 1))] for i in range(most)}))


@dataclass(frozen=True)
class Choices:
    """What the page shows."""

    method: str  # the solver whose component stands in the picture
    # its options by name as the library takes them, which the link says as ``method.option``; the rank is ``d``
    options: tuple[tuple[str, Any], ...]
    methods: tuple[str, ...]  # the solvers whose curves are drawn; ``method`` is among them
    ks: tuple[int, ...]  # the values of k
    # what the picture shows more: why a feature is used, one sample, and whether all stand in strips
    why: int | None = None
    sample: int | None = None
    strips: bool = False

    @property
    def others(self) -> tuple[str, ...]:
        """The solvers besides the default one, whose curves are solved apart."""
        return tuple(name for name in self.methods if name != "best")


def ask(subject: Subject) -> Choices:
    """Draw the page's choices; return them."""
    now, n = subject.now, subject.data.n_features
    names = state.methods_for(now.nonnegative, n)
    say: dict[str, Any] = {"options": names, "format_func": state.TITLES.__getitem__}
    with st.popover("Options", icon=":material/tune:", width="stretch"):
        method = choose(
            KEYS["method"],
            "Solver of the component shown",
            allowed=f"here: {', '.join(names)}",
            help="The algorithm whose component is shown. Multistart improves many starts and polishes the best.",
            **say,
        )
        info = nnspca.METHODS[method]
        st.caption(f"{info.summary} ({info.paper})")
        options: dict[str, Any] = {}
        for option in info.options:
            if entry := KEYS.get(f"{method}.{option.name}"):
                form: dict[str, Any] = {"format": "%g"} if option.kind is float else {}
                options[option.name] = choose(entry, option.name.replace("_", " "), help=option.help, **form)
        if any(option.name == "rank" for option in info.options):
            options["rank"] = now.d
        methods = choose(
            KEYS["methods"],
            "Solvers in the chart",
            allowed=f"choose from {', '.join(names)}",
            help="One curve each. Click a point of a curve to show its component in the picture.",
            **say,
        )
        text = choose(
            KEYS["ks"],
            "Values of k",
            placeholder="spread evenly",
            help="For instance 1, 5, 10-40:10 (10 to 40 by 10). Empty: those with a stored proof, else about 25.",
        )
    ks = stored.cardinalities(subject.problem) or path_ks(n, default_k(n, now.data))
    try:
        ks = read_ks(text, n) if text and text.strip() else ks
    except ValueError as problem:  # told on the page: what stands among the options is not seen until they are opened
        st.warning(f"{sanitize.plain(str(problem))} The values are spread evenly instead.", icon=":material/edit:")
    methods = tuple(dict.fromkeys((*methods, method)))
    return Choices(method, tuple(sorted(options.items())), methods, ks, *_pointed(subject.data))


def _pointed(data: Dataset) -> tuple[int | None, int | None, bool]:
    """Return the feature and the sample that were pressed, and whether the samples are shown."""
    here, (m, n) = session.current(), data.X.shape
    if here.samples_of not in (None, data.content_hash):  # other data have others
        for key in ("why", "over"):
            widgets.set_value(KEYS[key], None)
    here.samples_of = data.content_hash
    why, sample = (widgets.chosen_value(KEYS[key], high=most) for key, most in (("why", n), ("over", m)))
    has_samples = data.kind != "covariance"
    unasked = sample is not None or (data.labels is not None and m * n <= SCORED)
    return (
        None if why is None else why - 1,
        None if sample is None or not has_samples else sample - 1,
        has_samples and (unasked or bool(next_value(KEYS["samples"]))),
    )


def read_ks(text: str, n: int) -> tuple[int, ...]:
    """Read a list of cardinalities such as ``"1, 5, 10-40:10"``.

    Raises ValueError: naming the piece that could not be used, and what is allowed.

    >>> read_ks("1, 5, 10-40:10", n=100)
    (1, 5, 10, 20, 30, 40)
    >>> read_ks("1, 500", n=100)
    Traceback (most recent call last):
        ...
    ValueError: “500” is outside 1 to 100, the number of features here.
    """
    ks: set[int] = set()
    for piece in re.split(r"[,;\s]+", text.strip().strip(",;")):
        match = re.fullmatch(r"([0-9]{1,9})(?:-([0-9]{1,9})(?::([0-9]{1,9}))?)?", piece)
        if not match:
            raise ValueError(f"“{sanitize.line(piece, 60)}” is not a whole number or a range such as 10-40 or 10-40:5.")
        first = int(match[1])
        last, step = int(match[2] or first), int(match[3] or 1)
        if not 1 <= first <= last <= n or step < 1:
            raise ValueError(f"“{piece}” is outside 1 to {n}, the number of features here.")
        ks.update(range(first, last + 1, step))
        if len(ks) > MOST_TYPED:
            raise ValueError(f"That makes more than {MOST_TYPED} values of k; {MOST_TYPED} are allowed.")
    return tuple(sorted(ks))
