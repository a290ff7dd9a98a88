"""Settings of Sphinx: Markdown pages, docstrings, formulas as MathML; nothing is fetched while building or reading."""

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

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
    """Tell Sphinx which words of an argument's type are no names."""
    app.connect("doctree-read", _without_links_of_plain_words)


def _without_links_of_plain_words(_app: Sphinx, page: nodes.document) -> None:
    """Leave ``shape (n,)`` as it stands: Sphinx would link the word to any attribute of that name."""
    for link in list(page.findall(addnodes.pending_xref)):
        target = link.get("reftarget", "")
        if link.get("reftype") == "class" and target.islower() and "." not in target:
            link.replace_self(nodes.Text(target))
