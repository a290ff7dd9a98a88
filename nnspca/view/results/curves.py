"""Jobs that sweep over k: a curve's work, which publishes points as they come, and the points known already."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from nnspca.datasets import Dataset
from nnspca.result import Certificate, Component, Progress, Sweep, SweepPoint
from nnspca.tasks import certify_path, path
from nnspca.view.jobs import machines
from nnspca.view.jobs.job import Job, stretch
from nnspca.view.link.state import State
from nnspca.view.sources import store

SOLVING = 0.3  # share of the progress that the bare curve takes


@dataclass(frozen=True)
class Points:
    """The points of one path that any session has finished; another run of the same path starts from them."""

    path: tuple[Hashable, ...]

    def component(self, k: int, method: str) -> Component | None:
        """Return what a method found at k."""
        found: Component | None = store.results().get((*self.path, k, method))
        return found

    def certificate(self, k: int) -> Certificate | None:
        """Return what is proven at k."""
        proven: Certificate | None = store.results().get((*self.path, k))
        return proven

    def keep(self, point: SweepPoint) -> None:
        """Note a finished point; the first word on it stays, for later ones follow from it at the path's end."""
        found, proven = point.component, point.certificate
        if not found.stopped and self.component(point.k, point.method) is None:
            store.results().put((*self.path, point.k, point.method), found)
        if proven is not None and not proven.stopped and self.certificate(point.k) is None:
            store.results().put((*self.path, point.k), proven)

    def rough(self) -> dict[int, Component]:
        """Return the components found at each k before the search, to be replaced by better ones."""
        components: dict[int, Component] | None = store.results().get((*self.path, "rough"))
        if components is None:
            components = {}
            store.results().put((*self.path, "rough"), components)
        return components

    def forget(self, ks: Sequence[int], methods: Sequence[str]) -> None:
        """Throw the points away."""
        store.results().drop((*self.path, "rough"))
        for k in ks:
            for rest in ((k,), *((k, method) for method in methods)):
                store.results().drop((*self.path, *rest))


def stages(
    data: Dataset,
    now: State,
    ks: Sequence[int],
    methods: Sequence[str],
    publish: Callable[[Job, SweepPoint], None],
    report: Callable[[Job, Progress], None],
) -> tuple[Callable[[Job], Sweep], Callable[[Job, Sweep], Sweep]]:
    """Return the work of one curve in two: the bare curve, then its upper bounds."""
    cov, known = store.covariance(data, now), Points(store.curve_key(data, now, ks, methods))

    def tell(job: Job, point: SweepPoint) -> None:
        known.keep(point)
        publish(job, point)

    def solve(job: Job) -> Sweep:
        return path(
            cov,
            ks,
            tuple(methods),
            nonnegative=now.nonnegative,
            seed=now.seed,
            first=known.rough(),
            known=known.component,
            executor=machines.executor(),
            on_point=lambda point: tell(job, point),
            should_stop=job.should_stop,
            on_progress=stretch(lambda progress: report(job, progress), 0.0, SOLVING),
        )

    def prove(job: Job, bare: Sweep) -> Sweep:
        return certify_path(
            cov,
            bare,
            known=known.certificate,
            executor=machines.executor(),
            seed=now.seed,
            on_point=lambda point: tell(job, point),
            should_stop=job.should_stop,
            on_progress=stretch(lambda progress: report(job, progress), SOLVING, 1.0),
        )

    return solve, prove
