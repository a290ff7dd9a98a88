"""A figure before Plotly has drawn it, sketched whatever it holds."""

import re
from urllib.parse import unquote

import numpy as np
import plotly.graph_objects as go
import pytest

import nnspca.view
from nnspca.view.figures import style
from nnspca.view.ui import charts

LINE = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0])


def strokes(*traces):
    """Return the paths of the sketch of these traces."""
    drawn = go.Figure(traces)
    drawn.update_layout(
        height=300, margin={"t": 10, "b": 20}, xaxis={"range": [0, 4]}, yaxis={"range": [3, 7]}, template=None
    )
    return re.findall(r"<path[^>]*>", unquote(charts.sketch(drawn, style.LIGHT)))


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
