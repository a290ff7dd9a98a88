"""The data page: a file of one's own and what was decided in it; what is in use, and what is done to it first."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Literal

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset, DatasetInfo, MissingValues, fetch, preparing
from nnspca.datasets.cells import MISSING, Missing
from nnspca.datasets.images import SUFFIXES as IMAGES
from nnspca.datasets.reading import SUFFIXES
from nnspca.errors import DataError
from nnspca.view import collection, sanitize, say, session, tasks
from nnspca.view.jobs import Job
from nnspca.view.link import state, widgets
from nnspca.view.link.state import State
from nnspca.view.say import number
from nnspca.view.sources import catalogue, opened, preparation, uploads
from nnspca.view.sources.preparation import Preparation
from nnspca.view.sources.uploads import File, Reading
from nnspca.view.subject import Subject, forgetting
from nnspca.view.ui import charts

TILES = 12


def in_use(info: DatasetInfo, data: Dataset | None, now: State) -> None:
    """Show the data set that every page uses: samples, variance, citation and terms; or offer to fetch it."""
    rows, columns = info.shape
    st.header(f"In use: {sanitize.plain(info.title)}")
    if data is None:
        catalogue.offer(info)
        return
    shape = ""  # of a covariance it stands below the excerpt
    if info.kind != "covariance":
        shape = f"{rows:,} samples × {columns:,} {'feature' if columns == 1 else 'features'}.".replace(" ", "\u00a0")
    st.markdown(f"{sanitize.plain(info.description)} {shape}".strip())
    with collection.overview(Subject(data, now)):
        if info.homepage:
            st.markdown(f":small[More about the data: <{info.homepage}>]")
        if info.names_bytes:
            catalogue.download_names(info, catalogue.forget)
    with st.expander("Preprocessing: what each step does", expanded=bool(now.prep), icon=":material/tune:"):
        _explained(catalogue.dataset(now.data), Subject(data, now))


def problems() -> None:
    """Say which of the data sets that the server's owner named in the environment cannot be opened, and why."""
    for problem in opened.problems():
        st.error(sanitize.plain(f"{opened.OPEN}: {problem}"), icon=":material/error:")


def folder() -> None:
    """Say what is wrong with the folder of data files that this server was given, if anything is."""
    wrong = fetch.fault(fetch.data_folder())
    if wrong:
        st.warning(
            sanitize.plain(f"The data sets that come with the package still work. {wrong}"),
            icon=":material/folder_off:",
        )


def _explained(raw: Dataset, subject: Subject) -> None:
    """Say what is done to the data before they are analysed, and show it."""
    able = preparing.possible(raw)
    if raw.kind == "covariance":
        st.caption("A covariance is taken as it is, or turned into correlations (**standardised**, in the sidebar).")
        return
    steps = [preparing.STEPS[name] for name in able if not name.startswith("crop-")]
    items = [
        "- ✓ **Centred**, always: the mean of each feature is subtracted.",
        f"- {'✓ ' if subject.standardise else ''}**Standardised**: each feature divided by its standard deviation, so "
        "that units do not matter. Chosen in the sidebar.",
    ]
    items += [f"- {'✓ ' if step.name in subject.now.prep else ''}**{step.name}**: {step.about}" for step in steps]
    if len(steps) < len(able):
        done = "✓ " if any(name.startswith("crop-") for name in subject.now.prep) else ""
        items.append(
            f"- {done}**crop-1** … **crop-4**: leaves out pixels at the borders of images, where a background "
            "would dominate."
        )
    items += [f"- {words}" for words in _left_out(raw, able)]
    st.markdown(
        "Done to the data before the covariance is formed; choose under **Extra preprocessing** in the sidebar.\n\n"
        + "\n".join(items)
    )
    if not subject.now.prep:
        return
    before, after = st.columns(2)
    with before:
        st.caption("Before")
        _look(raw)
    with after:
        st.caption("After: " + ", ".join(sanitize.plain(name) for name in subject.now.prep))
        _look(subject.data)


