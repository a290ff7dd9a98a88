"""The compare page of data sets, driven as a person would, without a browser."""

from dataclasses import replace

import numpy as np
import pytest

from nnspca import DataError
from nnspca.datasets import Dataset, fetch
from nnspca.result import Component
from nnspca.studies import comparison
from nnspca.studies.comparison import Profile
from nnspca.view import words
from nnspca.view.compare import panels, sets
from nnspca.view.compare.sets import SHARES, Choices
from nnspca.view.figures.band import gap, place
from nnspca.view.link import state
from nnspca.view.link.state import State
from nnspca.view.results import known, stored
from nnspca.view.results.ledger import Known
from nnspca.view.session import Session
from nnspca.view.sources import catalogue
from tests.pages.conftest import drawn, jobs, settle, texts

pytestmark = pytest.mark.usefixtures("short_proofs")

PAGE = "pages/compare.py"
QUICK = {"vs": ["pitprops", "digits"], "fine": "few"}
FRESH = {**QUICK, "sign": state.ANY_SIGN}  # of which nothing is stored


def plain(text):
    return text.replace("\u00a0", " ")


def test_one_page_compares_data_sets_or_solvers(open_page):
    page = open_page(PAGE, data="pitprops", k=4, limit=1, **QUICK)
    assert page.title[0].value == "Compare data sets"
    assert page.radio(key="what").options == [state.SETS, state.SOLVERS]
    (job,) = jobs(page)
    page.radio(key="what").set_value(state.SOLVERS).run()
    assert page.title[0].value == "Compare solvers"
    assert job.stopped, "the run that is no longer seen"
    assert {widget.key for widget in page.multiselect} == {"racers"}


def test_a_browser_that_mounts_a_list_late_starts_from_its_default(open_page):
    """It reports what the list is drawn with: an empty default in a second run would empty the person's choice."""
    page = open_page(PAGE)
    for _ in range(2):
        sets = page.multiselect(key="vs")
        assert [sets.options[at] for at in sets.proto.default] == ["Handwritten digits", "LFW faces"]
        page.run()


def test_the_answer_stands_in_the_first_line_before_any_run_has_ended(open_page):
    page = open_page(PAGE, **QUICK)
    assert plain(page.markdown[0].value).startswith("Proven optimal at every k: ")
    (figure,) = drawn(page)
    lines = {trace["name"]: trace for trace in figure["data"] if trace.get("name") and trace.get("yaxis", "y") == "y"}
    assert len(lines["Pit props"]["x"]) == 13, "the whole curve at once"


def test_what_is_said_and_drawn_is_what_the_ledger_holds(open_page):
    page = settle(open_page(PAGE, **QUICK))
    (figure,) = drawn(page)
    asked = Choices(("pitprops", "digits"), ("best",), "few")
    for name, title in (("pitprops", "Pit props"), ("digits", "Handwritten digits")):
        data, now = catalogue.dataset(name), asked.view(name, State())
        rows = known.along(data, now, stored.cardinalities(known.problem(data, now)))
        lower, below = (
            trace for trace in figure["data"] if trace.get("name") == title and trace.get("mode") == "lines+markers"
        )
        assert [k for k, _ in lower["customdata"]] == list(rows)
        for (k, shown), depth in zip(below["customdata"], below["y"], strict=True):
            missing = gap(rows[k].lower, rows[k].upper)
            assert shown >= 100 * missing > shown - 1e-4 - 1e-9, "rounded up"
            assert depth == pytest.approx(place(missing))


def test_the_live_run_stands_beside_what_is_known_and_goes_into_the_ledger(open_page):
    page = settle(open_page(PAGE, **QUICK))
    (figure,) = drawn(page)
    (job,) = jobs(page)
    found = [point for _, point in job.arrived if getattr(point, "certificate", None)]
    marks = [trace for trace in figure["data"] if "live:" in (trace.get("hovertemplate") or "")]
    assert sum(len(trace["x"]) for trace in marks if trace.get("yaxis") == "y2") == len({(p.k, id(p)) for p in found})
    data, now = catalogue.dataset("digits"), State()
    for name, point in job.arrived:
        if name == "digits" and getattr(point, "certificate", None):
            best = known.at(data, now, point.k)
            assert best.lower >= point.component.variance
            assert best.upper <= point.certificate.upper


def test_each_k_of_a_live_run_is_one_at_which_a_proof_is_stored():
    data = catalogue.dataset("digits")
    for fine in ("few", "some", "many"):
        asked = Choices(("digits",), ("best",), fine)
        assert set(asked.cardinalities(data, State())) <= set(stored.cardinalities(known.problem(data, State())))
        other = replace(State(), sign=state.ANY_SIGN)
        assert asked.cardinalities(data, other) == comparison.cardinalities(64, SHARES[fine])


def test_data_of_which_nothing_is_known_are_computed_first(open_page):
    page = settle(open_page(PAGE, **FRESH))
    (figure,) = drawn(page)
    lines = [t for t in figure["data"] if t.get("mode") == "lines+markers" and t.get("yaxis", "y") == "y"]
    assert [len(trace["x"]) for trace in lines] == [3, 3]
    assert "at every k" in page.markdown[0].value


