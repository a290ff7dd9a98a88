"""The figure of one component lies over the mean image, which is seen where nothing is and nowhere else."""

import numpy as np
import pytest

from nnspca.view.figures.component import Scene, component
from nnspca.view.figures.style import DARK, LIGHT

WEIGHTS = np.array([0.0, 0.6, 0.0, 0.8, 0.0, 0.0])
MEAN = np.arange(6.0)


def drawn(weights=WEIGHTS, *, palette=LIGHT, ghost=True, nonnegative=True):
    scene = Scene([f"pixel {i}" for i in range(6)], (2, 3), mean=MEAN)
    return component(weights, scene, palette, nonnegative=nonnegative, ghost=ghost)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("nonnegative", [True, False])
def test_the_mean_is_seen_where_nothing_is_and_nowhere_else(palette, nonnegative):
    figure = drawn(WEIGHTS if nonnegative else WEIGHTS * [1, -1, 1, 1, 1, 1], palette=palette, nonnegative=nonnegative)
    (behind,) = figure.layout.images
    assert behind.source.startswith("data:image/png;base64,")
    assert (behind.sizex, behind.sizey, behind.layer) == (3, 2, "below")
    (loadings,) = figure.data
    clear = [at for at, colour in loadings.colorscale if colour == "rgba(0,0,0,0)"]
    assert clear == [0.0 if nonnegative else 0.5]
    assert palette.empty not in [colour for _, colour in loadings.colorscale]
    at = [at for at, _ in loadings.colorscale]
    assert at == sorted(at)


def test_without_it_nothing_lies_behind():
    figure = drawn(ghost=False)
    assert not figure.layout.images
    assert figure.data[0].colorscale[0][1] == LIGHT.empty
