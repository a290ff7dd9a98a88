"""The compare page, driven as a person would, without a browser."""

import json
from dataclasses import replace

import numpy as np
import pytest

from nnspca import DataError
from nnspca.datasets import fetch
from nnspca.view import words
from nnspca.view.compare import panels, run
from nnspca.view.compare.choices import Choices
from nnspca.view.session import store
from nnspca.view.session.state import State
from tests.pages.conftest import settle, texts

pytestmark = pytest.mark.usefixtures("short_proofs")

PAGE = "pages/compare.py"
QUICK = {"vs": ["pitprops", "digits"], "fine": "few"}


def drawn(page):
    return [json.loads(element.proto.spec) for element in page.get("plotly_chart")]


def test_two_data_sets_are_asked_the_same_questions_on_the_same_axes(open_page):
    page = settle(open_page(PAGE, **QUICK))
    left, right = drawn(page)
    for axis in ("xaxis", "yaxis", "xaxis2", "yaxis2", "yaxis3", "xaxis4", "yaxis4", "yaxis5"):
        assert left["layout"][axis]["range"] == right["layout"][axis]["range"]
    said = texts(page)
    for word in ("Spectrum:", "Sign:", "Correlation:", "Proof:"):
        assert said.count(f"**{word}**") == 2
    assert "Closest to proven optimal at every k" in said


def test_one_legend_names_every_curve_of_all_data_sets(open_page):
    page = settle(open_page(PAGE, by=["best", "em"], **QUICK))
    said = [element.proto.body for element in page.get("html")]
    (legend,) = [words for words in said if 'class="sketch"' not in words]
    for figure in drawn(page):
        assert figure["layout"]["showlegend"] is False
        named = {trace["name"] for trace in figure["data"]} - {"all that k allows"}
        assert len(named) == 7
        assert all(f"</span> {name}</span>" in legend for name in named)


def test_every_point_lies_on_its_axes(open_page):
    page = settle(open_page(PAGE, **QUICK))
    for figure in drawn(page):
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

    monkeypatch.setattr(store, "dataset", broken)
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
    data = tuple(store.dataset(name) for name in ("pitprops", "digits"))
    asked = Choices(data, ("best",), "few")
    job = Job()
    run.work(asked, now)(job)
    results = run.found(job)
    assert list(results) == ["pitprops", "digits"]
    assert all(len(result.points) == 3 for result in results.values())
    assert all(point.certificate is not None for result in results.values() for point in result.points)
    assert panels.ranking(results)
    assert panels.ranking({"pitprops": results["pitprops"]}) == ""


@pytest.mark.parametrize(("spectrum", "words"), [((1, 0.9, 0.5, 0.4), "no direction leads"), ((1, 0.01), "nearly all")])
def test_a_verdict_follows_from_the_numbers(spectrum, words):
    from nnspca.studies.comparison import Profile

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
