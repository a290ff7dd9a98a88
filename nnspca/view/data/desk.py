"""The reading desk: a file as it was read, every decision beside what it concerns, and what can be chosen instead."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlsplit

import streamlit as st

from nnspca.datasets import MissingValues
from nnspca.datasets.cells import DELIMITERS
from nnspca.datasets.formats import TEXTS
from nnspca.datasets.images import SUFFIXES as IMAGES
from nnspca.datasets.notes import Choice
from nnspca.datasets.options import MISSING
from nnspca.datasets.readers import SUFFIXES
from nnspca.result import rounded
from nnspca.view import sanitize, session
from nnspca.view.data import units
from nnspca.view.desk import Desk
from nnspca.view.link import state, widgets
from nnspca.view.sources import catalogue, uploads

TYPES = sorted({suffix.rpartition(".")[2] for suffix in (*SUFFIXES, *IMAGES)})
FORMATS = (
    "CSV and other text, Excel and LibreOffice, Parquet, Stata, SAS, SPSS, NPY, NPZ, MAT, ARFF, AnnData (.h5ad), "
    "MatrixMarket (.mtx, with 10x's genes and barcodes beside it), images, or a ZIP or TAR of images. Files dropped "
    "together belong together: a table, and a file of two columns (a probe, its gene) that names its features. All "
    "stays on this "
)
ARGUMENT = re.compile(  # for programs
    r"[;:] [a-z_]+=[^.]*\.(?= [A-Z\d]|$)| [a-z_]+=[^.]* takes? (another|others)\.| \([a-z_]+=[^)]*\)|"
    r"[;:,]? ?(or |and |: give )?[a-z_]+=('[^']*'|…)?"
)
UNDERSTOOD = " Its first lines were understood as: "
TABLE_HEIGHT, MOST_NAMES = 300, 1000  # pixels; columns that a menu offers
FOUND, NONE = "as found", "none"
SIZES = (16, 24, 32, 48, 64)  # sides that images are resized to


@dataclass(frozen=True)
class Control:
    """One way to read a file otherwise: a field of a reading."""

    label: str
    words: Mapping[Any, str]  # by value, what may be chosen
    help: str = ""


CONTROLS = {
    "sheet": Control("Sheet", {}),
    "header": Control(
        "Names of columns",
        {0: "in no row", 1: "in one row", 2: "in two rows", 3: "in three rows"},
        "How many rows at the top name the columns.",
    ),
    "delimiter": Control("Cells are parted by", dict(DELIMITERS)),
    "decimal": Control("Decimal sign", {".": "point: 1.5", ",": "comma: 1,5"}),
    "encoding": Control("Letters", {name: name for name in ("utf-8", "cp1252", "latin-1", "utf-16")}),
    "samples": Control("Samples are", {"rows": "rows", "columns": "columns"}),
    "kind": Control("Its numbers are", {"table": "samples", "covariance": "a covariance"}),
    "image_size": Control("Size of images", {(side, side): f"{side} × {side}" for side in SIZES}),
}
SAYS = dict(
    zip(
        MISSING,
        (
            "choose …",
            "leave out these samples",
            "leave out these features",
            "fill in the mean of the feature",
            "fill in the value before",
        ),
        strict=True,
    )
)


def show() -> Desk | None:
    """Offer to drop files, and draw the one on the desk; return what is in use of it."""
    here = session.current()
    given = st.file_uploader(
        "Your own data",
        key="upload",
        type=TYPES,
        accept_multiple_files=True,
        help=widgets.explained("upload", f"{FORMATS}{'machine' if _is_local() else 'server'}."),
        on_change=_given,
    )
    if given and not here.given:  # a browser that came back brings them without a change
        _given()
    uploads.ask_again()
    name = state.current().data
    catalogue.laid(name)
    desk = here.desks.get(name, here.desk)
    if here.desk is not None and here.desk.data is None:
        desk = here.desk  # one that cannot be used yet
    if desk is None or not (desk.files or desk.path):
        return None
    with st.container(border=True, key="desk"):
        _draw(desk)
    return desk if desk.data is not None else None


def _is_local() -> bool:
    """Whether the browser is on the server's own machine, by the address that it has opened."""
    host = urlsplit(st.context.url or "").hostname or "localhost"
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.rpartition(".")[2] == "localhost"


