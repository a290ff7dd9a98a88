"""Passes over a data set in a file, drawn: its size, the time they take, and the button where that is long."""

from __future__ import annotations

import streamlit as st

from nnspca.view import sanitize, words
from nnspca.view.jobs import runs
from nnspca.view.jobs.job import Job, Work
from nnspca.view.sources.opened import Opened

SLOT = "pass"
LONGEST = 60.0  # seconds that a pass may take without a question


def offer(opened: Opened) -> None:
    """Show what a data set in a file is and read it, at once where that is quick; the page is drawn anew after."""
    st.markdown(_about(opened))
    job = runs.only_job(SLOT, opened.name) or runs.start(SLOT, opened.name, _work(opened, asked=False))
    done = runs.follow(SLOT, job, "Stopped. Nothing was kept.")
    if opened.seconds:
        st.caption(_time(opened))
    if not done:
        return
    if opened.data is not None:
        st.rerun()

    def begin() -> None:
        runs.start(SLOT, opened.name, _work(opened, asked=True))

    failed = job.stopped or job.problem
    label = "Read it again" if failed else f"Read it (about {words.seconds(sum(opened.seconds))})"
    st.button(
        label,
        key="read-opened",
        type="secondary" if failed else "primary",
        icon=":material/replay:" if failed else ":material/play_arrow:",
        on_click=begin,
    )


def _work(opened: Opened, *, asked: bool) -> Work:
    """Return the work of reading it; without being ``asked`` for, no pass of more than a minute."""

    def work(job: Job) -> None:
        with job.uninterruptible():
            if max(opened.measure()) <= LONGEST or asked:
                opened.read(job)

    return work


def _about(opened: Opened) -> str:
    rows, columns = opened.file.shape
    name, size = sanitize.plain(opened.name), words.size(opened.file.size_bytes)
    need = "One pass is needed." if opened.passes == 1 else "Two passes are needed: the first computes the variances."
    return f"**{name}**: {rows:,} rows × {columns:,} columns, {size} on disk. {need} {opened.kept_text}"


def _time(opened: Opened) -> str:
    each = [words.seconds(seconds) for seconds in opened.seconds]
    passes = f"The pass takes about {each[0]}" if len(each) == 1 else f"The passes take about {' and '.join(each)}"
    return f"{passes}, as measured on the first rows."
