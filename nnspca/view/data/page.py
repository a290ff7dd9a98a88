"""The data page: what is in use on every page, and what is done to it first."""

from __future__ import annotations

import streamlit as st

from nnspca.datasets import Dataset, DatasetInfo, fetch, preparing
from nnspca.result.rounded import number
from nnspca.view import collection, sanitize
from nnspca.view.link.state import State
from nnspca.view.sources import catalogue, hosted
from nnspca.view.subject import Subject

CROPS = {name for name in preparing.STEPS if name.startswith("crop-")}


def show_dataset(info: DatasetInfo, data: Dataset | None, now: State) -> None:
    """Show the data set that every page uses: samples, variance, citation and terms; or offer to fetch it."""
    rows, columns = info.shape
    st.header(f"In use: {sanitize.plain(info.title)}")
    if data is None:
        if catalogue.server_file_on_desk(info.name) is None:  # else it is read on the desk
            catalogue.describe_dataset(info)
        return
    shape = ""  # of a covariance it stands below the excerpt
    if info.kind != "covariance":
        shape = f"{rows:,} samples × {columns:,} {'feature' if columns == 1 else 'features'}.".replace(" ", "\u00a0")
    st.markdown(f"{sanitize.plain(info.description)} {shape}".strip())
    few, rest = st.columns([1, 1.25], gap="large")
    with few:
        collection.sample_preview(data)
    with rest:
        source, citation, terms = map(sanitize.plain, (data.source, data.citation, data.terms))
        st.caption(f"Source: {source}. {citation}" + (f"  \nTerms: {terms}" if terms else ""))
        if info.homepage:
            st.markdown(f":small[More about the data: <{info.homepage}>]")
        if info.names_bytes:
            catalogue.download_names(info)
    with st.expander("Preprocessing: what each step does", expanded=bool(now.prep), icon=":material/tune:"):
        _explained(catalogue.dataset(now.data), Subject(data, now))


def show_problems() -> None:
    """Say what is wrong with the folder of data files and the data sets that the server's owner named, and why."""
    if wrong := fetch.folder_problem(fetch.data_folder()):
        said = f"The data sets that come with the package still work. {wrong}"
        st.warning(sanitize.plain(said), icon=":material/folder_off:")
    for problem in hosted.problems():
        st.error(sanitize.plain(f"{hosted.OPEN}: {problem}"), icon=":material/error:")


def _explained(raw: Dataset, subject: Subject) -> None:
    """Say what is done to the data before they are analysed, and show them after it."""
    able, done = preparing.possible(raw), subject.now.prep
    if raw.kind == "covariance":
        st.caption("A covariance is taken as it is, or turned into correlations (**standardised**, in the sidebar).")
        return
    lines = ["- ✓ **Centred**, always: the mean of each feature is subtracted."]
    scaled = "each feature divided by its standard deviation, so that units do not matter. Chosen in the sidebar."
    lines.append(f"- {'✓ ' if subject.standardise else ''}**Standardised**: {scaled}")
    steps = [preparing.STEPS[name] for name in able if name not in CROPS or name in done]
    lines += [f"- {'✓ ' if step.name in done else ''}**{step.name}**: {step.about}" for step in steps]
    if CROPS & {*able} and not CROPS & {*done}:
        lines.append("- **crop-1** … **crop-4**: leaves out pixels at the borders, where a background would dominate.")
    if raw.is_sparse:
        lines.append("- **project-out** is not possible here: it would make sparse data dense.")
    if "log1p" not in able:
        least = number(raw.X.min()).replace("-", "−")
        lines.append(f"- **log1p** is not possible here: it needs numbers above −1, and the least is {least}.")
    st.markdown("Choose under **Extra preprocessing** in the sidebar.\n\n" + "\n".join(lines))
    if done:
        st.caption("After: " + ", ".join(map(sanitize.plain, done)))
        collection.sample_preview(subject.data, "after")