def test_each_data_set_has_the_preprocessing_it_opens_with_or_the_one_chosen_for_all(open_page):
    page = open_page(PAGE, vs=["pitprops", "lfw-faces"], fine="few")
    assert page.radio(key="scales").value == state.OPENING_SCALE
    asked = Choices(("digits", "lfw-faces"), ("best",), "few")
    assert [asked.view(name, State()).standardise for name in asked.vs] == [False, True]
    every = replace(asked, scales=state.STANDARDISED)
    assert [every.view(name, State()).standardise for name in every.vs] == [True, True]


def test_what_makes_the_data_sets_differ_is_told_of_each(open_page):
    said = texts(settle(open_page(PAGE, **QUICK, panels=True)))
    for word in ("Spectrum:", "Sign:", "Correlation:", "Proof:"):
        assert said.count(f"**{word}**") == 2


def test_one_data_set_alone_is_told_what_is_missing(open_page):
    page = open_page(PAGE, vs=["digits"])
    assert "Choose at least two data sets and one solver." in texts(page)


def test_a_link_to_data_that_are_not_here_says_so(open_page, monkeypatch, tmp_path):
    monkeypatch.delenv(fetch.DATA_VARIABLE, raising=False)
    monkeypatch.setenv("NNSPCA_CACHE", str(tmp_path))
    page = settle(open_page(PAGE, **QUICK))
    assert "Not on this machine:" in texts(page)
    assert not any("Leukemia" in option for option in page.multiselect(key="vs").options)


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
    assert scope["points"].column("Data set") == ["pitprops"] * 3 + ["digits"] * 3
    assert scope["points"].column("k") == list(page.dataframe[1].value["k"])


def test_solve_live_starts_from_nothing(open_page):
    page = settle(open_page(PAGE, **FRESH))
    (before,) = jobs(page)
    page.button(key="start-compare").click().run()
    settle(page)
    (after,) = jobs(page)
    assert after is not before
    ours, theirs = ([p.component for _, p in job.arrived if hasattr(p, "component")] for job in (after, before))
    assert ours
    assert not any(one is other for one in ours for other in theirs), "found anew"


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

    now = replace(State(), seed=11, sign=state.ANY_SIGN)
    data = tuple(catalogue.dataset(name) for name in ("digits", "pitprops"))
    asked = Choices(("digits", "pitprops"), ("best",), "few")
    job = Job()
    sets.work(data, asked, now)(job)
    assert [name for name, thing in job.arrived if isinstance(thing, Profile)] == ["pitprops", "digits"], (
        "cheapest first"
    )
    results = sets.live(job, data)
    assert list(results) == ["digits", "pitprops"], "in the order asked for"
    assert all(len(result.points) == 3 for result in results.values())
    assert all(point.certificate is not None for result in results.values() for point in result.points)
    assert all(one.complete for one in sets.compared(data, asked, now)), "and what it found is in the ledger"


def compared(title, *ratios):
    part = Component(np.array([1.0, 0, 0, 0]), 1.0, "best", 1)
    rows = tuple(
        Known(k, (part,), 1.0, 1.0 / ratio, proven=True) if ratio else Known(k) for k, ratio in enumerate(ratios, 1)
    )
    return sets.Compared(Dataset(name=title, X=np.eye(4)), title, rows, 1.0)


@pytest.mark.parametrize(
    ("spectrum", "words"), [((1, 0.9, 0.5, 0.4), "no eigenvector dominates"), ((1, 0.01), "nearly all")]
)
def test_the_reasons_follow_from_the_numbers(spectrum, words):
    about = Profile("x", "X", 4, 9, np.array(spectrum, float), 2.0, 0.4, 0.95, 0.8, 0.3)
    said = " ".join(panels.reasons(about, compared("X", None)))
    assert words in said
    assert "costs little" in said
    assert "**Proof:**" not in said
    assert "**Proof:** at least 50.0 % of the optimum at k = 2" in plain(
        " ".join(panels.reasons(about, compared("X", 1.0, 0.5)))
    )


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


def test_a_file_of_your_own_is_compared_at_once_and_the_link_says_so(open_page):
    mine = Dataset(name="mine", X=np.random.default_rng(0).normal(size=(20, 5)))
    page = settle(open_page(PAGE, data="mine", fine="few", session=Session(uploads={"mine": mine})))
    assert page.multiselect(key="vs").value == ["mine", "digits"]
    assert page.query_params["vs"] == ["mine", "digits"]
    page.multiselect(key="vs").set_value(["digits", "pitprops"]).run()
    assert page.multiselect(key="vs").value == ["digits", "pitprops"]
    asked = settle(
        open_page(PAGE, data="mine", vs=["pitprops", "digits"], fine="few", session=Session(uploads={"mine": mine}))
    )
    assert asked.multiselect(key="vs").value == ["pitprops", "digits"]
