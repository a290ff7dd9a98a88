"""Study: one figure or statement of a paper, the rows that a run of it yields, and the tables made of these rows."""

from __future__ import annotations

import math
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from nnspca import datasets
from nnspca.control.arguments import Seed
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.datasets import Dataset
from nnspca.result import Certificate, OnProgress, PartsCertificate, ShouldStop, rounded
from nnspca.result.wording import safe_cell
from nnspca.tasks._solve import check_seed

TableRow = dict[str, Any]
TableRows = Iterator[tuple[str, TableRow | list[TableRow]]]  # the name of a frame, and a row or several for it
DIGITS = 4  # of a number shown
WORDS = tomllib.loads(Path(__file__).with_name("studies.toml").read_text(encoding="utf-8"))
ZERO = 1e-12  # what is smaller is rounding
PROOFS = "proofs"  # frame of the problems that a run has a bound of: data, k, parts, lower and upper, and their unit


@dataclass(frozen=True)
class Picture:
    """How a table is drawn: the columns of its axes and lines, and what only some figures have."""

    x: str = ""
    lines: Sequence[str] = ()  # columns, one line or one group of bars each
    y: str = ""  # title of the vertical axis
    along: str = ""  # title of the horizontal axis, if it is not the column's name
    kind: Literal["curves", "bars", "images"] = "curves"
    guides: Sequence[str] = ()  # lines for comparison, in the colour of the line before them
    printed: str = ""  # the line of the paper's own numbers
    smooth: bool = False  # whether the lines have no markers
    log_x: bool = False
    log_y: bool = False
    y_range: tuple[float, float] | None = None
    band: tuple[str, str] | None = None  # columns between which the optimum lies, proven
    likely: str = ""  # column of an upper bound that holds with a probability
    spans: Sequence[tuple[float, float, str]] = ()  # labelled stretches of the axis
    edges: Sequence[float] = ()  # places of thin vertical lines
    marks: Sequence[tuple[float, float, str]] = ()  # labelled points
    equal: bool = False  # whether both axes have the same scale
    shape: tuple[int, int] = (1, 1)  # of each image, from rows (strip, image, pixel, value)
    captions: Mapping[tuple[str, int], str] = field(default_factory=dict)  # below an image, by strip and image
    grey: Sequence[str] = ()  # strips of photographs


@dataclass(frozen=True, eq=False)
class Table:
    """One table of a study: a data frame, and how it is shown.

    Examples
    --------
    >>> table = Table("shares", "Shares", pd.DataFrame({"n": [1, 2], "Proven": [0.99999, None]}), down=["Proven"])
    >>> table.shown().to_dict("records")
    [{'n': '1', 'Proven': '0.9999'}, {'n': '2', 'Proven': ''}]
    """

    name: str  # unique in its study; "printed" compares the paper's numbers with ours
    title: str
    frame: pd.DataFrame  # its columns are named as they are headed
    picture: Picture | None = None
    note: str = ""
    down: Sequence[str] = ()  # columns of proven lower bounds: never rounded up
    up: Sequence[str] = ()  # columns of proven upper bounds
    stopped: bool = False  # whether the run ended before it had all rows

    def column(self, name: str) -> list[Any]:
        """Return one column; None where a cell is empty."""
        return [None if cell is None or cell != cell else cell for cell in self.frame[name].tolist()]

    def rounded(self) -> pd.DataFrame:
        """Return the frame with a few digits, bounds rounded so that they claim no more than is proven."""
        frame = self.frame.copy()
        for name in frame.select_dtypes("float"):
            way = rounded.floor if name in self.down else rounded.ceil if name in self.up else _telling
            frame[name] = [way(cell, DIGITS) if math.isfinite(cell) else cell for cell in frame[name]]
        return frame

    def shown(self) -> pd.DataFrame:
        """Return the frame in words, as :meth:`rounded`."""
        return self.rounded().astype(object).map(_shown)

    def to_csv(self) -> str:
        """Return the table as CSV with all digits; a word that looks like a formula gets an apostrophe in front."""
        frame = self.frame.convert_dtypes(convert_floating=False).astype(object).map(safe_cell)
        return frame.rename(columns=safe_cell).to_csv(index=False, lineterminator="\n")


def _telling(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}") if abs(value) > ZERO else 0.0


def _shown(cell: Any) -> str:
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return "" if cell is None or cell != cell else f"{cell:.10g}".replace("-", "−")


@dataclass(frozen=True)
class Paper:
    """One paper."""

    name: str  # key in ``PAPERS``
    short: str  # for menus: authors and year
    citation: str  # in full


