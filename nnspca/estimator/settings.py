"""What an estimator is set to: as given, checked, or read off components that were found before."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from nnspca.components._decompose import decompose
from nnspca.control.arguments import check_instance, check_options, check_whole, shown
from nnspca.covariance import Covariance
from nnspca.result import Components
from nnspca.tasks._solve import check_covariance

DECOMPOSE_ARGUMENTS = set(inspect.signature(decompose).parameters) - {"starts", "options"}  # not options of a method
USUAL = 10  # nonzero loadings if n_nonzero is not given


def of_found(parts: Components, cov: Covariance) -> dict[str, Any]:
    """Return the settings that components and their covariance tell; ValueError where these do not belong together."""
    check_instance("parts", parts, Components, "the result of nnspca.decompose")
    check_covariance(cov)
    if len(parts.loadings) != cov.n_features or not np.allclose(cov.variance(parts.loadings.T), parts.variances):
        raise ValueError("parts are of other data than cov: give the covariance that they were found in")
    if cov.features.mean is None:
        raise ValueError("cov was given as a matrix: there is no mean to score samples with; give one of data")
    sizes = [part.k for part in parts]
    given: dict[str, Any] = {"method": parts.method, "deflation": parts.deflation, "nonnegative": parts.nonnegative}
    given |= {"n_nonzero": sizes[0] if len(set(sizes)) == 1 else sizes, "standardize": cov.features.standardized}
    return given | {"include": parts.include or None, "exclude": parts.exclude or None}


def options_of(given: dict[str, object] | None) -> dict[str, Any]:
    """Return the options of the method; ValueError for one that the estimator sets."""
    options: dict[str, Any] = check_options(given)
    if named := sorted(set(options) & DECOMPOSE_ARGUMENTS):
        raise ValueError(f"options={shown(given)} is not allowed: {named[0]!r} is no option of the method")
    return options


def are_several(given: Any) -> bool:
    """Whether more numbers than one may be given: an iterable that is no text."""
    return not isinstance(given, str) and isinstance(given, Iterable) and bool(getattr(given, "ndim", 1))


def sizes_of(given: Any, wanted: int, n: int) -> list[int]:
    """How many nonzero loadings each component may have; warn if a given number exceeds the number of features."""
    one = not are_several(given)
    sizes = [check_whole("n_nonzero", each, 1) for each in ([given] * wanted if one else given)]
    if len(sizes) != wanted:
        allowed = f"give one whole number, or {wanted}, one for each component"
        raise ValueError(f"n_nonzero={shown(given)} has {len(sizes)} values; {allowed}")
    if max(sizes) > n and not (one and given == USUAL):
        message = f"n_nonzero={shown(given)} is more than the {n} feature(s) there are: all may be used"
        warnings.warn(message, ConvergenceWarning, stacklevel=4)
    return [min(size, n) for size in sizes]


def seed_of(random_state: object) -> int:
    """The seed that a random state gives; ValueError if it is none."""
    if random_state is None:
        return 0
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    return check_whole("random_state", random_state, 0, more="a numpy.random.RandomState or Generator, or None")
