"""A run on one printed page: the data, the method, the numbers, the certificate, the pictures; and the run as JSON."""

from __future__ import annotations

import base64
import html
import io
import math
import platform
import re
from pathlib import Path
from string import Template

import numpy as np
from PIL import Image

import nnspca
from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component
from nnspca.view import foreign
from nnspca.view.certificate import claims
from nnspca.view.session import downloads, scene
from nnspca.view.session.state import State
from nnspca.view.words import at_least, at_most, number, percent, seconds

PAGE = Path(__file__).with_name("report.html")
LISTED = 14  # loadings drawn as bars
LONGEST = 28  # letters of a feature's name
PAINT, GREY, INK = (194, 87, 12), 225, "#1f2a33"
SIDE = 300  # pixels of the picture


def page(
    part: Component, proof: Certificate | None, data: Dataset, now: State, leading: float, code: str, mean: bool
) -> str:
    """Return the run as a web page that needs nothing else and prints on one sheet.

    ``mean`` tells whether the data's terms let a mean image be passed on.
    """
    drawn = [_bars(part, data)]
    if data.image_shape is not None:
        drawn.insert(0, _picture(part, data, mean))
    what = f"{part.cardinality} of {data.n_features:,} {scene.noun(data)}"
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=html.escape(f"{what}: {foreign.line(data.title or data.name)}"),
        verdict=_bold(claims.verdict(part, proof) if proof else "No ceiling was proven yet when this was saved."),
        pictures="".join(drawn),
        data=html.escape(foreign.line(_told(data, now))),
        method=html.escape(_method(part, now)),
        numbers="".join(
            f"<tr><td>{name}</td><td><b>{value}</b></td></tr>" for name, value in _numbers(part, proof, leading)
        ),
        certificate=_bold(_certificate(part, proof, data)),
        code=html.escape(code),
    )


def as_json(part: Component, proof: Certificate | None, data: Dataset, now: State) -> bytes:
    """Return the run as JSON: what was asked, what was found, what is proven."""
    return downloads.json_of(
        {
            **downloads.asked(data, now),
            "nonnegative": part.nonnegative,
            "k": part.k,
            "method": part.method,
            "options": {key: value for key, value in part.options.items() if isinstance(value, int | float | str)},
            "variance": part.variance,
            "support": part.support.tolist(),
            "features": [str(data.feature_names[i]) for i in part.support],
            "loadings": part.loadings[part.support].tolist(),
            "proven": None
            if proof is None
            else {"lower": proof.lower, "upper": proof.upper, "bound": proof.winner.name, "leading": proof.leading},
        }
    )


def _told(data: Dataset, now: State) -> str:
    rows, columns = data.shape
    scaled = ", each feature divided by its standard deviation" if now.standardise else ""
    said = f"{data.title or data.name}: {rows:,} × {columns:,}{scaled}. {data.citation} Terms: {data.terms}"
    return f"{said.strip()} Content: {data.content_hash[:16]}."


def _method(part: Component, now: State) -> str:
    info = nnspca.METHODS.get(part.method)
    title = f"{info.title}. {info.summary}" if info else part.method
    sign = "nonnegative loadings" if part.nonnegative else "loadings of either sign"
    versions = f"nnspca {nnspca.__version__}, numpy {np.__version__}, Python {platform.python_version()}"
    return (
        f"{title} At most {part.k:,} features, {sign}, seed {now.seed}; {seconds(part.seconds)}. Made with {versions}."
    )


def _numbers(part: Component, proof: Certificate | None, leading: float) -> list[tuple[str, str]]:
    said = [("Variance x'Ax", number(part.variance)), ("as a share of λ₁", at_least(part.variance / leading, 4))]
    if proof is not None:
        said += [
            ("nobody can pass (proven)", number(proof.upper, up=True)),
            ("as a share of λ₁", at_most(proof.upper / leading, 4)),
            ("kept of the best, at least", percent(min(part.variance / proof.upper, 1.0), 2)),
        ]
    return said


def _certificate(part: Component, proof: Certificate | None, data: Dataset) -> str:
    if proof is None:
        return "None yet."
    return f"{claims.claim(proof, data.n_features)} {claims.why(proof.winner)}"


def _bold(words: str) -> str:
    """Return words as HTML; what stands between ** is bold."""
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(words))


def _picture(part: Component, data: Dataset, mean: bool) -> str:
    """Return the loadings over the mean image, or over plain grey."""
    rows, columns = data.image_shape or (1, data.n_features)
    strength = np.abs(part.loadings) / max(np.abs(part.loadings).max(), 1e-300)
    grey = np.full(data.n_features, float(GREY))
    if mean:
        average = data.means
        grey = 18 + 185 * (average - average.min()) / (np.ptp(average) or 1.0)
    mix = np.where(strength > 0, 0.5 + 0.5 * strength, 0.0)[:, None]
    pixels = ((1 - mix) * grey[:, None] + mix * np.array(PAINT)).reshape(rows, columns, 3).round().astype(np.uint8)
    out = io.BytesIO()
    Image.fromarray(pixels, "RGB").save(out, "PNG", optimize=True)
    tall = round(SIDE * rows / columns)
    return (
        f'<svg viewBox="0 0 {SIDE} {tall}" width="{SIDE}" role="img" aria-label="The component over the mean image">'
        f'<image width="{SIDE}" height="{tall}" preserveAspectRatio="none" style="image-rendering:pixelated" '
        f'href="data:image/png;base64,{base64.b64encode(out.getvalue()).decode()}"/></svg>'
    )


def _bars(part: Component, data: Dataset) -> str:
    """Return the heaviest loadings as bars with their names."""
    heavy = np.argsort(-np.abs(part.loadings), kind="stable")[: min(LISTED, part.cardinality)]
    most, shapes = float(np.abs(part.loadings).max()), []
    for row, i in enumerate(heavy):
        weight = float(part.loadings[i])
        y, long = 20 * row + 4, max(150 * abs(weight) / most, 1)
        name = html.escape(foreign.line(str(data.feature_names[i]), LONGEST))
        fill = "#c2570c" if weight > 0 else "#0072b2"
        shapes.append(
            f'<text x="118" y="{y + 12}" text-anchor="end">{name}</text>'
            f'<rect x="124" y="{y + 1}" width="{math.ceil(long)}" height="14" fill="{fill}"/>'
            f'<text x="{130 + math.ceil(long)}" y="{y + 12}">{at_least(weight, 3)}</text>'
        )
    tall = 20 * len(heavy) + 8
    return (
        f'<svg viewBox="0 0 330 {tall}" width="330" role="img" aria-label="The heaviest loadings" '
        f'font-size="11" fill="{INK}">{"".join(shapes)}</svg>'
    )
