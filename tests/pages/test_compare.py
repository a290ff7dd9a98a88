"""The compare page, driven as a person would, without a browser."""

import json
from dataclasses import replace

import numpy as np
import pytest

from nnspca import DataError
from nnspca.datasets import Dataset, fetch
from nnspca.result import Certificate, Component, SweepPoint
from nnspca.studies.comparison import Profile
from nnspca.view import words
from nnspca.view.compare import panels, run
from nnspca.view.compare.choices import Choices
from nnspca.view.session import catalogue
from nnspca.view.session.state import State
from tests.pages.conftest import settle, texts

pytestmark = pytest.mark.usefixtures("short_proofs")

PAGE = "pages/compare.py"
QUICK = {"vs": ["pitprops", "digits"], "fine": "few"}
SMALL = {**QUICK, "panels": True}


def drawn(page):
    return [json.loads(element.proto.spec) for element in page.get("plotly_chart")]


def test_two_data_sets_are_asked_the_same_questions_on_the_same_axes(open_page):
    page = settle(open_page(PAGE, **SMALL))
    left, right = drawn(page)[1:]
    for axis in ("xaxis", "yaxis", "xaxis2", "yaxis2", "yaxis3", "xaxis4", "yaxis4", "yaxis5"):
        assert left["layout"][axis]["range"] == right["layout"][axis]["range"]
    said = texts(page)
    for word in ("Spectrum:", "Sign:", "Correlation:", "Proof:"):
        assert said.count(f"**{word}**") == 2
    assert "Proven optimal at every k" in said or "Closest to proven optimal at every k" in said


def test_one_figure_holds_what_is_proven_of_every_data_set(open_page):
    page = settle(open_page(PAGE, **QUICK))
    (figure,) = drawn(page)
    assert [len(trace["x"]) for trace in figure["data"]] == [3, 3]
    (job,) = page.session_state["_jobs"].values()
    ratios = {(name, p.k): p.certificate.ratio for name, p in job.arrived if getattr(p, "certificate", None)}
    for name, trace in zip(QUICK["vs"], figure["data"], strict=True):
        for (k, _, shown, _), depth in zip(trace["customdata"], trace["y"], strict=True):
            ratio = ratios[name, k]
            assert shown <= 100 * ratio < shown + 0.01 + 1e-9, "rounded down"
            assert 1 - 10**-depth == pytest.approx(min(ratio, 1 - 1e-4))


def test_one_legend_names_every_curve_of_all_data_sets(open_page):
    page = settle(open_page(PAGE, by=["best", "em"], **SMALL))
    said = [element.proto.body for element in page.get("html")]
    (legend,) = [words for words in said if 'class="sketch"' not in words]
    for figure in drawn(page)[1:]:
        assert figure["layout"]["showlegend"] is False
        named = {trace["name"] for trace in figure["data"]} - {"all that k allows"}
        assert len(named) == 7
        assert all(f"</span> {name}</span>" in legend for name in named)


def test_every_point_lies_on_its_axes(open_page):
    page = settle(open_page(PAGE, **SMALL))
    for figure in drawn(page)[1:]:
        for trace in figure["data"]:
            axis = figure["layout"]["xaxis" + trace["xaxis"][1:]]
            if axis.get("type") != "log" or trace["name"] in ("all that k allows", "promised (Theorem 1)"):
                continue
            assert all(axis["range"][0] <= np.log10(x) <= axis["range"][1] for x in trace["x"])


def test_one_data_set_alone_is_told_what_is_missing(open_page):
    page = open_page(PAGE, vs=["digits"])
    assert "Choose at least two data sets and one solver." in texts(page)


def test_a_link_to_data_that_are_not_here_says_so(open_page, monkeypatch, tmp_path):
    monkeypatch.delenv(fetch.DATA_VARIABLE, raising=False)
    monkeypatch.setenv("NNSPCA_CACHE", str(tmp_path))
    page = settle(open_page(PAGE, **QUICK))
    assert "Not on this machine:" in texts(page)
    assert "leukemia" not in page.multiselect(key="vs").options


def test_a_broken_file_is_told_and_ends_the_page(open_page, monkeypatch):
    def broken(name):
        raise DataError(f"{name}: the file is cut short")

    monkeypatch.setattr(catalogue, "dataset", broken)
    page = open_page(PAGE, **QUICK)
    assert page.error[0].value == "pitprops: the file is cut short"


def test_tables_downloads_and_code_are_there_when_opened(open_page):
    page = settle(open_page(PAGE, take=True, **QUICK))
    assert [len(frame.value) for frame in page.dataframe] == [2, 6]
    shares = page.dataframe[1].value["Proven share"]
    assert (shares < 1).all(), "rounded down, so that what is claimed stays true"
    (code,) = [block.value for block in page.code]
    scope: dict = {"print": lambda *shown: None}
    exec(code, scope)
    assert scope["points"].column("data") == ["pitprops"] * 3 + ["digits"] * 3


