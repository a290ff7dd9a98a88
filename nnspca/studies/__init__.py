"""The papers' studies as functions that return tables; nothing here draws, so notebooks can use them too."""

from nnspca.studies import (
    asteris2011,
    asteris2014,
    asteris2014_curves,
    asteris2014_parts,
    asteris2014_theorem,
    comparison,
    sigg2008,
    sigg2008_bisection,
    sigg2008_genes,
    sigg2008_nonnegative,
    zass2006,
    zass2006_faces,
    zass2006_pitprops,
)
from nnspca.studies._paper_bound import paper_bound
from nnspca.studies._race import race
from nnspca.studies.picture import Band, Bars, Curves, Line, Mark, Parts, Picture, Span
from nnspca.studies.printed import PRINTED, Printed
from nnspca.studies.stored_runs import stored
from nnspca.studies.study import PAPERS, Paper, Study, StudyResult, Task
from nnspca.studies.table import Column, StudyTable

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

__all__ = [
    "PAPERS",
    "PRINTED",
    "STUDIES",
    "Band",
    "Bars",
    "Column",
    "Curves",
    "Line",
    "Mark",
    "Paper",
    "Parts",
    "Picture",
    "Printed",
    "Span",
    "Study",
    "StudyResult",
    "StudyTable",
    "Task",
    "comparison",
    "paper_bound",
    "race",
    "stored",
]
