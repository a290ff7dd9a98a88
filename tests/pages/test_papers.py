"""The papers page, driven as a person would, without a browser."""

import itertools

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import nnspca
from nnspca.datasets import fetch
from nnspca.studies import STUDIES, Picture, Table, stored
from nnspca.view.figures import style
from nnspca.view.link.state import BUNDLED
from nnspca.view.papers import figures as pictures
from nnspca.view.papers import panels
from tests.pages.conftest import drawn, jobs, settle, texts

PAGE = "pages/papers.py"
QUICK = "asteris2014-fig1"


def choice(study, **more):
    """Return what the link to a study carries."""
    return {"paper": study.source.short, study.paper: f"{study.figure}: {study.title}", **more}


def button(page, key):
    return next(b for b in page.button if b.key == key)


@pytest.fixture
def fresh_machine(monkeypatch, tmp_path):
    """Hide every data set that does not come with a package."""
    monkeypatch.delenv(fetch.DATA_VARIABLE, raising=False)
    monkeypatch.setenv("NNSPCA_CACHE", str(tmp_path))


def test_the_page_opens_with_the_figure_of_a_stored_run_and_says_so(open_page):
    page = open_page(PAGE)
    assert page.title[0].value == "Papers"
    assert not jobs(page)
    (figure,) = drawn(page)
    assert {"curve 1", "curve 4"} <= {trace["name"] for trace in figure["data"]}
    assert "The paper's numbers beside ours" in [s.value for s in page.subheader]


def test_a_stored_run_is_what_a_run_finds():
    for study in STUDIES.values():
        kept = stored(study.name)
        assert kept is not None, study.name
        assert (kept.data, kept.full, kept.seed, kept.stopped) == (study.needs, False, 0, False)
        if not study.needs:
            found = study.run()
            assert [(t.name, t.title, t.note) for t in found.tables] == [(t.name, t.title, t.note) for t in kept.tables]
            for ours, before in zip(found.tables, kept.tables, strict=True):
                pd.testing.assert_frame_equal(ours.frame, before.frame, check_dtype=False, rtol=1e-6, atol=1e-9)


def test_a_stored_run_passes_on_no_photograph_of_data_that_are_not_bundled():
    bundled = {info.name for info in nnspca.datasets.available() if info.bundled}
    for study in STUDIES.values():
        for table in stored(study.name).tables:
            if table.picture and table.picture.grey and not set(stored(study.name).data) <= bundled:
                assert not table.frame["strip"].isin(table.picture.grey).any()


def test_a_press_on_a_card_turns_to_its_study_and_the_link_says_so():
    choices_of = AppTest.from_function(_turned)
    choices_of.run()
    assert choices_of.markdown[0].value == "asteris2011-fig1"
    assert choices_of.query_params["paper"] == STUDIES["asteris2011-fig1"].source.short


def _turned():
    import streamlit as st

    from nnspca.view.papers import choices

    choices.turn_to("asteris2011-fig1")
    st.markdown(choices.which().name)


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_every_study_says_what_it_shows_and_what_differs_before_it_runs(open_page, study):
    page = open_page(PAGE, **choice(study))
    first, rest = panels.sentences(study)
    assert f"{first} {rest}".strip() == study.summary
    assert first in texts(page) and rest in texts(page)
    assert study.differs in texts(page)
    assert study.source.citation in texts(page)
    assert not jobs(page)


def test_a_link_opens_its_study_inside_the_app(open_page):
    page = open_page("pages/main.py", **choice(STUDIES["asteris2011-counts"]))
    page.switch_page(PAGE.removeprefix("pages/")).run()
    assert not page.exception
    assert panels.sentences(STUDIES["asteris2011-counts"])[0] in texts(page)


def test_a_run_draws_its_figures_and_holds_the_printed_numbers_beside_ours(open_page):
    page = open_page(PAGE, **choice(STUDIES["asteris2011-fig1"]))
    button(page, "start-study").click().run()
    page = settle(page)
    (figure,) = drawn(page)
    assert figure["layout"]["meta"]["alt"]
    assert {"|curve 1|", "|curve 4|"} <= {trace["name"] for trace in figure["data"]}
    assert "The paper's numbers beside ours" in [s.value for s in page.subheader]
    assert "A stored run" not in texts(page)
    assert page.table[0].value["Printed"].tolist() == ["12"]
    assert page.table[0].value["Ours"].tolist() == ["12"]


