"""Excluding: one way in which every function of a covariance takes ``exclude``: run on the features left, widened."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from nnspca.certificates.judge import narrowed
from nnspca.control.arguments import shown
from nnspca.covariance import Covariance
from nnspca.covariance.restriction import check_excluded, check_variances, places_of, widened
from nnspca.errors import CertificateError
from nnspca.numerics.doubles import read_only
from nnspca.result import Certificate, Component, Components, PartsCertificate, PartsSweep, Sweep

P = ParamSpec("P")
R = TypeVar("R")
COMPONENTS = ("parts", "start_from")  # arguments that are components for all features


@dataclass(frozen=True)
class _Left:
    """The features left of a covariance."""

    whole: Covariance
    exclude: tuple[int, ...]

    @property
    def places(self) -> np.ndarray:
        return np.setdiff1d(np.arange(self.whole.n_features), self.exclude)

    def narrow(self, name: str, value: Any) -> Any:
        """Components for all features as those for the features left; ValueError if they use another."""
        if isinstance(value, Component):
            try:
                return narrowed(value, "component", self.places, self.whole.n_features)
            except CertificateError as error:
                raise ValueError(f"{name}: {error}") from error
        if isinstance(value, Components):
            return replace(value, parts=tuple(self.narrow(name, part) for part in value))
        if isinstance(value, list | tuple):
            return [self.narrow(name, part) for part in value]
        raise ValueError(f"{name}={shown(value)} does not go with exclude; give Component or Components")

    def widen(self, result: Any) -> Any:
        """What was found on the features left, for all features; certificates of deflated covariances stay."""
        cov = self.whole
        if isinstance(result, Component):
            x = read_only(widened(result.loadings, self.places, cov.n_features))
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
        left = _Left(cov, outs)
        check_variances(cov.diagonal[left.places])
        own = cov.restrict(left.places)
        asked["cov"] = own
        if asked.get("include") is not None:
            ins = places_of("include", asked["include"], cov.n_features, cov.feature_names)
            if both := sorted(set(ins) & set(outs)):
                raise ValueError(f"include and exclude share feature {both[0]}; give it to one of them at most")
            asked["include"] = np.searchsorted(left.places, ins).tolist()
        for name in COMPONENTS:
            if asked.get(name) is not None:
                asked[name] = left.narrow(name, asked[name])
        if isinstance(before := asked.get("warm_start"), PartsCertificate):
            if (before.fingerprint, before.exclude) != (cov.fingerprint, outs):
                raise ValueError("warm_start must be a certificate of this covariance that excludes the same features")
            parts = tuple(left.narrow("warm_start", part) for part in before.parts)
            asked["warm_start"] = replace(before, parts=parts, fingerprint=own.fingerprint, exclude=())
        for name, told in asked.items():
            if name.startswith("on_") and name != "on_progress" and told is not None:
                asked[name] = lambda result, tell=told: tell(left.widen(result))
        options = asked.pop("options", {})  # of a method
        run: Callable[..., R] = call
        return left.widen(run(**asked, **options))

    return limited
