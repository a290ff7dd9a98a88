"""Is this about units? Where an answer depends on a choice about the numbers, both answers stand side by side."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st

import nnspca
from nnspca.datasets import preparing
from nnspca.datasets.inspecting import MOST_COLUMNS
from nnspca.result import Component
from nnspca.result.component import sentence
from nnspca.view import running, sanitize
from nnspca.view.desk import Desk
from nnspca.view.jobs import Job
from nnspca.view.link import state
from nnspca.view.link.state import State
from nnspca.view.running import Task
from nnspca.view.sources import preparation
from nnspca.view.subject import Subject
from nnspca.view.ui import component

AFTER = ("log1p", "hellinger")  # steps between which a question decides
WORDS = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Question:
    """What an answer may depend on, and the choices of which each gives one."""

    title: str
    kinds: Sequence[str]  # the observations that raise it
    answers: Mapping[str, Mapping[str, Any]]  # what the sidebar says, by the name of the answer


QUESTIONS = tuple(Question(**words) for words in WORDS["question"])


def show(desk: Desk | None, now: State) -> None:
    """Put each question that the table on the desk raises, with its answers."""
    data = None if desk is None else desk.data
    if desk is None or data is None or data.kind != "table" or data.n_features > MOST_COLUMNS:
        return
    raised = [(question, next(filter(None, map(desk.inspected.note, question.kinds)), None)) for question in QUESTIONS]
    for place, (question, note) in enumerate((question, note) for question, note in raised if note is not None):
        _ask(question, note.says, Subject(data, now), f"units-{place}")


def _ask(question: Question, why: str, subject: Subject, slot: str) -> None:
    """Draw the answers to a question side by side, each with the button that takes it."""
    choices = {name: _whole(choice, subject.now) for name, choice in question.answers.items()}
    views = {name: view for name, choice in choices.items() if (view := _view(subject, choice)) is not None}
    if len(views) < 2:
        return
    st.subheader(question.title)
    st.caption(sanitize.plain(why))
    wanted = [view for view in views.values() if view.cov and not view.known_at().found]  # here, in its thread
    if wanted:
        key = tuple(view.key("units") for view in views.values())
        if not running.follow(running.join_or_begin(Task(slot, key, lambda job: _find(job, wanted)))):
            return
    found = {name: view.known_at().component for name, view in views.items() if view.known_at().found}
    if len({tuple(part.support) for part in found.values()}) == 1 < len(found):
        names = " and ".join(views)
        st.caption(f"The answer is made of the same features either way: {names}.")
    for place, (name, column) in enumerate(zip(views, st.columns(len(views), gap="medium"), strict=True)):
        with column, st.container(border=True):
            _answer(name, views[name], found.get(name), f"{slot}-{place}", choices[name], subject.now)


def _whole(choice: Mapping[str, Any], now: State) -> dict[str, Any]:
    """Return the sidebar's choices for an answer: its step replaces those of the same question."""
    if "prep" not in choice:
        return dict(choice)
    return {"prep": (*(step for step in now.prep if step not in AFTER), *choice["prep"])}


def _view(subject: Subject, choice: Mapping[str, Any]) -> Subject | None:
    """Return the data as a choice has them; None where they cannot be so."""
    now = replace(subject.now, **choice)
    if now.prep and not set(now.prep) <= set(preparing.possible(subject.data)):
        return None
    data = preparation.with_steps(subject.data, now.prep)
    return Subject(data, replace(now, k=min(now.k, data.n_features)))


def _find(job: Job, wanted: Sequence[Subject]) -> None:
    """Find the component of each answer."""
    for view in wanted:
        if not job.should_stop():
            view.call(job, nnspca.solve, view.k)


def _answer(name: str, view: Subject, part: Component | None, slot: str, choice: Mapping[str, Any], now: State) -> None:
    """Draw one answer: what it is made of, its picture, and the button that takes it."""
    st.markdown(f"**{name[:1].upper()}{name[1:]}**")
    if part is not None:
        st.markdown(sanitize.plain(sentence(replace(part, features=view.cov.features))))
        component.show([component.DrawnPart(part.loadings)], view.data, slot)
    is_so = all(value == getattr(now, key) for key, value in choice.items())
    st.button(
        "In use" if is_so else "Take this one",
        key=f"take-{slot}",
        icon=":material/check:",
        disabled=is_so,
        on_click=state.assign,
        kwargs={key: list(value) if key == "prep" else value for key, value in choice.items()},
    )
