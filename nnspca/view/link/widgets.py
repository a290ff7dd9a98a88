"""Widgets drawn from the link's table: a choice goes to the link, a bad link becomes a note, none is lost."""

from __future__ import annotations

import contextlib
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import streamlit as st

import nnspca
from nnspca.view import sanitize, session
from nnspca.view.link import canvas, state
from nnspca.view.link.state import LinkKey
from nnspca.view.session import Place, Session

DeltaGenerator = st.delta_generator.DeltaGenerator  # a place on the page

WORDS = tomllib.loads(Path(__file__).with_name("widgets.toml").read_text(encoding="utf-8"))
OFFERS: dict[str, list[str]] = WORDS["offers"]
LONGEST = 60  # letters of a refused value that a note repeats
LISTED = 12  # options that a note lists
KEYS = {entry.key for entry in state.TABLE}
USUAL = object()  # stands for the table's own default, which may be None


def choose(
    entry: LinkKey,
    label: str = "",
    *,
    usual: Any = USUAL,
    low: float | None = None,
    high: float | None = None,
    options: Sequence[Any] | None = None,
    allowed: str = "",
    **settings: Any,
) -> Any:
    """Draw the widget of a key and return what the person chose.

    ``usual``, ``low``, ``high`` and ``options`` narrow the table's entry to the data at hand. A
    value that the link asked for and that is not possible here is told to the person, with what is
    ``allowed``. The choice is remembered when the person goes to another page and comes back.
    """
    key, values, place = entry.key, st.session_state, (entry.pages, entry.key)
    label = label or entry.label
    settings.setdefault("help", entry.help)
    usual = entry.default if usual is USUAL else usual
    low, high = entry.low if low is None else low, entry.high if high is None else high
    options = entry.options if options is None else options
    here = session.current()
    memory = here.memory
    if key in here.suggested:
        state.assign(**{key: here.suggested.pop(key)})
    stored, texts, whole, wanted = values.get(key), list[str](), True, None
    given = stored is None  # whether this run sets the value
    if given and place in memory:
        stored = memory[place]
        values[key] = stored
    elif given and (texts := state.value_in_link(key)):
        wanted, whole = entry.read(texts, low, high, options)
        if wanted is not None:
            values[key] = list(wanted) if entry.kind == "several" else wanted
    elif given and here.back:
        values[key] = list(usual) if entry.kind == "several" else usual
    if entry.widget == "slider" and stored is not None and _outside(stored, low, high, ()):
        # Its ends have moved with the data; Streamlit would end the page at a value outside them.
        values[key] = stored = min(max(stored, low), high)
    given = given and key in values
    draw = getattr(st, entry.widget or WORDS["widgets"][entry.kind])
    drawn = draw(label, key=key, **_settings(entry, usual, low, high, options, given=given), **settings)
    if values.get(key) is not None:
        memory[place] = drawn
    value = tuple(drawn) if entry.kind == "several" else drawn
    refused = None
    if stored is not None:
        if _outside(stored, low, high, options) and stored != drawn:
            refused = str(stored)
    elif texts and (not whole or (wanted is not None and wanted != value)):
        refused = ", ".join(texts)
    say_in_link(here, key, value, usual)
    name = settings.get("format_func", str)
    _note(place, label, refused, value, allowed or _allowed(entry, low, high, options, name), name)
    return value


def say_in_link(here: Session, key: str, value: Any, usual: Any) -> None:
    """Let the link say a value of a key that this page knows, unless it is the usual one."""
    text = _text(value)
    if here.linked:
        here.linked.pop(key, None)
    if value is not None and text != _text(usual):
        here.says[key] = text


def next_value(entry: LinkKey, usual: Any = None) -> Any:
    """Return what a key is about to say, before its widget is drawn; what is ``usual`` where it never did."""
    value = state.last_value(entry)
    if value is None:
        value = entry.read(state.value_in_link(entry.key))[0]
    usual = entry.default if usual is None else usual
    return usual if value is None else value


def keep_value(entry: LinkKey, options: Sequence[Any] | None = None) -> None:
    """Keep what the link says of a key that has no widget on this page: it counts on others."""
    value = entry.read(texts, options=options)[0] if (texts := state.value_in_link(entry.key)) else None
    if value is not None:
        session.current().memory.setdefault((entry.pages, entry.key), value)


def start_at(entry: LinkKey, value: Any) -> None:
    """Let a widget start with a value, which the link then says, where neither link nor person has chosen one."""
    if not state.value_in_link(entry.key):
        session.current().memory.setdefault((entry.pages, entry.key), value)


