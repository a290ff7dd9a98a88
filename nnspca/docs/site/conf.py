"""Settings of Sphinx: Markdown pages and docstrings; nothing is fetched, building or reading."""

from __future__ import annotations

import inspect
import re
import tomllib
from operator import attrgetter
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains.python import PyObject
from sphinx.util import logging

import nnspca
from nnspca.control.fields import FieldDocs

DOCS = Path(__file__).parents[1]
SAID = tomllib.loads((DOCS / "reference" / "reference.toml").read_text(encoding="utf-8"))
GROUPS, KEYWORDS = SAID["group"], SAID["keywords"]
NAMES = {f"nnspca.{name}": more for group in GROUPS for name, more in group["names"].items()}
CLASSES = [name for name in NAMES if inspect.isclass(attrgetter(name.partition(".")[2])(nnspca))]
SECTIONS = ("start", "guide", "mathematics", "reference", "gallery", "architecture")
CODE = re.compile(r"nnspca\.([A-Za-z_.]+)(\([^`]*\))?")

globals().update(tomllib.loads((DOCS / "site" / "settings.toml").read_text(encoding="utf-8")))
release = version = nnspca.__version__
html_title = f"nnspca {release}"
autosummary_filename_map = {name: f"{name}-class" for name in CLASSES}  # apart from functions where case is one
templates_path = [str(DOCS / "site" / "templates")]


def setup(app: Sphinx) -> None:
    """Tell Sphinx how pages are read, docstrings completed, and formulas written."""
    app.add_html_math_renderer("mathml", (_set, None), (_set, None))
    app.connect("source-read", _read)
    app.connect("autodoc-process-docstring", _plain, priority=400)
    app.connect("autodoc-process-docstring", _complete, priority=600)
    app.connect("doctree-read", _link_names)
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"


def _read(app: Sphinx, page: str, content: list[str]) -> None:
    """Fill in tables of registries, and give the first page of a section the list of its pages."""
    text = re.sub(r"\n\n```$", "\n```", content[0], flags=re.M)  # doctest asks for the blank line, a reader does not
    text = re.sub(r"\]\((?:\.\./)+certificates/CERTIFICATE\.md", "](/guide/certificate-file.md", text)
    text = text.replace("](../docs/", "](../")  # as that file links to these pages
    text = re.sub(r"<!-- table: ([\w.]+) -->", lambda found: _table(found[1]), text)
    section, _, name = page.rpartition("/")
    if name == "index":
        linked = re.findall(r"\]\(([\w.-]+)\.md", text) if section else [f"{part}/index" for part in SECTIONS]
        others = sorted({path.stem for path in Path(app.srcdir, section).glob("*.md")} - {"index"})
        text += "\n".join(["", "```{toctree}", ":hidden:", "", *dict.fromkeys([*linked, *others]), "```", ""])
    content[0] = text


def _table(registry: str) -> str:
    """Return a registry's entries as a table: name, title and summary, then options and source where it has them."""
    if registry == "keywords":
        return _keywords()
    entries = attrgetter(registry)(nnspca).values()
    rows = [f"| `{e.name}` | {e.title}. {e.summary} | {_more(e)} |".replace("*", "\\*") for e in entries]
    return "\n".join(["| name | what it is | more |", "|---|---|---|", *rows])


def _keywords() -> str:
    """Return the calls and what they take as a table, with the number of the reason where they don't."""
    head = ["call", *(f"`{word}`" for word in KEYWORDS["words"])]
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for call in KEYWORDS["calls"]:
        taken = inspect.signature(attrgetter(call)(nnspca)).parameters
        cells = ["·" if word in taken else ", ".join(map(str, reasons(call, word))) for word in KEYWORDS["words"]]
        rows.append(f"| `{call}` | {' | '.join(cells)} |")
    return "\n".join([*rows, "", *(f"{number}. {each['why']}" for number, each in enumerate(KEYWORDS["missing"], 1))])


def reasons(call: str, word: str) -> list[int]:
    """The numbers of the reasons why a call does not take a keyword."""
    missing = enumerate(KEYWORDS["missing"], 1)
    return [number for number, why in missing if call in why["calls"] and word in why["words"]]


def _more(entry: Any) -> str:
    options = [f"`{option.name}` = {option.default!r}: {option.help}" for option in getattr(entry, "options", ())]
    signs = getattr(entry, "signs", (True, False))
    sign = "" if len(set(signs)) == 2 else "x ≥ 0 only." if signs[0] else "any sign only."
    paper = entry.source.short if hasattr(entry, "source") else getattr(entry, "paper", "")
    told = [getattr(entry, "argument", ""), *options, sign, paper and f"Source: {paper}."]
    return " ".join(filter(None, told)).replace("|", "\\|").replace("$", "\\$")


def _plain(_app: Sphinx, what: str, _name: str, thing: object, _options: object, lines: list[str]) -> None:
    """Keep napoleon from taking the words before a colon for the type of a field, and from telling fields twice."""
    if isinstance(getattr(thing, "__dict__", {}).get("__doc__"), FieldDocs):
        del lines[lines.index("Attributes") : lines.index("Examples")]
    if what in ("property", "attribute") and lines:
        lines[0] = lines[0].replace(": ", " – ")


def _complete(_app: Sphinx, what: str, name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Add to a docstring what to read next and its source; write names of attributes so that no underscore is lost."""
    for i, line in enumerate(lines):
        if told := re.match(r":(ivar|vartype) ([^:]+):(.*)", line):
            names = ", ".join(name.replace("_", r"\_") for name in re.split(r",\s*", told[2].replace("\\", "")))
            lines[i] = f":{told[1]} {names}:{told[3]}"
    if name in NAMES and what in ("class", "function", "exception"):
        see = ", ".join(f"``nnspca.{other}``" for other in NAMES[name]["see"])
        source = NAMES[name]["source"].replace("*", r"\*").replace("|", r"\|")
        lines += ["", f"**See also**: {see}", *(["", f"**Source**: {source}."] if source else []), ""]


def _link_names(_app: Sphinx, page: nodes.document) -> None:
    """Make public names in code links, and words such as ``shape (n,)`` plain."""
    for code in list(page.findall(nodes.literal)):
        if (named := CODE.fullmatch(code.astext())) and not isinstance(code.parent, addnodes.pending_xref):
            to = {"refdomain": "py", "reftype": "obj", "reftarget": f"nnspca.{named[1]}"}
            if (DOCS / "reference" / f"{named[1].lower()}.md").exists():  # written by hand
                to = {"refdomain": "std", "reftype": "doc", "reftarget": f"/reference/{named[1].lower()}"}
            code.replace_self(addnodes.pending_xref("", code.deepcopy(), refexplicit=True, **to))
    for link in list(page.findall(addnodes.pending_xref)):
        target = link.get("reftarget", "")
        if link.get("reftype") == "class" and target.islower() and "." not in target:
            link.replace_self(nodes.Text(target))


def _set(writer: Any, node: nodes.math | nodes.math_block) -> None:
    """Write a formula as MathML, which browsers render natively, within a line or on one of its own."""
    formula, displayed = node.astext(), isinstance(node, nodes.math_block)
    try:
        shown = tex2mathml(formula, as_block=displayed)
    except MathError as error:
        logging.getLogger(__name__).warning("formula %r: %s", formula, error, location=node)
        shown = f"<code>{nodes.Text(formula).astext()}</code>"
    writer.body.append(f'<div class="formula">{shown}</div>\n' if displayed else shown)
    raise nodes.SkipNode
