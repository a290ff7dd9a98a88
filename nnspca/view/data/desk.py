"""The reading desk: a file as it was read, one line a column, what is doubted as questions, and what can be chosen."""

from __future__ import annotations

import ipaddress
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args
from urllib.parse import urlsplit

import streamlit as st

from nnspca.datasets import Choice, MissingValues, Note
from nnspca.datasets.cells import DELIMITERS
from nnspca.datasets.columns import Role
from nnspca.datasets.formats import TEXTS
from nnspca.datasets.images import SUFFIXES as IMAGES
from nnspca.datasets.options import MISSING
from nnspca.datasets.readers import SUFFIXES
from nnspca.datasets.scales import means
from nnspca.result import rounded, wording
from nnspca.view import sanitize, say, session
from nnspca.view.desk import LINES, Desk, DeskReading
from nnspca.view.link import state, widgets
from nnspca.view.sources import catalogue, sandbox, uploads

TYPES = sorted({suffix.rpartition(".")[2] for suffix in (*SUFFIXES, *IMAGES)})
WORDS = tomllib.loads(Path(__file__).with_name("desk.toml").read_text(encoding="utf-8"))
WAYS = WORDS["ways"]
AS_FOUND = "as found"
HEADINGS = ("name", "role", "kind", "bars", "least", "median", "most", "missing", "distinct", "examples")
ASKED, TALL = 10, 420  # questions that are shown at once, and pixels of the table of columns
CHOICES: dict[str, Mapping[Any, str]] = {
    **{option: dict(pairs) for option, pairs in WORDS["choices"].items()},
    "delimiter": DELIMITERS,
    "image_size": {(side, side): f"{side} × {side}" for side in (16, 24, 32, 48, 64)},
    "missing": dict(zip(MISSING, ("choose …", *WAYS), strict=True)),
}


def show() -> Desk | None:
    """Offer to drop files, and draw the one on the desk; return what is in use of it."""
    here = session.current()
    if here.desk is None or here.desk.tried == here.desk.reading:  # else both cores read
        sandbox.begin_process()
    given = st.file_uploader(
        "Your own data",
        key="upload",
        type=TYPES,
        accept_multiple_files=True,
        help=f"{WORDS['formats']}{'machine' if _is_local() else 'server'}.",
        on_change=_given,
    )
    if given and not here.given:  # a browser that came back brings them without a change
        _given()
    uploads.ask_again()
    name = state.of_sidebar().data
    catalogue.server_file_on_desk(name)
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
        uploads.put_on_desk([(file.name, file.getvalue()) for file in chosen])


def _draw(desk: Desk) -> None:
    """Read a file as it is wanted, unless that is done; draw what was understood of it."""
    st.markdown(f"**{sanitize.plain(desk.title, sanitize.NAME)}**")
    uploads.follow_reading(desk)
    if desk.tried is None:
        return
    failed = bool(desk.problem) and desk.tried == desk.reading
    about = desk.seen if failed or desk.data is None else desk.data
    if failed:
        _problem(desk)
    elif desk.data is not None:
        _in_use(desk)
    _questions(desk, about.doubts[:ASKED])
    _columns(desk, {name for note in about.doubts for name in note.about})
    with st.expander(
        "Read it otherwise", expanded=failed and not isinstance(desk.seen.error, MissingValues), icon=":material/tune:"
    ):
        _options(desk)
    if about.notes:
        with st.expander(f"{wording.counted(len(about.notes), 'decision').capitalize()}", icon=":material/rule:"):
            for i, note in enumerate(about.notes):
                _note(desk, note, f"decision-{i}", st.caption)


def _settle(desk: Desk, choice: Choice) -> None:
    desk.reading = desk.reading.settled(choice)


