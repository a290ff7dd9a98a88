"""Ranking: the best distinct supports, and the proof that no other one lies between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from nnspca.result import sentences, wording
from nnspca.result.component import Component
from nnspca.result.display import DataFrame, Display, Figure, frame


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Display):
    """The components of largest variance on distinct supports, and a bound on that of every other support.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[3.0, 1.0, 0.9], [1.0, 3.0, 0.8], [0.9, 0.8, 3.0]], names=["a", "b", "c"])
    >>> nnspca.solve_all(cov, k=2, count=2, within=0.1)
    Ranking: the best two supports of at most two of three features (proven: any other has at most 3.8...)
      1: a 0.71, b 0.71 (44.4 % of the total variance)
      2: a 0.71, c 0.71 (43.3 % of the total variance)
    """

    components: tuple[Component, ...]  #: The largest variance first, each the best on its support and using all of it
    rest: float  #: Proven: no other support, whose best component uses all of it, has more variance than this
    k: int  #: Cardinality allowed
    nonnegative: bool  #: Whether the sign constraint was on
    within: float  #: Share below the best down to which supports were sought
    stopped: bool = False  #: True when ``should_stop`` or the time ended the search; ``rest`` is proven all the same
    seconds: float = field(default=0.0, compare=False)  #: Wall-clock time

    def __len__(self) -> int:
        return len(self.components)

    def __iter__(self) -> Iterator[Component]:
        return iter(self.components)

    @property
    def settled(self) -> int:
        """How many of the components, from the first, are proven to be followed by no support that is missing here."""
        return sum(part.variance > self.rest for part in self.components)

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with a row for each support, the best first."""
        best = self.components[0].variance
        columns = {
            "variance": [part.variance for part in self],
            "below_best": [1 - part.variance / best for part in self],
            "cardinality": [part.cardinality for part in self],
            "proven": [part.variance > self.rest for part in self],
            "features": [", ".join(part.names) for part in self],
        }
        return frame(columns, index=range(1, len(self) + 1), name="place")

    def summary(self) -> str:
        """Return plain sentences: how many supports there are, what all of them share, and what is proven."""
        every = np.all([part.loadings != 0 for part in self], axis=0)
        names = [self.components[0].feature_name(i) for i in np.flatnonzero(every).tolist()]
        common = f" All have {wording.named(names)}." if names and len(self) > 1 else ""
        lost = wording.percent(1 - self.components[-1].variance / self.components[0].variance)
        listed = "One support is" if len(self) == 1 else f"{wording.spelled(len(self)).capitalize()} supports are"
        below = f", the last {lost} below the first" if len(self) > 1 else ""
        return f"{listed} listed{below}.{common} No other one has more variance than {wording.up(self.rest)} (proven)."

    def plot(self) -> Figure:
        """Return a Plotly figure of the loadings of all, side by side."""
        from nnspca.figures.results import components

        names = [self.components[0].feature_name(i) for i in range(len(self.components[0].loadings))]
        return components(np.column_stack([part.loadings for part in self]), names, *self.components[0]._layout)

    def _lines(self) -> list[str]:
        allowed = f"{wording.spelled(self.k)} of {wording.counted(len(self.components[0].loadings), 'feature')}"
        one = "support" if len(self) == 1 else f"{wording.spelled(len(self))} supports"
        head = f"Ranking: the best {one} of at most {allowed} (proven: any other has at most {wording.up(self.rest)})"
        shown = self.components[: wording.LINES - 2]
        told = [
            f"{c}: {sentences.line(part)} ({wording.variance_share(part.variance, part)})"
            for c, part in enumerate(shown, 1)
        ]
        return [head, *told, *([f"… and {len(self) - len(shown)} more"] if len(self) > len(shown) else [])]

    def _picture(self) -> str:
        return "".join(part._picture() for part in self.components[:4])
