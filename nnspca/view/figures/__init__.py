"""Figures: arrays in, Plotly figures out. Nothing here solves, reads files or knows Streamlit.

Every figure carries its description for screen readers in ``figure.layout.meta["alt"]``.
"""

from plotly.graph_objects import Figure

from nnspca.view.figures.ceilings import race
from nnspca.view.figures.component import component
from nnspca.view.figures.glance import curves, spectrum
from nnspca.view.figures.kept import kept
from nnspca.view.figures.look import DARK, LIGHT, Palette, page
from nnspca.view.figures.place import place
from nnspca.view.figures.study import study
from nnspca.view.figures.trace import ceiling, history
from nnspca.view.figures.variance import variance

__all__ = [
    "DARK",
    "LIGHT",
    "Figure",
    "Palette",
    "ceiling",
    "component",
    "curves",
    "history",
    "kept",
    "page",
    "place",
    "race",
    "spectrum",
    "study",
    "variance",
]
