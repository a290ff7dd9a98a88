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
from PIL import ImageColor

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import sanitize
from nnspca.view.figures import card
from nnspca.view.link.state import State
from nnspca.view.sources import catalogue, store
from nnspca.view.words import fixed

PAGE = Path(__file__).with_name("sheet.html")
LISTED = 14  # loadings drawn as bars
LONGEST, LETTER = 28, 6.5  # letters of a feature's name, and pixels that one may take
INK = "#1f2a33"
SIDE = 300  # pixels of the picture

Bar = tuple[str, float, str]  # a name, a value, and its colour


def sheet(
    what: str,
    verdict: str,
    loadings: np.ndarray,
    bars: Sequence[Bar],
    colours: Sequence[str],
    data: Dataset,
    now: State,
    method: str,
    numbers: Sequence[Sequence[str]],
    certificate: str,
    code: str,
) -> str:
    """Return a web page that needs nothing else and prints on one sheet.

    What stands between ** in ``verdict`` and ``certificate`` is bold. The columns of ``loadings``
    (n, r) are drawn as an image, each in its colour, where they are one; ``bars`` always.
    """
    picture = "" if data.image_shape is None else _picture(loadings, data, data.image_shape, colours)
    versions = f"nnspca {nnspca.__version__}, numpy {np.__version__}, Python {platform.python_version()}"
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=html.escape(f"{what}: {sanitize.line(data.title or data.name)}"),
        verdict=_bold(verdict),
        pictures=picture + _bars(bars, f"The largest loadings{' of each part' if len(colours) > 1 else ''}"),
        data=html.escape(_about(data, now)),
        method=html.escape(f"{method} Made with {versions}."),
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


def _about(data: Dataset, now: State) -> str:
    """Say which data, how they were prepared, and whom to thank."""
    rows, columns = data.shape
    scaled = ", each feature divided by its standard deviation" if now.standardise else ""
    text = f"{data.title or data.name}: {rows:,} × {columns:,}{scaled}. {data.citation} Terms: {data.terms}"
    return sanitize.line(f"{text.strip()} Content: {data.content_hash[:16]}.")


def _picture(loadings: np.ndarray, data: Dataset, shape: tuple[int, int], colours: Sequence[str]) -> str:
    """Return columns in colours over the mean image if the data's terms let it be passed on, else over plain grey."""
    info = catalogue.infos().get(data.name)
    free = info is not None and (info.bundled or data.name in catalogue.uploaded())
    png = card.over_image(
        loadings, store.mean(data) if free else None, shape, [ImageColor.getrgb(colour)[:3] for colour in colours]
    )
    tall = round(SIDE * shape[0] / shape[1])
    return (
        f'<svg viewBox="0 0 {SIDE} {tall}" width="{SIDE}" role="img" aria-label="The component over the mean image">'
        f'<image width="{SIDE}" height="{tall}" preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{base64.b64encode(png).decode()}"/></svg>'
    )


def _bars(values: Sequence[Bar], alt: str) -> str:
    """Return named values as bars, each in its colour."""
    most, shapes = max((abs(value) for _, value, _ in values), default=0.0) or 1.0, []
    names = [sanitize.line(name, LONGEST) for name, _, _ in values]
    left = math.ceil(LETTER * max(map(len, names), default=0)) + 6  # where the bars begin
    for row, (name, (_, value, fill)) in enumerate(zip(names, values, strict=True)):
        y, long = 20 * row + 4, math.ceil(max(150 * abs(value) / most, 1))
        shapes.append(
            f'<text x="{left - 6}" y="{y + 12}" text-anchor="end">{html.escape(name)}</text>'
            f'<rect x="{left}" y="{y + 1}" width="{long}" height="14" fill="{fill}"/>'
            f'<text x="{left + long + 6}" y="{y + 12}">{fixed(value, 3)}</text>'
        )
    tall, wide = 20 * len(values) + 8, left + 150 + 6 + 40
    return (
        f'<svg viewBox="0 0 {wide} {tall}" width="{wide}" role="img" aria-label="{html.escape(alt)}" '
        f'font-size="11" fill="{INK}">{"".join(shapes)}</svg>'
    )
