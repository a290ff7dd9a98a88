"""One component: a sparse unit vector, how it was found, and in words which features it has and how they vary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np

from nnspca.result import rounded, sentences, wording
from nnspca.result.features import Features
from nnspca.result.wording import DataFrame, Display, Figure

STRONG, WEAK = 0.3, 0.1  # mean correlations from which features rise together, and weakly so


class Shuffled(Protocol):
    """What a component, or several, are held against: what :func:`nnspca.parallel_analysis` returns."""

    @property
    def is_more(self) -> np.ndarray:
        """Whether each is more than chance."""

    @property
    def suggested_n_components(self) -> int:
        """Number of parts before one that is no more."""

    def summary(self) -> str:
        """Say so."""


@dataclass(frozen=True, eq=False, repr=False)
class Component(Display):
    """One component: a unit vector with at most ``k`` nonzero loadings, and how it was found.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_data([[0.0, 1.0, 3.0], [2.0, 3.0, 3.5], [4.0, 4.0, 3.0]], names=["a", "b", "c"])
    >>> part = nnspca.solve(cov, k=2)
    >>> part
    Component: 2 of 3 features, 97.8 % of the total variance, one feature 33.3 % on average (k = 2, ...)
      a 0.80, b 0.61
    >>> part.names
    ('a', 'b')
    >>> print(part.summary())
    a and b rise together: one number made of these two carries 97.8 % of the variance of all three features. One ...
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

    def called(self, i: int) -> str:
        """Return what sentences call feature ``i``: its name, and its title if it has one."""
        titles = self.features.titles if self.features is not None else ()
        return wording.name_with_title(self.feature_name(i), titles[i] if titles else "")

    @property
    def _layout(self) -> tuple[list[str], tuple[int, int] | None, tuple[np.ndarray, str] | None]:
        """How a figure draws the features: by their names, as pixels of an image of this shape, or along an axis."""
        features, names = self.features, [self.feature_name(i) for i in range(len(self.loadings))]
        if features is None:
            return names, None, None
        return names, features.image_shape, None if features.axis is None else (features.axis, features.axis_title)

    def to_frame(self) -> DataFrame:
        """Return a data frame with a row for each nonzero loading, the largest first, indexed by feature.

        The column ``weight`` is the share ``x_i²`` of the unit length.
        """
        order = heaviest(self)
        loadings = self.loadings[order]
        columns = {"loading": loadings, "weight": loadings**2, "place": order}
        return self._frame(columns, index=[self.feature_name(i) for i in order], name="feature")

    def summary(self, chance: Shuffled | None = None) -> str:
        """Return a plain sentence: the features, and the variance they carry.

        With ``chance``, what :func:`nnspca.parallel_analysis` found, it says what shuffled columns reach; first, and
        that it is no more than chance, where that is so.
        """
        if chance is None:
            return sentences.join(sentence(self), sentences.average(self.features))
        if self.k == 1 or np.all(chance.is_more):
            return sentences.join(sentence(self), chance.summary())
        apart = self.features and replace(self.features, variances=None)  # nothing is said of how they vary together
        return sentences.join(chance.summary(), sentence(replace(self, features=apart)))

    def _figure(self, figures: Any) -> Figure:
        """The loadings: as bars, or as pixels of an image."""
        return figures.components(self.loadings[:, None], *self._layout)

    def _lines(self) -> list[str]:
        head = (
            f"Component: {self.cardinality} of {len(self.loadings)} features, "
            f"{variance_share(self.variance, self)}{sentences.average(self.features, ', one feature ', '')} "
            f'(k = {self.k}, {wording.sign_in_words(self.nonnegative)}, solver "{self.method}")'
        )
        return [head, line(self), *(["stopped before its end"] if self.stopped else [])]


def correlation(part: Component) -> float | None:
    """Return the mean correlation between a component's features, each multiplied by the sign of its loading.

    Pairs are weighted by the product of their loadings and standard deviations. None if the
    variances of the features are unknown, or there is no pair.

    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[4.0, 1.0], [1.0, 1.0]])
    >>> round(correlation(nnspca.solve(cov, 2)), 3)
    0.5
    """
    features = part.features
    if features is None or features.variances is None or part.cardinality < 2:
        return None
    own = np.abs(part.loadings[part.support]) * np.sqrt(features.variances[part.support])
    alone = float(own @ own)
    pairs = float(own.sum()) ** 2 - alone
    return (part.variance - alone) / pairs if pairs > 0 else None


