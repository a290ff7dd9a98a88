"""Study: one figure or statement of a paper, its differences from it, and the function that runs it; the papers."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nnspca import datasets
from nnspca.control.arguments import check_whole
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.datasets import Dataset
from nnspca.result import OnProgress, ShouldStop
from nnspca.studies.table import StudyTable

OnTables = Callable[[tuple[StudyTable, ...]], None]


@dataclass(frozen=True)
class Paper:
    """One paper."""

    name: str  # key in :data:`PAPERS`
    short: str  # for menus: authors and year
    citation: str  # in full


PAPERS: dict[str, Paper] = {
    paper.name: paper
    for paper in (
        Paper(
            "asteris2014",
            "Asteris et al. 2014",
            "M. Asteris, D. Papailiopoulos, A. Dimakis: Nonnegative Sparse PCA with Provable Guarantees. ICML 2014.",
        ),
        Paper(
            "asteris2011",
            "Asteris et al. 2011",
            "M. Asteris, D. Papailiopoulos, G. Karystinos: Sparse Principal Component of a Rank-deficient Matrix. "
            "ISIT 2011.",
        ),
        Paper(
            "sigg2008",
            "Sigg & Buhmann 2008",
            "C. Sigg, J. Buhmann: Expectation-Maximization for Sparse and Non-Negative PCA. ICML 2008.",
        ),
        Paper(
            "zass2006",
            "Zass & Shashua 2006",
            "R. Zass, A. Shashua: Nonnegative Sparse PCA. NIPS 2006.",
        ),
    )
}


@dataclass(frozen=True, eq=False)
class Task:
    """The arguments of a study's function."""

    data: tuple[Dataset, ...]  # the data sets that the study needs, in its order
    own: bool  # whether these are the paper's data sets, so that its printed numbers apply
    full: bool  # the paper's full form, or the reduced one
    seed: int
    monitor: Monitor  # for polls and progress
    show: OnTables  # called with the tables so far, for display

    def covariance(self, place: int = 0) -> Covariance:
        """Return the covariance of one of the data sets, unchanged."""
        return Covariance.from_dataset(self.data[place])

    def settings(self, *span: float) -> dict[str, Any]:
        """Return the seed and the stop switch of a public call, and its progress over a span of this run's if given."""
        told = {"on_progress": self.monitor.part(*span).relay} if span else {}
        return {"seed": self.seed, "should_stop": self.monitor.should_stop, **told}


@dataclass(frozen=True)
class StudyResult:
    """The result of a run.

    Attributes
    ----------
    study : str
        Name of the study.
    tables : tuple of StudyTable
    data : tuple of str
        Names of the data sets it ran on.
    full : bool
    seed : int
    seconds : float
    stopped : bool
        True when ``should_stop`` ended the run; the tables have the rows so far.
    """

    study: str
    tables: tuple[StudyTable, ...]
    data: tuple[str, ...]
    full: bool
    seed: int
    seconds: float
    stopped: bool

    def table(self, name: str) -> StudyTable:
        """Return one table; KeyError for an unknown name."""
        for table in self.tables:
            if table.name == name:
                return table
        raise KeyError(f"no table {name!r} here; there are {', '.join(t.name for t in self.tables)}")


@dataclass(frozen=True)
class Study:
    """One figure or statement of a paper that can be run.

    Attributes
    ----------
    name : str
        Key in ``STUDIES``: the paper's name, a dash, and the figure.
    paper : str
        Key in ``PAPERS``.
    figure : str
        The figure or statement, as numbered in the paper.
    title : str
        A short title.
    summary : str
        One paragraph: the study and its result.
    differs : str
        Differences from the paper: preprocessing, version of the data, results not reproduced.
    work : callable
        ``work(task) -> tuple of StudyTable``; it polls ``task.monitor`` and returns the tables so far
        when stopped.
    needs : tuple of str
        Names of the data sets the paper used.
    stand_ins : tuple of str
        A bundled replacement for each of them, if the paper's is not available.
    minutes : float
        Approximate time of the full form on two cores; the reduced form takes less than one. 0 if there
        is only one form.
    page : str
        The app's page that shows the same live; empty for none.
    query : mapping
        Query of the link to that page.
    """

    name: str
    paper: str
    figure: str
    title: str
    summary: str
    differs: str
    work: Callable[[Task], tuple[StudyTable, ...]] = field(repr=False)
    needs: tuple[str, ...] = ()
    stand_ins: tuple[str, ...] = ()
    minutes: float = 0.0
    page: str = ""
    query: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.needs) != len(self.stand_ins):
            raise ValueError(f"study {self.name!r} needs {self.needs} but has stand-ins {self.stand_ins}")

    @property
    def source(self) -> Paper:
        """The paper."""
        return PAPERS[self.paper]

    def missing(self) -> tuple[str, ...]:
        """Names of the needed data sets that are not on this machine."""
        local = {info.name for info in datasets.available() if info.local}
        return tuple(name for name in self.needs if name not in local)

    def run(
        self,
        *,
        full: bool = False,
        seed: int = 0,
        data: Sequence[str | Dataset] | None = None,
        should_stop: ShouldStop | None = None,
        on_progress: OnProgress | None = None,
        on_tables: OnTables | None = None,
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
        on_tables : callable, optional
            Called with all tables so far, whenever they change.

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
        seed = check_whole("seed", seed, 0)
        sources = self.needs if data is None else tuple(data)
        if len(sources) != len(self.needs):
            names_needed = ", ".join(self.needs) or "none"
            raise ValueError(
                f"{self.name} takes {len(self.needs)} data sets ({names_needed}); {len(sources)} were given"
            )
        started = time.perf_counter()
        loaded = tuple(datasets.load(d, should_stop=should_stop) if isinstance(d, str) else d for d in sources)
        monitor = Monitor(should_stop, on_progress)
        names = tuple(d.name for d in loaded)
        task = Task(loaded, names == self.needs, bool(full), seed, monitor, on_tables or (lambda tables: None))
        tables = self.work(task)
        stopped = monitor.stop()
        if stopped:
            tables = tuple(table.as_stopped() for table in tables)
        monitor.tell(1.0, "done")
        return StudyResult(self.name, tables, names, bool(full), seed, time.perf_counter() - started, stopped)
