"""Linked widgets: every choice is in the link, a bad link becomes a plain note, no choice is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st


def bound(widget: Callable[..., Any], label: str, *, key: str, allowed: str = "", **settings: Any) -> Any:
    """Draw a widget whose value is in the link.

    A value that the link asked for and the widget refuses is told to the person, with what is
    ``allowed``. The value is remembered when the person goes to another page and comes back.
    """
    said, memory = st.session_state, st.session_state.setdefault("_memory", {})
    asked = st.query_params.get_all(key)
    held = said.get(key)
    if held is None and not asked and key in memory:
        said[key] = held = memory[key]
    value = widget(label, key=key, bind="query-params", **settings)
    if said.get(key) is not None:
        memory[key] = value
    refused = held if held is not None and not _same(held, value) and _outside(held, settings) else None
    if refused is None and held is None and asked and not _same(asked if isinstance(value, list) else asked[-1], value):
        refused = ", ".join(asked)
    notes, limits = said.setdefault("_notes", {}), f" ({allowed})" if allowed else ""
    if refused is not None:
        notes[key] = (
            value,
            f"{label}: “{refused}” cannot be used here{limits}; showing {_say(value)}.",
        )
    elif key in notes and not _same(notes[key][0], value):
        del notes[key]
    return value


def _same(asked: Any, value: Any) -> bool:
    """Tell whether what was asked for is what the widget shows."""
    if isinstance(value, list):
        return list(asked) == [str(v) for v in value] if isinstance(asked, list | tuple) else False
    if isinstance(value, bool):
        return str(asked).lower() == str(value).lower()
    if isinstance(value, int | float):
        try:
            return float(asked) == float(value)
        except (TypeError, ValueError):
            return False
    return str(asked) == str(value)


def _outside(held: Any, settings: Mapping[str, Any]) -> bool:
    """Tell whether a value kept from before lies outside what the widget allows now."""
    if "options" in settings:
        return any(v not in settings["options"] for v in (held if isinstance(held, list) else [held]))
    low, high = settings.get("min_value"), settings.get("max_value")
    return (low is not None and held < low) or (high is not None and held > high)


def _say(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(str(v) for v in value) or "nothing"
    if value is None:
        return "nothing"
    return f"“{value}”" if isinstance(value, str) else str(value)


def notes() -> None:
    """Show the notes about values that could not be used."""
    for _, note in st.session_state.get("_notes", {}).values():
        st.info(note, icon=":material/info:")
