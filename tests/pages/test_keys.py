"""A key of the link says one thing: what one page leaves in it, another page never takes for something else."""

import dataclasses
import importlib
import pkgutil
from collections import defaultdict
from typing import get_type_hints

import pytest

from nnspca.view.link import state


def test_pages_that_share_a_key_mean_the_same_kind_of_thing_by_it():
    """A visit to one page left its switch for another, which found “False” where a paper's name should be."""
    meant = defaultdict(set)
    for entry in state.TABLE:
        meant[entry.key].add((entry.kind, entry.widget, str(entry.options)))
    assert not {key: kinds for key, kinds in meant.items() if len(kinds) > 1}


def choices_of(page):
    """The classes of choices that a page's room knows, its own and those it shares; none where it asks nothing."""
    room = importlib.import_module(f"nnspca.view.{page}")
    modules = [importlib.import_module(f"{room.__name__}.{one.name}") for one in pkgutil.iter_modules(room.__path__)]
    held = {thing for module in modules for thing in vars(module).values() if dataclasses.is_dataclass(thing)}
    return [thing for thing in held if thing.__name__ in ("Choices", "Solver")]


@pytest.mark.parametrize("page", state.PAGES)
def test_choices_are_called_as_the_link_calls_them(page):
    """``options`` stands for a solver's own, ``method.option`` in the link; Python's own words end in an underscore."""
    keys = state.keys_of(page).keys() | state.SHARED.keys()
    for choices in choices_of(page):
        kinds = get_type_hints(choices)  # what is chosen together, such as a solver with its options, is named below
        asked = [f.name for f in dataclasses.fields(choices) if f.init and not dataclasses.is_dataclass(kinds[f.name])]
        fields = {name.removesuffix("_") for name in asked}
        assert choices.__dataclass_params__.frozen
        assert fields - {"options"} <= keys, choices


def test_every_page_that_asks_on_the_server_has_such_choices():
    asking = {page for page in state.PAGES if any(e.widget or e.kind != "fold" for e in state.keys_of(page).values())}
    without = {page for page in asking if not choices_of(page)}
    assert without == {"learn"}, "the lesson asks in the browser"


KINDS = {"switch": bool, "fold": bool, "whole": int, "number": float, "several": tuple[str, ...]}


@pytest.mark.parametrize("page", state.PAGES)
def test_choices_are_typed_as_the_link_reads_them(page):
    """A text is left out: a page holds what it has read in it, such as the values of k."""
    entries = state.SHARED | state.keys_of(page)
    for choices in choices_of(page):
        for name, kind in get_type_hints(choices).items():
            entry = entries.get(name.removesuffix("_"))
            if entry is not None and entry.kind != "text":
                wanted = KINDS.get(entry.kind) or type((*entry.options, entry.default)[0])
                assert kind in (wanted, wanted | None), f"{choices.__name__}.{name}"