def clause(part: Component, most: int = wording.NAMED) -> str:
    """Return which features a component has and how they vary together, as a clause without a full stop.

    Up to ``most`` features are named.

    >>> import nnspca
    >>> A = [[1.0, 0.7, -0.6], [0.7, 1.0, -0.5], [-0.6, -0.5, 1.0]]
    >>> cov = nnspca.Covariance.from_matrix(A, names=["income", "rent", "debt"])
    >>> clause(nnspca.solve(cov, 2)), clause(nnspca.solve(cov, 1))
    ('income and rent rise together', 'income alone')
    >>> clause(nnspca.solve(cov, 3, nonnegative=False))
    'income and rent rise while debt falls'
    """
    position = sentences.describe(part.support, part.features)
    if position is not None:
        position = f"{position[0].upper()}{position[1:]}"
    if not part.cardinality:
        return "Nothing"
    subject, mean = position or features_in_words(part, most), correlation(part)
    if part.cardinality == 1:
        return f"{subject} alone"
    if mean is None:
        return subject
    comma, mixed = "," if position and "," in position else "", bool((part.loadings < 0).any())
    if mean < WEAK:
        return f"{subject}{comma} hardly {'vary' if mixed else 'rise'} together"
    weakly = "" if mean >= STRONG else " weakly"
    if not mixed:
        return f"{subject}{comma} rise together{weakly}"
    if position:
        many = wording.in_letters(int((part.loadings < 0).sum()))
        return f"{subject}{comma} vary together{weakly}, {many} of them in the opposite direction"
    up, down = ([i for i in heaviest(part) if part.loadings[i] * sign > 0] for sign in (1, -1))
    rise, fall = (wording.named([part.called(i) for i in some], most) for some in (up, down))
    return f"{rise} rise{'s' * (len(up) == 1)}{weakly} while {fall} fall{'s' * (len(down) == 1)}"


def line(part: Component) -> str:
    """Return the features of a component with their loadings, the largest first, or where they lie."""
    order, most = heaviest(part), wording.NAMED
    if where := sentences.describe(part.support, part.features):
        return where
    loadings = [f"{wording.short(part.called(i))} {part.loadings[i]:.2f}" for i in order[:most]]
    return ", ".join(loadings) + (f", … and {len(order) - most:,} more" if len(order) > most else "")


def sentence(part: Component) -> str:
    """Return which features one component has, and how much variance it carries.

    >>> import nnspca
    >>> A = [[1.0, 0.7, 0.0], [0.7, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> sentence(nnspca.solve(nnspca.Covariance.from_matrix(A, names=["income", "rent", "age"]), 2))
    'income and rent rise together: one number made of these two carries 56.6 % of the variance of all three features.'
    """
    if part.cardinality < 2:
        beginning = clause(part)
    elif correlation(part) is None:
        beginning = f"One number made of {sentences.describe(part.support, part.features) or features_in_words(part)}"
    else:
        beginning = f"{clause(part)}: one number made of these {wording.in_letters(part.cardinality)}"
    features, share = part.features, part.share
    if features is None or share is None:
        return f"{beginning} has variance {rounded.number(part.variance, down=True)}."
    treated = " (standardised)" if features.standardized else ""
    whole = wording.counted(features.count, "feature")
    return f"{beginning} carries {rounded.percent(share)} of the variance of all {whole}{treated}."


def clauses(parts: Sequence[Component], total: float | None = None, is_more: Sequence[bool] = ()) -> str:
    """Return the features of each part, with its share of ``total``; small parts are only counted.

    Of a part that is no more than chance, that is said instead.

    >>> import nnspca
    >>> A = [[3.0, 1.0, 0.0, 0.0], [1.0, 3.0, 0.0, 0.0], [0.0, 0.0, 2.0, 0.0], [0.0, 0.0, 0.0, 0.01]]
    >>> parts = nnspca.decompose(nnspca.Covariance.from_matrix(A, names=list("abcd")), n_components=3, k=2)
    >>> clauses(parts.parts)
    'Part 1: a and b rise together. Part 2: c alone. One more part adds less than 1 %.'
    """
    skipped = sentences.is_small([part.variance for part in parts])
    said = [
        f"Part {c}: {clause(part) if all(is_more[c - 1 : c]) else 'no more than chance'}"
        + (f" ({rounded.percent(part.variance / total)})." if total else ".")
        for c, part in enumerate(parts, start=1)
        if not skipped[c - 1]
    ]
    rest = int(skipped.sum())
    more = f"{wording.counted(rest, 'more part').capitalize()} {'adds' if rest == 1 else 'add'} less than 1 %"
    return " ".join(said) + (f" {more}{'' if rest == 1 else ' each'}." if rest else "")


def heaviest(part: Component) -> list[int]:
    """Return the features of a component, the largest loading first."""
    support = part.support
    return support[np.argsort(-np.abs(part.loadings[support]).round(6), kind="stable")].tolist()


def features_in_words(part: Component, most: int = wording.NAMED) -> str:
    """Return the features of a component as a sentence lists them, the largest loading first."""
    return wording.named([part.called(i) for i in heaviest(part)], most)


def variance_share(variance: float, part: Component) -> str:
    """Return a variance, as a share of the whole if that is known."""
    total = None if part.features is None else part.features.total
    if total:
        return f"{rounded.percent(variance / total)} of the total variance"
    return f"variance {rounded.number(variance, down=True)}"
