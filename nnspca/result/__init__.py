"""Results: components, bounds, certificates and sweeps, all frozen."""

from dataclasses import is_dataclass

from nnspca.control.fields import with_fields
from nnspca.control.progress import OnProgress, Progress, ShouldStop
from nnspca.result.certificate import Bound, Certificate, Judgement, PartsCertificate, Sandwich
from nnspca.result.chance import ParallelAnalysis
from nnspca.result.component import Component
from nnspca.result.components import Components, Ranking, overlap
from nnspca.result.features import Features
from nnspca.result.necessity import Contribution, Necessity
from nnspca.result.stability import CrossValidation, Stability
from nnspca.result.sweep import PartsPoint, PartsSweep, Sweep, SweepPoint

__all__ = [
    "Bound",
    "Certificate",
    "Component",
    "Components",
    "Contribution",
    "CrossValidation",
    "Features",
    "Judgement",
    "Necessity",
    "OnProgress",
    "ParallelAnalysis",
    "PartsCertificate",
    "PartsPoint",
    "PartsSweep",
    "Progress",
    "Ranking",
    "Sandwich",
    "ShouldStop",
    "Stability",
    "Sweep",
    "SweepPoint",
    "overlap",
]

with_fields(*(each for name in __all__ if is_dataclass(each := globals()[name])))