def write_answer(place: DeltaGenerator, name: str, words: str) -> None:
    """Write an answer at its place, marked for a second where it is another one than before."""
    here = session.current()
    before, times = here.answers.get(name, (words, 0))
    times += words != before
    here.answers[name] = words, times
    place.container(key=f"{name}-says" + f"-other-{times % 2}" * bool(times)).markdown(words)


def place(where: Any, key: str, **how: Any) -> DeltaGenerator:
    """Return a place that keeps its room, as the styles have it, before there is anything in it."""
    made: DeltaGenerator = where.container(key=key, **how)
    made.empty()
    return made


def choices_and_figure(key: str) -> tuple[DeltaGenerator, DeltaGenerator]:
    """Return a place for choices and one for their figure; on a phone the figure stands first."""
    both = st.container(key=f"figure-first-{key}")
    return both.container(), both.container(key=f"shown-first-{key}")


def _settings(
    entry: LinkKey, usual: Any, low: float | None, high: float | None, options: Sequence[Any], *, given: bool
) -> dict[str, Any]:
    """Return what a widget of this kind is drawn with; a list whose value was ``given`` in this run has no default.

    In every other run it has: a browser that mounts a list late starts from its default.
    """
    if entry.kind == "several":
        default = None if given or not usual else [option for option in usual if option in options]
        return {"options": list(options), "default": default, "max_selections": entry.most, "wrap": True}
    if entry.widget == "select_slider":
        return {"options": list(options), "value": usual}
    if entry.kind == "one":
        at = None if usual is None and not entry.widget else options.index(usual) if usual in options else 0
        return {"options": list(options), "index": at}
    if entry.kind in ("whole", "number"):
        kind = int if entry.kind == "whole" else float
        ends = {"min_value": low, "max_value": high, "value": usual}
        step = {"step": 1} if kind is int else {}
        return {name: None if end is None else kind(end) for name, end in ends.items()} | step
    return {"value": usual}


def _outside(stored: Any, low: float | None, high: float | None, options: Sequence[Any]) -> bool:
    """Tell whether a value kept from before lies outside what is possible now."""
    if options:
        return any(v not in options for v in (stored if isinstance(stored, list | tuple) else [stored]))
    return (low is not None and stored < low) or (high is not None and stored > high)


def _allowed(
    entry: LinkKey, low: float | None, high: float | None, options: Sequence[Any], name: Callable[[Any], str] = str
) -> str:
    """Say what a key may say, options by their ``name`` on the screen."""
    if entry.kind in ("switch", "fold"):
        return "true or false"
    if options or entry.kind == "text":
        return ", ".join(map(name, options)) if len(options) <= LISTED else ""
    kind = "a whole number" if entry.kind == "whole" else "a number"
    return kind + "".join(f" {word} {end:,}" for word, end in (("from", low), ("to", high)) if end is not None)


def _note(
    place: Place, label: str, refused: str | None, value: Any, allowed: str, name: Callable[[Any], str] = str
) -> None:
    """Keep a note about a value that could not be used, until the person chooses another, or other data."""
    here, notes = session.current(), session.current().notes
    if refused is not None and not (here.lost and place[1] == "data"):  # which is told beside what mends it
        rejected = refused if len(refused) <= LONGEST else f"{refused[:LONGEST]} …"
        limits = f" ({sanitize.plain(allowed)})" if allowed else ""
        shown = sanitize.plain(_say(value, name))
        sentence = f"{label}: “{sanitize.plain(rejected)}” cannot be used here{limits}; showing {shown}."
        notes[place] = (value, _data()), sentence
    elif place in notes and notes[place][0][0] != value:
        del notes[place]


def _data() -> Any:
    """Return the data set that the session shows: what is possible depends on it."""
    return state.last_value(state.SHARED["data"]) or state.SHARED["data"].default


def _text(value: Any) -> list[str]:
    """Return a value as the link carries it.

    >>> _text(7), _text(True), _text(["a", "b"])
    (['7'], ['true'], ['a', 'b'])
    """
    if isinstance(value, list | tuple):
        return [str(one) for one in value] or [""]
    return [str(value).lower() if isinstance(value, bool) else str(value)]


def _say(value: Any, name: Callable[[Any], str]) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(name, value)) or "nothing"
    if value is None:
        return "nothing"
    return f"“{name(value)}”" if isinstance(value, str) else name(value)


def notes() -> None:
    """Show the notes about values that could not be used, at the place kept for them or else here."""
    here = session.current()
    if here.place_of_k is not None:  # the page has ended before
        with here.place_of_k:
            here.choose_k()
    place, here.notes_place = here.notes_place, None
    with st.container() if place is None else place:
        unusable = here.notes
        for note_place in [outdated for outdated, ((_, about), _) in unusable.items() if about != _data()]:
            del unusable[note_place]
        for _, note in unusable.values():
            st.info(note, icon=":material/info:")
        if strange := [key for key in st.query_params if key not in KEYS and not key.startswith(("embed", "lecture"))]:
            named = ", ".join(f"“{sanitize.plain(sanitize.line(key, LONGEST))}”" for key in strange[:LISTED])
            which = "which does not exist here and is" if len(strange) == 1 else "which do not exist here and are"
            st.info(f"The link also names {named}, {which} ignored.", icon=":material/info:")
    if unusable:
        here.at_rest = None
    _write_link(here, "link")
    here.is_whole = False


