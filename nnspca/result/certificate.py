"""Bounds, certificates, and what others found beside them: an attained variance with a proven upper bound."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nnspca.result import rounded, sentences, wording
from nnspca.result.component import Component, clauses, features_in_words, line, variance_share
from nnspca.result.wording import ByValue, DataFrame, Display, Figure

USELESS = 0.1  # gap above which a proof without any relaxation proves little
RELAXATIONS = {"pair-scaled", "elimination", "branch"}  # bounds that may come near the optimum
DESCRIBED = 4  # most components that are described one by one
BETTER = 1e-9  # relative gain from which another component is better


@dataclass(frozen=True, eq=False)
class Bound(ByValue):
    """One upper bound on the variance of any feasible component.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> bound = nnspca.certify(cov, k=1).bound("leading-direction")
    >>> bound.value >= 2.0, bound.deterministic
    (True, True)
    """

    name: str  #: Which bound: a key of ``nnspca.BOUNDS``
    value: float  #: No feasible variance exceeds it (if ``deterministic``), rounding included
    deterministic: bool = True  #: True for a proven bound; False for one that holds only with some probability
    detail: str = ""  #: What was proven and with which parameters, in plain words
    seconds: float = field(default=0.0, compare=False)  #: Wall-clock time it took
    #: What :func:`nnspca.verify` needs to derive ``value`` again, independently of the code that computed it
    ingredients: object | None = field(default=None, compare=False, repr=False)
    #: Least probability with which the bound holds, over the random draws: 1.0 if it is proven, less if not
    probability: float = 1.0

    @property
    def holds_everywhere(self) -> bool:
        """Whether its proof bounds every direction, not only the feasible ones."""
        return bool(getattr(self.ingredients, "holds_everywhere", False))


class Sandwich(Display):
    """The lower and upper bound of a certificate, and the bounds that were tried."""

    lower: float
    upper: float
    bounds: tuple[Bound, ...]
    effort: str
    stopped: bool
    include: tuple[int, ...] = ()

    @property
    def ratio(self) -> float:
        """``lower / upper``, rounded down: the proven share of the optimum; ``lower`` is rounded by some 1e-15."""
        return rounded.share(self.lower, self.upper)

    @property
    def gap(self) -> float:
        """``1 - ratio``: the gap to the best possible."""
        return 1.0 - self.ratio

    @property
    def winner(self) -> Bound:
        """The bound with the least proven value, ``upper``."""
        return min((b for b in self.bounds if b.deterministic), key=lambda b: b.value)

    def bound(self, name: str) -> Bound:
        """Return the bound called ``name``; KeyError if it was not tried."""
        for candidate in self.bounds:
            if candidate.name == name:
                return candidate
        raise KeyError(f"no bound {name!r} here; tried: {', '.join(b.name for b in self.bounds)}")

    def to_frame(self) -> DataFrame:
        """Return a data frame with a row for each bound, the least proven one first, indexed by its name."""
        order = sorted(self.bounds, key=lambda b: (not b.deterministic, b.value))
        columns = {
            "value": [b.value for b in order],
            "proven": [b.deterministic for b in order],
            "probability": [b.probability for b in order],
            "ratio": [self.lower / b.value if b.value else 1.0 for b in order],
            "seconds": [b.seconds for b in order],
            "detail": [b.detail for b in order],
        }
        return self._frame(columns, index=[b.name for b in order], name="bound")

    def _figure(self, figures: Any) -> Figure:
        """The variance found, and every upper bound."""
        return figures.certificate(self.lower, [(b.name, b.value, b.deterministic) for b in self.bounds])

    def _proven_of(self, what: str) -> str:
        share, gap = rounded.ratio(self.lower, self.upper), rounded.gap(self.lower, self.upper)
        return f"At least {share} of the optimum of {what}; gap at most {gap} (proven)."

    def _proven_lines(self) -> list[str]:
        lower, upper = rounded.pair(self.lower, self.upper)
        return [
            f"ratio: at least {rounded.ratio(self.lower, self.upper)} of the optimum (proven); "
            f"lower {lower}, upper {upper}",
            f"bound: {self.winner.name}, the least of {len(self.bounds)} tried ({self.effort}{self._ended})",
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Certificate(Sandwich):
    """A feasible component and a proven upper bound; the optimum lies between the two variances.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    >>> cert = nnspca.certify(cov, k=5)
    >>> cert.lower <= cert.upper, cert.gap < 0.0001
    (True, True)
    >>> print(cert.proven())
    At least 99.99 % of the optimum of five features with loadings ≥ 0; gap at most 0.01 % (proven).
    """

    k: int  #: Cardinality allowed
    nonnegative: bool  #: Whether the sign constraint is on
    lower: float  #: Variance of ``component``, the best feasible point known
    upper: float  #: The least deterministic bound in ``bounds``: no feasible variance exceeds it
    component: Component  #: Attains ``lower``
    bounds: tuple[Bound, ...]  #: Every upper bound tried
    leading: float  #: Proven upper bound on the largest eigenvalue of A, for normalising
    fingerprint: str  #: Hash of the covariance that the bounds are for
    effort: str = "live"  #: ``"live"`` or ``"thorough"``
    seconds: float = field(default=0.0, compare=False)  #: Wall-clock time, solving included
    stopped: bool = False  #: True when ``should_stop`` ended the call early; the bounds are valid all the same
    #: The problem certified: each feature of ``include`` has one of the k places, whether its loading is zero or
    #: not, and those of ``exclude`` have no loading. ``leading`` and the proofs in ``bounds`` are of A on the
    #: features left, ascending: on ``include`` alone where it takes all k places.
    include: tuple[int, ...] = ()
    exclude: tuple[int, ...] = ()  #: See ``include``

    def summary(self) -> str:
        """Return plain sentences: the component found, and its proven share of the optimum."""
        return sentences.join(self.component.summary(), self.proven())

    def proven(self) -> str:
        """Return in a sentence what share of the optimum the component is proven to have."""
        return self._proven_of(f"{_features(self.k, self.nonnegative)}{self._given()}")

    def ahead(self, *, code: bool = True) -> str:
        """Return in a sentence what more work would try, and ``code`` for it; empty where it is proven optimal.

        Examples
        --------
        >>> import nnspca
        >>> cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
        >>> nnspca.certify(cov, k=5).ahead()
        ''
        >>> print(nnspca.certify(cov, k=5, time_limit=1e-6).ahead())
        Not tried yet: longer relaxations and more cases; how much they gain is not known before. time_limit= goes on.
        """
        if rounded.optimal(self.lower, self.upper):
            return ""
        if not (self.stopped or self.gap < USELESS or RELAXATIONS & {bound.name for bound in self.bounds}):
            share, unless = rounded.ratio(self.lower, self.upper), ", unless a thorough certificate finds one"
            return f"No proof better than {share} is known for data of this kind{unless * (self.effort == 'live')}."
        if self.effort == "thorough" and not self.stopped:
            return "All that is known has been tried at length." + " warm_start= with time_limit= goes on." * code
        untried = "Not tried yet: longer relaxations and more cases; how much they gain is not known before."
        return untried + " time_limit= goes on." * code

    def _given(self) -> str:
        """The features included and excluded, in words; empty if there are none."""
        given = (("included", self.include), ("excluded", self.exclude))
        names = {word: [self.component.called(i) for i in places] for word, places in given if places}
        return "".join(f", {wording.named(some)} {word}" for word, some in names.items())

    def _lines(self) -> list[str]:
        part = self.component
        asked = f"k = {self.k}, {wording.sign_in_words(self.nonnegative)}, {len(part.loadings)} features{self._given()}"
        return [
            f"Certificate: {asked}",
            f"found: {variance_share(self.lower, part)} with {part.cardinality} features",
            f"       {line(part)}",
            *self._proven_lines(),
            *filter(None, [self.ahead()]),
        ]


@dataclass(frozen=True, eq=False, repr=False)
class PartsCertificate(Sandwich):
    """r parts with disjoint supports, and a proven upper bound on the total variance of any r such parts.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    >>> cert = nnspca.certify_parts(cov, n_components=2, k=3)
    >>> len(cert.parts), cert.lower <= cert.upper
    (2, True)
    """

    n_components: int  #: Parts allowed: r unit vectors, no feature in two of them
    k: int  #: Cardinality allowed to each
    nonnegative: bool  #: Whether the sign constraint is on
    lower: float  #: Sum of the variances of ``parts``, the best known
    upper: float  #: The least of ``bounds``: no r such parts have a larger sum of variances
    parts: tuple[Component, ...]  #: Attain ``lower``; fewer than r if further parts would have no variance
    bounds: tuple[Bound, ...]  #: Every upper bound tried: keys of ``nnspca.bounds.registry.PARTS_BOUNDS``
    fingerprint: str  #: Hash of the covariance that the bounds are for
    effort: str = "live"  #: ``"live"`` or ``"thorough"``
    seconds: float = field(default=0.0, compare=False)  #: Wall-clock time, the search for parts included
    stopped: bool = False  #: True when ``should_stop`` ended the call early; the bounds are valid all the same
    #: Features that no part may use; the proofs in ``bounds`` are of A on the others, ascending
    exclude: tuple[int, ...] = ()

    @property
    def loadings(self) -> np.ndarray:
        """The parts as unit columns, shape (n, number of parts)."""
        return np.column_stack([part.loadings for part in self.parts])

    def summary(self) -> str:
        """Return plain sentences: the parts found, and their proven share of the optimum."""
        return sentences.join(clauses(self.parts), self.proven())

    def proven(self) -> str:
        """Return in a sentence what share of the optimum the parts are proven to have."""
        parts, features = wording.counted(self.n_components, "part"), _features(self.k, self.nonnegative)
        return self._proven_of(f"{parts} of at most {features} each, no feature in two of them{self._without()}")

    def _without(self) -> str:
        names = [self.parts[0].feature_name(i) for i in self.exclude]
        return f", {wording.named(names)} excluded" if names else ""

    def _lines(self) -> list[str]:
        head = (
            f"PartsCertificate: {len(self.parts)} parts of {self.n_components} allowed, k = {self.k}, "
            f"{wording.sign_in_words(self.nonnegative)}, {len(self.parts[0].loadings)} features{self._without()}"
        )
        listed = [f"{c}: {line(part)}" for c, part in enumerate(self.parts[:2], start=1)]
        more = [f"… and {len(self.parts) - 2} more"] if len(self.parts) > 2 else []
        return [head, *listed, *more, *self._proven_lines()]


def _features(k: int, nonnegative: bool) -> str:
    return f"{wording.counted(k, 'feature')} {'with loadings ≥ 0' if nonnegative else 'of any sign'}"


@dataclass(frozen=True, eq=False, repr=False)
class Judgement(Display):
    """Components that others found, each beside a certificate for its own cardinality and sign.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[3.0, 1.0, 0.0], [1.0, 3.0, 0.0], [0.0, 0.0, 2.0]], names=["a", "b", "c"])
    >>> judged = nnspca.certify_loadings(cov, [0.0, 3.0, 4.0])
    >>> judged
    Judgement: one component of three features beside the proven maximum
      1: two features, loadings ≥ 0: variance 2.360, at least 58.9 % of the optimum (proven); better: a and b
    >>> judged.better[0].names, judged.ratio.round(3)
    (('a', 'b'), array([0.59]))
    """

    components: tuple[Component, ...]  #: What was given: unit vectors, with the variance that each has here
    #: One for each: of as many features with the same sign constraint. Its ``component`` is the best one known, its
    #: ``upper`` the proven maximum; those of one cardinality and sign share one.
    certificates: tuple[Certificate, ...]
    stopped: bool = False  #: True when ``should_stop`` ended the call early; the maxima are proven all the same
    seconds: float = field(default=0.0, compare=False)  #: Wall-clock time

    @property
    def variances(self) -> np.ndarray:
        """Variance of each component, shape (r,)."""
        return np.array([part.variance for part in self.components])

    @property
    def upper(self) -> np.ndarray:
        """Proven maximum of the variance that as many features with these signs can have, shape (r,)."""
        return np.array([certificate.upper for certificate in self.certificates])

    @property
    def ratio(self) -> np.ndarray:
        """Share of that maximum that each component is proven to have, shape (r,), as ``Certificate.ratio``."""
        return np.clip(np.nextafter(self.variances / self.upper, 0.0), 0.0, 1.0)

    @property
    def better(self) -> tuple[Component | None, ...]:
        """For each the best component known of the same cardinality and sign; None where none is better."""
        pairs = zip(self.components, self.certificates, strict=True)
        return tuple(c.component if c.lower > part.variance * (1 + BETTER) else None for part, c in pairs)

    def to_frame(self) -> DataFrame:
        """Return a data frame with a row for each component."""
        parts, certificates = self.components, self.certificates
        columns = {
            "variance": self.variances,
            "share": [part.share for part in parts],
            "cardinality": [part.cardinality for part in parts],
            "k": [part.k for part in parts],
            "nonnegative": [part.nonnegative for part in parts],
            "upper": self.upper,
            "ratio": self.ratio,
            "best_found": [max(c.lower, part.variance) for part, c in zip(parts, certificates, strict=True)],
            "better": ["" if other is None else ", ".join(other.names) for other in self.better],
        }
        return self._frame(columns, index=range(1, len(parts) + 1), name="component")

    def summary(self) -> str:
        """Return plain sentences: how near to the proven maximum each component is, and what does better."""
        described = [self._sentence(c) for c in range(min(len(self.components), DESCRIBED))]
        more = len(self.components) - len(described)
        least = rounded.ratio(float(self.ratio[len(described) :].min(initial=1.0)))
        others = f"Of {wording.in_letters(more)} more, each has at least {least} of it (proven)."
        return sentences.join(*described, others if more else "")

    def _figure(self, figures: Any) -> Figure:
        """The variance of each component, the best one known, and the proven maximum."""
        best = [max(c.lower, v) for c, v in zip(self.certificates, self.variances.tolist(), strict=True)]
        return figures.judgement(self.variances.tolist(), best, self.upper.tolist())

    def _sentence(self, c: int) -> str:
        part, upper, other = self.components[c], self.certificates[c].upper, self.better[c]
        allowed = _features(part.k, part.nonnegative)
        share, gap = rounded.ratio(part.variance, upper), rounded.gap(part.variance, upper)
        text = f"Component {c + 1} has at least {share} of the optimum of {allowed}; gap at most {gap} (proven)"
        if other is None:
            return f"{text}."
        times = other.variance / part.variance if part.variance > 0 else np.inf
        more = f"{rounded.percent(times - 1)} more" if times < 2 else f"{times:.3g} times as much"
        have = f"{'has' if other.cardinality == 1 else 'have'} {more if times < np.inf else 'more'}"
        return f"{text}; {features_in_words(other)} {have}."

    def _lines(self) -> list[str]:
        count, n = len(self.components), len(self.components[0].loadings)
        lines = [
            f"Judgement: {wording.counted(count, 'component')} of {wording.counted(n, 'feature')} "
            "beside the proven maximum"
        ]
        for c, (part, other) in enumerate(zip(self.components[:DESCRIBED], self.better[:DESCRIBED], strict=True)):
            share = rounded.ratio(part.variance, self.certificates[c].upper)
            named = "" if other is None else f"; better: {features_in_words(other, 3)}"
            lines.append(
                f"{c + 1}: {wording.counted(part.k, 'feature')}, {wording.sign_in_words(part.nonnegative)}: "
                f"variance {rounded.number(part.variance, down=True)}, at least {share} of the optimum (proven){named}"
            )
        return [*lines, *([f"… and {count - DESCRIBED} more"] if count > DESCRIBED else [])]