def _left_out(raw: Dataset, able: tuple[str, ...]) -> list[str]:
    """Say why a step that other data can have is not among those to choose from."""
    words = []
    if raw.is_sparse:
        words.append("**project-out** is not possible here: it would make sparse data dense.")
    if "log1p" not in able:
        least = number(raw.X.min()).replace("-", "−")
        words.append(f"**log1p** is not possible here: it needs numbers above −1, and the least is {least}.")
    return words


def _look(data: Dataset) -> None:
    if data.image_shape is not None:
        alt = f"{TILES} images of {sanitize.line(data.title)}, side by side."
        charts.picture(collection.sheet(data, TILES), alt)
    else:
        st.dataframe(
            collection.table_excerpt(data, 5, 5), hide_index=True, alt=f"A corner of {sanitize.line(data.title)}."
        )


TYPES = sorted({suffix.rpartition(".")[2] for suffix in (*SUFFIXES, *IMAGES)})
FORMATS = (
    "CSV, TSV, Excel (.xlsx), Parquet, NPY, NPZ, MAT, ARFF, AnnData (.h5ad), MatrixMarket (.mtx, with 10x's genes and "
    "barcodes beside it), images of one size, or a ZIP or TAR of images. It stays on this machine."
)
OWN = "prepare-own"  # the run that prepares what was brought
FIRST = 6  # columns that are named
ARGUMENT = re.compile(r"[;:] [a-z_]+=[^.]*\.(?= [A-Z\d]|$)")  # how a program decides otherwise
FOUND, NONE, UNNAMED = "as found", "no class", "no names"
ORIENTATIONS: dict[str, Literal["rows", "columns"] | None] = {FOUND: None, "rows": "rows", "columns": "columns"}
SAYS: dict[Missing, str] = {
    "refuse": "choose …",
    "drop rows": "leave out these samples",
    "drop features": "leave out these features",
    "mean": "fill in the mean of the feature",
}


def show() -> None:
    """Offer to drop files; what they hold is in use at once, and until the tab is closed."""
    given: Sequence[File] = st.file_uploader(
        "Your own data", key="upload", type=TYPES, accept_multiple_files=True, help=widgets.explained("upload", FORMATS)
    )
    if not given:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        lie = st.selectbox(
            "Samples are",
            ORIENTATIONS,
            key="turned",
            width=160,
            help="Rows, unless names and counts say that the rows of the file are features, as genes often are.",
        )
        with st.popover("A separate file with the names of the features", icon=":material/label:"):
            st.caption("Two columns: the name in the data (a probe, say), and the name to show (a gene).")
            names: File | None = st.file_uploader("Names", key="names", type=["csv", "tsv", "txt"])
    mark = given[0].file_id[:8]
    _keep_choices(mark)
    every = bool(st.session_state.get(f"every-{mark}"))
    label, called = _column(f"class-{mark}"), _column(f"called-{mark}")
    literal = bool(st.session_state.get(f"literal-{mark}"))
    reading = Reading(
        ORIENTATIONS[lie],
        label,
        _missing(mark),
        every=every,
        missing_codes=() if literal else None,
        keep_totals=literal,
        sample_names=called,
    )
    task = uploads.reading_of(given, names, reading)
    job = tasks.ask(task)
    if not tasks.follow(job, "Stopped. Nothing of the file was kept."):
        return
    if job.stopped:
        st.button("Read it again", icon=":material/replay:", on_click=tasks.begin_again, args=(task,))
        return
    if isinstance(job.result, Dataset):
        here = session.current()
        here.brought[job.result.name] = job.result.content_hash
        here.at_end = forgetting(here)
    if isinstance(job.result, DataError):
        _problem(job.result, mark)
        if len(given) > 1:
            st.caption("Files dropped one after the other count together: remove (×) those that do not belong.")
    elif job.result is not None and _usable(job.result, mark):
        uploads.remember(job.result, given, reading, names, _columns_left_out(job))
        uploads.note(job.result, job.about)
        _open(job.result, job.key)
        _show_reading(job.result, reading)
        _choices(job.result, mark, turned=lie == "columns")
        if job.about.left_out:
            st.toggle(
                "Keep every column", key=f"every-{mark}", help="Constant columns, identifiers, dates and copies too."
            )