def _given() -> None:
    """Lay what was dropped on the desk: what comes later belongs to it only where that can be so."""
    here, given = session.current(), list(st.session_state["upload"] or ())
    new = [file for file in given if file.file_id not in here.given]
    here.given = tuple(file.file_id for file in given)
    several = all(file.name.lower().endswith(IMAGES) for file in given) or any(".mtx" in file.name for file in given)
    if not given:
        here.desk = None
    elif chosen := given if several or not new else new:
        uploads.brought([(file.name, file.getvalue()) for file in chosen])


def _draw(desk: Desk) -> None:
    """Read a file as it is wanted, unless that is done; draw what was understood of it."""
    st.markdown(f"**{sanitize.plain(desk.title, sanitize.NAME)}**")
    uploads.follow(desk)
    if desk.tried is None:
        return
    remarks = _sorted_remarks(desk)
    if desk.problem and desk.tried == desk.reading:
        _problem(desk)
    elif desk.data is not None:
        _in_use(desk, remarks.pop("", []))
    _controls(desk, remarks)
    _missing(desk, remarks.pop("missing", []))
    _rows(desk)
    _columns(desk, remarks)


def _problem(desk: Desk) -> None:
    """Say what is wrong with a file, its lines as they were understood, and what mends it."""
    text, _, lines = desk.problem.partition(UNDERSTOOD)
    if isinstance(desk.seen.error, MissingValues):
        text = desk.seen.error.found
    if desk.seen.data is not None and desk.seen.data.kind == "covariance":
        what = desk.problem.partition(" (allowed")[0].partition("; give repair")[0]
        why = "A covariance has no negative eigenvalue; rounding, or computing it pair by pair, can produce one."
        st.warning(sanitize.plain(f"{what}. {why}"), icon=":material/error:")
        return
    named = [CONTROLS[key].label for key in _able(desk) if re.search(rf"\b{key}=", text)]
    mends = f" What may mend it: **{'**, **'.join(named)}**." if named else ""
    if isinstance(desk.seen.error, MissingValues):
        mends = " Choose below what to do with them."
    still = f" Until then **{sanitize.plain(desk.data.title)}** is used as it was read before." if desk.data else ""
    st.error(f"{sanitize.plain(in_words(text))}{mends}{still}", icon=":material/error:")
    if lines:
        st.caption("Its first lines, as they were understood:")
        st.code("\n".join(line.strip("[] ") for line in lines.rstrip(".").split("]; [")), language=None)


def _in_use(desk: Desk, remarks: Sequence[str]) -> None:
    """Say what is in use, and lead on to the pages."""
    data = desk.data
    assert data is not None
    rows, columns = data.shape
    each = "features" if data.kind == "covariance" else f"samples × {columns:,} feature{'s' * (columns != 1)}"
    with st.container(key="read", gap=None):
        st.success(
            f"In use: your file **{sanitize.plain(desk.title, sanitize.NAME)}**, {data.kind}: {rows:,} {each}. "
            f"Preprocessing: {state.current().scale}.",
            icon=":material/check_circle:",
        )
        with st.container(horizontal=True):
            widgets.page_link("explore.py", "Explore →", ":material/search_insights:")
            widgets.page_link("parts.py", "Parts →", ":material/grid_view:")
    if desk.read and desk.read.repair:
        moved, size = uploads.moved(desk)
        st.info(
            f"Repaired: the nearest covariance differs from the matrix by {rounded.number(moved, up=True)} in norm "
            f"(the matrix has norm {rounded.number(size)}). All shown here, certificates too, is of the repaired one.",
            icon=":material/build:",
        )
    if away := session.current().put_away:
        st.info(
            f"To make room, a file was removed: {sanitize.plain(', '.join(away))}. Drop it again when you need it.",
            icon=":material/inventory_2:",
        )
    _captions(remarks)