def test_a_run_hands_over_profiles_first_and_keeps_certified_points():
    class Job:
        def __init__(self):
            self.arrived = []

        def publish(self, thing):
            self.arrived.append(thing)

        def should_stop(self):
            return False

        def report(self, progress):
            assert 0 <= progress.fraction <= 1

    now = replace(State(), seed=11)
    data = tuple(catalogue.dataset(name) for name in ("digits", "pitprops"))
    asked = Choices(("digits", "pitprops"), ("best",), "few")
    job = Job()
    run.work(data, asked, now)(job)
    assert [name for name, thing in job.arrived if isinstance(thing, Profile)] == ["pitprops", "digits"], (
        "cheapest first"
    )
    results = run.found(job, data, asked)
    assert list(results) == ["digits", "pitprops"], "in the order asked for"
    assert all(result.finished for result in results.values())
    assert all(len(result.points) == 3 for result in results.values())
    assert all(point.certificate is not None for result in results.values() for point in result.points)
    assert panels.ranking(results)
    assert panels.ranking({"pitprops": results["pitprops"]}) == ""
    half = replace(results["digits"], points=results["digits"].points[:1])
    assert panels.ranking({"pitprops": results["pitprops"], "digits": half}) == "", (
        "one of two is not proven to the end"
    )
    assert "the 1 of 3 k proven by now" in " ".join(panels.verdict(half)).replace("\u00a0", " ")


def test_the_ranking_says_the_least_share_proven_of_each_finished_data_set():
    def found(title, *ratios, asked=2):
        about = Profile(title, title, 4, 9, np.array([1.0, 0.5]), 2.0, 0.4, 0.95, 0.8, 0.3)
        part = Component(np.array([1.0, 0, 0, 0]), 1.0, "best", 1)
        points = []
        for k, ratio in enumerate(ratios, start=1):
            proof = Certificate(k, True, ratio, 1.0, part, (), 2.0, "", "live", 0.1, False)
            points.append(SweepPoint(k, "best", part, proof))
        return run.Found(about, tuple(points), asked)

    three = {"a": found("A", 0.98799, 0.999), "b": found("B", 0.95, 1.0), "c": found("C", 0.5)}
    said = panels.ranking(three).replace("\u00a0", " ")
    assert "Closest to proven optimal at every k: **A** (at least 98.79 %)" in said
    assert "Widest gap: **B** (at least 95.00 %)" in said
    assert "not ranked: C" in said
    closed = {"a": found("A", 1.0, 0.99995), "b": found("B", 1.0, 1.0)}
    assert panels.ranking(closed) == "Proven optimal at every k, to 1 part in 10,000: **A**, **B**."


@pytest.mark.parametrize(("spectrum", "words"), [((1, 0.9, 0.5, 0.4), "no direction leads"), ((1, 0.01), "nearly all")])
def test_a_verdict_follows_from_the_numbers(spectrum, words):
    about = Profile("x", "X", 4, 9, np.array(spectrum, float), 2.0, 0.4, 0.95, 0.8, 0.3)
    said = " ".join(panels.verdict(run.Found(about, ())))
    assert words in said
    assert "costs little" in said
    assert "**Proof:**" not in said


@pytest.mark.parametrize(
    ("share", "digits", "said"),
    [
        (1 - 1e-13, 1, "99.9 %"),
        (1 - 1e-13, 2, "99.99 %"),
        (0.97799, 2, "97.79 %"),
        (1.0, 2, "100.00 %"),
        (0.9995, 1, "99.9 %"),
    ],
)
def test_a_proven_share_is_never_rounded_up(share, digits, said):
    assert words.percent(share, digits) == said


def test_who_comes_with_a_file_of_their_own_sees_it_compared_and_the_link_says_so(open_page):
    mine = Dataset(name="mine", X=np.random.default_rng(0).normal(size=(20, 5)))
    page = settle(open_page(PAGE, data="mine", fine="few", _uploads={"mine": mine}))
    assert page.multiselect(key="vs").value == ["mine", "digits"]
    assert page.query_params["vs"] == ["mine", "digits"]
    page.multiselect(key="vs").set_value(["digits", "pitprops"]).run()
    assert page.multiselect(key="vs").value == ["digits", "pitprops"]
    asked = settle(open_page(PAGE, data="mine", vs=["pitprops", "digits"], fine="few", _uploads={"mine": mine}))
    assert asked.multiselect(key="vs").value == ["pitprops", "digits"]
