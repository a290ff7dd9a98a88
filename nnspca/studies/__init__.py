"""The papers' studies: generators of rows, and the tables made of them; nothing here draws, so notebooks use it too."""

from nnspca.spannogram.net import paper_bound
from nnspca.studies.catalogue import PAPERS, STUDIES, stored
from nnspca.studies.racing import race
from nnspca.studies.study import PRINTED, Given, Paper, Picture, Printed, Study, StudyResult, Table

__all__ = [
    "PAPERS",
    "PRINTED",
    "STUDIES",
    "Given",
    "Paper",
    "Picture",
    "Printed",
    "Study",
    "StudyResult",
    "Table",
    "paper_bound",
    "race",
    "stored",
]