def _captions(remarks: Sequence[str]) -> None:
    if remarks:
        st.caption("  \n".join(sanitize.plain(in_words(remark)) for remark in remarks))


def in_words(notes: str) -> str:
    """Return notes without the arguments that a program would give.

    >>> in_words("1 row of totals left out: 'Total'; keep_totals=True keeps them. 2 values are missing.")
    "1 row of totals left out: 'Total'. 2 values are missing."
    """
    return ARGUMENT.sub(lambda found: "." if found[0][0] in ";:" and found[0].endswith(".") else "", notes)


PLACES = {"missing_codes": "literal", "skip_rows": "literal", "columns": "out", "pivot": "samples"}  # by topic


def _sorted_remarks(desk: Desk) -> dict[str, list[str]]:
    """Return each remark under the control that it concerns; under nothing what concerns the whole."""
    shown = desk.data.notes if desk.data is not None and not desk.problem else desk.seen.notes
    elsewhere = units.reasons(desk)
    remarks: dict[str, list[str]] = {}
    for note in shown:
        if note.says not in elsewhere:
            remarks.setdefault(PLACES.get(note.topic, note.topic), []).append(note.says)
    return remarks


def _is_text(desk: Desk) -> bool:
    return desk.first.lower().endswith((*TEXTS, ".tsv", ".tab"))


def _able(desk: Desk) -> set[str]:
    """Return what there is to decide about a file of this format."""
    if _is_text(desk):
        return {"header", "delimiter", "decimal", "encoding", "samples", "kind"}
    if len(desk.files) > 1 or desk.first.lower().endswith((*IMAGES, ".zip", ".tar", ".gz", ".tgz")):
        return {"image_size", "samples"}
    return {"sheet", "header", "decimal", "samples", "kind"}


def _controls(desk: Desk, remarks: dict[str, list[str]]) -> None:
    """Draw what decides how the cells are read, each with the guess filled in and what was said of it."""
    seen, decided = desk.seen, desk.seen.decided
    asked = {key for key, control in CONTROLS.items() if re.search(rf"\b{key}=", desk.problem)}
    asked |= remarks.keys() & CONTROLS.keys() | {k for k in CONTROLS if getattr(desk.reading, k) is not None}
    asked |= decided.keys() & {"header", "delimiter", "decimal"}
    asked |= {"header", "delimiter", "decimal"} if _is_text(desk) and not seen.rows else set()
    images = desk.data is not None and desk.data.image_shape is not None
    asked |= {"samples"} if not images and desk.seen.shape[0] else set()
    square = desk.seen.shape[0] in (desk.seen.shape[1], desk.seen.shape[1] - 1)
    asked |= {"kind"} if square or decided.get("kind") == "covariance" else set()
    asked |= {"sheet"} if len(seen.sheets) > 1 else set()
    with st.container(horizontal=True, key="desk-controls"):
        for key, control in CONTROLS.items():
            if key in asked & _able(desk):
                with st.container(width=200, gap="xxsmall"):
                    words = {name: name for name in seen.sheets} if key == "sheet" else control.words
                    found = decided.get(key) if getattr(desk.reading, key) is None else None
                    guess = f"{words.get(found, found)} (found)" if found is not None else FOUND
                    _select(desk, key, control.label, {FOUND: guess, **words}, control.help)
                    _captions(remarks.pop(key, []))
        if "decimal" in _able(desk):
            with st.container(width=200, gap="xxsmall"):
                _codes(desk)
        if (said := remarks.pop("literal", [])) or desk.reading.skip_rows is not None:
            with st.container(width=300, gap="xxsmall"):
                about = "Numbers such as −99 stay numbers, and rows called total or average are samples."
                label, now = "Keep such numbers and rows as they are", desk.reading.skip_rows is not None
                _drawn(st.toggle, desk, "literal", label, now, lambda chosen: _literal(desk, chosen), help=about)
                _captions(said)
        if "negative eigenvalue" in desk.problem or desk.reading.repair:
            about = "The matrix without its negative eigenvalues: the nearest one that is a covariance (Higham 1988)."
            _toggle(desk, "repair", "Take the nearest covariance instead", about)


