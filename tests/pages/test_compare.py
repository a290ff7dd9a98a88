"""The compare page, driven as a person would: data sets, races of solvers, and loadings found elsewhere, judged."""

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

import nnspca
from nnspca import datasets
from nnspca.datasets import Dataset
from nnspca.result import rounded
from nnspca.studies.racing import BARRED, FINISHED, RUNNING, Fall, Lane, Mark, Race
from nnspca.view import say, stored
from nnspca.view.compare import figures, loadings, race, sets
from nnspca.view.desk import Desk
from nnspca.view.figures.band import gap_position
from nnspca.view.figures.style import DARK
from nnspca.view.jobs import Job
from nnspca.view.link import state
from nnspca.view.link.state import AS_IS, FIRST_RACE, STANDARDISED, TITLES
from nnspca.view.session import Session
from nnspca.view.sources import catalogue
from tests import shelf
from tests.pages.conftest import drawn, jobs, owner, says, settle, subject, texts

pytestmark = pytest.mark.usefixtures("short_proofs")

PAGE = "pages/compare.py"
QUICK = {"what": state.SETS, "vs": ["pitprops", "digits"]}
FRESH = {**QUICK, "sign": state.ANY_SIGN}


def curves(figure):
    """The curves of variance by the titles of their data sets, those of the gap left out."""
    shown = [t for t in figure["data"] if t.get("mode") == "lines+markers" and t.get("yaxis", "y") == "y"]
    return {trace["name"]: trace for trace in shown}


def test_one_page_compares_solvers_or_data_sets_and_a_list_that_is_mounted_late_starts_from_its_default(open_page):
    """A browser reports what the list is drawn with: an empty default in a second run would empty a person's choice."""
    page = open_page(PAGE).button(key="start-race").click().run()
    assert {widget.key for widget in page.multiselect} == {"racers"}
    (race,) = jobs(page)
    page.radio(key="what").set_value(state.SETS).run()
    assert {widget.key for widget in page.multiselect} == {"vs"}
    assert race.stopped or race.done  # the run that is no longer seen
    for _ in range(2):
        chosen = page.multiselect(key="vs")
        assert [chosen.options[at] for at in chosen.proto.default] == [sets.labels()[name] for name in chosen.value]
        assert tuple(chosen.value) == state.keys_of("compare")["vs"].default
        page.run()


def test_what_is_known_is_shown_without_a_run_and_a_live_run_changes_no_number(open_page):
    page = open_page(PAGE, **QUICK)
    known = [subject(name) for name in QUICK["vs"]]
    assert not jobs(page) and page.markdown[0].value == sets.say_proven(sets.compared(known))
    (figure,) = drawn(page)
    for one in known:
        rows, title = one.known_along(stored.cardinalities(one.problem)), sets.labels()[one.data.name]
        lower, below = (t for t in figure["data"] if t.get("name") == title and t.get("mode") == "lines+markers")
        assert [k for k, _ in lower["customdata"]] == list(rows)
        for (k, shown), depth in zip(below["customdata"], below["y"], strict=True):
            assert shown == rounded.proven_gap(rows[k].lower, rows[k].upper)
            assert depth == pytest.approx(gap_position(1 - rows[k].ratio))
    page.button(key="start-compare").click().run()
    (job,) = jobs(settle(page))
    for name, point in job.results:
        best = subject(name).known_at(point.k)
        assert best.lower >= point.component.variance
        assert point.certificate is None or best.upper <= point.certificate.upper


def test_each_k_of_a_live_run_is_one_at_which_a_proof_is_stored():
    known = subject("digits")
    assert set(sets.ks_to_solve(known)) <= set(stored.cardinalities(known.problem))
    assert sets.ks_to_solve(subject("digits", sign=state.ANY_SIGN)) == (1, 3, 10, 26, 64)


def test_data_of_which_nothing_is_known_are_computed_first_and_solve_live_starts_from_nothing(empty_ledger, open_page):
    page = settle(open_page(PAGE, **FRESH))
    assert [len(trace["x"]) for trace in curves(drawn(page)[0]).values()] == [4, 5]
    assert "at every k" in page.markdown[0].value
    (before,) = jobs(page)
    page.button(key="start-compare").click().run()
    (after,) = jobs(settle(page))
    ours, theirs = ([p.component for _, p in job.results] for job in (after, before))
    assert ours and not any(one is other for one in ours for other in theirs), "found anew"


