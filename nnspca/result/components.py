"""Several components: of one covariance, with the variance of all together; and the best on distinct supports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from nnspca.result import rounded, sentences, wording
from nnspca.result.certificate import Certificate, PartsCertificate
from nnspca.result.component import Component, Features
from nnspca.result.wording import DataFrame, Display, Figure

if TYPE_CHECKING:
    from nnspca.result.chance import ParallelAnalysis


@dataclass(frozen=True, eq=False, repr=False)
class Components(Display):
    """Several components of one covariance, and the variance they explain together.

    Examples
    --------
    ``len(parts)``, ``parts[0]`` and ``for part in parts`` give its components:

    >>> import nnspca
    >>> A = [[3.0, 1.0, 0.0, 0.0], [1.0, 3.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 1.0]]
    >>> parts = nnspca.decompose(nnspca.Covariance.from_matrix(A, names=list("abcd")), n_components=2, k=2)
    >>> parts
    Components: 2 with 3 of 4 features, together 66.6 % of the total variance, one feature 25 % ... (disjoint, best)
      1: a 0.71, b 0.71 (44.4 % of the total variance)
      2: c 1.00 (22.2 % of the total variance)
    >>> len(parts), parts[0].names, [part.cardinality for part in parts]
    (2, ('a', 'b'), [2, 1])
    """

    #: One for each component, in the order found; ``variance`` of each is x'Ax on the covariance given, not on a
    #: deflated one
    parts: tuple[Component, ...]
    #: Shape (r,). Variance of the span of the first 1, 2, …, r components: ``tr(Q'AQ)`` with Q an orthonormal basis
    #: of it. Components that are not orthogonal are not credited twice.
    cumulative_variance: np.ndarray
    total: float  #: Trace of A: the total variance
    method: str  #: A key of ``nnspca.METHODS``
    deflation: str  #: A key of ``nnspca.DEFLATIONS``
    nonnegative: bool = True
    options: Mapping[str, object] = field(default_factory=dict)  #: The options of method and deflation
    history: tuple[float, ...] = ()  #: The objective of a joint method after each of its steps; empty otherwise
    #: With ``certify``, one for each component, on the (deflated) covariance of that component; empty otherwise
    certificates: tuple[Certificate, ...] = ()
    #: Of all parts jointly, for a certified decomposition with deflation "together"
    certificate: PartsCertificate | None = None
    seconds: float = field(default=0.0, compare=False)
    #: True when ``should_stop`` ended the call early; there may be fewer components than requested
    stopped: bool = False
    note: str = ""  #: A remark about the run, in plain words
    include: tuple[int, ...] = ()  #: Features that the component reserves a place for
    #: Features that no component may use; certificates are then of the covariance of the others
    exclude: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.parts)

    def __iter__(self) -> Iterator[Component]:
        return iter(self.parts)

    @overload
    def __getitem__(self, place: int) -> Component: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Component, ...]: ...

    def __getitem__(self, place):
        return self.parts[place]

    @property
    def features(self) -> Features | None:
        """Names, mean and scale of the features."""
        return self.parts[0].features

    @property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """Names of the features in each component."""
        return tuple(part.names for part in self.parts)

    def to_frame(self) -> DataFrame:
        """Return a data frame with a row for each component and feature of a nonzero loading."""
        rows = [(c, part, i) for c, part in enumerate(self.parts, start=1) for i in wording.heaviest(part)]
        return self._frame(
            {
                "component": [c for c, _, _ in rows],
                "feature": [part.feature_name(i) for _, part, i in rows],
                "loading": [part.loadings[i] for _, part, i in rows],
                "weight": [part.loadings[i] ** 2 for _, part, i in rows],
                "place": [i for _, _, i in rows],
            }
        )

    def summary(self, chance: ParallelAnalysis | None = None) -> str:
        """Return plain sentences: the features of each component, the variance of all, and what is proven.

        ``chance`` is as for a component; part c of the data is compared with part c of these.
        """
        proven = "" if self.certificate is None else self.certificate.proven()
        if len(self) == 1:
            return sentences.join(self.parts[0].summary(chance), proven)
        together = rounded.percent(float(self.cumulative_variance[-1]) / self.total)
        features = self.features
        whole = "variance" if features is None else f"variance of all {wording.counted(features.count, 'feature')}"
        treated = " (standardised)" if features is not None and features.standardized else ""
        text = f"{wording.counted(len(self), 'number').capitalize()} carry {together} of the {whole}{treated} together."
        if chance is None:
            return sentences.join(text, sentences.clauses(self.parts, self.total), sentences.average(features), proven)
        listed = sentences.clauses(self.parts, self.total, np.atleast_1d(chance.is_more).tolist())
        if chance.suggested_n_components == len(self):
            return sentences.join(text, listed, chance.summary(), proven)
        return sentences.join(chance.summary(), text, listed, proven)

    def _figure(self, figures: Any) -> Figure:
        """The loadings of all components, side by side."""
        return figures.components(self.loadings, *self.parts[0]._layout)

    def _lines(self) -> list[str]:
        used = int(self.loadings.any(axis=1).sum())
        more = len(self) - (wording.LINES - 2)
        listed = self.parts[: wording.LINES - 2] if more > 1 else self.parts
        lines = [
            f"{c}: {sentences.line(part)} ({wording.variance_share(part.variance, part)})"
            for c, part in enumerate(listed, 1)
        ]
        head = (
            f"Components: {len(self)} with {used} of {len(self.loadings)} features, together "
            f"{rounded.percent(float(self.cumulative_variance[-1]) / self.total)} of the total variance"
            f"{sentences.average(self.features, ', one feature ', '')} ({self.deflation}, {self.method})"
        )
        return [head, *lines, *([f"… and {more} more"] if more > 1 else [])]

    @property
    def loadings(self) -> np.ndarray:
        """The components as unit columns, shape (n, r)."""
        return np.column_stack([part.loadings for part in self.parts])

    def padded(self, r: int) -> np.ndarray:
        """The components as rows, shape (r, n), with rows of zeros where there are fewer."""
        rows = np.zeros((r, len(self.parts[0].loadings)))
        rows[: len(self.parts)] = self.loadings.T
        return rows

    @property
    def variances(self) -> np.ndarray:
        """Each component's own variance x'Ax, shape (r,)."""
        return np.array([part.variance for part in self.parts])

    @property
    def cardinalities(self) -> np.ndarray:
        """Number of nonzero loadings of each component, shape (r,)."""
        return np.array([part.cardinality for part in self.parts])

    @property
    def overlap(self) -> float:
        """``‖I − U'U‖_F``: 0 for orthogonal components (Zass & Shashua 2006, Fig. 3)."""
        return overlap(self.loadings)

    @property
    def angles(self) -> np.ndarray:
        """Angles between the components in degrees, 0 to 90, shape (r, r)."""
        U = self.loadings
        cosines = np.clip(np.abs(U.T @ U), 0.0, 1.0)
        np.fill_diagonal(cosines, 1.0)
        return np.degrees(np.arccos(cosines))


