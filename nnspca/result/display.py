"""Representations of results: a few lines at a prompt, sentences and a picture in a notebook."""

from __future__ import annotations

from abc import abstractmethod
from html import escape

from nnspca.result.wording import LINES


class Display:
    """A result that is shown as lines at a prompt, and as a summary with a picture in a notebook."""

    def __repr__(self) -> str:
        first, *rest = self._lines()
        return "\n  ".join([first, *rest][:LINES])

    def _repr_html_(self) -> str:
        lines = [f"<p>{escape(self.summary())}</p>", self._picture()]
        return f"<div>{''.join(lines)}<details><summary>more</summary><pre>{escape(repr(self))}</pre></details></div>"

    @abstractmethod
    def summary(self) -> str:
        """Return plain sentences about the result."""

    @abstractmethod
    def _lines(self) -> list[str]:
        """The lines shown at a prompt, the most important first."""

    def _picture(self) -> str:
        """A picture as inline SVG, or nothing."""
        return ""
