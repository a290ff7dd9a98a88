"""The experiments page's run: one study, its tables as they fill."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from nnspca.studies import STUDIES, StudyResult, stored
from nnspca.view.experiments.choices import Choices
from nnspca.view.session import machines, runs, store
from nnspca.view.session.job import Job, Work
from nnspca.view.session.state import State


def start(choice: Choices, now: State) -> Job | None:
    """Draw Run; return the job, None until it has been asked for. What has been known is shown at once."""
    known = store.results().get(choice.key) is not None
    begun = runs.job_for("study", choice.key) is not None
    live, before = replace(now, live=known), stored(choice.study.name) is not None
    job = runs.asked(
        "study", choice.key, lambda: _work(choice), live, afresh=lambda: _forget(choice), known=before, width="content"
    )
    if job is not None and not begun and job.wait(runs.PATIENCE):
        st.rerun()  # so quick that Run can say at once that it runs again
    return job


def _forget(choice: Choices) -> None:
    """Throw away what was known."""
    store.results().drop(choice.key)


def _work(choice: Choices) -> Work:
    """Return the work of one experiment: publishes its tables as they fill."""
    known = store.results()

    def work(job: Job) -> None:
        result = known.get(choice.key)
        if result is None:
            result = machines.call_here(
                _result,
                choice.study.name,
                full=choice.full,
                seed=choice.seed,
                data=choice.data,
                should_stop=job.should_stop,
                on_progress=job.report,
                on_tables=job.publish,
            )
            if not result.stopped:
                known.put(choice.key, result)
        job.publish(result.tables)
        job.result = result

    return work


def _result(name: str, **settings: Any) -> StudyResult:
    """Run the experiment of this name."""
    return STUDIES[name].run(**settings)