def test_a_data_set_is_compared_as_the_other_pages_show_it_and_the_code_says_how(open_page):
    counts = Dataset(name="counts", X=np.random.default_rng(0).poisson(3.0, (30, 6)) ** 4)
    desk = Desk((("count data.csv", b""), ("gene data.csv", b"")), data=counts)
    link = {"data": "counts", "what": state.SETS, "vs": ["lfw-faces", "counts"], "prep": ["log1p"], "take": True}
    page = settle(open_page(PAGE, **link, session=Session(desks={"counts": desk})))
    code = next(block.value for block in page.code if "nnspca.sweep" in block.value)
    assert all(line in code for line in desk.code("data[1]")) and "log1p(data[1])" in code
    assert "log1p(data[0])" not in code and "[(True, " in code
    prepared = nnspca.Covariance.from_dataset(nnspca.datasets.log1p(counts))
    variances = {p.k: p.component.variance for name, p in jobs(page)[0].results if name == "counts"}
    assert variances[6] <= float(prepared.eigenpairs(1)[0][0]) * (1 + 1e-9)


def test_table_downloads_and_code_say_what_is_known_and_that_data_are_missing(open_page, taken, nothing_fetched):
    page = open_page(PAGE, take=True, **QUICK)
    assert not any("Leukemia" in option for option in page.multiselect(key="vs").options)
    (frame,), (code,) = page.dataframe, [block.value for block in page.code]
    shown: list = []
    exec(code, {"print": lambda name, frame: shown.append((name, list(frame["k"])))})
    assert [(name, len(ks)) for name, ks in shown] == [("pitprops", 4), ("digits", 5)]
    rows = list(csv.DictReader(io.StringIO(taken("compare.csv").decode())))
    assert len(rows) == len(frame.value)
    for row in rows:
        about = subject(row["data set"])
        best = about.known_at(int(row["k"]))
        share = float(row["proven share of the optimum"])
        assert share <= best.ratio < share + 1.1e-6
        lower, upper = (float(cell) for name, cell in row.items() if name.endswith("% of the total variance"))
        assert lower * about.cov.trace <= 100 * best.lower * (1 + 1e-12)
        assert upper * about.cov.trace >= 100 * best.upper * (1 - 1e-12)


def test_a_broken_file_is_told_and_ends_the_page(open_page, monkeypatch):
    def broken(name):
        raise problem

    problem = nnspca.DataError("the file is cut short")
    monkeypatch.setattr(catalogue, "dataset", broken)
    assert says(open_page(PAGE, **QUICK).error, problem)


def test_a_run_takes_the_smallest_data_set_first_and_what_it_found_is_in_the_ledger():
    data = tuple(subject(name, seed=11, sign=state.ANY_SIGN) for name in ("digits", "pitprops"))
    job = Job("compare")
    job.run(sets.task(data).work)
    assert next(iter(dict(job.results))) == "pitprops"
    assert all(one.complete for one in sets.compared(data))


def test_a_file_of_your_own_is_compared_at_once_and_the_link_says_so(open_page):
    own = {"session": owner(Dataset(name="mine", X=np.random.default_rng(0).normal(size=(20, 5))))}
    page = settle(open_page(PAGE, data="mine", what=state.SETS, **own))
    assert page.multiselect(key="vs").value == page.session_state["session"].says["vs"] == ["mine", "digits"]
    page.multiselect(key="vs").set_value(["digits", "pitprops"]).run()
    assert page.multiselect(key="vs").value == ["digits", "pitprops"]
    asked = open_page(PAGE, data="mine", what=state.SETS, vs=["pitprops", "digits"], **own)
    assert asked.multiselect(key="vs").value == ["pitprops", "digits"]


GIVEN = {"data": "pitprops", "k": 4, "racers": ["em"], "given": True}
NAMES = ["a", "b", "c"]


@pytest.mark.parametrize("text", ["a,1\nc,2", "feature\tfirst\nc\t2\na\t1", "name;x\nc;2\na;1\nb;0", "a, 1\nc, 2\n\n"])
def test_names_order_separators_and_titles_make_no_difference(text):
    np.testing.assert_array_equal(loadings.read_loadings(text, NAMES), [[1.0], [0.0], [2.0]])