def _drawn(draw: Any, desk: Desk, key: str, label: str, value: Any, take: Callable[[Any], None], **more: Any) -> None:
    """Draw a widget that shows what the desk holds, whatever it showed before, and hands over what is chosen."""
    here = f"desk-{key}"
    st.session_state[here] = value
    draw(label, key=here, on_change=lambda: take(st.session_state[here]), **more)


def _choose(desk: Desk, key: str, value: Any) -> None:
    desk.reading = desk.reading.settled(Choice("", {key: value}))


def _literal(desk: Desk, said: bool) -> None:
    desk.reading = replace(desk.reading, missing_codes=() if said else None, skip_rows=() if said else None)


def _codes(desk: Desk) -> None:
    """Offer to name what stands for a missing value."""

    def take(said: str) -> None:
        _choose(desk, "missing_codes", tuple(code for part in said.split(",") if (code := part.strip())) or None)

    about = "Numbers or words between commas, such as -99, unknown. Empty cells and NA are missing in any case."
    more, named = {"placeholder": FOUND, "help": about, "max_chars": 200}, map(str, desk.reading.missing_codes or ())
    _drawn(st.text_input, desk, "codes", "Codes of missing values", ", ".join(named), take, **more)


def _select(desk: Desk, key: str, label: str, words: Mapping[Any, str], about: str = "", none: Any = None) -> None:
    """Draw a menu of values by their words; ``none`` is the value that NONE stands for."""
    value = getattr(desk.reading, key)
    shown = FOUND if value is None else NONE if value == none else value
    _drawn(
        st.selectbox,
        desk,
        key,
        label,
        shown,
        lambda said: _choose(desk, key, None if said == FOUND else none if said == NONE else said),
        options=list(dict.fromkeys([*words, shown])),
        format_func=lambda option: sanitize.line(str(words.get(option, option)), sanitize.NAME),
        help=about or None,
    )


def _toggle(desk: Desk, key: str, label: str, about: str) -> None:
    value = getattr(desk.reading, key)
    _drawn(st.toggle, desk, key, label, value, lambda said: _choose(desk, key, said), help=about)


def _missing(desk: Desk, remarks: Sequence[str]) -> None:
    """Offer what can be done about missing values; each with what it costs."""
    error, now, label, costs = desk.missing, desk.reading.missing, "Missing values", None
    if error is None and now == "refuse" and not remarks:
        return
    if error is not None:
        (rows, features), label = error.shape, f"{error.count:,} missing value{'' if error.count == 1 else 's'}"
        left = f"leaves out {error.rows:,} of {rows:,}", f"leaves out {error.features:,} of {features:,}"
        costs = ["", *left, "all samples and features stay", "all samples and features stay"]
    more: dict[str, Any] = {"options": MISSING, "format_func": SAYS.get, "captions": costs, "horizontal": True}
    _drawn(st.radio, desk, "missing", label, now, lambda said: _choose(desk, "missing", said), **more)
    _captions(remarks)


