"""The experiments page's run: one study, its tables as they fill."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from nnspca.view.experiments.choices import Choices
from nnspca.view.session import runs, store
from nnspca.view.session.runs import Job, Work
from nnspca.view.session.state import State


def start(choice: Choices, now: State) -> Job:
    """Draw Run; return the job, or end the page here. What has been known is shown at once."""
    known = store.results().get(choice.key) is not None
    begun = runs.job_for("study", choice.key) is not None
    job = runs.run("study", choice.key, _work(choice), replace(now, live=known), afresh=lambda: _forget(choice))
    if not begun and job.wait(runs.PATIENCE):
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
            result = choice.study.run(
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
