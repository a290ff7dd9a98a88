"""One printed page about a result: the data, the method, the numbers, the certificate, the pictures, the code."""

from __future__ import annotations

import base64
import html
import math
import platform
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template

import numpy as np

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import sanitize
from nnspca.view.figures import card
from nnspca.view.link.state import State
from nnspca.view.sources import catalogue, store
from nnspca.view.words import at_least

PAGE = Path(__file__).with_name("sheet.html")
LISTED = 14  # loadings drawn as bars
LONGEST = 28  # letters of a feature's name
PAINT, INK = (194, 87, 12), "#1f2a33"
SIDE = 300  # pixels of the picture

Row = Sequence[str]


def sheet(
    title: str,
    verdict: str,
    pictures: Sequence[str],
    data: str,
    method: str,
    numbers: Sequence[Row],
    certificate: str,
    code: str,
) -> str:
    """Return a web page that needs nothing else and prints on one sheet.

    What stands between ** in ``verdict`` and ``certificate`` is bold; ``pictures`` are SVG; all
    else is text.
    """
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=html.escape(title),
        verdict=_bold(verdict),
        pictures="".join(pictures),
        data=html.escape(data),
        method=html.escape(method),
        numbers="".join(
            "<tr>"
            + "".join(
                f"<td><b>{html.escape(cell)}</b></td>" if at else f"<td>{html.escape(cell)}</td>"
                for at, cell in enumerate(row)
            )
            + "</tr>"
            for row in numbers
        ),
        certificate=_bold(certificate),
        code=html.escape(code),
    )


def _bold(words: str) -> str:
    """Return words as HTML; what stands between ** is bold."""
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(words))


def about(data: Dataset, now: State) -> str:
    """Say which data, how they were prepared, and whom to thank."""
    rows, columns = data.shape
    scaled = ", each feature divided by its standard deviation" if now.standardise else ""
    text = f"{data.title or data.name}: {rows:,} × {columns:,}{scaled}. {data.citation} Terms: {data.terms}"
    return sanitize.line(f"{text.strip()} Content: {data.content_hash[:16]}.")


def versions() -> str:
    """Say what it was made with."""
    return f"Made with nnspca {nnspca.__version__}, numpy {np.__version__}, Python {platform.python_version()}."


def may_show_mean(data: Dataset) -> bool:
    """Tell whether there is a mean image that the data's terms let be passed on."""
    info = catalogue.infos().get(data.name)
    return store.mean(data) is not None and info is not None and (info.bundled or data.name in catalogue.uploaded())


def picture(loadings: np.ndarray, data: Dataset, colours: Sequence[card.Colour] = (PAINT,)) -> str:
    """Return the columns of ``loadings`` (n, r), each in its colour, over plain grey or the mean if allowed."""
    rows, columns = data.image_shape or (1, data.n_features)
    png = card.over_image(loadings, data.means if may_show_mean(data) else None, (rows, columns), colours)
    tall = round(SIDE * rows / columns)
    return (
        f'<svg viewBox="0 0 {SIDE} {tall}" width="{SIDE}" role="img" aria-label="The component over the mean image">'
        f'<image width="{SIDE}" height="{tall}" preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{base64.b64encode(png).decode()}"/></svg>'
    )


def bars(values: Sequence[tuple[str, float, str]], alt: str) -> str:
    """Return named values as bars, each in its colour."""
    most, shapes = max((abs(value) for _, value, _ in values), default=0.0) or 1.0, []
    for row, (name, value, fill) in enumerate(values):
        y, long = 20 * row + 4, max(150 * abs(value) / most, 1)
        shapes.append(
            f'<text x="118" y="{y + 12}" text-anchor="end">{html.escape(sanitize.line(name, LONGEST))}</text>'
            f'<rect x="124" y="{y + 1}" width="{math.ceil(long)}" height="14" fill="{fill}"/>'
            f'<text x="{130 + math.ceil(long)}" y="{y + 12}">{at_least(value, 3)}</text>'
        )
    tall = 20 * len(values) + 8
    return (
        f'<svg viewBox="0 0 330 {tall}" width="330" role="img" aria-label="{html.escape(alt)}" '
        f'font-size="11" fill="{INK}">{"".join(shapes)}</svg>'
    )
