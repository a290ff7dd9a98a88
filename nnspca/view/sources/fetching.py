"""Download of a data set from its pinned address, on request: citation and terms, progress and Stop."""

from __future__ import annotations

import functools
from collections.abc import Callable

import streamlit as st

import nnspca
from nnspca.datasets import DatasetInfo, fetch
from nnspca.result import Progress
from nnspca.view import sanitize, words
from nnspca.view.jobs import runs
from nnspca.view.jobs.job import Job, Work


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
    job = runs.job_for(slot, slot)
    again = label if job is None or not label.startswith("Download") else "Download again"
    pressed = st.button(
        again,
        key=slot,
        type="primary" if label == "Download" else "secondary",
        icon=":material/download:",
        disabled=job is not None and not job.done,
    )
    if pressed:
        job = runs.start(slot, slot, _fetch(load))
    if job is not None:
        runs.follow(slot, job, f"Stopped. Nothing was kept; **{again}** starts over.")
    return job is not None and job.done and not job.problem and not job.stopped


def _fetch(load: Callable[..., object]) -> Work:
    """Return the work of a download."""

    def work(job: Job) -> None:
        def listen(done: int, total: int | None) -> None:
            whole = f" of {words.fixed(total / 1e6, 1)}" if total else ""
            job.report(
                Progress(min(done / total, 1.0) if total else 0.0, f"Downloaded {words.fixed(done / 1e6, 1)}{whole} MB")
            )

        load(on_progress=listen, should_stop=job.should_stop)

    return work
