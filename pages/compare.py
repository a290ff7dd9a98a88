"""Compare: two to four data sets side by side, what they promise, what is proven, and why."""

import streamlit as st

from nnspca.view import compare, controls, jobs, state

now = state.current()
st.title("Compare data sets")
st.markdown("*Which data suit nonnegative sparse PCA, and why?* The same questions to each, on the same axes.")
st.caption("Of the sidebar, preprocessing, signs and seed count here; k runs over shares of the features.")
asked = compare.ask(now)
if len(asked.data) < 2 or not asked.solvers:
    st.info("Choose at least two data sets and one solver.", icon=":material/compare:")
    st.stop()
job = jobs.run("compare", compare.key(asked, now), compare.find(asked, now), now)
jobs.follow("compare", job)
results = compare.found(job)
if not results:
    st.stop()
summary = compare.ranking(results)
if summary:
    st.markdown(summary)
drawn = compare.panels(results, asked)
with controls.fold("Table, downloads and code", "take", ":material/download:") as fold:
    if fold.open:
        compare.take(results, asked, now, drawn)