def overlap(U: np.ndarray) -> float:
    """``‖I − U'U‖_F``: 0 for orthogonal unit columns."""
    return float(np.linalg.norm(np.eye(U.shape[1]) - U.T @ U))


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
        """Return a data frame with a row for each support, the best first."""
        best = self.components[0].variance
        columns = {
            "variance": [part.variance for part in self],
            "below_best": [1 - part.variance / best for part in self],
            "cardinality": [part.cardinality for part in self],
            "proven": [part.variance > self.rest for part in self],
            "features": [", ".join(part.names) for part in self],
        }
        return self._frame(columns, index=range(1, len(self) + 1), name="place")

    def summary(self) -> str:
        """Return plain sentences: how many supports there are, what all of them share, and what is proven."""
        every = np.all([part.loadings != 0 for part in self], axis=0)
        names = [self.components[0].feature_name(i) for i in np.flatnonzero(every).tolist()]
        common = f" All have {wording.named(names)}." if names and len(self) > 1 else ""
        lost = rounded.percent(1 - self.components[-1].variance / self.components[0].variance, up=True)
        listed = "One support is" if len(self) == 1 else f"{wording.in_letters(len(self)).capitalize()} supports are"
        below = f", the last {lost} below the first" if len(self) > 1 else ""
        most = f"No other one has more variance than {self._most()} (proven)."
        if self.settled < len(self):
            after = f"after the first {wording.in_letters(self.settled)}" if self.settled else "before the first"
            most += f" One that is not listed may belong {after}."
        stopped = " The search was stopped before its end." if self.stopped else ""
        return f"{listed} listed{below}.{common} {most}{stopped}"

    def _figure(self, figures: Any) -> Figure:
        """The loadings of all, side by side."""
        return figures.components(np.column_stack([part.loadings for part in self]), *self.components[0]._layout)

    def _most(self) -> str:
        return rounded.number(self.rest, up=True, telling=rounded.TELLING)

    def _lines(self) -> list[str]:
        allowed = f"{wording.in_letters(self.k)} of {wording.counted(len(self.components[0].loadings), 'feature')}"
        one = wording.counted(len(self), "support")
        if settled := self.settled == len(self):
            one = f"the best {one.removeprefix('one ')}"
        sure = "" if settled else f"{wording.in_letters(self.settled) if self.settled else 'none'} settled; "
        most = f"proven: any other has at most {self._most()}"
        head = f"Ranking: {one} of at most {allowed} ({sure}{most}){self._ended}"
        shown = self.components[: wording.LINES - 2]
        lines = [
            f"{c}: {sentences.line(part)} ({wording.variance_share(part.variance, part)})"
            for c, part in enumerate(shown, 1)
        ]
        return [head, *lines, *([f"… and {len(self) - len(shown)} more"] if len(self) > len(shown) else [])]
