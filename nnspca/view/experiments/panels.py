"""The experiments page's panels: every figure, the paper's numbers beside ours, and what to take home."""

from __future__ import annotations

import streamlit as st

from nnspca.studies import StudyTable
from nnspca.view.experiments.choices import KEYS, Choices
from nnspca.view.experiments.figures.study import study
from nnspca.view.session import charts, downloads
from nnspca.view.session.runs import Job
from nnspca.view.session.widgets import fold


def draw(choice: Choices, job: Job) -> None:
    """Show every figure, the paper's numbers beside ours, the tables, and what to take home."""
    tables = tuple(table for table in (job.arrived[-1] if job.arrived else ()) if table.rows)
    for table in tables:
        if table.picture is not None:
            st.header(table.title)
            charts.figure(study(table, charts.palette()), f"{choice.study.name}-{table.name}")
            if table.note:
                st.caption(table.note)
    for table in tables:
        if table.name == "printed":
            st.header(table.title)
            st.table(table.words())
            if table.note:
                st.caption(table.note)
    if choice.study.needs and choice.data != choice.study.needs:
        st.caption("The paper's numbers are left out: they are about other data than these.")
    if tables and job.done:
        _takeaway(choice, tables)


def _takeaway(choice: Choices, tables: tuple[StudyTable, ...]) -> None:
    """Offer every table and figure, and the code that makes them again."""
    with st.container(horizontal=True):
        for table in tables:
            charts.csv_button(
                downloads.study_csv(table),
                f"csv-{choice.study.name}-{table.name}",
                f"{choice.stem}-{table.name}.csv",
                f"{table.name.capitalize()} (CSV)",
                table.title,
            )
        charts.json_button(lambda: downloads.tables_json(*tables), f"json-{choice.study.name}", f"{choice.stem}.json")
        for table in tables:
            if table.picture is not None:
                charts.figure_button(
                    study(table, charts.palette(), titled=True),
                    f"html-{choice.study.name}-{table.name}",
                    f"{choice.stem}-{table.name}.html",
                    f"{table.name.capitalize()} (HTML)",
                )
    with fold(KEYS["tables"], "Tables and code", ":material/table_view:") as opened:
        if opened.open:
            for table in tables:
                st.markdown(f"**{table.title}**")
                st.dataframe(table.words(), hide_index=True, alt=table.title)
            st.markdown("The same with the library:")
            st.code(_code(choice), language="python", wrap_lines=True)


def _code(choice: Choices) -> str:
    """Return the Python that runs this experiment again."""
    other = "" if choice.data == choice.study.needs else f", data={choice.data!r}"
    return "\n".join(
        [
            "from nnspca.studies import STUDIES",
            "",
            f"result = STUDIES[{choice.study.name!r}].run(full={choice.full}, seed={choice.seed}{other})",
            "for table in result.tables:",
            "    print(table.title)",
            "    print(table.to_csv())",
        ]
    )
