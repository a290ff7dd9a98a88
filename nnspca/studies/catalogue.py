"""The papers, their studies and the numbers that they print; stored runs, which are ZIP files of CSV tables."""

from __future__ import annotations

import json
import zipfile
from functools import cache
from pathlib import Path
from typing import IO

import pandas as pd

from nnspca.studies import (
    asteris2011,
    asteris2014,
    sigg2008,
    sigg2008_genes,
    sigg2008_nonnegative,
    zass2006,
    zass2006_detection,
)
from nnspca.studies.study import PRINTED, WORDS, Paper, Study, StudyResult

FOLDER = Path(__file__).parent / "stored"  # written by `python -m tests.stored`
MODULES = (asteris2014, asteris2011, sigg2008, sigg2008_nonnegative, sigg2008_genes, zass2006, zass2006_detection)
FIGURES = {name: functions for module in MODULES for name, functions in module.FIGURES.items()}
PAPERS = {name: Paper(name, **words) for name, words in WORDS["papers"].items()}


def _study(name: str, words: dict) -> Study:
    yields, show = FIGURES[name]
    facts = {key: tuple(words.get(key, ())) for key in ("needs", "stand_ins")}
    facts["printed"] = tuple(number for number in PRINTED if number.study == name)
    return Study(name, PAPERS[name.partition("-")[0]], yields=yields, show=show, **words | facts)


STUDIES = {name: _study(name, words) for name, words in WORDS["studies"].items()}


@cache
def stored(study: str) -> StudyResult | None:
    """Return the stored run of a study: reduced, seed 0, on the paper's own data.

    Parameters
    ----------
    study : str
        A name in ``STUDIES``.

    Returns
    -------
    StudyResult or None
        None if no run is stored. Photographs of data sets that are not bundled are left out.

    Examples
    --------
    >>> stored("asteris2014-fig6").data, stored("no such study")
    (('lrs',), None)
    """
    file = FOLDER / f"{study}.zip"
    return read(STUDIES[study], file) if file.is_file() else None


def read(study: Study, file: Path | IO[bytes]) -> StudyResult:
    """Return a run from a file as :func:`pack` makes it."""
    with zipfile.ZipFile(file) as held:
        about = json.loads(held.read("run.json"))
        frames = {
            name.removesuffix(".csv"): pd.read_csv(
                held.open(name), float_precision="round_trip", keep_default_na=False, na_values=[""]
            )
            for name in held.namelist()
            if name.endswith(".csv")
        }
    about |= {"data": tuple(about["data"]), "shape": tuple(about["shape"])}
    return StudyResult(study, frames, **about)
