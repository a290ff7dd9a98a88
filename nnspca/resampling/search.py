"""What is sought in every choice of samples, as ``decompose`` takes it: read once, sent to each worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nnspca.calls.arguments import check_whole
from nnspca.components.decompose import decompose
from nnspca.covariance import Covariance
from nnspca.errors import DataError
from nnspca.resampling.samples import Samples
from nnspca.result import Components, ShouldStop
from nnspca.tasks._solve import check_method, check_seed


@dataclass(frozen=True)
class Search:
    """A number of components, the solver that seeks them, its sign constraint, its seed and its other options."""

    r: int
    method: str
    nonnegative: bool
    seed: int
    options: Mapping[str, Any]

    @classmethod
    def read(
        cls, samples: Samples, r: int, method: str, nonnegative: bool, seed: int, options: Mapping[str, Any]
    ) -> Search:
        """Read what a caller asks for; DataError where there are too few samples to choose from."""
        check_method(method, nonnegative)
        m, n = samples.shape
        made = cls(check_whole("r", r, 1, n), method, bool(nonnegative), check_seed(seed), options)
        if m == 1:
            raise DataError("one sample has no variance; give at least 2 samples")
        return made

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
