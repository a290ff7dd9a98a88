"""Nonnegative sparse PCA: solvers, proven upper bounds, and certificates anyone can re-check."""

from nnspca import datasets
from nnspca.archive import load_certificate, save_certificate
from nnspca.bounds.registry import BOUNDS, BoundInfo
from nnspca.certify import certify
from nnspca.covariance import Covariance
from nnspca.deflate import DEFLATIONS, DeflationInfo, deflate
from nnspca.deflation import decompose
from nnspca.errors import CertificateError, DataError
from nnspca.estimator import NonnegativeSparsePCA
from nnspca.result import Bound, Certificate, Component, Components, Progress, Sweep, SweepPoint
from nnspca.solve import solve
from nnspca.solvers.registry import METHODS, MethodInfo, OptionInfo
from nnspca.sweep import sweep
from nnspca.verify import verify

__all__ = [
    "BOUNDS",
    "DEFLATIONS",
    "METHODS",
    "Bound",
    "BoundInfo",
    "Certificate",
    "CertificateError",
    "Component",
    "Components",
    "Covariance",
    "DataError",
    "DeflationInfo",
    "MethodInfo",
    "NonnegativeSparsePCA",
    "OptionInfo",
    "Progress",
    "Sweep",
    "SweepPoint",
    "certify",
    "datasets",
    "decompose",
    "deflate",
    "load_certificate",
    "save_certificate",
    "solve",
    "sweep",
    "verify",
]
