"""Run of a study: its tables as they fill."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import streamlit as st

from nnspca.studies import STUDIES, Study, StudyResult
from nnspca.view import cache
from nnspca.view.jobs import machines, runs
from nnspca.view.jobs.job import Job, Work
from nnspca.view.link.state import State
from nnspca.view.papers.choices import Choices


def start(study: Study, choice: Choices, now: State) -> Job | None:
    """Draw the button that solves live; return the job, None until it has been asked for."""
    key = _key(study, choice, now)
    started = runs.job_for("study", key) is not None
    job = runs.run_button(
        "study",
        key,
        lambda: _work(study, choice, now),
        afresh=lambda: cache.results().drop(key),
        known=cache.results().get(key) is None,  # what another visit has run is shown at once
        width="content",
    )
    if job is not None and not started and job.wait(runs.PATIENCE):
        st.rerun()  # so quick that its tables can be shown at once
    return job


def _key(study: Study, choice: Choices, now: State) -> tuple[Hashable, ...]:
    """Return what the result depends on."""
    return "study", study.name, choice.full, choice.data(study), now.seed


def _work(study: Study, choice: Choices, now: State) -> Work:
    """Return the work of one study: publishes its tables as they fill."""
    known, key = cache.results(), _key(study, choice, now)

    def work(job: Job) -> None:
        result = known.get(key)
        if result is None:
            result = machines.call(
                _result,
                study.name,
                full=choice.full,
                seed=now.seed,
                data=choice.data(study),
                should_stop=job.should_stop,
                here=True,
                on_progress=job.report,
                on_tables=job.publish,
            )
            if not result.stopped:
                known.put(key, result)
        job.publish(result.tables)
        job.result = result

    return work


def _result(name: str, **settings: Any) -> StudyResult:
    """Run the study of this name."""
    return STUDIES[name].run(**settings)
