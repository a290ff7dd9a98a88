"""Several components of one covariance: what each explains and all together, what they share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from nnspca.result.certificate import Certificate, PartsCertificate
from nnspca.result.component import Component


@dataclass(frozen=True, eq=False)
class Components:
    """Several components of one covariance, and what they explain together.

    Attributes
    ----------
    parts : tuple of Component
        One for each component, in the order found; ``variance`` of each is x'Ax on the covariance
        given, not on a deflated one.
    cumulative_variance : ndarray, shape (r,)
        Variance of the span of the first 1, 2, …, r components: ``tr(Q'AQ)`` with Q an orthonormal
        basis of it. Components that are not orthogonal are not credited twice.
    total : float
        Trace of A: all the variance there is.
    method, deflation : str
        Keys of ``nnspca.METHODS`` and ``nnspca.DEFLATIONS``.
    nonnegative : bool
    options : mapping
        The options of method and deflation.
    history : tuple of float
        The objective of a joint method after each of its steps; empty otherwise.
    certificates : tuple of Certificate
        One for each component where ``certify`` was asked, on the (deflated) covariance that
        component was sought on; empty otherwise.
    certificate : PartsCertificate or None
        What is proven of all together, where parts sought "together" were to be certified.
    seconds : float
    stopped : bool
        True when ``should_stop`` ended the call early; fewer components than asked may then be
        here.
    note : str
        What there is to say about the run, in plain words.
    """

    parts: tuple[Component, ...]
    cumulative_variance: np.ndarray
    total: float
    method: str
    deflation: str
    nonnegative: bool = True
    options: Mapping[str, object] = field(default_factory=dict)
    history: tuple[float, ...] = ()
    certificates: tuple[Certificate, ...] = ()
    certificate: PartsCertificate | None = None
    seconds: float = 0.0
    stopped: bool = False
    note: str = ""

    @property
    def loadings(self) -> np.ndarray:
        """The components as unit columns, shape (n, r)."""
        return np.column_stack([part.loadings for part in self.parts])

    def padded(self, r: int) -> np.ndarray:
        """The components as rows, shape (r, n), with rows of zeros where there are fewer."""
        rows = np.zeros((r, len(self.parts[0].loadings)))
        rows[: len(self.parts)] = self.loadings.T
        return rows

    @property
    def variances(self) -> np.ndarray:
        """Each component's own variance x'Ax, shape (r,)."""
        return np.array([part.variance for part in self.parts])

    @property
    def cardinalities(self) -> np.ndarray:
        """Number of nonzero loadings of each component, shape (r,)."""
        return np.array([part.cardinality for part in self.parts])

    @property
    def overlap(self) -> float:
        """``‖I − U'U‖_F``: 0 for orthogonal components (Zass & Shashua 2006, Fig. 3)."""
        return overlap(self.loadings)

    @property
    def angles(self) -> np.ndarray:
        """Angles between the components in degrees, 0 to 90, shape (r, r)."""
        U = self.loadings
        cosines = np.clip(np.abs(U.T @ U), 0.0, 1.0)
        np.fill_diagonal(cosines, 1.0)
        return np.degrees(np.arccos(cosines))


def overlap(U: np.ndarray) -> float:
    """``‖I − U'U‖_F``: 0 for orthogonal unit columns."""
    return float(np.linalg.norm(np.eye(U.shape[1]) - U.T @ U))
