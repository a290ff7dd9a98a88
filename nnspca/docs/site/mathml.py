"""Formulas as MathML, which browsers render natively: no script, font or picture is loaded."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

log = logging.getLogger(__name__)


def visit_inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(_set(node.astext(), node))
    raise nodes.SkipNode


def visit_displayed(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    writer.body.append(f'<div class="formula">{_set(node.astext(), node, displayed=True)}</div>\n')
    raise nodes.SkipNode


def _set(formula: str, node: nodes.Node, *, displayed: bool = False) -> str:
    """Return the formula as MathML; a formula that cannot be read is a warning, and stands as it was written."""
    try:
        return tex2mathml(formula, as_block=displayed)
    except MathError as error:
        log.warning("formula %r: %s", formula, error, location=node)
        return f"<code>{nodes.Text(formula).astext()}</code>"


def setup(app: Sphinx) -> dict[str, Any]:
    """Tell Sphinx of this way to write formulas."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_displayed, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