@pytest.mark.parametrize(
    "text",
    [
        "row 3, column 11: 0.5\nchr1:10: 2", "row 3, column 11,0.5\nchr1:10,2", "row 3, column 11\t0,5\nchr1:10\t2",
        '"row 3, column 11",0.5\n"chr1:10",2', "name;x\nrow 3, column 11;0,5\nchr1:10;2",
        "row 3, column 11: 0,5\nchr1:10:2",
    ],
)  # fmt: skip
def test_a_name_is_taken_as_the_app_prints_it_whatever_it_holds(text):
    names = ["row 3", "row 3, column 1", "row 3, column 11", "chr1", "chr1:10"]
    np.testing.assert_array_equal(loadings.read_loadings(text, names).T, [[0, 0, 0.5, 0, 2]])
    two = "\n".join(f"{line}, 1" if ": " in line else "" for line in text.splitlines())
    if two.strip():
        assert loadings.read_loadings(two, names)[2].tolist() == [0.5, 1]


def test_names_that_are_numbers_are_names_where_the_data_have_them():
    np.testing.assert_array_equal(loadings.read_loadings("1990,3\n1992,4", ["1990", "1991", "1992"]).T, [[3, 0, 4]])


@pytest.mark.parametrize(
    "text",
    [
        "a,1\nz,2", "a,1\na,2",
        "a,nan", "a,1e999", "a,x\nb,1", "a,1\nb,1,2", "1\n2", "1\n2\n3\n4\n5", "\x00,1", ",", '"a,1',
        "a," + ",".join(["1"] * 30), "a," + "9" * 200_000, "=cmd(),1", "a\n" * 5,
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_a_reason(text):
    with pytest.raises(ValueError, match=r"\w"):
        loadings.read_loadings(text, NAMES)


def test_loadings_are_judged_on_request_and_no_number_flatters_them(open_page, short_proofs):
    data = catalogue.dataset("pitprops")
    cov = nnspca.Covariance.from_dataset(data)
    mine = np.where(np.arange(13) < 4, 0.5, 0.0)
    text = "\n".join(f"{name},{x}" for name, x in zip(data.feature_names, mine, strict=True) if x)
    page = settle(open_page("pages/compare.py", **GIVEN))
    example = page.text_area(key=loadings.TEXT).placeholder
    assert np.count_nonzero(loadings.read_loadings(example, data.feature_names)) == 2
    page.text_area(key=loadings.TEXT).set_value("<b>evil</b>,1").run()
    assert "no feature" in page.error[0].value and "<b>evil" not in page.error[0].value.replace("\\<", "")
    page.text_area(key=loadings.TEXT).set_value(text).run()
    page.button(key="start-judge").click().run()
    page = settle(page)
    (row,) = page.dataframe[0].value.to_dict("records")
    best = subject("pitprops").known_at(4)
    *_, explains, share, _ = row.values()
    assert explains <= 100 * cov.variance(mine) / cov.trace
    assert float(share.split()[0]) <= 100 * cov.variance(mine) / best.upper
    assert "Judged" not in texts(page) and not page.exception


RACE = {"what": "solvers", "data": "pitprops", "k": 4, "racers": ["best", "em", "greedy", "pca"], "seed": 1}


def test_a_race_is_drawn_and_told_by_its_numbers_runs_again_from_its_code(open_page, short_proofs):
    page = settle(open_page(PAGE, take=True, **RACE).button(key="start-race").click().run())
    (way,) = drawn(page)
    lanes = {trace["name"]: trace for trace in way["data"]}
    solvers = [TITLES[name] for name in RACE["racers"][:3]]
    assert set(lanes) == {*solvers, figures.BOUND, figures.FLAG, figures.LOWEST}
    assert max(max(lanes[name]["y"]) for name in solvers) <= 100 and lanes[figures.BOUND]["y"][-1] >= 0
    assert way["layout"]["meta"]["alt"].startswith(way["layout"]["title"]["text"])

    best = subject("pitprops", k=4).known_at()
    standing = jobs(page)[0].results[0]
    assert [lane.method for lane in standing.lanes if lane.state == BARRED] == ["pca"]
    assert all(line in page.caption[0].value for line in race.missing_solvers(standing))
    said = page.markdown[0].value.replace("\u00a0", " ")
    assert f"**{say.capital(rounded.proven_share(best.lower, best.upper))}**" in said
    assert best.upper <= standing.upper  # what the race has proven is in the ledger
    assert best.lower >= max(lane.variance for lane in standing.lanes) * (1 - 1e-12)

    (frame,) = page.dataframe
    assert len(frame.value) == sum(len(lane.marks) for lane in standing.lanes) + len(standing.falls)
    (code,) = [block.value for block in page.code]
    scope: dict = {"print": lambda *shown: None}
    exec(code, scope)
    assert [lane.state for lane in scope["ended"].lanes] == [FINISHED] * 3 + [BARRED]

    again = open_page(PAGE, **RACE, take=True)
    assert not jobs(again) and again.dataframe[0].value.equals(frame.value)  # once run it is shown again
    again.button(key="start-race").click().run()
    assert jobs(settle(again))[0].results[0] is not standing  # and run anew on request


@pytest.mark.parametrize(("name", "scale", "k"), [("pitprops", AS_IS, 4), ("lfw-faces", STANDARDISED, 40)])
def test_a_stored_race_opens_without_a_run_and_says_no_more_than_the_ledger(open_page, name, scale, k):
    page = open_page(PAGE, what="solvers", data=name, k=k, scale=scale, take=True)
    assert not jobs(page) and race.origin() in texts(page)
    (way,) = drawn(page)
    assert {TITLES["best"], TITLES["em"], figures.BOUND} <= {trace["name"] for trace in way["data"]}
    best = subject(name, k=k, scale=scale).known_at()
    said = page.markdown[0].value.replace("\u00a0", " ")
    assert said.startswith(f"**{say.capital(rounded.proven_share(best.lower, best.upper))}**")
    if name == "pitprops":
        other = open_page(PAGE, what="solvers", data=name, k=3)
        assert not jobs(other) and drawn(other) == [way] and "At k = 4" in texts(other).replace("\u00a0", " ")
        without = open_page(PAGE, what="solvers", data=name, k=3, scale=STANDARDISED)
        assert not jobs(without) and not drawn(without) and without.button(key="start-race").label == "Race at k = 3"
        page.button(key="start-race").click().run()
        assert jobs(settle(page))[0].results and race.origin() not in texts(page)


def test_every_stored_race_is_of_a_view_that_a_data_set_opens_with_and_says_no_more_than_the_ledger():
    opening = {(*r.problem, r.opening): r for key, r in shelf.records().items() if key == stored.opening_key(r.name)}
    assert len(race.stored_races()["races"]) >= 5 and race.stored_races()["races"].keys() <= opening.keys()
    for record in opening.values():
        scale = STANDARDISED if record.standardise else AS_IS
        if not next(info.local for info in datasets.available() if info.name == record.name):
            continue
        about = subject(record.name, k=record.opening, scale=scale)
        best, (_, ended) = about.known_at(), race.ended(about, FIRST_RACE)
        assert max(lane.variance for lane in ended.lanes) <= best.lower <= best.upper <= ended.upper
        near, same = race.ended(replace(about, now=replace(about.now, seed=1, k=1)), FIRST_RACE)
        assert near.now == about.now and same.upper == ended.upper


def lane(name, state, seconds, *marks, reason=""):
    return Lane(name, state, seconds, tuple(Mark(at, share, 1) for at, share in marks), reason)


@pytest.mark.parametrize("lowest", [1.0, 0.9])
def test_every_share_is_of_the_lowest_bound_known_none_is_over_100_and_the_bound_falls_in_a_panel_of_its_own(lowest):
    lanes = (lane("em", FINISHED, 4.0, (1.0, 0.5), (3.0, 0.8)), lane("best", FINISHED, 4.0, (2.0, 0.7)))
    standing = Race(lanes, (Fall(0.5, 2.0), Fall(2.5, 1.0)), FINISHED, 5.0)
    shown = figures.race_curves(standing, ("em", "best"), DARK, lowest)
    (bound,) = [trace for trace in shown.data if trace.yaxis == "y2"]
    assert list(bound.x) == [0.5, 2.5, 5.0] and bound.name == figures.BOUND
    assert list(bound.y) == pytest.approx([200 / lowest - 100, 100 / lowest - 100, 100 / lowest - 100])
    lines = {trace.name: trace for trace in shown.data}
    assert lines["EM"].y[0] == pytest.approx(50 / lowest) and set(lines[figures.LOWEST].y) == {100}
    assert max(max(trace.y) for trace in shown.data if trace.yaxis != "y2" and trace.y[0] is not None) <= 100
    low, high = shown.layout.yaxis.range
    assert low < 70 / lowest < 100 < high and shown.layout.yaxis.domain[0] > shown.layout.yaxis2.domain[1]


def test_before_an_upper_bound_there_are_axes_and_nothing_is_claimed():
    shown = figures.race_curves(Race((lane("em", RUNNING, 1.0, (0.5, 0.5)),)), ("em",), DARK, np.inf)
    assert not shown.data
