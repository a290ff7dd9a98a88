"""Nonnegative sparse PCA: solvers, proven upper bounds, and certificates anyone can re-check."""

from nnspca.covariance import Covariance
from nnspca.errors import CertificateError, DataError
from nnspca.result import Bound, Certificate, Component, Progress, Sweep, SweepPoint
from nnspca.solve import solve
from nnspca.solvers.registry import METHODS, MethodInfo, OptionInfo

__all__ = [
    "METHODS",
    "Bound",
    "Certificate",
    "CertificateError",
    "Component",
    "Covariance",
    "DataError",
    "MethodInfo",
    "OptionInfo",
    "Progress",
    "Sweep",
    "SweepPoint",
    "solve",
]
