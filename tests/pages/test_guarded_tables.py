"""No table that goes home runs anything: each writer of CSV and GMT, with words that a spreadsheet would run."""

import csv
import io
import re
import tempfile
from pathlib import Path

import anndata
import numpy as np
import pandas as pd
import pytest

import nnspca
from nnspca.datasets import Dataset
from nnspca.studies import Table
from nnspca.view.explore.more import loadings_csv
from nnspca.view.link.state import State
from nnspca.view.ui import downloads

PACKAGE = Path(nnspca.__file__).parent
X = np.random.default_rng(0).normal(size=(8, 3))
COV = nnspca.Covariance.from_data(X)
PART = nnspca.solve(COV, 2)
BOTH = PART.loadings[:, None] * [[1.0, -1.0]]
OPENERS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
WORDS = [
    *("=cmd|'/c calc'!A1", "+1", "-2+3", "@SUM(A1)", "\t=1", "\ttext", "\rtext", "\r=1", " =1", "\n=1", "＝1"),
    *("a;=1", "a;\t-1", "a\n+1"),
]


def named(word):
    """Data in which all that a file can name is called so."""
    names = tuple(word + "x" * i for i in range(3))
    return Dataset(
        name=word,
        title=word,
        kind="table",
        X=X,
        feature_names=names,
        labels=[0, 1] * 4,
        label_names=(word, word + "x"),
    )


def genes(data):
    """What goes home of single cells."""
    adata = anndata.AnnData(np.array(data.X))
    adata.var_names = data.feature_names
    nnspca.anndata.components(adata, 1, 3)
    with tempfile.TemporaryDirectory() as folder:
        nnspca.anndata.write_gmt(f"{folder}/genes.gmt", adata)
        return Path(f"{folder}/genes.gmt").read_bytes()


WRITERS = {
    "any table": lambda data: downloads.table_csv([{data.name: data.name, "n": -1.5}, {data.name: 2, "n": data.name}]),
    "a study": lambda data: Table("t", "T", pd.DataFrame({data.name: [data.name, -1.5]})).to_csv().encode(),
    "loadings": lambda data: loadings_csv(PART, data),
    "loadings, long": lambda data: downloads.loadings_long({data.name: BOTH}, data),
    "loadings, wide": lambda data: downloads.loadings_wide({data.name: BOTH}, data),
    "features (GMT)": lambda data: downloads.feature_lists({data.name: BOTH}, data),
    "scores of parts": lambda data: downloads.scores({data.name: BOTH}, data, State()),
    "genes (GMT)": lambda data: genes(data),
}


def runs(cell):
    """Whether a spreadsheet takes a cell, or a piece of it that it may split off, for a formula."""
    number = re.fullmatch(r"-[\d.]+(e[+-]\d+)?", cell)
    return not number and any(piece.lstrip(" ").startswith((*OPENERS, "\t", "\r")) for piece in re.split("[;\n]", cell))


@pytest.mark.parametrize("writer", WRITERS)
def test_a_spreadsheet_runs_nothing_of_a_table_that_goes_home(writer):
    assert all(map(runs, WORDS))
    for word in WORDS:
        made = WRITERS[writer](named(word)).decode()
        delimiter = "\t" if "GMT" in writer else ","
        rows = list(csv.reader(io.StringIO(made, newline=""), delimiter=delimiter, strict=True))
        assert len({len(row) for row in rows}) == 1 or delimiter == "\t"
        assert not [cell for row in rows for cell in row if runs(cell)], (word, made)
        assert any(word.strip()[-1] in cell for row in rows for cell in row)  # it is in there


def test_every_table_is_written_by_those_guarded_above():
    """A new way to write rows must be added to the writers above."""
    written = re.compile(r'frame.*\.to_csv|csv\.(writer|DictWriter)|(",|";|"\\t)"\.join|savetxt')
    found = {
        str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if written.search(path.read_text("utf-8"))
    }
    assert found == {
        "anndata.py",
        "docs/site/conf.py",  # pages of documents, no tables
        "studies/catalogue.py",  # what `stored` reads again
        "studies/study.py",
        "view/ui/downloads.py",
        "view/spannogram/rows.py",
    }