def _rows(desk: Desk) -> None:
    """Show the first rows as they were read, below each name what becomes of the column."""
    seen = desk.seen
    if not seen.rows or (desk.data is not None and desk.data.image_shape is not None):
        return
    plain = seen.names[: len(seen.rows[0])]  # of a wide table only some columns are shown
    names = sanitize.headings(plain)
    gone = set(desk.left_out)
    roles = ["left out" if name in gone else role for name, role in zip(plain, seen.roles, strict=False)]
    roles += [""] * (len(names) - len(roles))
    remark = {name: _about_column(desk, plain[i]) for i, name in enumerate(names)}
    columns = {
        name: st.column_config.Column(f"{name} · {role}" if role else name, help=remark[name] or None)
        for name, role in zip(names, roles, strict=True)
    }
    rows, wide = seen.shape
    more = f", and {len(names)} of {wide:,} columns" if wide > len(names) else ""
    st.dataframe(
        {name: [sanitize.line(row[j], 200) for row in seen.rows] for j, name in enumerate(names)},
        column_config=columns,
        height=min(TABLE_HEIGHT, 40 + 35 * len(seen.rows)),
        alt=f"The first {len(seen.rows)} rows of the file as they were read.",
    )
    st.caption(f"The first {len(seen.rows)} of {rows:,} rows{more} as they were read; beside each name its role.")


def _about_column(desk: Desk, name: str) -> str:
    """Return what was said of a column."""
    notes = desk.data.notes if desk.data is not None else desk.seen.notes
    return " ".join(sanitize.line(note.says) for note in notes if name in note.about) if name else ""


def _columns(desk: Desk, remarks: dict[str, list[str]]) -> None:
    """Offer the class, the names of the samples, and which columns are left out."""
    data, seen = desk.data, desk.seen
    if (data is not None and (data.image_shape is not None or data.kind == "covariance")) or not seen.names:
        _captions([note for notes in remarks.values() for note in notes])
        return
    turned = seen.decided.get("samples") == "columns"
    known = list(dict.fromkeys(name for name in seen.names if name))
    classes = data.class_columns if data is not None else known
    callers = data.name_columns if data is not None else known
    with st.container(horizontal=True, key="desk-columns"):
        for key, label, able, role, about in (
            ("label", "Class", classes, "class", "A class colours the samples and is no feature."),
            ("sample_names", "Names of samples", callers, "name", "They name the samples wherever they are shown."),
        ):
            if (able or getattr(desk.reading, key) is not None) and not turned:
                found = next((n for n, r in zip(seen.names, seen.roles, strict=False) if r == role), "none")
                words = {FOUND: f"{found} (found)", NONE: "none", **{name: name for name in able}}
                with st.container(width=240, gap="xxsmall"):
                    _select(desk, key, label, words, about, none="")
                    _captions(remarks.pop(key, []))
        with st.container(width=420, gap="xxsmall"):
            _left_out(desk, known, turned)
            _captions(remarks.pop("out", []))
    if data is not None and data.labels is not None:
        counts = [int((data.labels == c).sum()) for c in range(len(data.label_names))]
        pairs = list(zip(data.label_names, counts, strict=True))[:8]
        st.caption("Classes: " + ", ".join(f"{sanitize.plain(name, 40)} {count:,}×" for name, count in pairs) + ".")
    _captions([note for notes in remarks.values() for note in notes])


def _left_out(desk: Desk, known: Sequence[str], turned: bool) -> None:
    """Offer every column to be left out, those that are filled in."""
    seen, data = desk.seen, desk.data
    roles = dict(zip(seen.names, seen.roles, strict=False)) if not turned else {}
    of_file = [name for name, role in roles.items() if role == "left out" and name]
    chosen_out = [name for name, role in desk.reading.columns.items() if role == "left out"]
    gone = list(dict.fromkeys([*of_file, *desk.left_out, *chosen_out]))
    features = [] if data is None else list(data.feature_names[:MOST_NAMES])
    columns = dict.fromkeys([*gone, *(() if turned else known), *features])

    def take(chosen: Sequence[str]) -> None:
        out = dict.fromkeys(set(chosen) - set(gone), "left out") | dict.fromkeys(set(gone) - set(chosen), "feature")
        desk.reading = desk.reading.settled(Choice("", {"columns": out}))

    more = {
        "options": [name for name in columns if roles.get(name) not in ("class", "name")],
        "format_func": lambda name: sanitize.line(name, sanitize.NAME),
        "help": "All other columns are features. Take a name away (×) to keep its column.",
    }
    _drawn(st.multiselect, desk, "out", "Columns left out", gone, take, **more)
