"""STUDIES: the registry of all studies."""

from __future__ import annotations

from nnspca.studies import (
    asteris2011,
    asteris2014,
    asteris2014_curves,
    asteris2014_parts,
    asteris2014_theorem,
    sigg2008,
    sigg2008_bisection,
    sigg2008_genes,
    sigg2008_nonnegative,
    zass2006,
    zass2006_faces,
    zass2006_pitprops,
)
from nnspca.studies.study import Study

MODULES = (
    asteris2014,
    asteris2014_parts,
    asteris2014_curves,
    asteris2014_theorem,
    asteris2011,
    sigg2008,
    sigg2008_bisection,
    sigg2008_nonnegative,
    sigg2008_genes,
    zass2006,
    zass2006_faces,
    zass2006_pitprops,
)
STUDIES: dict[str, Study] = {study.name: study for module in MODULES for study in module.STUDIES}
