"""A component as a figure: an image, an axis or a list."""

from __future__ import annotations

from nnspca.datasets import Dataset
from nnspca.result import Component
from nnspca.view.figures import component as pictures
from nnspca.view.figures.style import Figure
from nnspca.view.sources import store
from nnspca.view.ui import charts


def figure(part: Component, data: Dataset, title: str = "The component", *, ghost: bool = True) -> Figure:
    """Return the figure of a component, as an image, along an axis or by name."""
    axis = None if data.axis is None else (data.axis.values, data.axis.name, data.axis.unit)
    return pictures.component(
        part.loadings,
        charts.palette(),
        feature_names=data.feature_names,
        nonnegative=part.nonnegative,
        image_shape=data.image_shape,
        axis=axis,
        backdrop=store.mean(data),
        ghost=ghost,
        title=title,
    )
