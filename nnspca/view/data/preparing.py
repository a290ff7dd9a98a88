"""Preprocessing explained: what each step does to these data, and the samples before and after."""

from __future__ import annotations

import streamlit as st

from nnspca.datasets import Dataset, preparing
from nnspca.view import sanitize
from nnspca.view.link.state import State
from nnspca.view.ui import charts, preview
from nnspca.view.words import number

CENTRED = "**Centred**, always: the mean of each feature is subtracted."
SCALED = (
    "**Standardised**: each feature divided by its standard deviation, so that units do not matter. Chosen "
    "in the sidebar."
)
TILES = 12


def explained(raw: Dataset, data: Dataset, now: State) -> None:
    """Say what is done to the data before they are analysed, and show it."""
    able = preparing.possible(raw)
    if raw.kind == "covariance":
        st.caption("A covariance is taken as it is, or turned into correlations (**standardised**, in the sidebar).")
        return
    steps = [preparing.STEPS[name] for name in able if not name.startswith("crop-")]
    items = [f"- {'✓ ' if now.standardise else ''}{SCALED}"]
    items += [f"- {'✓ ' if step.name in now.prep else ''}**{step.name}**: {step.about}" for step in steps]
    if len(steps) < len(able):
        done = "✓ " if any(name.startswith("crop-") for name in now.prep) else ""
        items.append(
            f"- {done}**crop-1** … **crop-4**: leaves out pixels at the borders of images, where a background "
            "would dominate."
        )
    items += [f"- {words}" for words in _left_out(raw, able)]
    st.markdown(
        f"Done to the data before the covariance is formed; choose under **Extra preprocessing** in the sidebar.\n\n"
        f"- ✓ {CENTRED}\n" + "\n".join(items)
    )
    if not now.prep:
        return
    before, after = st.columns(2)
    with before:
        st.caption("Before")
        _look(raw)
    with after:
        st.caption("After: " + ", ".join(sanitize.plain(name) for name in now.prep))
        _look(data)


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
    """Show a few samples."""
    if data.image_shape is not None:
        alt = f"{TILES} images of {sanitize.line(data.title)}, side by side."
        charts.picture(preview.sheet(data, TILES), alt)
    else:
        st.dataframe(
            preview.table_excerpt(data, 5, 5), hide_index=True, alt=f"A corner of {sanitize.line(data.title)}."
        )
