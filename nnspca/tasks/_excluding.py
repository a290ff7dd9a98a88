"""How every function takes ``exclude``: it runs on the features left, and its result is widened to all."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from nnspca.covariance import Covariance
from nnspca.covariance.problem import check_excluded, check_variances, on_all, places_of
from nnspca.numerics.doubles import read_only
from nnspca.result import Certificate, Component, Components, PartsCertificate, PartsSweep, Sweep

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Left:
    """The features left of a covariance."""

    whole: Covariance
    exclude: tuple[int, ...]
    places: np.ndarray

    def widen(self, result: Any) -> Any:
        """What was found on the features left, for all features; certificates of deflated covariances stay."""
        cov = self.whole
        if isinstance(result, Component):
            x = read_only(on_all(result.loadings, self.places, cov.n_features))
            return replace(result, loadings=x, features=cov.features)
        if isinstance(result, tuple):
            return tuple(self.widen(one) for one in result)
        if not is_dataclass(result) or isinstance(result, type):
            return result
        kept = {"certificates"} if isinstance(result, Components) else {"bounds"}
        values = {field.name: getattr(result, field.name) for field in fields(result) if field.name not in kept}
        changed = {name: wide for name, value in values.items() if (wide := self.widen(value)) is not value}
        if isinstance(result, Certificate | Components):
            changed["include"] = tuple(self.places[list(result.include)].tolist())
        if isinstance(result, Certificate | PartsCertificate):
            changed |= {"fingerprint": cov.fingerprint, "exclude": self.exclude}
        elif isinstance(result, Components):
            changed |= {"total": cov.trace, "exclude": self.exclude}
        elif isinstance(result, PartsSweep):
            changed["total"] = cov.trace
        elif isinstance(result, Sweep):
            changed["leading"] = float(cov.eigenpairs(1)[0][0])
        return replace(result, **changed)


def excluding(call: Callable[P, R]) -> Callable[P, R]:
    """Let a function take ``exclude``: it is called with the covariance of the other features, and without it."""
    signature = inspect.signature(call)

    @wraps(call)
    def limited(*args: P.args, **settings: P.kwargs) -> R:
        if settings.get("exclude") is None:
            return call(*args, **settings)
        asked = signature.bind(*args, **settings).arguments
        exclude, cov = asked.pop("exclude"), asked.get("cov")
        if not isinstance(cov, Covariance) or not (outs := check_excluded(cov, exclude)):
            return call(*args, **settings)
        left = Left(cov, outs, np.setdiff1d(np.arange(cov.n_features), outs))
        check_variances(cov.diagonal[left.places])
        own = cov.restrict(left.places)
        asked["cov"] = own
        if asked.get("include") is not None:
            ins = places_of("include", asked["include"], cov.n_features, cov.feature_names)
            if both := sorted(set(ins) & set(outs)):
                raise ValueError(f"include and exclude share feature {both[0]}; give it to one of them at most")
            asked["include"] = np.searchsorted(left.places, ins).tolist()
        for name, listener in asked.items():
            if name.startswith("on_") and name != "on_progress" and listener is not None:
                asked[name] = lambda result, tell=listener: tell(left.widen(result))
        options = asked.pop("options", {})  # of a method
        run: Callable[..., R] = call
        return left.widen(run(**asked, **options))

    return limited
