"""What takes long and is asked for: its run, the answer as it comes, and its table."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import streamlit as st

from nnspca.view import cache, sanitize
from nnspca.view.jobs import runs
from nnspca.view.jobs.job import Job, Work

SHARE = "in resamples (%)"  # the column that is drawn as bars
ROWS = 300  # most rows of a table


def keeping(key: Hashable, find: Callable[[Job], Any]) -> Work:
    """Return the work that publishes what ``find`` returns, and keeps it unless it was stopped."""
    known = cache.results()

    def work(job: Job) -> None:
        answer = find(job)
        if not answer.stopped:
            known.put(key, answer)
        job.publish(answer)

    return work


def latest(slot: str, key: Hashable, job: Job | None, stopped: str) -> Any:
    """Show the run that was asked for; return its latest answer, or the one that is kept, None where there is none."""
    if job is not None:
        running = not job.done
        if runs.follow(slot, job, stopped) and running:
            st.rerun()  # it ended after what the page says of the answer was drawn
        if job.arrived:
            return job.arrived[-1]
    return cache.results().get(key)


def features(rows: Sequence[dict[str, object]], alt: str, height: int = 400) -> None:
    """List features, the first of many."""
    st.dataframe(
        [{name: sanitize.line(v) if isinstance(v, str) else v for name, v in row.items()} for row in rows[:ROWS]],
        hide_index=True,
        height=height,
        column_config={SHARE: st.column_config.ProgressColumn(min_value=0, max_value=100, format="%d")},
        alt=alt,
    )