def _keep_choices(mark: str) -> None:
    """Keep what was chosen about a file while it is read: Streamlit forgets widgets that a run does not draw."""
    for key in (f"{choice}-{mark}" for choice in ("class", "called", "missing", "every", "literal", "repair")):
        if key in st.session_state:
            st.session_state[key] = st.session_state[key]


def _columns_left_out(job: Job) -> list[str]:
    """Return the names of the columns that were left out, where they are not among the features."""
    names = [job.about.feature_names[i] for i in job.about.left_out]
    return [name for name in names if name not in job.result.feature_names]


def _column(key: str) -> str | None:
    """Return the column chosen as the class, or to name the samples; "" for none, None as found."""
    chosen = st.session_state.get(key, FOUND)
    return None if chosen == FOUND else "" if chosen in (NONE, UNNAMED) else str(chosen)


def _missing(mark: str) -> Missing:
    chosen = st.session_state.get(f"missing-{mark}", "refuse")
    return next(choice for choice in MISSING if choice == chosen)


def _open(data: Dataset, key: object) -> None:
    """Choose the data on every page, once."""
    here = session.current()
    if here.opened != key:
        here.opened = key
        catalogue.schedule_dataset(data.name, data.n_features)
        st.rerun()


def _problem(problem: DataError, mark: str) -> None:
    """Say what is wrong with the file, with the choices that would mend it."""
    text = str(problem)  # where the library names its own ways, this page names what it can do
    if isinstance(problem, MissingValues):
        text = f"{_in_words(problem.found)} Choose what to do with them, or fill them in and choose the file again."
    st.error(sanitize.plain(text), icon=":material/error:")
    _ask_literal(mark, str(problem))
    if isinstance(problem, MissingValues):
        _ask_missing(mark, problem)
    elif _missing(mark) != "refuse":  # the way chosen leaves nothing: there are others
        _ask_missing(mark)


def _in_words(notes: str) -> str:
    """Return notes without the arguments that a program would give.

    >>> _in_words("1 row of totals left out: 'Total'; keep_totals=True keeps them. 2 values are missing.")
    "1 row of totals left out: 'Total'. 2 values are missing."
    """
    return ARGUMENT.sub(".", notes)


def _ask_missing(mark: str, problem: MissingValues | None = None) -> None:
    """Offer what can be done about missing values; each with what it costs, where a ``problem`` says."""
    label, costs = "Missing values", None
    if problem is not None:
        rows, features = problem.shape
        label = f"{problem.count:,} missing value{'' if problem.count == 1 else 's'}"
        costs = [
            "",
            f"leaves out {problem.rows:,} of {rows:,}",
            f"leaves out {problem.features:,} of {features:,}",
            "all samples and features stay",
        ]
    st.radio(
        label,
        MISSING,
        key=f"missing-{mark}",
        format_func=lambda choice: SAYS[choice],
        captions=costs,
        horizontal=costs is None,
    )


def _ask_literal(mark: str, said: str) -> None:
    """Offer to keep what looks like a code for a missing value, or like a total, where a file has some."""
    if "missing_codes=" in said or "keep_totals=" in said or f"literal-{mark}" in st.session_state:
        about = "Numbers such as −99 stay numbers, and rows called total or average are samples."
        st.toggle("Keep such numbers and rows as they are", key=f"literal-{mark}", help=about)


def _ask_class(columns: tuple[str, ...], mark: str) -> None:
    """Offer the columns that may be the class."""
    about = "A class colours the samples and is no feature. Other columns of text are left out."
    _ask_column("Class of the samples", f"class-{mark}", [NONE, *columns], about)


def _ask_column(label: str, key: str, options: Sequence[str], about: str) -> None:
    named = functools.partial(sanitize.line, most=sanitize.NAME)
    st.selectbox(label, [FOUND, *options], key=key, format_func=named, help=about)