def _write_link(here: Session, component: str) -> None:
    here.written, here.says = here.says, {}
    keys = KEYS - {e.key for e in state.TABLE if e.by_browser and here.page in e.pages}
    canvas.write_link(keys, here.written, component)


@contextlib.contextmanager
def part(key: str, place: DeltaGenerator) -> Iterator[None]:
    """Draw a part of the page that is drawn by itself where a key of the link has changed, and writes the link."""
    here = session.current()
    if not here.is_whole:
        here.says = {name: texts for name, texts in here.written.items() if name != key}
    here.choose_k()
    try:
        yield
    except nnspca.DataError as problem:  # which Streamlit would tell in its own words
        place.error(sanitize.plain(str(problem)), icon=":material/error:")
        end_page()
    if not here.is_whole:
        _write_link(here, "link-part")


def end_page() -> NoReturn:
    """Draw the page's notes and end it here: nothing can be drawn once a script is stopped."""
    notes()
    st.stop()


def link_value(entry: LinkKey) -> Any:
    """Return what the link says of a key that has no widget, or the usual value, with a note where it is no use."""
    return _usable(entry, st.query_params.get_all(entry.key), entry.default)


def chosen_value(entry: LinkKey, *, high: float | None = None) -> Any:
    """Return what was last chosen by a press, for a key that has no widget: from the link, or as it was left.

    ``high`` narrows the table's entry to the data at hand.
    """
    here, place, value = session.current(), (entry.pages, entry.key), state.last_value(entry)
    texts = [] if place in here.memory or value is not None else state.value_in_link(entry.key)
    value = here.memory[place] = _usable(entry, texts, value, high)
    say_in_link(here, entry.key, value, entry.default)
    return value


def _usable(entry: LinkKey, texts: Sequence[str], value: Any, high: float | None = None, label: str = "") -> Any:
    """Return what the texts of a link say, a ``value`` where there are none; a note where they are no use."""
    value, whole = entry.read(texts, high=high) if texts else (value, True)
    value = entry.default if value is None else value
    allowed = _allowed(entry, entry.low, entry.high if high is None else high, entry.options)
    _note((entry.pages, entry.key), label or entry.key, None if whole else texts[-1], value, allowed)
    return value


def set_value(entry: LinkKey, value: Any) -> None:
    """Choose a value for a key that has no widget."""
    session.current().memory[entry.pages, entry.key] = value


def expander(entry: LinkKey, label: str, icon: str) -> Any:
    """Return a part of the page that is opened on demand: the link says whether it is, and so does ``.open``.

    It is as it was left when the page is visited again.
    """
    key, here, place = entry.key, session.current(), (entry.pages, entry.key)
    if key not in st.session_state:
        st.session_state[key] = _usable(entry, state.value_in_link(key), here.memory.get(place), label=label)
    fold = st.expander(label, expanded=entry.default, key=key, icon=icon, on_change="rerun")
    here.memory[place] = fold.open
    say_in_link(here, key, fold.open, entry.default)
    return fold


@dataclass(frozen=True)
class Suggestion:
    """A suggested number, with the reason as a sentence."""

    value: int
    why: str


def show_suggestion(suggestion: Suggestion | None, key: str, now: int) -> None:
    """Offer a suggestion for a key of the link, which is ``now`` so much.

    Parts open with it where neither link nor person has chosen their number; else nothing changes before it is pressed.
    """
    waiting, name, nothing = OFFERS[key]
    here = session.current()
    if key == "r" and suggestion is not None and here.opened != _data():
        here.opened = _data()
        if suggestion.value != now:
            here.suggested[key] = suggestion.value
            st.rerun()
    st.button(
        waiting if suggestion is None else f"{name}: {suggestion.value:,}",
        key=f"suggest-{key}",
        help=nothing if suggestion is None else suggestion.why + " It is chosen." * (suggestion.value == now),
        disabled=suggestion is None or suggestion.value == now,
        on_click=state.assign,
        kwargs={key: now if suggestion is None else suggestion.value},
        width="stretch",
    )


def page_link(page: str, label: str, icon: str) -> None:
    """Draw a link to another page, which opens on the same choices; nothing where a page runs without the others."""
    with contextlib.suppress(st.errors.StreamlitAPIException):
        st.page_link(page, label=label, icon=icon)
