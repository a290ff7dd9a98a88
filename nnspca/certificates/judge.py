"""The judge: re-derives a certificate's two numbers from its ingredients; trusts no solver and no bound.

Nothing here is shared with the code that made the certificate, beyond the covariance and the definition of the feasible
set: bounds on eigenvalues are re-derived (through eigenvalues while that is quick, and through an orthonormal basis
where A is held as a factor), and row sums are read in full. Whatever is missing, malformed or not a number fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from nnspca.certificates.derivations import derive
from nnspca.certificates.numbers import EFFORTS, array, at_most, flag, real, text, whole
from nnspca.certificates.proofs import Proof
from nnspca.control.threads import one_blas_thread
from nnspca.covariance import Covariance
from nnspca.covariance.problem import Problem, restricted
from nnspca.errors import CertificateError
from nnspca.result import Bound, Certificate, Component, PartsCertificate

MOST_BOUNDS = 64  # several times what any certificate of ours holds: each may cost an eigenvalue of A
ATTAINED = 1e-9  # relative difference between a variance claimed and the one computed here


def verify(cert: Certificate | PartsCertificate, cov: Covariance) -> None:
    """Check that ``cert`` proves its claims about ``cov``.

    Parameters
    ----------
    cert : Certificate or PartsCertificate
    cov : Covariance
        The covariance it was made for.

    Raises
    ------
    CertificateError
        Names the first claim that fails.
    TypeError
        ``cert`` is no certificate, or ``cov`` no covariance.

    Examples
    --------
    >>> import dataclasses, nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> cert = nnspca.certify(cov, k=1)
    >>> nnspca.verify(cert, cov)
    >>> nnspca.verify(dataclasses.replace(cert, upper=cert.upper - 1e-6), cov)
    Traceback (most recent call last):
    nnspca.errors.CertificateError: the upper bound 1.99... is below the least proven one, 2.0...
    """
    if isinstance(cert, Covariance) and isinstance(cov, Certificate | PartsCertificate):
        raise TypeError("verify takes the certificate first: call verify(cert, cov)")
    if type(cert) not in (Certificate, PartsCertificate):  # a class made from them may answer twice
        raise TypeError(f"cert is a {type(cert).__name__}; give a Certificate, as certify returns it")
    if not isinstance(cov, Covariance):
        raise TypeError(f"cov is a {type(cov).__name__}; give a Covariance: Covariance.from_data(X), for one")
    if text(cert.fingerprint, "the fingerprint") != cov.fingerprint:
        raise CertificateError("it was made for other data: the fingerprints differ")
    with one_blas_thread(), np.errstate(all="ignore"):
        try:
            _check(cert, cov)
        except (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError) as error:
            raise CertificateError(f"its ingredients are malformed: {error}") from error


def _check(cert: Certificate | PartsCertificate, cov: Covariance) -> None:
    """Check all claims of a certificate; each is read once and has to be of its type."""
    one = type(cert) is Certificate
    include = _features(cert.include, "include", cov) if one else ()
    exclude = _features(cert.exclude, "exclude", cov)
    problem, left = restricted(_setting(cert, cov), include, exclude)
    if set(include) & set(exclude) or not problem.k == cert.k >= len(include):
        raise CertificateError(f"{len(include)} features included and {len(exclude)} excluded do not fit k = {cert.k}")
    r = 1 if isinstance(cert, Certificate) else whole(cert.n_components, "n_components", 1, cov.n_features)
    parts = (cert.component,) if isinstance(cert, Certificate) else cert.parts
    if type(parts) is not tuple or not 1 <= len(parts) <= r:
        raise CertificateError(f"it holds {len(parts)} parts; a tuple of 1 to {r} is allowed")
    attained, used = 0.0, np.zeros(problem.n, dtype=int)
    for place, given in enumerate(parts, start=1):
        what = "component" if one else f"part {place}"
        part = restricted_component(given, what, left, cov.n_features)
        attained += check_component(part, what, problem)
        used += part.loadings != 0
    if used.max() > 1:
        raise CertificateError("two parts use the same feature")
    proven = _proven(cert.bounds, lambda proof: derive(proof, problem, r))
    lower, upper = real(cert.lower, "the lower bound"), real(cert.upper, "the upper bound")
    if not close(lower, attained, problem.cov):
        raise CertificateError(f"the {'component attains' if one else 'parts attain'} {attained!r}, not {lower!r}")
    least = min(value for _, value in proven)
    if not at_most(least, upper):
        raise CertificateError(f"the upper bound {upper!r} is below the least proven one, {least!r}")
    if not at_most(lower, upper):
        raise CertificateError(f"the lower bound {lower!r} exceeds the upper bound {upper!r}")
    if isinstance(cert, Certificate):
        claimed = real(cert.leading, "the largest eigenvalue")
        leading = min((value for proof, value in proven if proof.holds_everywhere), default=np.inf)
        if not at_most(leading, claimed):
            raise CertificateError(f"the largest eigenvalue is claimed to be {claimed!r}; only {leading!r} is proven")


def _features(value: object, what: str, cov: Covariance) -> tuple[int, ...]:
    """The features of a certificate that are included or excluded, ascending."""
    if type(value) is not tuple:
        raise CertificateError(f"the features of {what} are a {type(value).__name__}, not a tuple")
    places = tuple(whole(i, f"a feature of {what}", 0, cov.n_features - 1) for i in value)
    if list(places) != sorted(set(places)):
        raise CertificateError(f"the features of {what} are not in order, each once")
    return places


def restricted_component(part: Component, what: str, left: np.ndarray, n: int) -> Component:
    """Return a component of n features on those left; CertificateError if it has a loading on another."""
    if len(left) == n:
        return part
    x = _loadings(part, what, n)
    if (lost := np.setdiff1d(np.flatnonzero(x), left)).size:
        raise CertificateError(
            f"loading {lost[0]} of the {what} is {x[lost[0]]:g}: the feature is excluded, or others take all k places"
        )
    return replace(part, loadings=x[left])


def _setting(cert: Certificate | PartsCertificate, cov: Covariance) -> Problem:
    """The problem with the claimed cardinality and sign constraint; the other fields have to be of their types."""
    if text(cert.effort, "the effort") not in EFFORTS:
        raise CertificateError(f"the effort is {cert.effort!r:.60}, not one of {', '.join(map(repr, EFFORTS))}")
    flag(cert.stopped, "the mark of a stopped call")
    real(cert.seconds, "the time taken", least=0.0)
    return Problem(cov, whole(cert.k, "k", 1, cov.n_features), flag(cert.nonnegative, "the sign constraint"))


def _proven(bounds: object, derived: Callable[[object], float]) -> list[tuple[Proof, float]]:
    """Proof and value of each deterministic bound, after its ingredients proved that value."""
    if type(bounds) is not tuple or not all(type(bound) is Bound for bound in bounds):
        raise CertificateError("its bounds must be a tuple of Bound")
    if len(bounds) > MOST_BOUNDS:
        raise CertificateError(f"it holds {len(bounds):,} bounds; {MOST_BOUNDS} are checked at most")
    proven = []
    for bound in bounds:
        name = text(bound.name, "the name of a bound")
        value = real(bound.value, f"the value of bound {name!r}")
        text(bound.detail, f"the detail of bound {name!r}")
        real(bound.seconds, f"the time of bound {name!r}", least=0.0)
        probability = real(bound.probability, f"the probability of bound {name!r}", least=0.0, most=1.0)
        if not flag(bound.deterministic, f"the mark of bound {name!r} as proven"):
            if probability == 1:
                raise CertificateError(f"bound {name!r} is not proven, and is said to hold with certainty")
            continue
        try:
            needed = derived(bound.ingredients)
        except CertificateError as error:
            raise CertificateError(f"bound {name!r}: {error}") from error
        if not at_most(needed, value):
            raise CertificateError(f"bound {name!r} claims {value!r}; its ingredients prove {needed!r} only")
        if probability < 1:
            raise CertificateError(f"bound {name!r} is called proven, and holds with probability {probability!r}")
        proven.append((bound.ingredients, value))
    if not proven:
        raise CertificateError("it holds no deterministic bound")
    return proven


def proven_bound(cert: Certificate | PartsCertificate, problem: Problem, r: int = 1) -> Bound | None:
    """Return the least bound of a given certificate with the value that its ingredients prove; None if they do not."""
    with one_blas_thread(), np.errstate(all="ignore"):
        try:
            bound = cert.winner
            proven = derive(bound.ingredients, problem, r)
            bound = replace(bound, value=max(real(bound.value, "the value of a bound"), proven))
            _proven((bound,), lambda proof: proven)
        except (CertificateError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            return None
    return bound


def close(claim: float, attained: float, cov: Covariance) -> bool:
    """Whether a claimed variance equals the attained one, up to differences of machines and of summation order."""
    return at_most(abs(attained - claim), ATTAINED * abs(attained) + cov.held.drift)


def checked(part: Component, what: str, problem: Problem, left: np.ndarray | None = None, n: int = 0) -> Component:
    """Return a caller's component as one of this problem; ValueError if the judge would refuse it later.

    ``left`` are the features of the problem where the component has loadings for n.
    """
    try:
        part = part if left is None else restricted_component(part, what, left, n)
        # one made for another k, sign or covariance is what it is here
        variance = problem.cov.variance(_loadings(part, what, problem.n))
        part = replace(part, k=problem.k, nonnegative=problem.nonnegative, variance=variance)
        check_component(part, what, problem)
    except CertificateError as error:
        raise ValueError(f"{error}; give what nnspca.solve gave, or what is made like it") from error
    return part


def _loadings(part: Component, what: str, n: int) -> np.ndarray:
    if type(part.loadings) is not np.ndarray:  # a masked one would show its reader other numbers than it holds
        raise CertificateError(f"the loadings of the {what} are a {type(part.loadings).__name__}, not a plain array")
    return array(part.loadings, f"the vector of loadings of the {what}", (n,))


def check_component(part: object, what: str, problem: Problem) -> float:
    """Check that a component is feasible and its fields are true; return the variance it attains."""
    if type(part) is not Component:
        raise CertificateError(f"the {what} is a {type(part).__name__}, not a Component")
    cov, k, nonnegative = problem.cov, problem.k, problem.nonnegative
    x = _loadings(part, what, cov.n_features)
    reason = problem.infeasibility(x)
    if reason:
        raise CertificateError(f"the {what} is not feasible for k={k}, nonnegative={nonnegative}: {reason}")
    attained = float(x @ cov.apply(x))
    variance = real(part.variance, f"the variance of the {what}")
    if not close(variance, attained, cov):
        raise CertificateError(f"the {what} attains {attained!r}, not {variance!r} as its variance has it")
    if whole(part.k, f"k of the {what}", 1, cov.n_features) != k:
        raise CertificateError(f"the {what} is one of k = {part.k}, the certificate one of k = {k}")
    if flag(part.nonnegative, f"the sign constraint of the {what}") != nonnegative:
        raise CertificateError(f"the {what} and the certificate differ in the sign constraint")
    if not text(part.method, f"the method of the {what}"):
        raise CertificateError(f"the {what} names no method")
    text(part.note, f"the note of the {what}")
    flag(part.stopped, f"the mark of the {what} as stopped")
    real(part.seconds, f"the time of the {what}", least=0.0)
    if not isinstance(part.options, Mapping) or type(part.history) is not tuple:
        raise CertificateError(f"the options of the {what} must be a mapping and its history a tuple")
    for step in part.history:
        real(step, f"a step in the history of the {what}")
    for name, value in part.options.items():
        setting = f"option {text(name, f'the name of an option of the {what}')!r:.60} of the {what}"
        if type(value) is str:
            text(value, setting)
        elif value is not None and type(value) is not bool:
            real(value, setting)
    return attained