def _show_reading(data: Dataset, reading: Reading) -> None:
    """Say what was read, its first columns and what was decided; and lead on to the pages."""
    rows, columns = data.shape
    notes = sanitize.plain(_in_words(" ".join(data.notes)))
    first = ", ".join(sanitize.plain(name, sanitize.NAME) for name in data.feature_names[:FIRST])
    more = f" and {columns - FIRST:,} more" if columns > FIRST else ""
    with st.container(key="read", gap=None):
        st.success(
            f"In use: your file **{sanitize.plain(data.name)}**, {rows:,} × {columns:,}, {data.kind}. "
            f"First columns: {first}{more}. Preprocessing: {state.current().scale}. {notes}",
            icon=":material/check_circle:",
        )
        with st.container(horizontal=True):
            widgets.page_link("explore.py", "Explore →", ":material/search_insights:")
            widgets.page_link("parts.py", "Parts →", ":material/grid_view:")
    if data.kind == "covariance":
        st.caption(f"Each row and each column is one of {columns:,} features; the numbers are their covariances.")
    else:
        one = "column of the file" if reading.samples == "columns" else "row of the file"
        each = f"Each {'image' if data.image_shape else one} is one sample: "
        told = ("by the names beside it", "rows were read as features")  # which way it lies, whatever was asked
        oriented = any(part in note for note in data.notes for part in told)
        things = "features" if columns > 1 else "feature"
        ends = dict.fromkeys((data.feature_names[0], data.feature_names[-1]))
        named = " … ".join(sanitize.plain(name, sanitize.NAME) for name in ends)
        st.caption(f"{'' if oriented else each}{rows:,} samples × {columns:,} {things} ({named}).")
    if away := uploads.evicted():
        st.info(
            f"To make room, a file was removed: {sanitize.plain(', '.join(away))}. Drop it again when you need it.",
            icon=":material/inventory_2:",
        )
    if data.labels is not None:
        counts = np.bincount(data.labels[data.labels >= 0], minlength=len(data.label_names))
        classes = ", ".join(
            f"{sanitize.plain(n, 40)} {c:,}×" for n, c in list(zip(data.label_names, counts, strict=True))[:8]
        )
        st.caption(f"Classes: {classes}.")
    st.caption(
        "The file is in use until this tab is closed; after a reload choose the file once more. Soon after that the "
        "server forgets it, and what was computed of it."
    )


def _choices(data: Dataset, mark: str, *, turned: bool) -> None:
    """Offer what can still be chosen about how the file is read."""
    beside = bool(data.class_columns and data.name_columns)
    classes, names = st.columns(2) if beside else (st.container(), st.container())
    if data.class_columns and not turned:
        with classes:
            _ask_class(data.class_columns, mark)
    _ask_literal(mark, " ".join(data.notes))
    if data.name_columns and not turned:
        with names:
            about = "This column names the samples wherever they are shown; it is not a feature."
            _ask_column("Names of the samples", f"called-{mark}", [UNNAMED, *data.name_columns], about)
    if f"missing-{mark}" in st.session_state and any("missing value" in note for note in data.notes):
        _ask_missing(mark)


def _usable(data: Dataset, mark: str) -> bool:
    """Keep a data set that has a covariance, or say what is wrong with it and offer what can be done."""
    if preparation.prepared([Preparation(data)], OWN) is None:
        return False
    try:
        uploads.keep(data)
    except nnspca.DataError as problem:
        if data.kind != "covariance":
            st.error(sanitize.plain(f"{data.title}: {problem}."), icon=":material/error:")
            return False
        what = str(problem).partition(" (allowed")[0].partition("; give repair")[0]
    else:
        return True
    warned = st.empty()
    accepted = st.toggle(
        "Take the nearest covariance instead",
        key=f"repair-{mark}",
        help="The matrix without its negative eigenvalues: the nearest one that is a covariance (Higham 1988).",
    )
    if not accepted:
        why = "A covariance has no negative eigenvalue; rounding, or computing it pair by pair, can produce one."
        warned.warning(sanitize.plain(f"{data.title}: {what}. {why}"), icon=":material/error:")
        return False
    if preparation.prepared([Preparation(data, repair=True)], OWN) is None:
        return False
    try:
        cov = uploads.keep(data, repair=True)
    except nnspca.DataError as problem:
        st.error(sanitize.plain(f"{data.title}: {problem}."), icon=":material/error:")
        return False
    size = float(np.linalg.norm(data.X))
    st.info(
        f"Repaired: the nearest covariance differs from the matrix by {say.number(cov.moved, up=True)} in norm (the "
        f"matrix has norm {say.number(size)}). Everything shown, certificates too, refers to the repaired one.",
        icon=":material/build:",
    )
    return True