def test_a_result_is_kept_for_the_next_visitor(open_page):
    first = open_page(PAGE, **choice(STUDIES[QUICK], seed=77))
    button(first, "start-study").click().run()
    settle(first)
    second = settle(open_page(PAGE, **choice(STUDIES[QUICK], seed=77)))
    assert drawn(second)
    assert "A stored run" not in texts(second)


def test_another_seed_is_another_run(open_page):
    page = open_page(PAGE, **choice(STUDIES["asteris2011-counts"], seed=78))
    button(page, "start-study").click().run()
    settle(page)
    page.session_state["seed"] = 79
    page.run()
    assert "**A stored run**" in texts(page)
    assert "seed 79" in texts(page)


def test_on_a_fresh_machine_the_stand_in_runs_and_the_page_says_so(open_page, fresh_machine):
    page = open_page(PAGE, **choice(STUDIES["sigg2008-fig4"]))
    said = texts(page)
    assert "Not on this machine: **Leukemia gene expression (MLL)**" in said
    assert "Handwritten digits" in said
    assert "(data)" in said
    button(page, "start-study").click().run()
    page = settle(page)
    assert len(drawn(page)) == 2
    assert "The paper's numbers are left out" in texts(page)
    assert not page.table


def test_on_a_fresh_machine_nothing_that_is_missing_can_be_chosen(open_page, fresh_machine):
    for study in STUDIES.values():
        page = open_page(PAGE, **choice(study))
        radios = {radio.key: radio.options for radio in page.radio}
        assert radios.get("on", [BUNDLED]) == [BUNDLED]


def test_a_study_of_one_form_offers_no_other(open_page):
    assert "form" not in {radio.key for radio in open_page(PAGE, **choice(STUDIES[QUICK])).radio}
    assert "form" in {radio.key for radio in open_page(PAGE, **choice(STUDIES["asteris2014-fig4"])).radio}


def test_the_code_it_shows_makes_the_same_tables(open_page, capsys):
    page = open_page(PAGE, tables=True, **choice(STUDIES["asteris2011-fig1"], seed=4))
    button(page, "start-study").click().run()
    page = settle(page)
    page.session_state["tables"] = True
    page.run()
    code = page.code[0].value
    exec(code, {})
    assert "Order of magnitudes" in capsys.readouterr().out


def stages(name):
    """Return the tables of a run at its first stages and at its end."""
    seen, study = [], STUDIES[name]
    data = tuple({"lfw-faces": "digits"}.get(name, name) for name in study.stand_ins)
    result = study.run(data=data, should_stop=lambda: len(seen) > 3, on_tables=seen.append)
    return (*seen[:4], result.tables)


@pytest.mark.parametrize("study", STUDIES.values(), ids=STUDIES)
def test_every_table_that_can_be_drawn_is_drawn_at_every_stage_of_a_run(study, short_studies):
    """In light and dark by turns, at the end in both: then a page of its own, four megabytes each, is written too."""
    *early, last = stages(study.name)
    by_turns = zip(early, itertools.cycle((style.LIGHT, style.DARK)), strict=False)
    for tables, palette in (*by_turns, (last, style.LIGHT), (last, style.DARK)):
        for table in tables:
            if table.picture is not None:
                figure = pictures.study(table, palette, titled=True)
                assert table.title.split()[0] in figure.layout.meta["alt"]
                assert figure.data
                assert tables is not last or "</html>" in style.page(figure)


def test_parts_are_drawn_upright_and_in_their_own_place():
    pixels = [("a", 1, 1, 0.5), ("a", 2, 2, 1.0), ("b", 1, 3, -2.0)]
    frame = pd.DataFrame(pixels, columns=["strip", "image", "pixel", "value"])
    figure = pictures.study(Table("t", "T", frame, Picture(kind="images", shape=(2, 2))), style.LIGHT)
    (sheet,) = (np.array(trace.z) for trace in figure.data)
    (first, second, third) = zip(*np.nonzero(np.nan_to_num(sheet)), strict=True)
    assert [sheet[at] for at in (first, second, third)] == [0.5, 1.0, -2.0]
    assert second[0] - first[0] == 1  # feature 1 is in the first row of its image, feature 2 in the second
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # rows run downward
    assert np.isfinite(sheet).sum() == 3 * 4
    assert figure.data[0].zmin == -2.0


def test_a_table_without_a_picture_is_refused():
    regions = STUDIES[QUICK].run().table("regions")
    with pytest.raises(ValueError, match="'regions' has no picture"):
        pictures.study(regions, style.LIGHT)


def test_the_registry_names_only_data_sets_the_catalogue_has():
    known = {info.name for info in nnspca.datasets.available()}
    assert all(set(study.needs) | set(study.stand_ins) <= known for study in STUDIES.values())
