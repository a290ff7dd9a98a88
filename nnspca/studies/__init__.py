"""The papers' studies: generators of rows, and the tables made of them; nothing here draws, so notebooks use it too."""

from nnspca.spannogram.net import paper_bound
from nnspca.studies.catalogue import PAPERS, PRINTED, STUDIES, stored
from nnspca.studies.racing import race
from nnspca.studies.study import Paper, Picture, Printed, Setup, Study, StudyResult, Table

__all__ = [
    "PAPERS",
    "PRINTED",
    "STUDIES",
    "Paper",
    "Picture",
    "Printed",
    "Setup",
    "Study",
    "StudyResult",
    "Table",
    "paper_bound",
    "race",
    "stored",
]
