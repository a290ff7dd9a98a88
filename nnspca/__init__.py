"""Nonnegative sparse PCA: solvers, proven upper bounds, and certificates that can be checked independently."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nnspca import datasets, result
from nnspca.bounds.registry import BOUNDS
from nnspca.certificates.file import load_certificate, save_certificate
from nnspca.certificates.judge import verify
from nnspca.components._certify import certify_parts
from nnspca.components._decompose import decompose
from nnspca.components._deflate import DEFLATIONS, deflate
from nnspca.components._sweep import sweep_parts
from nnspca.control.installed import VERSION
from nnspca.control.progress import progress_bar
from nnspca.covariance import Covariance
from nnspca.covariance.choosing import most_variable
from nnspca.errors import CertificateError, DataError
from nnspca.resampling._bootstrap import bootstrap, cross_validate
from nnspca.resampling._chance import parallel_analysis
from nnspca.result import Bound, Certificate, Component, Components, PartsCertificate, PartsSweep, Sweep
from nnspca.solvers.registry import METHODS
from nnspca.tasks._certify import certify
from nnspca.tasks._contribution import certify_loadings, contribution
from nnspca.tasks._necessity import necessity
from nnspca.tasks._ranking import solve_all
from nnspca.tasks._scores import scores, separation
from nnspca.tasks._solve import solve
from nnspca.tasks._sweep import sweep

if TYPE_CHECKING:
    from nnspca import anndata, studies
    from nnspca.estimator import NonnegativeSparsePCA

__version__ = VERSION

__all__ = [
    "BOUNDS",
    "DEFLATIONS",
    "METHODS",
    "Bound",
    "Certificate",
    "CertificateError",
    "Component",
    "Components",
    "Covariance",
    "DataError",
    "NonnegativeSparsePCA",
    "PartsCertificate",
    "PartsSweep",
    "Sweep",
    "anndata",
    "bootstrap",
    "certify",
    "certify_loadings",
    "certify_parts",
    "contribution",
    "cross_validate",
    "datasets",
    "decompose",
    "deflate",
    "load_certificate",
    "most_variable",
    "necessity",
    "parallel_analysis",
    "progress_bar",
    "result",
    "save_certificate",
    "scores",
    "separation",
    "solve",
    "solve_all",
    "studies",
    "sweep",
    "sweep_parts",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Import what takes long when it is asked for: the estimator (scikit-learn takes a second), the studies."""
    if name in ("anndata", "studies"):
        return import_module(f"nnspca.{name}")
    if name == "NonnegativeSparsePCA":
        return import_module("nnspca.estimator").NonnegativeSparsePCA
    raise AttributeError(f"module 'nnspca' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