@dataclass(frozen=True)
class Printed:
    """One number that a paper prints."""

    study: str  # that it belongs to
    what: str  # the quantity, in plain words
    value: float
    where: str  # its place in the paper
    wording: str = ""  # its precision: "at least", "nearly", "read off the figure"; empty for a plain number
    k: int | None = None  # its cardinality
    upper_bound: bool = False  # whether it is an upper bound on the quantity
    ratio: bool = False  # whether ours is compared by its ratio to it

    @property
    def paper(self) -> str:
        """Name of the paper."""
        return self.study.partition("-")[0]

    def difference(self, ours: float) -> float | str:
        """Return by how much ours is larger; in words for a ratio, and where an upper bound is printed."""
        if self.upper_bound:
            return "below it" if ours <= self.value else "above it"
        return f"{ours / self.value:.2g} times it" if self.ratio else ours - self.value


PRINTED = tuple(Printed(name, **one) for name, words in WORDS["studies"].items() for one in words.get("printed", ()))


@dataclass(frozen=True, eq=False)
class Given:
    """The arguments of a study's generator."""

    data: tuple[Dataset, ...]  # the data sets that the study needs, in its order
    own: bool  # whether these are the paper's data sets, so that its printed numbers apply
    full: bool  # the paper's full form, or the reduced one
    seed: int
    monitor: Monitor  # for polls and progress

    def covariance(self, place: int = 0) -> Covariance:
        """Return the covariance of one of the data sets, unchanged."""
        return Covariance.from_dataset(self.data[place])

    def settings(self, *span: float) -> dict[str, Any]:
        """Return the seed and stop switch of a public call; with a span, its progress as that stretch of this run's."""
        reports = {"on_progress": self.monitor.part(*span).relay} if span else {}
        return {"seed": self.seed, "should_stop": self.monitor.should_stop, **reports}

    def proven(self, proof: Certificate | PartsCertificate, unit: float, place: int = 0) -> tuple[str, TableRow]:
        """Return the row of what a certificate proves of one of the data sets."""
        parts = getattr(proof, "n_components", 1)
        row = {"data": self.data[place].name, "k": proof.k, "parts": parts, "lower": proof.lower, "upper": proof.upper}
        return PROOFS, row | {"unit": unit}


@dataclass(frozen=True, eq=False)
class StudyResult:
    """The result of a run."""

    study: Study
    rows: dict[str, pd.DataFrame]  # all that the run yielded, by name
    data: tuple[str, ...]  # names of the data sets that it ran on
    full: bool
    seed: int
    seconds: float = 0.0
    stopped: bool = False  # whether ``should_stop`` ended the run: the tables have the rows so far
    shape: tuple[int, int] = (1, 1)  # of the images of the first data set

    @property
    def own(self) -> bool:
        """Whether it ran on the paper's own data."""
        return self.data == self.study.needs

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The tables that have rows."""
        made = self.study.show(self) if self.rows else ()
        return tuple(replace(table, stopped=self.stopped) for table in made if len(table.frame))

    def known_better(self, known: Callable[[str, int, int], tuple[float, float]]) -> StudyResult:
        """Return the run with the best variance and the lowest bound of each problem in its frame ``PROOFS``.

        ``known`` returns those known elsewhere, 0 and infinity where there are none, for a data set, k and a number of
        disjoint parts. A run of several parts also gets those of the numbers of parts between its own.
        """
        if PROOFS not in self.rows:
            return self
        frame = self.rows[PROOFS].copy()
        between = sorted(set(range(1, int(frame["parts"].max()))) - set(frame["parts"].astype(int)))
        more = [frame.iloc[0].to_dict() | {"parts": parts, "lower": 0.0, "upper": math.inf} for parts in between]
        frame = pd.concat([frame, pd.DataFrame(more)], ignore_index=True) if more else frame
        for i, name, k, parts in frame[["data", "k", "parts"]].itertuples():
            lower, upper = known(name, int(k), int(parts))
            frame.loc[i, "lower"] = max(frame.loc[i, "lower"], lower)
            frame.loc[i, "upper"] = min(frame.loc[i, "upper"], upper)
        return replace(self, rows={**self.rows, PROOFS: frame[frame["upper"] < math.inf]})

    def table(self, name: str) -> Table:
        """Return one table; KeyError for an unknown name."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(f"no table {name!r} here; there are {', '.join(t.name for t in self.tables)}")

    def drawn(
        self, of: str, frame: pd.DataFrame | None = None, facts: Mapping[str, object] | None = None, **look: Any
    ) -> Table:
        """Return a table in the words of ``studies.toml``, by their group and its own name, as "parts.variances".

        Its frame is the rows of that name unless one is given; its sentences are filled with ``facts``. Its picture has
        the first column along the axis and the others as lines, unless the words or its ``look`` have others.
        """
        group, name = of.split(".")
        said = WORDS["tables"][group][name]
        frame = self.rows[name] if frame is None else frame
        title, note = (said.get(what, "").format(**(facts or {})) for what in ("title", "note"))
        look = {"x": frame.columns[0], "lines": list(frame.columns[1:])} | said.get("picture", {}) | look
        picture = Picture(**look) if "picture" in said else None
        return Table(name, title, frame, picture, note, said.get("down", ()), said.get("up", ()))

    def wide(self, name: str, index: str, values: str) -> pd.DataFrame:
        """Return rows (index, method, values) with a column for each method, in the order of their coming."""
        rows = self.rows[name]
        frame = rows.pivot(index=index, columns="method", values=values)[list(dict.fromkeys(rows["method"]))]
        return frame.rename_axis(columns=None).reset_index()

    def printed(
        self,
        ours: Iterable[float],
        heading: str = "Ours",
        better: Mapping[str, list[float]] | None = None,
        note: str = "",
    ) -> Table:
        """Return the table of the paper's numbers beside ours, measured in the same way; ``better`` in our own way."""
        expected, values = self.study.printed, list(ours)
        frame = pd.DataFrame(
            {
                "What": [p.what for p in expected],
                "In the paper": [p.where for p in expected],
                **({"Wording": [p.wording for p in expected]} if any(p.wording for p in expected) else {}),
                "Printed": [p.value for p in expected],
                heading: values,
                "Ours − printed": [p.difference(value) for p, value in zip(expected, values, strict=True)],
                **(better or {}),
            }
        )
        return Table("printed", "The paper's numbers beside ours", frame, note=note, down=tuple(better or ()))


