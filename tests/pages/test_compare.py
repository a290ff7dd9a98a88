"""The compare page of data sets, driven as a person would, without a browser."""

import json
from dataclasses import replace

import numpy as np
import pytest

import nnspca
from nnspca.datasets import Dataset, fetch
from nnspca.result import Component
from nnspca.view import ledger
from nnspca.view.compare import profile, sets
from nnspca.view.compare.profile import Profile
from nnspca.view.compare.sets import SHARES, Choices
from nnspca.view.desk import Desk
from nnspca.view.figures.band import gap, place
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known
from nnspca.view.link import state
from nnspca.view.link.state import State
from nnspca.view.session import Session
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from tests.pages.conftest import drawn, jobs, owner, settle, texts

pytestmark = pytest.mark.usefixtures("short_proofs")

PAGE = "pages/compare.py"
QUICK = {"vs": ["pitprops", "digits"], "fine": "few"}
FRESH = {**QUICK, "sign": state.ANY_SIGN}  # of which nothing is stored


def curves(figure):
    """The curves of variance by the titles of their data sets, those of the gap left out."""
    shown = [t for t in figure["data"] if t.get("mode") == "lines+markers" and t.get("yaxis", "y") == "y"]
    return {trace["name"]: trace for trace in shown}


def test_one_page_compares_data_sets_or_solvers_and_a_list_that_is_mounted_late_starts_from_its_default(open_page):
    """A browser reports what the list is drawn with: an empty default in a second run would empty a person's choice."""
    page = open_page(PAGE, data="pitprops", k=4, limit=1, fine="few")
    for _ in range(2):
        chosen = page.multiselect(key="vs")
        assert [chosen.options[at] for at in chosen.proto.default] == ["Handwritten digits", "LFW faces"]
        page.run()
    assert page.title[0].value == "Compare data sets"
    assert page.radio(key="what").options == [state.SETS, state.SOLVERS]
    (job,) = jobs(page)
    page.radio(key="what").set_value(state.SOLVERS).run()
    assert page.title[0].value == "Compare solvers"
    assert job.stopped, "the run that is no longer seen"
    assert {widget.key for widget in page.multiselect} == {"racers"}


def test_what_is_said_and_drawn_before_and_after_the_live_run_is_what_the_ledger_holds(open_page):
    page = open_page(PAGE, **QUICK, panels=True)
    assert page.markdown[0].value.replace("\u00a0", " ").startswith("Proven optimal at every k: ")
    (figure,) = drawn(page)
    assert len(curves(figure)["Pit props"]["x"]) == 13, "the whole curve before any run has ended"
    (figure,) = drawn(settle(page))
    asked = Choices(("pitprops", "digits"), ("best",), "few")
    for name, title in (("pitprops", "Pit props"), ("digits", "Handwritten digits")):
        data, now = catalogue.dataset(name), asked.view(name, State())
        rows = Subject(data, now).along(ledger.cardinalities(Subject(data, now).problem))
        lower, below = (t for t in figure["data"] if t.get("name") == title and t.get("mode") == "lines+markers")
        assert [k for k, _ in lower["customdata"]] == list(rows)
        for (k, shown), depth in zip(below["customdata"], below["y"], strict=True):
            missing = gap(rows[k].lower, rows[k].upper)
            assert shown >= 100 * missing > shown - 1e-4 - 1e-9, "rounded up"
            assert depth == pytest.approx(place(missing))
    (job,) = jobs(page)
    found = [(name, point) for name, point in job.arrived if getattr(point, "certificate", None)]
    marks = [trace for trace in figure["data"] if "live:" in (trace.get("hovertemplate") or "")]
    assert sum(len(t["x"]) for t in marks if t.get("yaxis") == "y2") == len({(p.k, id(p)) for _, p in found})
    for name, point in found:
        best = Subject(catalogue.dataset(name), State(data=name)).at(point.k)
        assert best.lower >= point.component.variance and best.upper <= point.certificate.upper
    for word in ("Spectrum:", "Sign:", "Correlation:", "Proof:"):
        assert texts(page).count(f"**{word}**") == 2


def test_each_k_of_a_live_run_is_one_at_which_a_proof_is_stored():
    data = catalogue.dataset("digits")
    for fine in ("few", "some", "many"):
        asked = Choices(("digits",), ("best",), fine)
        assert set(asked.cardinalities(Subject(data, State()))) <= set(
            ledger.cardinalities(Subject(data, State()).problem)
        )
        other = replace(State(), sign=state.ANY_SIGN)
        assert asked.cardinalities(Subject(data, other)) == profile.cardinalities(64, SHARES[fine])


def test_data_of_which_nothing_is_known_are_computed_first_and_solve_live_starts_from_nothing(open_page):
    page = settle(open_page(PAGE, **FRESH))
    assert [len(trace["x"]) for trace in curves(drawn(page)[0]).values()] == [3, 3]
    assert "at every k" in page.markdown[0].value
    (before,) = jobs(page)
    page.button(key="start-compare").click().run()
    (after,) = jobs(settle(page))
    assert after is not before
    ours, theirs = ([p.component for _, p in job.arrived if hasattr(p, "component")] for job in (after, before))
    assert ours and not any(one is other for one in ours for other in theirs), "found anew"


def test_each_data_set_has_the_preprocessing_it_opens_with_or_the_one_chosen_for_all(open_page):
    page = open_page(PAGE, vs=["digits"], fine="few")
    assert page.radio(key="scales").value == state.OPENING_SCALE
    assert "Choose at least two data sets and one solver." in texts(page)
    asked = Choices(("digits", "lfw-faces"), ("best",), "few")
    assert [asked.view(name, State()).standardise for name in asked.vs] == [False, True]
    every = replace(asked, scales=state.STANDARDISED)
    assert [every.view(name, State()).standardise for name in every.vs] == [True, True]


