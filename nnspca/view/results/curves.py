"""Curves along k: the work of one, which publishes points as they come, and the points known already."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, Sweep, SweepPoint
from nnspca.tasks import certify_path, path
from nnspca.view import cache
from nnspca.view.jobs import machines
from nnspca.view.jobs.job import Job
from nnspca.view.link.state import State
from nnspca.view.results import known
from nnspca.view.sources import store

SOLVING = 0.3  # share of the progress that the bare curve takes


class Curve:
    """A path of one problem: its points are kept as they come, and another run of the same path starts from them."""

    def __init__(self, path: tuple[Hashable, ...], data: Dataset, now: State):
        self._path, self._data, self._now = path, data, now
        self._results, self._cov = cache.results(), store.covariance(data, now)

    def component(self, k: int, method: str) -> Component | None:
        """Return what a method found at k."""
        found: Component | None = self._results.get((*self._path, k, method))
        return found

    def certificate(self, k: int) -> Certificate | None:
        """Return what is proven at k."""
        proven: Certificate | None = self._results.get((*self._path, k))
        return proven

    def keep(self, point: SweepPoint) -> None:
        """Note a finished point; the first word on it stays, for later ones follow from it at the path's end."""
        found, proven = point.component, point.certificate
        if not found.stopped and self.component(point.k, point.method) is None:
            self._results.put((*self._path, point.k, point.method), found)
        if proven is not None and not proven.stopped and self.certificate(point.k) is None:
            self._results.put((*self._path, point.k), proven)

    def forget(self, ks: Sequence[int], methods: Sequence[str]) -> None:
        """Throw the points away."""
        for k in ks:
            for rest in ((k,), *((k, method) for method in methods)):
                self._results.drop((*self._path, *rest))

    def solve(self, job: Job, publish: Callable[[SweepPoint], None], ks: Sequence[int], **settings: Any) -> Sweep:
        """Find a component at each k; each point is kept, entered into the ledger, and published."""
        sign = self._now.nonnegative
        return path(self._cov, ks, nonnegative=sign, known=self.component, **self._common(job, publish), **settings)

    def prove(self, job: Job, publish: Callable[[SweepPoint], None], bare: Sweep, **settings: Any) -> Sweep:
        """Prove upper bounds of a curve; each point is told of again."""
        return certify_path(self._cov, bare, known=self.certificate, **self._common(job, publish), **settings)

    def _common(self, job: Job, publish: Callable[[SweepPoint], None]) -> dict[str, Any]:
        def tell(point: SweepPoint) -> None:
            self.keep(point)
            known.record(self._data, self._now, point)
            publish(point)

        stop = job.should_stop
        return {"seed": self._now.seed, "executor": machines.executor(), "on_point": tell, "should_stop": stop}
