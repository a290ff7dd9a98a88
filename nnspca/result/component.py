"""One component: a sparse unit vector, and how it was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from nnspca.result import sentences, wording
from nnspca.result.display import DataFrame, Display, Figure, frame
from nnspca.result.features import Features

if TYPE_CHECKING:
    from nnspca.result.necessity import Necessity
    from nnspca.result.stability import Stability


@dataclass(frozen=True, eq=False, repr=False)
class Component(Display):
    """One component: a unit vector with at most ``k`` nonzero loadings, and how it was found.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_data([[0.0, 1.0, 3.0], [2.0, 3.0, 3.5], [4.0, 4.0, 3.0]], names=["a", "b", "c"])
    >>> part = nnspca.solve(cov, k=2)
    >>> part
    Component: 2 of 3 features, 97.8 % of the total variance (k = 2, loadings ≥ 0, solver "best")
      a 0.80, b 0.61
    >>> part.names
    ('a', 'b')
    >>> print(part.summary())
    a and b rise together: one number made of these two carries 97.8 % of the variance of all three features.
    """

    #: Shape (n,). Unit Euclidean norm. Nonnegative exactly when ``nonnegative``; otherwise signed so that the
    #: loading of largest magnitude is positive.
    loadings: np.ndarray
    variance: float  #: ``x'Ax``, in the squared units of the data
    method: str  #: A key of ``nnspca.METHODS``; "given" for loadings of your own
    k: int  #: The largest number of nonzero loadings allowed
    nonnegative: bool = True  #: Whether the sign constraint was on
    options: Mapping[str, object] = field(default_factory=dict)  #: The options the solver ran with
    seconds: float = field(default=0.0, compare=False)  #: Wall-clock time of the solve
    history: tuple[float, ...] = ()  #: The best variance known after each step of the method; it never decreases
    stopped: bool = False  #: True when ``should_stop`` ended the call early; the loadings are the best so far
    note: str = ""  #: A remark about the run, in plain words
    #: Names, mean and scale of the features; None for loadings of your own
    features: Features | None = field(default=None, compare=False)

    @property
    def support(self) -> np.ndarray:
        """Indices of the nonzero loadings, ascending."""
        return np.flatnonzero(self.loadings)

    @property
    def cardinality(self) -> int:
        """Number of nonzero loadings."""
        return int(np.count_nonzero(self.loadings))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the features in :attr:`support`; ``x0``, ``x1`` and so on if none are known."""
        return tuple(self.feature_name(i) for i in self.support.tolist())

    @property
    def share(self) -> float | None:
        """Variance as a share of that of all features; None if that is not known."""
        return None if self.features is None or not self.features.total else self.variance / self.features.total

    def feature_name(self, i: int) -> str:
        """Return the name of feature ``i``."""
        return f"x{i}" if self.features is None else self.features.name(i)

    @property
    def _layout(self) -> tuple[tuple[int, int] | None, tuple[np.ndarray, str] | None]:
        """How a figure draws the features: as pixels of an image of this shape, or along an axis."""
        features = self.features
        if features is None:
            return None, None
        return features.image_shape, None if features.axis is None else (features.axis, features.axis_title)

    def to_frame(self) -> DataFrame:
        """Return a pandas DataFrame with a row for each nonzero loading, the largest first, indexed by feature.

        The column ``weight`` is the share ``x_i²`` of the unit length.
        """
        order = wording.heaviest(self)
        loadings = self.loadings[order]
        columns = {"loading": loadings, "weight": loadings**2, "place": order}
        return frame(columns, index=[self.feature_name(i) for i in order], name="feature")

    def summary(self, need: Necessity | None = None, found: Stability | None = None) -> str:
        """Return plain sentences: the features, the variance they carry, and what else is known.

        ``need`` is a result of :func:`nnspca.necessity` and ``found`` one of :func:`nnspca.bootstrap`:
        each adds a sentence.
        """
        return sentences.join(sentences.component(self), *sentences.evidence(need, found))

    def plot(self) -> Figure:
        """Return a Plotly figure of the loadings: as bars, or as pixels of an image."""
        from nnspca.figures.results import components

        names = [self.feature_name(i) for i in range(len(self.loadings))]
        return components(self.loadings[:, None], names, *self._layout)

    def _lines(self) -> list[str]:
        head = (
            f"Component: {self.cardinality} of {len(self.loadings)} features, "
            f"{wording.variance_share(self.variance, self)} "
            f'(k = {self.k}, {wording.sign(self.nonnegative)}, solver "{self.method}")'
        )
        return [head, sentences.line(self), *(["stopped before its end"] if self.stopped else [])]

    def _picture(self) -> str:
        from nnspca.figures.sketch import loadings

        order = wording.heaviest(self)
        shape = None if self.features is None else self.features.image_shape
        return loadings([self.feature_name(i) for i in order], self.loadings[order], order, shape)
