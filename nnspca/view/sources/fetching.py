"""Data sets that are not at hand yet: downloaded, or read from a file of the server's owner, with progress and Stop."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Literal

import streamlit as st

import nnspca
from nnspca.datasets import DatasetInfo, fetch
from nnspca.result import Progress
from nnspca.view import sanitize, tasks, words
from nnspca.view.jobs.job import Job
from nnspca.view.sources.opened import Opened
from nnspca.view.tasks import Button, Task

SLOT = "pass"
AT_ONCE = 1_000_000_000  # bytes on disk that are read without a question


def terms(info: DatasetInfo) -> None:
    """Say whom to thank, what one may do with the data, and where to read more."""
    lines = [sanitize.plain(info.citation), f"Terms: {sanitize.plain(info.terms)}" if info.terms else ""]
    st.caption("  \n".join(filter(None, lines)))
    if info.homepage:
        st.markdown(f":small[More about the data: <{info.homepage}>]")  # a caption would dim the link


def download(info: DatasetInfo) -> None:
    """Offer to fetch a data set, with true progress and Stop."""
    if wrong := fetch.fault(fetch.data_folder()):
        st.markdown(f"**These data are not on this machine, and cannot be fetched now.** {sanitize.plain(wrong)}")
        return
    if info.download_url:
        size = words.size(info.size_bytes)
        st.markdown(f"**These data are not on this machine yet.** They are fetched once ({size}), checked, and kept.")
    else:
        st.markdown("**These data are not on this machine yet.** They cannot be fetched: you supply the file.")
    load = functools.partial(nnspca.datasets.load, info.name)
    if _fetched(f"fetch-{info.name}", load, "Download" if info.download_url else "How to get the file"):
        _use(_known(info.name).local)


def download_names(info: DatasetInfo, forget: Callable[[str], None]) -> None:
    """Offer to fetch the names of genes that go with the probes of a data set, which is read anew with them."""
    size = words.size(info.names_bytes)
    st.caption(f"The gene symbols of its probes can be shown: fetched once ({size}), checked, and kept.")
    if _fetched(f"names-{info.name}", nnspca.datasets.gene_symbols, "Fetch gene symbols"):
        forget(info.name)
        _use(not _known(info.name).names_bytes)


def _known(name: str) -> DatasetInfo:
    return next(info for info in nnspca.datasets.available() if info.name == name)


def _use(kept: bool) -> None:
    """Draw the page anew with what was fetched; say so where it could not be kept."""
    if kept:
        st.rerun()
    st.error(
        "What was fetched could not be kept: the folder for it cannot be written. The server's owner can name "
        "another one in the environment variable NNSPCA_CACHE."
    )


def _fetched(slot: str, load: Callable[..., object], label: str) -> bool:
    """Draw the button, the progress and Stop of one download; return whether it has just succeeded."""
    again = "Download again" if label == "Download" else label

    def work(job: Job) -> None:
        def listen(done: int, total: int | None) -> None:
            fraction, whole = (min(done / total, 1.0), f" of {words.fixed(total / 1e6, 1)}") if total else (0.0, "")
            job.report(Progress(fraction, f"Downloaded {words.fixed(done / 1e6, 1)}{whole} MB"))

        load(on_progress=listen, should_stop=job.should_stop)

    look: Literal["primary", "secondary"] = "primary" if label == "Download" else "secondary"
    button = Button(label, None, ":material/download:", again=again, type=look)
    job = tasks.offer(Task(slot, slot, lambda: work), button)
    if job is not None:
        tasks.follow(job, f"Stopped. Nothing was kept; **{again}** starts over.")
    return job is not None and job.done and not job.problem and not job.stopped


def read(opened: Opened) -> None:
    """Show what a data set in a file is and read it, at once where that is quick; the page is drawn anew after."""
    rows, columns = opened.file.shape
    name, size = sanitize.plain(opened.name), words.size(opened.file.size_bytes)
    need = "One pass is needed." if opened.passes == 1 else "Two passes are needed: the first computes the variances."
    st.markdown(f"**{name}**: {rows:,} rows × {columns:,} columns, {size} on disk. {need} {opened.kept_text}")
    task = Task(SLOT, opened.name, lambda: opened.read)
    job = tasks.ask(task) if opened.file.size_bytes <= AT_ONCE else tasks.running(task)
    if job is not None and not tasks.follow(job, "Stopped. Nothing was kept."):
        return
    if opened.data is not None:
        st.rerun()
    about = "It is read for all visitors, and kept while the server runs."
    tasks.offer(task, Button("Read it", about, ":material/play_arrow:", again="Read it again"))