def _note(desk: Desk, note: Note, key: str, draw: Any) -> None:
    """Say a decision or a question, with a button for each choice."""
    draw(sanitize.plain(note.says))
    with st.container(horizontal=True, key=key):
        for i, choice in enumerate(note.settles):
            label = sanitize.plain(choice.label, sanitize.NAME)
            st.button(label, key=f"{key}-{i}", on_click=_settle, args=(desk, choice))


def _questions(desk: Desk, doubts: Sequence[Note]) -> None:
    """Ask each doubt, whose first answer is how the file was read, and what becomes of missing values."""
    if (error := desk.seen.error) is not None and isinstance(error, MissingValues):
        costs = f": {error.rows:,} of {error.shape[0]:,}", f": {error.features:,} of {error.shape[1]:,}", "", ""
        ways = [Choice(f"{way}{cost}", {"missing": to}) for way, cost, to in zip(WAYS, costs, MISSING[1:], strict=True)]
        dates = (one for one in desk.seen.columns if one.role == "name" and all(means("date", d) for d in one.examples))
        if "time" in desk.seen.roles or any(dates):  # a series
            ways.sort(key=lambda way: way.sets["missing"] != "last")
        doubts = (*doubts, Note(error.found, settles=tuple(ways)))
    for i, note in enumerate(doubts):
        _note(
            desk, note, f"doubt-{i}", lambda says: st.warning(f"**Look at this first.** {says}", icon=":material/help:")
        )


def _problem(desk: Desk) -> None:
    """Say why a file cannot be read so, and how to come back to what could be."""
    if not isinstance(desk.seen.error, MissingValues):
        st.error(sanitize.plain(desk.problem), icon=":material/error:")
    if desk.data is not None and desk.read is not None:
        still = f"Until then **{sanitize.plain(desk.data.title)}** is used as it was read before."
        back, icon = (desk, "reading", desk.read), ":material/undo:"
        st.button("Read it as before", key="desk-back", help=still, icon=icon, on_click=setattr, args=back)


def _in_use(desk: Desk) -> None:
    """Say what is in use, with a tick where nothing is doubted, and link to the pages."""
    data = desk.data
    assert data is not None
    title, key = sanitize.plain(desk.title, sanitize.NAME), "doubted" if data.doubts else "read"
    with st.container(key=key, gap=None):
        draw, icon = (st.warning, ":material/help:") if data.doubts else (st.success, ":material/check_circle:")
        scale = state.of_sidebar().scale
        draw(f"In use: your file **{title}**, {say.as_read(data)}. Preprocessing: {scale}.", icon=icon)
        with st.container(horizontal=True):
            widgets.page_link("explore.py", "Explore →", ":material/search_insights:")
            widgets.page_link("parts.py", "Parts →", ":material/grid_view:")
    if desk.read and desk.read.repair:
        moved, size = uploads.norm_of_change(desk)
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


def _columns(desk: Desk, doubted: set[str]) -> None:
    """Show one line a column, doubted ones first and of many features last; roles are changed in it."""
    columns, data = desk.seen.columns, desk.data
    if not desk.seen.roles or (data is not None and data.kind != "table"):
        return
    many, sought = len(columns) > LINES, ""
    order = sorted(columns, key=lambda one: (one.name not in doubted, many and one.role == "feature"))
    if many:
        label = f"Search among {len(columns):,} columns; {LINES} are shown"
        sought = st.text_input(label, key="desk-search", max_chars=sanitize.NAME).lower()
        order = [column for column in order if sought in column.name.lower()][:LINES]
    key, number = f"desk-columns-{hash(desk.reading.text + sought)}", st.column_config.NumberColumn(format="%.5g")
    lines = {name: [getattr(column, name) for column in order] for name in HEADINGS}
    lines["name"] = [sanitize.line(column.name, sanitize.NAME) for column in order]
    lines["examples"] = [sanitize.line(", ".join(column.examples), sanitize.NAME) for column in order]
    st.data_editor(
        lines,
        key=key,
        column_config={
            "role": st.column_config.SelectboxColumn(options=get_args(Role), required=True),
            "bars": st.column_config.BarChartColumn("spread", y_min=0, width=80),
            **dict.fromkeys(("least", "median", "most"), number),
        },
        disabled=True if "sample" in desk.seen.roles else [name for name in HEADINGS if name != "role"],
        hide_index=True,
        height=min(TALL, 40 + 35 * len(order)),
        on_change=lambda: take_roles(desk, [one.name for one in order], st.session_state[key]["edited_rows"]),
    )
    st.caption("A role is changed by a double click: feature, name of the sample, class, weight, time, or left out.")


