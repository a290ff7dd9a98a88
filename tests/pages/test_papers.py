"""The papers page, driven as a person would, without a browser; every study runs reduced to its end."""

import csv
import dataclasses
import io
import itertools

import numpy as np
import pandas as pd
import pytest

import nnspca
from nnspca.studies import STUDIES, Picture, Study, Table, stored
from nnspca.view.figures import style
from nnspca.view.papers import figures as pictures
from nnspca.view.papers import panels
from tests.pages.conftest import drawn, jobs, redrawn, says, settle, texts

PAGE = "pages/papers.py"
QUICK = "asteris2014-fig1"
SEED = 90  # of no other test: what another has run is kept, and would be shown at once


def choice(study, **more):
    """Return what the link to a study carries."""
    return {"paper": study.source.short, study.paper: f"{study.figure}: {study.title}", **more}


def is_stored(page, study):
    """Whether the page says of which day a stored run is."""
    return says(page.caption, panels.thumbnails()[study.name]["made"])


def begun(page):
    """Press the button that runs a study, and wait for its end."""
    return settle(page.button(key="start-study").click().run())


def test_the_page_opens_with_the_figure_of_a_stored_run_and_a_run_holds_the_printed_numbers_beside_ours(
    open_page, capsys
):
    page = open_page(PAGE)
    assert page.title[0].value == "Papers"
    assert not jobs(page)
    (figure,) = drawn(page)
    assert {"curve 1", "curve 4"} <= {trace["name"] for trace in figure["data"]}
    page = begun(open_page(PAGE, **choice(STUDIES["asteris2011-fig1"], seed=4), tables=True))
    (figure,) = drawn(page)
    assert figure["layout"]["meta"]["alt"]
    assert {"|curve 1|", "|curve 4|"} <= {trace["name"] for trace in figure["data"]}
    assert (page.table[0].value["Printed"].tolist(), page.table[0].value["Ours"].tolist()) == (["12"], ["12"])
    page.session_state["tables"] = True
    columns = redrawn(page).dataframe[0].value.columns
    exec(page.code[0].value, {})
    printed = capsys.readouterr().out
    assert all(name in printed for name in columns)


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_every_study_says_what_it_shows_and_is_run_from_the_page(open_page, monkeypatch, taken, study):
    """What it says of data that are missing, and what a run shows: its result is the stored one, found at once."""
    monkeypatch.setattr(Study, "run", lambda of, **given: dataclasses.replace(stored(of.name), seed=given["seed"]))
    monkeypatch.setattr(style, "figure_page", lambda figure: "")  # four megabytes each to pack: they are written below
    page = open_page(PAGE, **choice(study, seed=SEED))
    assert all(said in texts(page) for said in (study.opening, study.more, study.differs, study.source.citation))
    assert is_stored(page, study) and not jobs(page)
    assert drawn(page)  # the figures of the stored run stand there before any other
    assert bool(page.info) == bool(study.missing())
    page, before = begun(page), stored(study.name)
    assert not is_stored(page, study)
    assert len(drawn(page)) == sum(table.picture is not None for table in before.tables)
    assert all(any("x" in trace or "z" in trace for trace in figure["data"]) for figure in drawn(page))
    if any(table.name == "printed" for table in before.tables) and not study.missing():
        assert "Printed" in page.table[0].value
    page.session_state["tables"] = True
    redrawn(page)
    for table in before.tables:
        rows = list(csv.reader(io.StringIO(taken(f"{table.name}.csv").decode())))
        assert len(rows) > 1 and len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_a_stored_run_is_what_a_run_finds_and_passes_on_no_photograph(study):
    known = {info.name: info.bundled for info in nnspca.datasets.available()}
    assert set(study.needs) | set(study.stand_ins) <= set(known)
    kept = stored(study.name)
    assert (kept.data, kept.full, kept.seed, kept.stopped) == (study.needs, False, 0, False)
    for table in kept.tables:
        if table.picture and table.picture.grey and not all(known[name] for name in kept.data):
            assert not table.frame["strip"].isin(table.picture.grey).any()
    if not study.needs:
        found = study.run()
        assert [(t.name, t.title, t.note) for t in found.tables] == [(t.name, t.title, t.note) for t in kept.tables]
        for ours, before in zip(found.tables, kept.tables, strict=True):
            pd.testing.assert_frame_equal(ours.frame, before.frame, check_dtype=False, rtol=1e-6, atol=1e-9)


def test_a_result_is_kept_for_the_next_visitor_and_another_seed_is_another_run(open_page):
    begun(open_page(PAGE, **choice(STUDIES[QUICK], seed=77)))
    page = settle(open_page(PAGE, **choice(STUDIES[QUICK], seed=77)))
    assert drawn(page) and not is_stored(page, STUDIES[QUICK])
    page.session_state["seed"] = 79
    assert is_stored(redrawn(page), STUDIES[QUICK]) and "seed 79" in texts(page)


def test_on_a_fresh_machine_a_stored_run_is_shown_and_what_is_missing_is_named(open_page, nothing_fetched):
    study = STUDIES["sigg2008-fig4"]
    page = open_page(PAGE, **choice(study))
    titles = [info.title for info in nnspca.datasets.available() if info.name in (*study.missing(), *study.stand_ins)]
    assert len(titles) == 2 and all(says(page.info, title) for title in titles) and says(page.info, "(data)")
    assert drawn(page) and is_stored(page, study)
    assert not page.button(key="start-study").disabled


def stages(name):
    """Return the tables of a run at its first stages and at its end."""
    seen, study = [], STUDIES[name]
    data = tuple({"lfw-faces": "digits"}.get(name, name) for name in study.stand_ins)
    result = study.run(data=data, should_stop=lambda: len(seen) > 2, on_rows=seen.append)
    return (*(early.tables for early in seen[:3]), result.tables)


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_every_table_that_can_be_drawn_is_drawn_at_every_stage_of_a_run(study, short_studies):
    """In light and dark by turns, at the end in both: then a page of its own, four megabytes each, is written too."""
    *early, last = stages(study.name)
    by_turns = zip(early, itertools.cycle((style.LIGHT, style.DARK)), strict=False)
    for tables, palette in (*by_turns, (last, style.LIGHT), (last, style.DARK)):
        for table in tables:
            if table.picture is not None:
                figure = pictures.study(table, palette, titled=True)
                assert figure.data and table.title.split()[0] in figure.layout.meta["alt"]
                assert tables is not last or "</html>" in style.figure_page(figure)


def test_parts_are_drawn_upright_and_in_their_own_place():
    pixels = [("a", 1, 1, 0.5), ("a", 2, 2, 1.0), ("b", 1, 3, -2.0)]
    frame = pd.DataFrame(pixels, columns=["strip", "image", "pixel", "value"])
    figure = pictures.study(Table("t", "T", frame, Picture(kind="images", shape=(2, 2))), style.LIGHT)
    (sheet,) = (np.array(trace.z) for trace in figure.data)
    (first, second, third) = zip(*np.nonzero(np.nan_to_num(sheet)), strict=True)
    assert [sheet[at] for at in (first, second, third)] == [0.5, 1.0, -2.0]
    assert second[0] - first[0] == 1  # feature 1 is in the first row of its image, feature 2 in the second
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # rows run downward
    assert np.isfinite(sheet).sum() == 3 * 4 and figure.data[0].zmin == -2.0
    with pytest.raises(ValueError, match="'regions' has no picture"):
        pictures.study(STUDIES[QUICK].run().table("regions"), style.LIGHT)
