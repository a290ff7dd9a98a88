"""Theme: the app's style sheet, and a rerun when a person changes between light and dark."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from nnspca.view.link import state

STYLE = Path(__file__).with_name("style.css")

# Streamlit restyles its own elements without running the script; the colours of our data need a run.
FOLLOW = """
export default function ({ data, parentElement, setTriggerValue }) {
  const probe = parentElement.querySelector("i");
  let said = data;
  const looking = setInterval(() => {
    const [red, green, blue] = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
    const type = red + green + blue < 384 ? "dark" : "light";
    if (type !== said) setTriggerValue("changed", (said = type));
  }, 250);
  return () => clearInterval(looking);
}
"""

LOW = {"switch", "fold"}  # kinds of keys whose widgets are one line; a label stands above all others


def style() -> str:
    """Return the style sheet, and the room of every widget with a label: it is kept until the widget is drawn."""
    labelled = [f".st-key-{entry.key}" for entry in state.TABLE if entry.kind not in LOW]
    return f"{STYLE.read_text(encoding='utf-8')}\n:is({', '.join(labelled)}) {{ min-height: 68px; }}\n"


@st.cache_resource(show_spinner=False)
def _probe():
    return st.components.v2.component(
        "theme",
        html="<i></i>",
        css="i { display: block; height: 0; color: var(--st-background-color); }",
        js=FOLLOW,
    )


def follow() -> None:
    """Run the script again whenever the theme changes."""
    _probe()(key="theme", data=st.context.theme.type, height=0, on_changed_change=lambda: None)
