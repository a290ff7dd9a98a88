"""Run of a study: its tables as they fill."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from nnspca.studies import STUDIES, Study, StudyResult
from nnspca.view import cache, tasks
from nnspca.view.jobs import machines
from nnspca.view.jobs.job import Job, Work
from nnspca.view.link.state import State
from nnspca.view.papers.choices import Choices
from nnspca.view.tasks import Task


def start(study: Study, choice: Choices, now: State) -> Job | None:
    """Draw the button that solves live; return the job, None until it has been asked for."""
    key = _key(study, choice, now)
    task = Task("study", key, lambda: _work(study, choice, now), lambda: cache.results().drop(key))
    button = tasks.solve(width="content")
    if cache.results().get(key) is not None:  # what another visit has run is shown at once
        return tasks.ask(task, button)
    return tasks.offer(task, button)


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
