"""The search that is repeated on every resample: the options of ``decompose``, checked once."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nnspca.components._decompose import decompose
from nnspca.control.arguments import check_whole, shown
from nnspca.covariance import Covariance
from nnspca.errors import DataError
from nnspca.resampling.samples import Samples
from nnspca.result import Components, ShouldStop
from nnspca.tasks._solve import check_method, check_seed

# Arguments of `decompose` that have no meaning within a resample (callbacks, executors and the like).
UNREAD = set(inspect.signature(decompose).parameters) - {"deflation", "min_angle", "starts", "options"}


@dataclass(frozen=True)
class Search:
    """The number of components, solver, sign constraint, seed and other options of the search."""

    r: int
    method: str
    nonnegative: bool
    seed: int
    options: Mapping[str, Any]

    @classmethod
    def read(
        cls, samples: Samples, r: int, method: str, nonnegative: bool, seed: int, options: Mapping[str, Any]
    ) -> Search:
        """Check a caller's options; DataError if there are too few samples."""
        check_method(method, nonnegative)
        if unread := sorted(set(options) & UNREAD):
            given = f"{unread[0]}={shown(options[unread[0]])}"
            raise ValueError(f"{given} is not allowed here; give deflation, min_angle, starts or options of the method")
        m, n = samples.shape
        search = cls(check_whole("n_components", r, 1, n), method, bool(nonnegative), check_seed(seed), options)
        if m == 1:
            raise DataError("one sample has no variance; give at least 2 samples")
        return search

    def of(self, cov: Covariance, k: int | Sequence[int], should_stop: ShouldStop | None) -> Components:
        """Return the components of one covariance."""
        return decompose(
            cov,
            self.r,
            k,
            self.method,
            nonnegative=self.nonnegative,
            seed=self.seed,
            should_stop=should_stop,
            **self.options,
        )
