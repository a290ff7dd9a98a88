"""What each page does, driven as a person would, without a browser."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import nnspca
from nnspca.view import words
from nnspca.view.explore import more, run
from nnspca.view.link import state
from nnspca.view.ui import downloads
from tests.pages.conftest import drawn, jobs, played, said_at, settle, texts

pytestmark = pytest.mark.usefixtures("short_proofs")

BUNDLED = [info.name for info in nnspca.datasets.available() if info.bundled]
FETCHED = [info.name for info in nnspca.datasets.available() if not info.bundled]
SLOW = {
    "method": "epsilon-net",
    "d": 8,
    "epsilon-net.epsilon": 0.01,
    "epsilon-net.max_samples": 10_000_000,
}


def placed(page):
    """Tell whether the page says how good its component is proven to be."""
    said = said_at(page, played(page)["k"])
    return "of the optimum" in said or "proven optimal" in said


def solving(page):
    """Return the run for the k that is shown."""
    (job,) = [job for job in jobs(page) if job.key[0] == "solve"]
    return job


def test_the_page_runs_alone_with_the_defaults(open_page):
    page = open_page("pages/explore.py")
    assert page.title[0].value == "Explore"
    assert solving(page)


@pytest.mark.parametrize("name", BUNDLED)
def test_explore_shows_a_component_its_proven_place_and_a_band_for_every_bundled_data_set(open_page, name):
    page = settle(open_page(data=name, ks="2, 5", more="true", more_view="data"), path=True)
    assert placed(page)
    band = played(page)["band"]
    assert {2, 5, played(page)["k"]} <= set(band["ks"])
    assert all(low <= high for low, high in zip(band["lower"], band["upper"], strict=True))
    assert drawn(page) and all(figure["layout"]["meta"]["alt"] for figure in drawn(page))
    assert "Terms:" in texts(page)


def test_the_state_of_a_link_is_the_state_of_the_page(open_page):
    page = open_page(
        data="digits", scale="standardised", sign="any sign", k=9, d=2, seed=5, method="em", **{"em.restarts": 3}
    )
    assert page.selectbox(key="data").value == "digits"
    assert page.radio(key="scale").value == "standardised"
    assert page.number_input(key="k").value == 9
    assert page.number_input(key="em.restarts").value == 3
    settle(page)
    component = run.latest(solving(page))[0]
    assert (component.k, component.method, component.nonnegative) == (9, "em", False)
    assert component.options["restarts"] == 3


def test_a_choice_of_one_page_is_there_again_after_visiting_another(open_page):
    page = open_page(data="pitprops")
    page.selectbox(key="method").select("thresholding").run()
    page.switch_page("parts.py").run()
    page.switch_page("explore.py").run()
    assert page.selectbox(key="method").value == "thresholding"


def test_choosing_data_opens_them_in_their_own_view(open_page):
    page = open_page(k=100)
    assert page.radio(key="scale").value == "standardised"
    page.selectbox(key="data").select("pitprops").run()
    assert (page.number_input(key="k").value, page.radio(key="scale").value) == (4, "as is")
    assert "cannot be used here" not in texts(page)
    page.selectbox(key="data").select("lfw-faces").run()
    assert (page.number_input(key="k").value, page.radio(key="scale").value) == (40, "standardised")


def test_a_link_outweighs_the_view_the_data_open_with(open_page):
    page = open_page(data="lfw-faces", scale="as is", k=12)
    assert (page.number_input(key="k").value, page.radio(key="scale").value) == (12, "as is")


def test_where_no_solver_is_chosen_for_the_chart_the_best_known_is_drawn_alone(open_page):
    page = settle(open_page("pages/explore.py", data="pitprops", k=4, methods=[]))
    assert placed(page)
    assert played(page)["curves"] == []


def test_a_newer_run_of_the_session_stops_the_older_one(open_page):
    page = open_page(**SLOW)
    older = solving(page)
    page.number_input(key="k").set_value(41).run()
    assert older.stopped
    assert older.wait(5)
    assert older not in jobs(page)


def test_stop_keeps_what_was_found(open_page):
    page = open_page("pages/explore.py", **SLOW)
    job = solving(page)
    assert not job.done
    page.button(key="stop-explore").click().run()
    assert job.wait(3)
    page.run()
    assert "Stopped." in texts(page)
    assert "40 of 625 pixels explain" in said_at(page, 40)


def test_an_error_inside_a_run_is_told_in_plain_words(open_page, monkeypatch):
    def fail(*_, **__):
        raise nnspca.DataError("the third column is empty; remove it")

    monkeypatch.setattr(nnspca, "solve", fail)
    page = settle(open_page(data="synthetic-spiked", k=3, seed=77))
    assert "the third column is empty; remove it" in texts(page)
    assert not page.exception


@pytest.mark.parametrize("name", FETCHED)
def test_data_that_are_not_here_say_what_they_are_and_offer_a_download(open_page, name, monkeypatch, tmp_path):
    monkeypatch.delenv("NNSPCA_DATA", raising=False)
    monkeypatch.setenv("NNSPCA_CACHE", str(tmp_path))
    page = open_page(data=name)
    assert "not on this machine yet" in texts(page)
    assert "Terms:" in texts(page)
    assert page.button(key=f"start-fetch-{name}").label in ("Download", "How to get the file")


def test_a_failed_download_shows_the_librarys_message(open_page, monkeypatch, tmp_path):
    monkeypatch.delenv("NNSPCA_DATA", raising=False)
    monkeypatch.setenv("NNSPCA_CACHE", str(tmp_path))
    monkeypatch.setenv("NNSPCA_MIRROR", "https://127.0.0.1:9")
    page = open_page("pages/explore.py", data="leukemia")
    page.button(key="start-fetch-leukemia").click().run()
    assert "MLL.csv" in "\n".join(e.value for e in settle(page).error)


def test_the_data_page_says_what_is_wrong_with_the_folder_it_was_given(open_page, monkeypatch):
    assert "may not" not in texts(open_page("pages/data.py"))
    monkeypatch.setenv("NNSPCA_DATA", "~nobodyofthisname")
    said = texts(open_page("pages/data.py"))
    assert "The data sets that come with the package still work. NNSPCA\\_DATA is set to '\\~nobodyofthisname'" in said


@pytest.mark.parametrize("name", (*BUNDLED, *FETCHED))
def test_the_data_page_shows_citation_and_terms_of_the_data_set_chosen_and_how_to_get_it(
    name, open_page, monkeypatch, tmp_path
):
    monkeypatch.delenv("NNSPCA_DATA", raising=False)
    monkeypatch.setenv("NNSPCA_CACHE", str(tmp_path))
    page = open_page("pages/data.py", data=name)
    (info,) = [info for info in nnspca.datasets.available() if info.name == name]
    assert f"In use: {info.title}" in [header.value.replace("\\", "") for header in page.header]
    assert texts(page).count("Terms:") == 1
    assert (f"start-fetch-{name}" in [button.key for button in page.button]) == (name in FETCHED)


def test_names_taken_home_run_no_formula_in_a_spreadsheet():
    part = nnspca.solve(nnspca.Covariance.from_matrix(np.diag([1.0, 2.0])), 1)
    data = nnspca.datasets.Dataset(name="named", X=np.eye(2), feature_names=("=1+1", " @SUM(A1)"))
    lines = more.loadings_csv(part, data).decode().splitlines()
    assert lines == ["feature,loading", "'=1+1,0.0", "' @SUM(A1),1.0"]
    assert downloads.table_csv([{"=1+1": 1}]).decode().splitlines() == ["'=1+1", "1"]


def test_a_run_goes_home_as_json_and_as_one_page_that_tell_what_was_proven(open_page):
    page = settle(open_page(data="pitprops", k="4", more="true"))
    part, proof = run.latest(solving(page))
    data, now = nnspca.datasets.load("pitprops"), state.State(data="pitprops", k=4)
    told = json.loads(more.as_json(part, proof, data, now))
    assert told["support"] == part.support.tolist()
    assert told["proven"]["upper"] == proof.upper >= told["variance"] == part.variance
    assert np.linalg.norm(told["loadings"]) == pytest.approx(1)
    printed = more.report(part, proof, data, now, 4.2, "code < here")
    assert "code &lt; here" in printed
    assert "$" not in re.sub(r"<(pre|script).*</\1>", "", printed, flags=re.S)
    assert words.number(proof.upper, up=True) in printed
    assert more.report(part, None, data, now, 4.2, "").count("None yet.") == 1
    lured = replace(data, feature_names=("<script>alert(1)</script>",) * 13, title="<img src=x>")
    assert "<script>alert" not in more.report(part, proof, lured, now, 4.2, "")
    assert "<img" not in more.report(part, proof, lured, now, 4.2, "")


@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_data_set_has_a_report(name):
    data = nnspca.datasets.load(name)
    cov = nnspca.Covariance.from_dataset(data)
    part = nnspca.solve(cov, 5, "thresholding")
    now = state.State(data=name, k=5)
    printed = more.report(part, None, data, now, float(cov.eigenpairs(1)[0][0]), "")
    assert 'class="picture"' in printed
    assert len(printed) < 60_000
