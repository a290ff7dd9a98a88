"""Every study, run reduced from its page to its end."""

import csv
import io
import os
import zipfile

import pytest

from nnspca.datasets import fetch
from nnspca.studies import STUDIES, stored
from nnspca.view.ui import charts
from tests.pages.conftest import drawn, jobs, texts
from tests.pages.test_papers import PAGE, button, choice

SEED = 90  # of no other test: what another has run is kept, and would be shown at once
PATIENCE = 150  # seconds; ten times what any takes: others work beside


@pytest.mark.parametrize("name", STUDIES)
def test_every_study_runs_reduced_from_the_page(open_page, monkeypatch, short_studies, name):
    """On the paper's own data where they are at hand."""
    study, made = STUDIES[name], {}
    if study.missing() and os.environ.get(fetch.DATA_VARIABLE):
        pytest.fail(f"{', '.join(study.missing())} missing from the folder {fetch.DATA_VARIABLE} names")
    page = open_page(PAGE, **choice(study, seed=SEED))
    assert "A stored run" in texts(page)
    assert drawn(page), "the figures of the stored run stand there before any other"
    monkeypatch.setattr(charts, "download", lambda label, content, key, *_: made.update({key: content}))
    button(page, "start-study").click().run()
    for job in jobs(page):
        assert job.wait(PATIENCE), job.progress
    page.run()
    assert not page.exception, page.exception
    assert "A stored run" not in texts(page)
    keys = [table.name for table in stored(name).tables]
    pictured = [table for table in stored(name).tables if table.picture is not None]
    assert len(drawn(page)) == len(pictured)
    assert all(any("x" in trace or "z" in trace for trace in figure["data"]) for figure in drawn(page))
    if any(table.name == "printed" for table in stored(name).tables) and not study.missing():
        assert "Printed" in page.table[0].value
    page.session_state["tables"] = True
    page.run()
    held = zipfile.ZipFile(io.BytesIO(made["everything"]()))
    files = [held.read(f"{key}.csv").decode() for key in keys if f"{key}.csv" in held.namelist()]
    assert files
    for file in files:
        rows = list(csv.reader(io.StringIO(file)))
        assert len(rows) > 1
        assert all(len(row) == len(rows[0]) for row in rows)