def take_roles(desk: Desk, names: Sequence[str], edited: Mapping[int, Mapping[str, str]]) -> None:
    """Read the file with the roles that were changed in the table."""
    roles = {names[int(row)]: cells["role"] for row, cells in edited.items() if "role" in cells}
    _settle(desk, Choice("", {"columns": roles}))


def _options(desk: Desk) -> None:
    """Draw what decides how the cells are read, each with what was found."""
    first, seen = desk.first.lower(), desk.seen
    images = len(desk.files) > 1 or first.endswith((*IMAGES, ".zip", ".tar", ".gz", ".tgz"))
    absent = {"header", "decimal", "kind"} if images else {"image_size"}
    absent |= set() if first.endswith((*TEXTS, ".tsv", ".tab")) else {"delimiter", "encoding"}
    absent |= set() if len(seen.sheets) > 1 else {"sheet"}
    with st.container(horizontal=True, key="desk-controls"):
        for key in [key for key in CHOICES if key not in absent]:
            _select(desk, key, {name: name for name in seen.sheets} if key == "sheet" else CHOICES[key])
        codes = ", ".join(map(str, desk.reading.missing_codes or ()))
        about = "Numbers or words between commas, such as -99, unknown. Empty cells and NA are missing in any case."
        how: dict[str, Any] = {"placeholder": AS_FOUND, "help": about, "max_chars": 200, "width": 180}
        _drawn(st.text_input, desk, "missing_codes", "Missing codes", codes, _codes, **how)
        if desk.reading.repair or (desk.problem and seen.data is not None and seen.data.kind == "covariance"):
            about = "The matrix without its negative eigenvalues: the nearest one that is a covariance (Higham 1988)."
            _drawn(st.toggle, desk, "repair", "Take the nearest covariance instead", desk.reading.repair, help=about)


def _drawn(draw: Any, desk: Desk, key: str, label: str, value: Any, take: Any = None, **more: Any) -> None:
    """Draw a widget that shows what the desk holds, whatever it showed before, and takes over what is chosen."""
    here = f"desk-{key}"
    st.session_state[here] = value

    def chosen() -> None:
        said = st.session_state[here]
        _settle(desk, Choice("", {key: said if take is None else take(said)}))

    draw(label, key=here, on_change=chosen, **more)


def _select(desk: Desk, key: str, words: Mapping[Any, str]) -> None:
    """Draw a menu of values by their words; where none is chosen, it names the one that was found."""
    value, found = getattr(desk.reading, key), desk.seen.decided.get(key)
    shown = AS_FOUND if value is None else value
    guess = f"{words.get(found, found)} (found)" if value is None and found is not None else AS_FOUND
    named = {AS_FOUND: guess, **words} if getattr(DeskReading(), key) is None else words
    _drawn(
        st.selectbox,
        desk,
        key,
        key.replace("_", " ").capitalize(),
        shown,
        lambda said: None if said == AS_FOUND else said,
        options=list(dict.fromkeys([*named, shown])),
        format_func=lambda option: sanitize.line(str(named.get(option, option)), sanitize.NAME),
        width=180,
    )


def _codes(said: str) -> tuple[str, ...] | None:
    """What stands for a missing value, between commas."""
    return tuple(code for part in said.split(",") if (code := part.strip())) or None
