"""Compute what the gallery's cards say: ``python -m tests.gallery``, with NNSPCA_DATA naming the real data.

Each card holds the component its data set opens with, drawn over the mean, and the share of the best
that is proven for it, rounded down; the content hash tells from which data they were made.
"""

import base64
import io
import json
import math

import numpy as np
from PIL import Image, ImageDraw

import nnspca
from nnspca.view.results.collection import BEFOREHAND
from nnspca.view.session.openings import opening, usual_k

SHARED = [info.name for info in nnspca.datasets.available() if info.bundled]
SIDE = 64
PAINT, GREY, PAPER = (213, 94, 0), (110, 124, 136), (238, 242, 244)


def card(name):
    """Return what is known of one data set, for its opening view."""
    data = nnspca.datasets.load(name)
    standardise, k = opening(name).standardise, usual_k(data.n_features, name)
    cov = nnspca.Covariance.from_dataset(data, standardize=standardise)
    part = nnspca.solve(cov, k)
    certificate = nnspca.certify(cov, k, component=part)
    nnspca.verify(certificate, cov)
    return {
        "k": k,
        "standardise": standardise,
        "share": math.floor(1000 * certificate.ratio) / 10,
        "content_hash": data.content_hash,
        "picture": base64.b64encode(picture(data, part.loadings)).decode(),
    }


def picture(data, loadings):
    """Return a small PNG: loadings over a mean image, along an axis, or as bars."""
    strength = np.abs(loadings) / np.abs(loadings).max()
    if data.image_shape is not None:
        mean = data.X.mean(axis=0)
        grey = 18 + 185 * (mean - mean.min()) / np.ptp(mean)
        if data.name not in SHARED:  # its terms ask us to pass no image on, not even a mean one
            grey = np.full_like(grey, 225)
        mix = np.where(strength > 0, 0.5 + 0.5 * strength, 0.0)[:, None]
        pixels = (1 - mix) * grey[:, None] + mix * np.array(PAINT)
        image = Image.fromarray(pixels.reshape(*data.image_shape, 3).round().astype(np.uint8), "RGB")
    else:
        image = Image.new("RGB", (SIDE, SIDE), PAPER)
        pen = ImageDraw.Draw(image)
        if data.axis is not None:
            order = np.argsort(data.axis.values)
            heights = strength[order]
            mean = data.X.mean(axis=0)[order]
            curve = 8 + 48 * (1 - (mean - mean.min()) / np.ptp(mean))
            at = np.linspace(2, SIDE - 3, len(order))
            for x, height in zip(at, heights, strict=True):
                if height:
                    pen.line((x, SIDE - 2, x, SIDE - 2 - 50 * height), fill=PAINT)
            pen.line(list(zip(at, curve, strict=True)), fill=GREY)
        else:
            for row, height in enumerate(np.sort(strength[strength > 0])[::-1][:10]):
                pen.rectangle((4, 3 + 6 * row, 4 + 54 * height, 6 + 6 * row), fill=PAINT)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def main():
    """Write the cards of every data set that is at hand; those of the others stay."""
    cards = json.loads(BEFOREHAND.read_text(encoding="utf-8")) if BEFOREHAND.exists() else {}
    for info in nnspca.datasets.available():
        if info.local:
            cards[info.name] = card(info.name)
            print(info.name, {key: value for key, value in cards[info.name].items() if key != "picture"}, flush=True)
    BEFOREHAND.write_text(json.dumps(cards, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
