"""The picture of the growth benchmark: seconds and memory against features, both axes logarithmic, as SVG."""

from html import escape

import numpy as np

WIDTH, HEIGHT = 860, 360
LEFTS, TOP, SIDE, TALL = (64, 494), 48, 300, 246  # the two panels
LINES = (  # kind of data, what of it, colour, name, dashes
    ("text", "solve", "#0b5fa5", "solve, sparse text", ""),
    ("dense", "solve", "#b3440a", "solve, dense, 200 samples", ""),
    ("text", "certify", "#0b5fa5", "certify, sparse text", "6 4"),
    ("dense", "certify", "#b3440a", "certify, dense, 200 samples", "6 4"),
)


def draw(record: dict) -> str:
    """Return the picture of a record, as ``tests.benchmarks.growth`` writes it."""
    said = ", ".join(
        f"{name.split(',')[0]} on {name.split(', ')[1]} n^{slope:.2f}"
        for name, slope in record["slopes"].items()
        if name.endswith("large")
    )
    title = f"CPU seconds grow like (from 10,000 features on): {said}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="sans-serif" font-size="12" fill="#222">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        f'<text x="16" y="22">{escape(title)}</text>',
        *_panel(record["rows"], LEFTS[0], "", "CPU seconds, one core"),
        *_panel(record["rows"], LEFTS[1], "_megabytes", "peak memory, MB"),
    ]
    for place, (_, _, colour, name, dashes) in enumerate(LINES):
        x, y = 20 + 210 * place, HEIGHT - 14
        parts.append(_line([(x, y - 4), (x + 26, y - 4)], colour, dashes))
        parts.append(f'<text x="{x + 32}" y="{y}">{name}</text>')
    return "\n".join([*parts, "</svg>", ""])


def _panel(rows: list[dict], left: float, suffix: str, title: str) -> list[str]:
    """Return one panel: axes, a line for each kind of data and call, and a hollow point where a proof was stopped."""
    values = [row[what + suffix] for row in rows for what in ("solve", "certify")]
    across = _decades([row["features"] for row in rows])
    up = _decades(values)

    def at(n: float, value: float) -> tuple[float, float]:
        x = left + SIDE * (np.log10(n) - across[0]) / (across[-1] - across[0])
        y = TOP + TALL - TALL * (np.log10(value) - up[0]) / (up[-1] - up[0])
        return float(x), float(y)

    parts = [f'<text x="{left}" y="{TOP - 8}">{title}</text>']
    for power in across:
        x, _ = at(10.0**power, 10.0 ** up[0])
        parts.append(f'<path d="M{x:.1f} {TOP}V{TOP + TALL}" stroke="#ddd"/>')
        parts.append(f'<text x="{x:.1f}" y="{TOP + TALL + 16}" text-anchor="middle">{_said(power)}</text>')
    for power in up:
        _, y = at(10.0 ** across[0], 10.0**power)
        parts.append(f'<path d="M{left} {y:.1f}h{SIDE}" stroke="#ddd"/>')
        parts.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{_said(power)}</text>')
    parts.append(f'<text x="{left + SIDE / 2}" y="{TOP + TALL + 32}" text-anchor="middle">features</text>')
    for kind, what, colour, _, dashes in LINES:
        chosen = [row for row in rows if row["kind"] == kind]
        points = [at(row["features"], row[what + suffix]) for row in chosen]
        parts.append(_line(points, colour, dashes))
        for (x, y), row in zip(points, chosen, strict=True):
            inside = "#fff" if what == "certify" and row["stopped"] else colour
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3.2" fill="{inside}" stroke="{colour}"/>')
    return parts


def _line(points: list[tuple[float, float]], colour: str, dashes: str) -> str:
    """Return a line through points."""
    through = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<polyline points="{through}" fill="none" stroke="{colour}" stroke-width="2"{dashed}/>'


def _decades(values: list[float]) -> list[int]:
    """Return the powers of ten from below the least value to above the largest."""
    logs = np.log10(values)
    low = int(np.floor(logs.min() + 1e-9))
    return list(range(low, max(int(np.ceil(logs.max() - 1e-9)), low + 1) + 1))


def _said(power: int) -> str:
    """Return a power of ten as a reader writes it."""
    return f"{10**power:,}" if power >= 0 else f"{10.0**power:g}"
