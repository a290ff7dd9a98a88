"""Figures: the band, shaded where the optimum lies, lighter where a bound is carried, closed where it is proven;
and what is sketched before Plotly has drawn it.
"""

import math
import re
from dataclasses import replace
from urllib.parse import unquote

import numpy as np
import plotly.graph_objects as go
import pytest

import nnspca
import nnspca.view
from nnspca.result import rounded
from nnspca.view.explore import payload
from nnspca.view.explore.choices import Choices
from nnspca.view.explore.view import View
from nnspca.view.figures import band, style
from nnspca.view.figures.band import Band
from nnspca.view.figures.style import DARK, LIGHT
from nnspca.view.ledger import Known
from nnspca.view.link.state import State
from nnspca.view.ui import charts

KNOWN = Band((1, 2, 3, 4), (0.2, 0.3, 0.4, 0.5), (0.2, 0.33, 0.44, math.inf), frozenset({1, 3}))


def drawn(known=KNOWN, palette=LIGHT, **more):
    best = dict(zip(known.at, known.lower, strict=True))
    more = {"title": "T", "unit": "share of the total variance (%)", "along": "k"} | more
    return band.figure(known, {"best found": best, "em": {2: 0.1, 3: 0.39}}, palette, **more)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_a_carried_stretch_is_lighter_and_no_point(palette):
    figure = drawn(palette=palette)
    above = [t for t in figure.data if t.fill == "toself" and t.yaxis in (None, "y")]
    assert [t.opacity for t in above] == [0.45, 1.0]
    assert [sorted(set(t.x)) for t in above] == [[1, 2, 3], [1, 3]]  # no bound is known at 4
    below = [t for t in figure.data if t.fill == "toself" and t.yaxis == "y2"]
    assert [(t.opacity, set(t.x)) for t in below] == [(0.45, {1, 2, 3}), (1.0, {1, 3})]
    for name in ("best found", "em"):
        (gaps,) = [t for t in figure.data if t.name == name and t.yaxis == "y2"]
        assert {x for x, y in zip(gaps.x, gaps.y, strict=True) if y is not None} <= {1, 3}
    (marks,) = [t for t in figure.data if t.name == "upper bound, proven"]
    assert list(marks.x) == [1, 3]
    assert list(marks.y) == pytest.approx([20, 44])


def test_where_every_bound_is_proven_itself_there_is_one_shade_and_where_none_is_known_there_is_none():
    proven = drawn(Band((1, 2), (0.2, 0.3), (0.2, 0.3), frozenset({1, 2})))
    unknown = drawn(Band((1, 2), (0.1, 0.2), (math.inf,) * 2, frozenset()))
    for figure, shades in ((proven, [1.0]), (drawn(), [0.45, 1.0]), (unknown, [])):
        above = [t for t in figure.data if t.fill == "toself" and t.yaxis in (None, "y")]
        assert [t.opacity for t in above] == shades
        assert [t.name for t in figure.data if t.showlegend].count(band.BAND_WORDS) == bool(shades)


def test_the_gap_is_on_one_logarithmic_axis_whose_floor_is_optimal():
    axis = drawn().layout.yaxis2
    assert axis.ticktext[-1] == "optimal"
    assert axis.tickvals[-1] == band.FLOOR
    assert {"10", "1", "0.1", "0.01"} <= set(axis.ticktext)
    assert "log" in axis.title.text
    assert band.gap_position(0.5 * 1e-4) == band.FLOOR < band.gap_position(1.01e-4)


@pytest.mark.parametrize("missing", [0.0, 0.99996e-4, 1e-4, 1.00004e-4, 1.01e-4])
def test_what_the_browser_rings_is_what_the_words_count(missing):
    data = nnspca.datasets.load("pitprops")
    part = nnspca.solve(nnspca.Covariance.from_dataset(data), 2)
    rows = {
        k: Known(k, (replace(part, k=k),), upper * (1 - gap), upper, found=True, proven=True)
        for k, upper, gap in ((2, 1.9, missing), (3, 2.3, 0.2))
    }
    choice = Choices("best", (), ("best",), (2, 3))
    view = View(data, State(data="pitprops", k=2), choice, rows, rows, found=("rings", missing))
    sent = payload.curve(view)
    assert sent["closed"] == band.closed(view.band) and len(view.band.optimal) == sum(sent["band"]["optimal"])
    assert rows[2].optimal == sent["band"]["optimal"][0]
    assert sent["band"]["optimal"][0] == (sent["band"]["gaps"][0] <= rounded.OPTIMAL)


def test_what_the_pointer_is_told_is_rounded_against_us():
    figure = drawn(Band((1,), (0.299999,), (0.333331,), frozenset({1})))
    (above,) = [t for t in figure.data if t.name == "best found" and t.yaxis in (None, "y")]
    (below,) = [t for t in figure.data if t.name == "best found" and t.yaxis == "y2"]
    assert above.customdata[0][1] == "29.99 %"
    assert below.customdata[0][1].endswith(" 10.0 %")
    assert all(share in figure.layout.meta["alt"] for share in ("29.99 %", "33.34 %"))  # it says the result


def test_a_chosen_point_wears_a_ring():
    (ring,) = [t for t in drawn(chosen=(3, "em")).data if t.marker.symbol == "circle-open" and t.mode == "markers"]
    assert (list(ring.x), list(ring.y)) == ([3], [39.0])
    assert len(drawn(chosen=(9, "em")).data) == len(drawn().data)


LINE = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])


def strokes(*traces):
    """Return the paths of the sketch of these traces."""
    drawn = go.Figure(traces)
    drawn.update_layout(
        height=300, margin={"t": 10, "b": 20}, xaxis={"range": [0, 4]}, yaxis={"range": [3, 7]}, template=None
    )
    return re.findall(r"<path[^>]*>", unquote(charts.figure_sketch(drawn, style.LIGHT)))


@pytest.mark.parametrize(
    ("x", "y", "count"),
    [(None, None, 1), ([], [], 1), ([1, None, 3], [4, 5, None], 2), ([1, float("nan")], [float("inf"), 4], 1)],
)
def test_a_trace_with_little_or_nothing_in_it_is_sketched_as_far_as_it_goes(x, y, count):
    assert len(strokes(go.Scatter(x=x, y=y, mode="lines"))) == count


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64, np.int16])
def test_arrays_are_sketched_as_lists_are(kind):
    """Plotly hands an array's values on as bytes."""
    plain = strokes(go.Scatter(x=LINE[0], y=LINE[1], mode="lines"))
    assert strokes(go.Scatter(x=np.array(LINE[0], kind), y=np.array(LINE[1], kind), mode="lines")) == plain
    assert len(plain) == 2


def test_each_solver_has_a_look_of_its_own_by_every_name():
    looks = [style.Look.of(name, 99, style.LIGHT) for name in nnspca.METHODS]
    assert len(set(looks)) == len(looks)
    assert looks == [style.Look.of(method.title, 99, style.LIGHT) for method in nnspca.METHODS.values()]
    printed = "Alg. 3 (d = 3, ε = 0.1)"  # in the paper
    assert style.Look.of(printed, 0, style.LIGHT) == looks[list(nnspca.METHODS).index("epsilon-net")]
