"""What each page does, driven as a person would, without a browser."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

import nnspca
from nnspca.view.certificate import claims
from nnspca.view.explore import panels, report, run
from nnspca.view.session import downloads, state
from tests.pages.conftest import jobs, settle, texts

pytestmark = pytest.mark.usefixtures("short_proofs")

BUNDLED = [info.name for info in nnspca.datasets.available() if info.bundled]
FETCHED = [info.name for info in nnspca.datasets.available() if not info.bundled]
PAGES = ["pages/explore.py", "pages/variance.py"]
SLOW = {
    "method": "epsilon-net",
    "d": 8,
    "epsilon-net.epsilon": 0.01,
    "epsilon-net.max_samples": 10_000_000,
}


def figures(page):
    """Return every Plotly figure on the page, as plain data."""
    return [json.loads(element.proto.spec) for element in page.get("plotly_chart")]


def placed(page):
    """Tell whether the page says how good its component is proven to be."""
    said = texts(page)
    return "of the best variance" in said or "Proven optimal: no such component has more variance" in said


def traces(page):
    return [trace for figure in figures(page) for trace in figure["data"]]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_runs_alone_with_the_defaults(open_page, path):
    page = open_page(path)
    assert page.title[0].value
    assert jobs(page)


@pytest.mark.parametrize("name", BUNDLED)
def test_explore_shows_a_component_and_its_proven_place_for_every_bundled_data_set(open_page, name):
    page = settle(open_page(data=name, closer="true", given="true"))
    assert placed(page)
    assert {m.label for m in page.metric} == {"Variance", "÷ λ₁", "Features", "Time"}
    assert all(figure["layout"]["meta"]["alt"] for figure in figures(page))
    assert "Terms:" in texts(page)


@pytest.mark.parametrize("name", BUNDLED)
def test_variance_draws_points_and_a_band_for_every_bundled_data_set(open_page, name):
    page = settle(open_page("pages/variance.py", data=name, ks="2, 5"))
    curve = {trace.get("name"): trace for trace in traces(page)}
    assert len(curve["best"]["x"]) == 2
    assert any("the optimum lies in here" in str(name) for name in curve)


def test_a_face_component_is_an_upright_image_with_k_pixels(open_page):
    page = settle(open_page(k=30, closer="true"))
    (image,) = [t for t in traces(page) if t["type"] == "heatmap"]
    (component,) = [j.arrived[0] for j in jobs(page)]
    assert component.cardinality == 30
    assert image["zmin"] == 0
    assert "autorange" in json.dumps(figures(page)[0]["layout"]["yaxis"])


def test_a_signed_component_has_a_colour_scale_with_zero_in_the_middle(open_page):
    page = settle(open_page(data="digits", sign="any sign", closer="true"))
    (image,) = [t for t in traces(page) if t["type"] == "heatmap"]
    assert image["zmin"] == -image["zmax"]


def test_the_state_of_a_link_is_the_state_of_the_page(open_page):
    page = open_page(
        data="digits", scale="standardised", sign="any sign", k=9, d=2, seed=5, method="em", **{"em.restarts": 3}
    )
    assert page.selectbox(key="data").value == "digits"
    assert page.radio(key="scale").value == "standardised"
    assert page.number_input(key="k").value == 9
    assert page.number_input(key="em.restarts").value == 3
    settle(page)
    (component,) = [j.arrived[0] for j in jobs(page)]
    assert (component.k, component.method, component.nonnegative) == (9, "em", False)
    assert component.options["restarts"] == 3


def test_a_choice_of_one_page_is_there_again_after_visiting_another(open_page):
    page = open_page(data="pitprops")
    page.selectbox(key="method").select("thresholding").run()
    page.switch_page("pages/variance.py").run()
    page.switch_page("pages/explore.py").run()
    assert page.selectbox(key="method").value == "thresholding"


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"data": "no-such-data"}, "Data set: “no-such-data” cannot be used here"),
        ({"data": "pitprops", "k": "900"}, "pitprops has 13 features"),
        ({"data": "pitprops", "k": "many"}, "“many” cannot be used here"),
        ({"data": "pitprops", "method": "magic"}, "“magic” cannot be used here"),
        ({"data": "pitprops", "sign": "upside down"}, "“upside down” cannot be used here"),
        ({"data": "pitprops", "method": "em", "em.restarts": "-4"}, "“-4” cannot be used here"),
    ],
)
def test_a_bad_value_in_a_link_becomes_a_note_and_a_working_page(open_page, params, words):
    page = settle(open_page(closer="true", **params))
    assert words in texts(page)
    assert placed(page)


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


@pytest.mark.parametrize(
    ("text", "words"),
    [("1, two", "“two” is not a whole number"), ("5, 14", "outside 1 to 13"), ("9-3", "outside 1 to 13")],
)
def test_an_unusable_list_of_k_says_what_is_wrong_and_shows_an_even_one(open_page, text, words):
    page = open_page("pages/variance.py", data="pitprops", ks=text)
    assert words in texts(page)
    assert settle(page).session_state["_jobs"]["variance"].done


def test_no_solver_chosen_says_what_to_do(open_page):
    page = open_page("pages/variance.py", data="pitprops", methods=[])
    assert "Choose at least one solver" in texts(page)


def test_with_live_off_nothing_runs_until_asked(open_page):
    page = open_page("pages/explore.py", data="pitprops", k=4, live=False, closer=True)
    assert not jobs(page, path=True)
    assert "Press **Run**" in texts(page)
    page.button(key="run-explore").click().run()
    assert placed(settle(page))


def test_a_newer_run_of_the_session_stops_the_older_one(open_page):
    page = open_page(**SLOW)
    (older,) = jobs(page)
    page.number_input(key="k").set_value(41).run()
    assert older.stopped
    assert older.wait(5)
    assert older not in jobs(page)


def test_stop_keeps_what_was_found(open_page):
    page = open_page("pages/explore.py", **SLOW)
    (job,) = jobs(page)
    assert not job.done
    page.button(key="stop-explore").click().run()
    assert job.wait(3)
    page.run()
    assert "Stopped." in texts(page)
    assert page.metric


def test_an_error_inside_a_run_is_told_in_plain_words(open_page, monkeypatch):
    def fail(*_, **__):
        raise nnspca.DataError("the third column is empty; remove it")

    monkeypatch.setattr(nnspca, "solve", fail)
    page = settle(open_page(data="synthetic-spiked", k=3, seed=77))
    assert "the third column is empty; remove it" in texts(page)
    assert not page.exception


def test_a_chosen_point_shows_its_component(open_page):
    page = settle(open_page("pages/variance.py", data="pitprops", ks="2, 5"))
    page.selectbox(key="point").select("5 · best").run()
    assert {m.label for m in page.metric} == {"Variance", "÷ λ₁", "Features", "Time"}
    assert any("k = 5, best" in figure["layout"]["title"].get("text", "") for figure in figures(page))


@pytest.mark.parametrize("name", FETCHED)
def test_data_that_are_not_here_say_what_they_are_and_offer_a_download(open_page, name, monkeypatch, tmp_path):
    monkeypatch.delenv("NNSPCA_DATA", raising=False)
    monkeypatch.setenv("NNSPCA_CACHE", str(tmp_path))
    page = open_page(data=name)
    assert "not on this machine yet" in texts(page)
    assert "Terms:" in texts(page)
    assert page.button(key=f"fetch-{name}").label in ("Download", "How to get the file")


def test_a_failed_download_shows_the_librarys_message(open_page, monkeypatch, tmp_path):
    monkeypatch.delenv("NNSPCA_DATA", raising=False)
    monkeypatch.setenv("NNSPCA_CACHE", str(tmp_path))
    monkeypatch.setenv("NNSPCA_MIRROR", "https://127.0.0.1:9")
    page = open_page("pages/explore.py", data="leukemia")
    page.button(key="fetch-leukemia").click().run()
    assert "MLL.csv" in "\n".join(e.value for e in settle(page).error)


def test_the_data_page_says_what_is_wrong_with_the_folder_it_was_given(open_page, monkeypatch):
    assert "may not" not in texts(open_page("pages/data.py"))
    monkeypatch.setenv("NNSPCA_DATA", "~nobodyofthisname")
    said = texts(open_page("pages/data.py"))
    assert "The data sets that come along still work. NNSPCA\\_DATA is set to '\\~nobodyofthisname'" in said


def test_the_data_page_lists_every_data_set_with_its_terms(open_page):
    page = open_page("pages/data.py")
    words = texts(page)
    assert all(f"`{info.name}`" in words for info in nnspca.datasets.available())
    assert words.count("Terms:") >= len(BUNDLED + FETCHED)


def test_an_uploaded_file_is_a_data_set_for_the_session(open_page):
    page = open_page("pages/data.py")
    page.file_uploader(key="upload").set_value(("shapes.csv", b"height,width\n1,2\n3,5\n4,0\n", "text/csv")).run()
    assert "In use: your file **shapes**" in "\n".join(e.value for e in settle(page).success)
    assert page.session_state["data"] == "shapes"
    assert "In use: shapes" in "\n".join(e.value for e in page.header)


def test_a_file_that_cannot_be_read_says_what_to_change(open_page):
    page = open_page("pages/data.py")
    page.file_uploader(key="upload").set_value(("bad.csv", b"a,b\n1,2\n3,oops,4\n", "text/csv")).run()
    assert page.error
    assert not page.exception


def test_names_taken_home_run_no_formula_in_a_spreadsheet():
    part = nnspca.solve(nnspca.Covariance.from_matrix(np.diag([1.0, 2.0])), 1)
    lines = panels.loadings_csv(part, ["=1+1", " @SUM(A1)"]).decode().splitlines()
    assert lines == ["feature,loading", "'=1+1,0.0", "' @SUM(A1),1.0"]
    assert downloads.table_csv([{"=1+1": 1}]).decode().splitlines() == ["'=1+1", "1"]


def test_a_run_goes_home_as_json_and_as_one_page_that_tell_what_was_proven(open_page):
    page = settle(open_page(data="pitprops", k="4", take="true"))
    (job,) = jobs(page)
    part, proof, _ = run.arrived(job)
    data, now = nnspca.datasets.load("pitprops"), state.State(data="pitprops", k=4)
    told = json.loads(report.as_json(part, proof, data, now))
    assert told["support"] == part.support.tolist()
    assert told["proven"]["upper"] == proof.upper >= told["variance"] == part.variance
    assert np.linalg.norm(told["loadings"]) == pytest.approx(1)
    printed = report.page(part, proof, data, now, 4.2, "code < here", mean=False)
    assert "code &lt; here" in printed
    assert "$" not in re.sub(r"<pre>.*</pre>", "", printed, flags=re.S)
    assert claims.number(proof.upper, up=True) in printed
    assert report.page(part, None, data, now, 4.2, "", mean=False).count("None yet.") == 1
    lured = replace(data, feature_names=("<script>alert(1)</script>",) * 13, title="<img src=x>")
    assert "<script>" not in report.page(part, proof, lured, now, 4.2, "", mean=False)
    assert "<img" not in report.page(part, proof, lured, now, 4.2, "", mean=False)


@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_data_set_has_a_report(name):
    data = nnspca.datasets.load(name)
    cov = nnspca.Covariance.from_dataset(data)
    part = nnspca.solve(cov, 5, "thresholding")
    now = state.State(data=name, k=5)
    mean = data.image_shape is not None
    printed = report.page(part, None, data, now, float(cov.eigenpairs(1)[0][0]), "", mean=mean)
    assert printed.count("<rect") == part.cardinality
    assert ("data:image/png" in printed) == mean
    assert len(printed) < 60_000
