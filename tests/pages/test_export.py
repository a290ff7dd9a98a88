"""A figure as a page of its own: what draws it comes along, is what was published, and can draw all that we draw."""

import ast
import gzip
import hashlib
from pathlib import Path

import nnspca.view
from nnspca.view.figures import style

PUBLISHED = "79542150855a52c567260e3137095dbe2b744e6d702a5cabe67da246942fba7a"  # plotly-cartesian.min.js 4.1.1
KINDS = {"scatter", "bar", "heatmap"}  # of the traces we draw; the small Plotly knows each


def test_what_draws_a_page_is_what_was_published_and_brings_its_licence():
    content = gzip.decompress(style.DRAWS.read_bytes())
    assert hashlib.sha256(content).hexdigest() == PUBLISHED
    assert b"Licensed under the MIT license" in content[:400]
    assert "Permission is hereby granted" in style.DRAWS.with_name("plotly-cartesian.LICENSE").read_text()
    assert all(f'"{kind}"'.encode() in content for kind in KINDS)


def test_no_figure_has_a_trace_that_the_page_cannot_draw():
    known = {f"add_{kind}" for kind in KINDS} | {kind.title() for kind in KINDS}
    ours = {"Figure", "Frame", "Layout"}
    shapes = {"add_annotation", "add_shape", "add_vline", "add_hline", "add_vrect", "add_hrect", "add_layout_image"}
    drawn = set()
    view = Path(nnspca.view.__file__).parent
    for path in (one for one in view.rglob("*.py") if "plotly" in one.read_text() or "figures" in str(one)):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                of_plotly = isinstance(node.func.value, ast.Name) and node.func.value.id == "go"
                if of_plotly or (
                    node.func.attr.startswith("add_") and node.func.attr not in ("add_trace", "add_traces")
                ):
                    drawn.add(node.func.attr)
    assert len(drawn & known) >= 4
    assert drawn - known <= ours | shapes


def test_a_page_is_small():
    figure = style.dress(style.Figure(), style.LIGHT, title="A figure", alt="of nothing", height=300)
    assert len(style.page(figure)) < 700_000
