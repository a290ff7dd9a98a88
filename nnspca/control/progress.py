"""Progress reports and the stop switch of a running call, and of the passes over data within it; a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

BAR = 30  # characters of a full progress bar
ShouldStop = Callable[[], bool]
OnFound = Callable[[np.ndarray, float], None]


@dataclass(frozen=True)
class Progress:
    """The progress of a running call.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> reports = []
    >>> part = nnspca.solve(cov, k=1, on_progress=reports.append)
    >>> reports[-1]
    Progress(fraction=1.0, stage='done', variance=2.0, upper=None)
    """

    fraction: float  #: Between 0 and 1, never decreasing within one call
    stage: str  #: The current step, in plain words
    variance: float | None = None  #: The best variance found so far
    upper: float | None = None  #: The least proven upper bound so far


OnProgress = Callable[[Progress], None]


@dataclass
class Allowance:
    """The work that a call, or a search in it, may still do: in seconds that are counted, not timed."""

    left: float
    spent: float = 0.0

    def pay(self, seconds: float) -> None:
        """Subtract work."""
        self.left -= seconds
        self.spent += seconds

    def limit(self, seconds: float) -> None:
        """Leave no more than this."""
        self.left = min(self.left, seconds)


@dataclass(frozen=True)
class Monitor:
    """A span of a call's progress bar, with its stop switch and its allowance."""

    should_stop: ShouldStop | None = None  # polled at least every 100 ms
    on_progress: OnProgress | None = None
    start: float = 0.0  # the part of the whole call that this span covers
    end: float = 1.0
    on_found: OnFound | None = None  # called with every feasible point on the way, improved or not
    allowance: Allowance | None = None  # once it is spent, loops end as if the caller had asked to stop
    search: Allowance = field(default_factory=lambda: Allowance(np.inf))  # one search begins no step once it is spent

    def stop(self) -> bool:
        """Whether the caller asked to stop, or the allowance is spent."""
        return (self.allowance is not None and self.allowance.left <= 0) or self.interrupted()

    def interrupted(self) -> bool:
        """Whether the caller asked to stop."""
        return self.should_stop is not None and bool(self.should_stop())

    def pay(self, seconds: float) -> None:
        """Subtract work from the allowance, if there is one."""
        if self.allowance is not None:
            self.allowance.pay(seconds)

    def affords(self, seconds: float) -> bool:
        """Whether the allowance suffices for this."""
        return self.allowance is None or self.allowance.left >= seconds

    def tell(self, fraction: float, stage: str, variance: float | None = None, upper: float | None = None) -> None:
        """Report that ``fraction`` of this span is done."""
        if self.on_progress is not None:
            position = self.start + (self.end - self.start) * min(max(fraction, 0.0), 1.0)
            self.on_progress(Progress(position, stage, variance, upper))

    def report_point(self, loadings: np.ndarray, variance: float) -> None:
        """Report a feasible point; the listener keeps the best."""
        if self.on_found is not None:
            self.on_found(loadings, float(variance))

    def within(self, seconds: float) -> Monitor:
        """Return this span for a search whose steps may take so much work."""
        return replace(self, search=Allowance(seconds))

    def relay(self, progress: Progress) -> None:
        """Map another call's progress to this span."""
        self.tell(progress.fraction, progress.stage, progress.variance, progress.upper)

    def part(self, start: float, end: float) -> Monitor:
        """Return the sub-span from ``start`` to ``end``, as fractions of this one."""
        width = self.end - self.start
        return replace(self, start=self.start + width * start, end=self.start + width * end)

    def without_points(self) -> Monitor:
        """Return this span without ``on_found``, for a search whose points are no results yet."""
        return replace(self, on_found=None)

    def on_features(
        self, features: np.ndarray, n: int, variance: Callable[[np.ndarray], float] | None = None
    ) -> Monitor:
        """Return this span for a search on some of ``n`` features: its points are reported with zeros elsewhere.

        ``variance`` measures them where the search knows their variances only nearly.
        """
        report = self.on_found
        if report is None:
            return self

        def report_widened(loadings: np.ndarray, found: float) -> None:
            x = np.zeros(n)
            x[features] = loadings
            report(x, found if variance is None else variance(x))

        return replace(self, on_found=report_widened)


def progress_bar(title: str = "nnspca") -> Callable[[Progress], None]:
    """Return a callback for ``on_progress`` that shows the progress on standard error.

    Parameters
    ----------
    title : str
        Label in front of the bar.

    Returns
    -------
    callable
        With :class:`nnspca.result.Progress`.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> nnspca.certify(cov, k=1, on_progress=nnspca.progress_bar("certify")).ratio > 0.99
    True
    """
    drawn = ("", "")

    def draw(progress: Progress) -> None:
        nonlocal drawn
        share = f"{progress.fraction:4.0%}"
        if drawn != (share, progress.stage):
            drawn = share, progress.stage
            bar, end = "█" * int(BAR * progress.fraction), "\n" if progress.fraction >= 1.0 else ""
            print(f"\r{title}: {share} |{bar:{BAR}}| {progress.stage:40.40}", end=end, file=sys.stderr, flush=True)

    return draw
