"""Figures of results, for Plotly or drawn on axes of Matplotlib; importing it imports Plotly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

try:
    from plotly.graph_objects import Bar, Figure, Heatmap, Scatter
except ImportError as error:
    raise ImportError("a figure needs Plotly: pip install plotly") from error

__all__ = ["Bar", "Figure", "Heatmap", "Scatter", "with_titles"]

FOUND, PROVEN, BOUND, QUIET = "#0072b2", "#00805c", "#a65200", "#5b6b78"
BAND = "rgba(230, 159, 0, 0.34)"
SERIES = ("#0072b2", "#c2570c", "#00805c", "#a3478a", "#5b6b78", "#8a6d00")
LOADINGS = ((0.0, "#eef2f4"), (0.25, "#a9d3ea"), (0.5, "#4fa3d1"), (0.75, "#0072b2"), (1.0, "#0a3a66"))
SIGNED = ((0.0, "#6d2c00"), (0.25, "#e0894a"), (0.5, "#eef2f4"), (0.75, "#4fa3d1"), (1.0, "#0a3a66"))
A_BAR = 20  # pixels
BELOW = 90  # pixels for the axis, its title and the legend
NAMED_KS = 15  # longest axis that names every k
MOST_BARS = 60  # bars of one component
COLOURS = {"indispensable": PROVEN, "undecided": FOUND, "dispensable": QUIET}
Along = tuple[np.ndarray, str]  # a coordinate for each feature, and its title
# as Matplotlib has them: lines, and marks in their colour alone
LINES, MARKS = {"dash": "--", "dot": ":"}, {"circle-open": "o", "line-ns-open": "|"}


def with_titles(figure: Figure, title: str, x: str = "", y: str = "", height: int = 420) -> Figure:
    """Give a figure its title, axis titles and height."""
    figure.update_layout(
        title={"text": title, "x": 0, "xref": "paper"},
        height=height,
        template="plotly_white",
        margin={"l": 10, "r": 10, "t": 50, "b": BELOW},
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"},
    )
    figure.update_xaxes(title=x, automargin=True)
    figure.update_yaxes(title=y, automargin=True)
    return figure


def drawn(figure: Figure, ax: Any = None) -> Any:
    """Return a figure as it is; or draw it on axes of Matplotlib, and return these.

    >>> from matplotlib.figure import Figure as Sheet
    >>> ax = drawn(stability([(["a", "b"], np.array([1.0, 0.4]))], 0.7), Sheet().add_subplot())
    >>> ax.get_xlabel(), [float(bar.get_width()) for bar in ax.patches]
    ('share of resamples', [1.0, 0.4])
    """
    if ax is None:
        return figure
    layout = figure.layout
    if layout.yaxis.categoryarray:
        ax.yaxis.update_units(layout.yaxis.categoryarray)  # in this order
    for trace in figure.data:
        if trace.type == "bar":
            upright = trace.orientation != "h"
            place, size = (trace.x, trace.y) if upright else (trace.y, trace.x)
            about = {"color": _colour(trace.marker.color), "label": trace.name}
            (ax.bar if upright else ax.barh)(place, size, trace.width or 0.8, **about)
        elif trace.type == "heatmap":
            ax.imshow(trace.z, vmin=trace.zmin, vmax=trace.zmax, cmap="RdBu" if trace.zmin < 0 else "Blues")
            ax.set_axis_off()
        else:
            _draw_points(ax, trace)
    for line in layout.shapes:
        ax.axvline(line.x0, linestyle="--", color=line.line.color)
    ax.set(title=layout.title.text, xlabel=layout.xaxis.title.text or "", ylabel=layout.yaxis.title.text or "")
    if layout.yaxis.autorange == "reversed" and not ax.yaxis_inverted():
        ax.invert_yaxis()
    if len(ax.get_legend_handles_labels()[1]) > 1:
        ax.legend()
    return ax


def _draw_points(ax: Any, trace: Scatter) -> None:
    """Draw a band, or points and lines with their errors."""
    if trace.fill:
        ax.fill(trace.x, trace.y, color=_colour(trace.fillcolor), linewidth=0, label=trace.name)
        return
    symbol, has_marks = trace.marker.symbol, "markers" in trace.mode
    how = {
        "color": _colour(trace.line.color or trace.marker.color),
        "linestyle": LINES.get(trace.line.dash, "-") if "lines" in trace.mode else "",
        "marker": MARKS.get(symbol, "o") if has_marks else "",
        "markersize": 0.7 * (trace.marker.size or 8),  # points for pixels
        "fillstyle": "none" if symbol in MARKS else "full",
        "label": trace.name if trace.showlegend is not False else "_",
    }
    error = trace.error_y
    below = error.arrayminus if error.arrayminus is not None else error.array
    ax.errorbar(trace.x, trace.y, None if error.array is None else np.array([below, error.array]), **how)


def _colour(colour: str | None) -> Any:
    """A colour as Matplotlib takes it: rgba(…) in parts of one."""
    if colour is None or not colour.startswith("rgba("):
        return colour
    *light, opacity = map(float, colour[5:-1].split(","))
    return (*(part / 255 for part in light), opacity)


def sweep(
    curves: Mapping[str, Sequence[tuple[int, float]]],
    band: Sequence[tuple[int, float, float]],
    x: str,
    y: str,
) -> Figure:
    """Return a figure of curves, (k, share) each, above a band of (k, lower, upper)."""
    figure = Figure()
    if band:
        ks, lower, upper = zip(*sorted(band), strict=True)
        figure.add_trace(
            Scatter(
                x=[*ks, *reversed(ks)],
                y=[*upper, *reversed(lower)],
                fill="toself",
                fillcolor=BAND,
                line={"color": "rgba(0,0,0,0)"},
                hoverinfo="skip",
                name="the optimum lies here (proven)",
            )
        )
    for c, (name, points) in enumerate(curves.items()):
        xs, ys = zip(*points, strict=True) if points else ((), ())
        figure.add_trace(Scatter(x=xs, y=ys, mode="lines+markers", name=name, line={"color": SERIES[c % len(SERIES)]}))
    along = [k for points in curves.values() for k, _ in points]
    if max(along, default=0) - min(along, default=0) <= NAMED_KS:
        figure.update_xaxes(dtick=1)  # k and numbers of parts are whole
    return with_titles(figure, f"{y[:1].upper()}{y[1:]} against {x}", x, y)


def held_out(
    ks: Sequence[int],
    mean: np.ndarray,
    error: np.ndarray,
    fitted: np.ndarray,
    chance: np.ndarray,
    suggested: int | None,
    what: str = "k",
) -> Figure:
    """Return a figure of held-out variance with its standard error, that of the fitted samples, and that by chance."""
    bars = {"type": "data", "array": np.nan_to_num(error), "visible": True}
    name, at, dashed = "held-out samples (± standard error)", {"x": list(ks)}, {"color": BOUND, "dash": "dash"}
    figure = Figure(
        [
            Scatter(**at, y=mean, error_y=bars, mode="lines+markers", name=name, line={"color": FOUND}),
            Scatter(**at, y=fitted, mode="lines", name="training samples", line={"color": QUIET, "dash": "dot"}),
            Scatter(**at, y=chance, mode="lines", name="chance: shuffled columns", line=dashed),
        ]
    )
    if suggested is not None:
        marker = {"size": 18, "symbol": "circle-open", "color": PROVEN, "line": {"width": 2.5}}
        y = [mean[list(ks).index(suggested)]]
        figure.add_scatter(x=[suggested], y=y, mode="markers", marker=marker, name=f"suggested: {suggested}")
    return with_titles(figure, f"Share of variance explained against {what}", what, "share of variance")


def judgement(variances: Sequence[float], best: Sequence[float], upper: Sequence[float]) -> Figure:
    """Return a figure of components: the variance of each, the best one known of its kind, and the proven maximum."""
    figure, places = Figure(), list(range(1, len(variances) + 1))
    figure.add_trace(Bar(x=places, y=upper, name="proven maximum", marker={"color": BAND}))
    figure.add_trace(Scatter(x=places, y=best, mode="markers", name="best known", marker={"color": PROVEN, "size": 9}))
    figure.add_trace(Bar(x=places, y=variances, name="given", marker={"color": FOUND}, width=0.4))
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(dtick=1 if len(places) <= NAMED_KS else None)
    return with_titles(figure, "The variance given, and the proven maximum", "component", "variance")


def certificate(lower: float, bounds: Sequence[tuple[str, float, bool]]) -> Figure:
    """Return a figure of bounds, each a name, a value, and whether it is proven, beside the variance found."""
    figure, order = Figure(), [name for name, _, _ in sorted(bounds, key=lambda b: -b[1])]
    for proven, name, colour, symbol in (
        (True, "proven", BOUND, "circle"),
        (False, "holds with a probability", QUIET, "circle-open"),
    ):
        own = [(value, each) for each, value, is_proven in bounds if is_proven == proven]
        marker = {"color": colour, "symbol": symbol, "size": 11}
        if own:
            x, y = zip(*own, strict=True)
            figure.add_trace(Scatter(x=x, y=y, mode="markers", name=name, marker=marker))
    ends = [order[0], order[-1]]
    figure.add_trace(Scatter(x=[lower, lower], y=ends, mode="lines", name="found", line={"color": FOUND, "width": 3}))
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=order)
    return with_titles(figure, "The variance found, and the upper bounds", "variance", height=200 + A_BAR * len(order))


def components(
    columns: np.ndarray, names: Sequence[str], shape: tuple[int, int] | None, along: Along | None = None
) -> Figure:
    """Return a figure of components, the columns (n, r): their nonzero loadings, the largest on top, coloured apart."""
    n, r = columns.shape
    title = f"{r} components" if r > 1 else f"{np.count_nonzero(columns)} of {n} features"
    if shape is not None:
        return _image(columns.T, names, shape, title)
    if along is not None:
        return _spectra(columns, names, along, title)
    figure, bar_count = Figure(), 0
    for c in range(r):
        support = np.flatnonzero(columns[:, c])
        order = support[np.argsort(-np.abs(columns[support, c]), kind="stable")][: max(MOST_BARS // r, 8)]
        bar_count += len(order)
        colour, loadings = SERIES[c % len(SERIES)], columns[order, c]
        figure.add_trace(
            Bar(x=loadings, y=[names[i] for i in order], orientation="h", marker_color=colour, name=str(c + 1))
        )
    with_titles(figure, title, "loading", height=200 + A_BAR * bar_count)
    return figure.update_yaxes(autorange="reversed", type="category")


def _spectra(columns: np.ndarray, names: Sequence[str], along: Along, title: str) -> Figure:
    """Loadings as stems along an axis, each component in its colour."""
    figure, (values, axis_title) = Figure(), along
    for c in range(columns.shape[1]):
        used = np.flatnonzero(columns[:, c])
        marker = {"color": SERIES[c % len(SERIES)], "size": 7}
        stems = {"type": "data", "symmetric": False, "array": 0 * used, "arrayminus": columns[used, c], "width": 0}
        figure.add_trace(
            Scatter(
                x=values[used],
                y=columns[used, c],
                text=[names[i] for i in used.tolist()],
                mode="markers",
                marker=marker,
                error_y=stems,
                name=str(c + 1),
                showlegend=columns.shape[1] > 1,
            )
        )
    figure.update_xaxes(range=[float(values.min()), float(values.max())])
    return with_titles(figure, title, axis_title, "loading")


def _image(rows: np.ndarray, names: Sequence[str], shape: tuple[int, int], title: str) -> Figure:
    """Images side by side in one heat map, an empty column after each."""
    most, least, count, width = float(np.abs(rows).max()) or 1.0, float(rows.min()), len(rows), shape[1] + 1
    colours = {"colorscale": SIGNED if least < 0 else LOADINGS, "zmin": -most if least < 0 else 0.0, "zmax": most}
    z, labels = np.full((shape[0], count, width), np.nan), np.full((shape[0], count, width), "", dtype=object)
    z[:, :, :-1] = rows.reshape(count, *shape).swapaxes(0, 1)
    labels[:, :, :-1] = np.array(names, dtype=object).reshape(shape[0], 1, -1)
    wide, hover = (shape[0], count * width), {"hovertemplate": "%{text}: %{z:.3f}<extra></extra>", "hoverongaps": False}
    figure = Figure(Heatmap(z=z.reshape(wide), text=labels.reshape(wide), **hover, **colours))
    figure.update_xaxes(visible=False, constrain="domain")
    figure.update_yaxes(visible=False, scaleanchor="x", autorange="reversed")
    for c in range(count if count > 1 else 0):
        figure.add_annotation(text=str(c + 1), showarrow=False, x=(c + 0.5) * width - 1, y=-1, yanchor="bottom")
    return with_titles(figure, title, height=360)


def necessity(names: Sequence[str], weights: np.ndarray, limits: np.ndarray, states: Sequence[str]) -> Figure:
    """Return a figure of a component's features: ``x_i²``, its proven maximum in near-best components, the state."""
    figure = Figure()
    for state, colour in COLOURS.items():
        own = [i for i, each in enumerate(states) if each == state]
        if own:
            figure.add_trace(
                Bar(x=weights[own], y=[names[i] for i in own], orientation="h", marker_color=colour, name=state)
            )
    marker = {"symbol": "line-ns-open", "size": 14, "color": BOUND}
    figure.add_trace(Scatter(x=limits, y=list(names), mode="markers", name="at most (proven)", marker=marker))
    figure.update_yaxes(type="category", categoryorder="array", categoryarray=list(names)[::-1])
    return with_titles(figure, "Weight of each feature", "share of weight", height=200 + A_BAR * len(names))


def shares(names: Sequence[str], values: np.ndarray) -> Figure:
    """Return a figure of what a component's variance is the sum of: a feature by itself, and with each other."""
    figure = Figure(Bar(x=values, y=list(names), orientation="h", marker_color=FOUND))
    figure.update_yaxes(autorange="reversed", type="category")
    return with_titles(figure, "Shares of the variance", "share of variance", height=200 + A_BAR * len(names))


def stability(parts: Sequence[tuple[Sequence[str], np.ndarray]], threshold: float) -> Figure:
    """Return a figure of how often each feature of each part returned, against the threshold."""
    figure = Figure()
    for c, (names, shares) in enumerate(parts):
        colour = SERIES[c % len(SERIES)]
        figure.add_trace(Bar(x=shares, y=list(names), orientation="h", marker_color=colour, name=f"part {c + 1}"))
    figure.add_vline(x=threshold, line_dash="dash", line_color=BOUND)
    figure.update_xaxes(range=[0, 1])
    figure.update_yaxes(autorange="reversed", type="category")
    count = sum(len(names) for names, _ in parts)
    return with_titles(figure, "How often each feature returns", "share of resamples", height=200 + A_BAR * count)
