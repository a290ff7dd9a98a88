"""Settings of Sphinx: Markdown pages, docstrings, formulas as MathML; nothing is fetched while building or reading."""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.domains.python import PyObject

import nnspca

project = "nnspca"
author = "nnspca maintainers"
release = version = nnspca.__version__
copyright = author

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "nnspca.docs.site.mathml",
]
html_math_renderer = "mathml"
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
myst_url_schemes = ["http", "https", "mailto"]

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints = "none"  # the docstrings say the types in words
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
default_role = "code"
add_module_names = False
python_use_unqualified_type_names = True
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

html_theme = "furo"
html_title = f"nnspca {release}"
html_static_path = ["style"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False


def setup(app: Sphinx) -> None:
    """Set docstrings as they are meant: names with underscores, several names in one line, words that are no names."""
    app.connect("autodoc-process-docstring", _plain_property, priority=400)
    app.connect("autodoc-process-docstring", _names_of_attributes, priority=600)
    app.connect("doctree-read", _without_links_of_plain_words)
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"


def _plain_property(_app: Sphinx, what: str, _name: str, _object: object, _options: object, lines: list[str]) -> None:
    """Keep napoleon from taking the words before a colon for the type of a property."""
    if what == "property" and lines:
        lines[0] = lines[0].replace(": ", " – ")


def _names_of_attributes(
    _app: Sphinx, _what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Write attributes such as ``mean_, scale_`` so that neither the underscores nor one of the names is lost."""
    for i, line in enumerate(lines):
        if told := re.match(r":(ivar|vartype) ([^:]+):(.*)", line):
            names = ",".join(name.replace("_", r"\_") for name in re.split(r",\s*", told[2].replace("\\", "")))
            lines[i] = f":{told[1]} {names}:{told[3]}"


def _without_links_of_plain_words(_app: Sphinx, page: nodes.document) -> None:
    """Leave ``shape (n,)`` as it stands: Sphinx would link the word to any attribute of that name."""
    for link in list(page.findall(addnodes.pending_xref)):
        target = link.get("reftarget", "")
        if link.get("reftype") == "class" and target.islower() and "." not in target:
            link.replace_self(nodes.Text(target))