def test_each_data_set_is_prepared_where_it_can_be_and_the_page_and_its_code_say_how(open_page):
    counts = Dataset(name="counts", X=np.random.default_rng(0).poisson(3.0, (30, 6)) ** 4)
    desk = Desk((("count data.csv", b""),), "counts", ("gene data.csv", b""), data=counts)
    own = {"session": Session(desks={"counts": desk})}
    link = {"vs": ["pitprops", "counts"], "fine": "few", "prep": ["log1p"], "take": True, "scales": "as is"}
    page = settle(open_page(PAGE, **link, **own))
    assert "Extra preprocessing: pitprops (none; not possible with it: log1p), counts (log1p)." in texts(page)
    code = next(block.value for block in page.code if "nnspca.sweep" in block.value)
    assert "data[1] = nnspca.datasets.log1p(data[1])" in code and "data[0] =" not in code
    assert "    nnspca.datasets.read('count data.csv', name='counts'),\n" in code, "names of files stay as they are"
    assert "data[1] = nnspca.datasets.rename(data[1], nnspca.datasets.read_names('gene data.csv'))" in code
    (job,) = jobs(page)
    about = {name: thing for name, thing in job.arrived if hasattr(thing, "first_share")}
    prepared = nnspca.Covariance.from_dataset(nnspca.datasets.log1p(counts))
    assert about["counts"].leading == pytest.approx(float(prepared.eigenpairs(1)[0][0]))


def test_tables_downloads_and_code_say_what_was_found_and_that_data_are_missing(
    open_page, taken, monkeypatch, tmp_path
):
    monkeypatch.delenv(fetch.DATA_VARIABLE, raising=False)
    monkeypatch.setenv("NNSPCA_CACHE", str(tmp_path))
    page = settle(open_page(PAGE, take=True, **QUICK))
    assert "Not on this machine:" in texts(page) and "Extra preprocessing:" not in texts(page)
    assert not any("Leukemia" in option for option in page.multiselect(key="vs").options)
    about, points = (frame.value for frame in page.dataframe)
    assert (len(about), len(points)) == (2, 6)
    assert (points["Proven share"] < 1).all(), "rounded down, so that what is claimed stays true"
    (code,) = [block.value for block in page.code]
    printed: list = []
    exec(code, {"print": lambda *shown: printed.append(shown)})
    assert [name for name, _ in printed] == ["pitprops", "digits"]
    assert [k for _, curve in printed for k in curve["k"]] == list(points["k"])
    tables = json.loads(taken("compare.json"))["tables"]
    assert all({row["data"] for row in table["rows"]} == {"pitprops", "digits"} for table in tables)
    assert all(row["normalized_variance"] <= row["normalized_upper"] for row in tables[1]["rows"])


def test_a_broken_file_is_told_and_ends_the_page(open_page, monkeypatch):
    def broken(name):
        raise nnspca.DataError(f"{name}: the file is cut short")

    monkeypatch.setattr(catalogue, "dataset", broken)
    assert open_page(PAGE, **QUICK).error[0].value == "pitprops: the file is cut short"


def test_a_run_hands_over_profiles_first_and_keeps_certified_points():
    now, job = replace(State(), seed=11, sign=state.ANY_SIGN), Job("compare")
    data = tuple(Subject(catalogue.dataset(name), now) for name in ("digits", "pitprops"))
    asked = Choices(("digits", "pitprops"), ("best",), "few")
    sets.work(data, asked)(job)
    profiles = [name for name, thing in job.arrived if isinstance(thing, Profile)]
    assert profiles == ["pitprops", "digits"], "cheapest first"
    results = sets.live(job, data)
    assert list(results) == ["digits", "pitprops"], "in the order asked for"
    assert all(len(result.points) == 3 and all(p.certificate for p in result.points) for result in results.values())
    assert all(one.complete for one in sets.compared(data, asked)), "and what it found is in the ledger"


@pytest.mark.parametrize(
    ("spectrum", "words"), [((1, 0.9, 0.5, 0.4), "no eigenvector dominates"), ((1, 0.01), "nearly all")]
)
def test_the_reasons_follow_from_the_numbers(spectrum, words):
    def reasons(*ratios):
        part = Component(np.array([1.0, 0, 0, 0]), 1.0, "best", 1)
        rows = [Known(k, (part,), 1.0, 1 / r, proven=True) if r else Known(k) for k, r in enumerate(ratios, 1)]
        shown = sets.Compared(Subject(Dataset(name="X", X=np.eye(4)), State()), "X", tuple(rows))
        return " ".join(sets.reasons(about, shown)).replace("\u00a0", " ")

    about = Profile("x", "X", 4, 9, np.array(spectrum, float), 2.0, 0.4, 0.95, 0.8, 0.3)
    assert words in reasons(None) and "costs little" in reasons(None) and "**Proof:**" not in reasons(None)
    assert "**Proof:** at least 50.0 % of the optimum at k = 2" in reasons(1.0, 0.5)


def test_a_file_of_your_own_is_compared_at_once_and_the_link_says_so(open_page):
    own = {"session": owner(Dataset(name="mine", X=np.random.default_rng(0).normal(size=(20, 5))))}
    page = settle(open_page(PAGE, data="mine", fine="few", **own))
    assert page.multiselect(key="vs").value == page.session_state["session"].says["vs"] == ["mine", "digits"]
    page.multiselect(key="vs").set_value(["digits", "pitprops"]).run()
    assert page.multiselect(key="vs").value == ["digits", "pitprops"]
    asked = open_page(PAGE, data="mine", vs=["pitprops", "digits"], fine="few", **own)
    assert asked.multiselect(key="vs").value == ["pitprops", "digits"]
