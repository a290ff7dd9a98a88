"""The papers' studies as functions that return tables; nothing here draws, so notebooks can use them too."""

from nnspca.studies import comparison
from nnspca.studies._race import race
from nnspca.studies.picture import Band, Bars, Curves, Line, Mark, Parts, Picture, Span
from nnspca.studies.printed import PRINTED, Printed
from nnspca.studies.registry import STUDIES
from nnspca.studies.stored_runs import stored
from nnspca.studies.study import PAPERS, Paper, Study, StudyResult, Task
from nnspca.studies.table import Column, StudyTable

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
    "race",
    "stored",
]
