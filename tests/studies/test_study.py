"""Every study keeps the one promise: tables whose rows fit, a true stop, the same seed the same answer."""

import csv
import io
import math

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nnspca import datasets
from nnspca.studies import PAPERS, STUDIES, Table

INFOS = {info.name: info for info in datasets.available()}
SMALL = {"cbcl-faces": "digits", "cbcl-faces-raw": "digits", "leukemia": "digits", "lrs": "pitprops"}
EVERY = pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)


def small(study):
    """Return small bundled data for a study; images where it draws images."""
    return tuple(SMALL.get(name, stand) for name, stand in zip(study.needs, study.stand_ins, strict=True))


@EVERY
def test_a_study_names_its_paper_its_data_and_what_differs(study):
    assert study.name.startswith(study.paper + "-")
    assert study.paper in PAPERS
    assert study.figure
    assert study.summary and study.differs
    assert set(study.needs) <= set(INFOS)
    assert all(INFOS[name].bundled for name in study.stand_ins)


@EVERY
def test_a_run_stopped_at_its_first_table_returns_marked_rows(study):
    seen = []
    result = study.run(data=small(study), should_stop=lambda: bool(seen), on_rows=seen.append)
    assert result.stopped == bool(seen)
    assert all(table.stopped == result.stopped for table in result.tables)


@pytest.mark.parametrize("name", ["asteris2014-fig1", "asteris2014-fig4", "asteris2011-fig1", "asteris2011-counts"])
def test_the_same_seed_gives_the_same_tables(name):
    study = STUDIES[name]
    first, second = (study.run(data=("pitprops",) * len(study.needs), seed=3) for _ in range(2))
    assert all(a.frame.equals(b.frame) for a, b in zip(first.tables, second.tables, strict=True))
    assert first.data == ("pitprops",) * len(study.needs)


def test_progress_never_falls_and_ends_at_one():
    told = []
    STUDIES["asteris2014-fig6"].run(data=["pitprops"], on_progress=told.append)
    fractions = [p.fraction for p in told]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0


@pytest.mark.parametrize("seed", [-1, 1.5, True, None])
def test_a_seed_that_is_none_is_refused_by_name(seed):
    with pytest.raises(ValueError, match=r"seed=.* is not allowed; give a whole number of at least 0"):
        STUDIES["asteris2014-fig1"].run(seed=seed)


def test_another_number_of_data_sets_than_needed_is_refused():
    with pytest.raises(ValueError, match=r"takes 1 data sets \(cbcl-faces\); 2 were given"):
        STUDIES["asteris2014-fig4"].run(data=["digits", "digits"])


def test_a_csv_keeps_every_digit_and_leaves_missing_cells_empty():
    table = Table("t", "T", pd.DataFrame({"x": [1 / 3, None], "word": ["a, b", ""]}))
    read = list(csv.reader(io.StringIO(table.to_csv())))
    assert read[0] == ["x", "word"]
    assert float(read[1][0]) == 1 / 3
    assert read[1][1] == "a, b"
    assert read[2][0] == ""


@given(st.floats(-1e6, 1e6))
def test_what_is_rounded_down_is_never_more_than_it_was_nor_far_from_it(value):
    table = Table("t", "T", pd.DataFrame({"low": [value], "high": [value]}), down=["low"], up=["high"]).rounded()
    slack = 1e-9 * max(1.0, abs(value))
    assert value - 1e-4 - slack <= table["low"][0] <= value + slack
    assert value - slack <= table["high"][0] <= value + 1e-4 + slack


def test_the_comparison_subtracts_the_printed_number():
    p, q = STUDIES["asteris2014-fig6"].printed
    assert (p.value, q.value) == (0.86, 0.93)
    assert math.isclose(p.difference(0.9), 0.04)
    most = STUDIES["asteris2014-fig1"].printed[1]
    assert "below" in most.difference(most.value) and "above" in most.difference(most.value + 1)
