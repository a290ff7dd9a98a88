"""The answer to what was asked for, as a table."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from nnspca.view import sanitize

SHARE = "in resamples (%)"  # the column that is drawn as bars
ROWS = 300  # most rows of a table


def features(rows: Sequence[dict[str, object]], alt: str, height: int = 400) -> None:
    """List features, the first of many."""
    st.dataframe(
        [{name: sanitize.line(v) if isinstance(v, str) else v for name, v in row.items()} for row in rows[:ROWS]],
        hide_index=True,
        height=height,
        column_config={SHARE: st.column_config.ProgressColumn(min_value=0, max_value=100, format="%d")},
        alt=alt,
    )