@dataclass(frozen=True)
class Study:
    """One figure or statement of a paper that can be run; its words are in ``studies.toml``."""

    name: str  # key in ``STUDIES``: the paper's name, a dash, and the figure
    source: Paper
    figure: str  # as numbered in the paper
    title: str
    opening: str  # a sentence: what the study asks
    more: str  # what it does, and its result
    differs: str  # from the paper: preprocessing, version of the data, results not reproduced
    yields: Callable[[Given], TableRows] = field(repr=False)
    show: Callable[[StudyResult], Iterable[Table]] = field(repr=False)
    needs: tuple[str, ...] = ()  # names of the data sets that the paper used
    stand_ins: tuple[str, ...] = ()  # a bundled replacement for each
    minutes: float = 0.0  # of the full form on two cores; 0 if there is only one form
    page: str = ""  # the app's page that shows the same live
    query: Mapping[str, str] = field(default_factory=dict)  # of the link to that page
    printed: tuple[Printed, ...] = ()

    @property
    def summary(self) -> str:
        """The study and its result, in one paragraph."""
        return f"{self.opening} {self.more}".strip()

    @property
    def paper(self) -> str:
        """Name of the paper."""
        return self.source.name

    def missing(self) -> tuple[str, ...]:
        """Names of the needed data sets that are not on this machine."""
        local = {info.name for info in datasets.available() if info.local}
        return tuple(name for name in self.needs if name not in local)

    def run(
        self,
        *,
        full: bool = False,
        seed: Seed = 0,
        data: Sequence[str | Dataset] | None = None,
        should_stop: ShouldStop | None = None,
        on_progress: OnProgress | None = None,
        on_rows: Callable[[StudyResult], None] | None = None,
    ) -> StudyResult:
        """Run the study.

        Parameters
        ----------
        full : bool
            The paper's full form, or a reduced one that takes less than a minute on two cores.
        seed : int
            Same seed, same tables.
        data : sequence of str or Dataset, optional
            One for each of ``needs``, by name or loaded; when None, the paper's own, downloaded if necessary.
        should_stop, on_progress : callable, optional
            A stopped run returns the rows so far; its tables are marked ``stopped``.
        on_rows : callable, optional
            Called with the result so far, whenever there are new rows.

        Returns
        -------
        StudyResult

        Raises
        ------
        ValueError
            A seed below 0, or another number of data sets than the study needs.
        nnspca.DataError
            Data that cannot be loaded.
        """
        seed = check_seed(seed)
        sources = self.needs if data is None else tuple(data)
        if len(sources) != len(self.needs):
            names_needed = ", ".join(self.needs) or "none"
            raise ValueError(
                f"{self.name} takes {len(self.needs)} data sets ({names_needed}); {len(sources)} were given"
            )
        started = time.perf_counter()
        loaded = tuple(datasets.load(d, should_stop=should_stop) if isinstance(d, str) else d for d in sources)
        names, monitor = tuple(d.name for d in loaded), Monitor(should_stop, on_progress)
        shape = next((d.image_shape or (1, d.n_features) for d in loaded), (1, 1))
        lists: dict[str, list[TableRow]] = {}

        def result(stopped: bool = False) -> StudyResult:
            frames = {name: pd.DataFrame(rows) for name, rows in lists.items()}
            seconds = time.perf_counter() - started
            return StudyResult(self, frames, names, bool(full), seed, seconds, stopped, shape)

        for name, rows in self.yields(Given(loaded, names == self.needs, bool(full), seed, monitor)):
            if monitor.stop():  # what came last may not be complete
                break
            lists.setdefault(name, []).extend(rows if isinstance(rows, list) else [rows])
            if on_rows is not None:
                on_rows(result())
        stopped = monitor.stop()
        monitor.tell(1.0, "done")
        return result(stopped)
