"""The reference: a page for each public name from its docstring, with links to related pages and to the source."""

from __future__ import annotations

import inspect
import re
import tomllib
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any

import nnspca

REFERENCE = Path(__file__).parents[1] / "reference"
# scikit-learn makes them, with its own references
HIDDEN = "   :exclude-members: set_fit_request, set_partial_fit_request, set_score_request\n"
TABLE = re.compile(r"<!-- table: (\w+) -->")


@dataclass(frozen=True)
class Name:
    """One public name as the reference tells it."""

    name: str
    see: tuple[str, ...]
    source: str

    @property
    def object(self) -> Any:
        """What the name stands for."""
        return attrgetter(self.name)(nnspca)

    @property
    def page(self) -> str:
        """Its page, without ending: no two differ in upper and lower case alone."""
        return self.name.lower() + ("-class" if inspect.isclass(self.object) else "")


@dataclass(frozen=True)
class Group:
    """Names that belong together."""

    title: str
    text: str
    names: tuple[Name, ...]


def groups() -> list[Group]:
    """Return the groups of the reference in their order."""
    entries = tomllib.loads((REFERENCE / "reference.toml").read_text(encoding="utf-8"))["group"]
    return [
        Group(
            group["title"],
            group["text"],
            tuple(Name(name, tuple(more["see"]), more["source"]) for name, more in group["names"].items()),
        )
        for group in entries
    ]


def names() -> dict[str, Name]:
    """Return every name of the reference."""
    return {name.name: name for group in groups() for name in group.names}


def write(folder: Path) -> None:
    """Write the pages of all names, and the list of them, into a folder that holds the hand-written ones."""
    known = names()
    for name in known.values():
        (folder / f"{name.page}.md").write_text(_page(name, known, folder), encoding="utf-8")
    index = folder / "index.md"
    index.write_text(index.read_text(encoding="utf-8") + "".join(map(_listed, groups())), encoding="utf-8")


def linked(text: str, up: str) -> str:
    """Return a page's text with every public name in code, such as ``nnspca.solve``, made a link to its page."""
    known = names()

    def link(found: re.Match[str]) -> str:
        name = known.get(found["name"]) or known.get(found["name"].rpartition(".")[0])  # a method: its class
        return found[0] if name is None else f"[{found['code']}]({up}reference/{name.page}.md)"

    pattern = re.compile(r"(?<![\[`])(?P<code>`nnspca\.(?P<name>[A-Za-z_.]+)(?:\([^`]*\))?`)(?![`\]])")
    fences = re.split(r"(^```.*?^```[ ]*$)", text, flags=re.M | re.S)
    return "".join(part if part.startswith("```") else pattern.sub(link, part) for part in fences)


def _page(name: Name, known: dict[str, Name], folder: Path) -> str:
    """Return one page: what was written by hand, or the docstring; then what to read next."""
    written = folder / f"{name.page}.md"
    body = (
        TABLE.sub(lambda found: _table(found[1]), written.read_text(encoding="utf-8"))
        if written.exists()
        else _out_of_docstring(name)
    )
    see = ", ".join(f"[`{other}`]({known[other].page}.md)" for other in name.see)
    source = f"\n**Source**: {_escaped(name.source)}.\n" if name.source else ""
    return f"{body}\n**See also**: {see}\n{source}"


def _out_of_docstring(name: Name) -> str:
    thing, full = name.object, f"nnspca.{name.name}"
    if not inspect.isclass(thing):
        return f"# {full}\n\n```{{eval-rst}}\n.. autofunction:: {full}\n```\n"
    outside = [base.__name__ for base in thing.__mro__ if not base.__module__.startswith("nnspca")]
    inherited = f"   :inherited-members: {', '.join(outside)}\n{HIDDEN}"
    return f"# {full}\n\n```{{eval-rst}}\n.. autoclass:: {full}\n   :members:\n{inherited}```\n"


def _listed(group: Group) -> str:
    """Return one group as a part of the list of names."""
    rows = [f"| [`{name.name}`]({name.page}.md) | {_escaped(_said(name))} |" for name in group.names]
    return "\n".join([f"\n## {group.title}\n", group.text, "", "| name | |", "|---|---|", *rows, ""])


def _said(name: Name) -> str:
    """Return one line about a name."""
    if isinstance(name.object, dict):
        return f"{len(name.object)} entries: {', '.join(name.object)}."
    return (inspect.getdoc(name.object) or "").partition("\n")[0].replace("``", "`")


def _table(registry: str) -> str:
    """Return a registry's entries as a table: name, title and summary, then options and source where it has them."""
    known = {"STUDIES": nnspca.studies.STUDIES}
    entries = (known.get(registry) or getattr(nnspca, registry)).values()
    rows = [
        f"| `{entry.name}` | {entry.title}. {_escaped(entry.summary)} | {_escaped(_more(entry))} |" for entry in entries
    ]
    return "\n".join(["| name | what it is | more |", "|---|---|---|", *rows])


def _more(entry: Any) -> str:
    options = [f"`{option.name}` = {option.default!r}: {option.help}" for option in getattr(entry, "options", ())]
    allowed: tuple[bool, ...] = getattr(entry, "signs", ())
    signs = "" if len(set(allowed)) != 1 else "x ≥ 0 only" if allowed[0] else "any sign only"
    paper = getattr(entry, "paper", "")
    paper = nnspca.studies.PAPERS[paper].short if paper in nnspca.studies.PAPERS else paper
    argument = getattr(entry, "argument", "")
    return " ".join(filter(None, [argument, *options, f"{signs}." if signs else "", paper and f"Source: {paper}."]))


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("$", "\\$")
