"""The parts page's logic: what it asks the library, what it says, what its link carries."""

import functools
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nnspca
from nnspca.view import cache, tasks, words
from nnspca.view.parts import choices, panels, run
from nnspca.view.results import known, stored
from nnspca.view.robust.need import provable
from nnspca.view.ui import component
from tests.pages.conftest import sent, settle, traces

pytestmark = pytest.mark.usefixtures("short_proofs")

ROOT = Path(__file__).parents[2]


def page(**link):
    app = AppTest.from_file(str(ROOT / "pages" / "parts.py"), default_timeout=60)
    for key, value in link.items():
        app.session_state[key] = value
    return app.run()


def words_of(app):
    return " ".join([*(m.value for m in app.markdown), *(c.value for c in app.caption)])


def settled(**link):
    """The page once its parts are found and proven, and then its band."""
    return settle(settle(page(**link)))


def maximum(app):
    """The proven maximum that the headline says, in per cent of the total variance."""
    shares = r"explain ([\d.]+) % of the total variance(?:.*The proven maximum is ([\d.]+) %)?"
    explained, most = re.search(shares, words_of(app)).groups()
    return float(most or explained)


@pytest.fixture
def empty_ledger(monkeypatch):
    """Nothing is stored, and nothing known of other tests' tasks."""
    monkeypatch.setattr(stored, "records", dict)  # by the fixture that tests patch it with again: undone in order
    known.ledger.clear()
    cache.results.clear()
    yield
    known.ledger.clear()


@functools.cache
def pitprops_stored(r):
    """What a package with a stored proof of pit props would hold."""
    data = nnspca.datasets.load("pitprops")
    cov = nnspca.Covariance.from_dataset(data)
    proof = nnspca.certify_parts(cov, r, 4, effort="thorough")
    first = nnspca.certify(cov, 4)
    record = stored.Record(
        "pitprops",
        data.content_hash,
        False,
        13,
        4,
        {4: (first.component, first.upper)},
        {r: (proof.parts, proof.upper)},
    )
    return {"pitprops": record}


def test_parts_are_drawn_once_and_the_band_holds_the_optimum_at_every_number_of_parts(empty_ledger):
    app = settled(data="pitprops", k=4, r=3)
    said = words_of(app)
    assert re.search(
        r"These three parts explain 54\.8 % of the total variance\. Th(is is proven optimal|e proven maximum is)", said
    )
    assert len(re.findall("explain", said)) == 1, "the number is stated once"
    assert len(app.get("plotly_chart")) == 1
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    band = traces(app, "parts-band")
    best = next(trace for trace in band if trace.get("name") == "best known")
    marks = next(trace for trace in band if trace.get("name") == "upper bound, proven")
    assert best["x"] == marks["x"] == [1, 2, 3]
    for r in (1, 2, 3):
        certificate = nnspca.certify_parts(cov, r, 4)
        assert best["y"][r - 1] >= 100 * certificate.lower / cov.trace * (1 - 1e-9)
        assert best["y"][r - 1] <= marks["y"][r - 1] * (1 + 1e-9)
        assert marks["y"][r - 1] >= 100 * certificate.lower / cov.trace * (1 - 1e-9)


def test_what_the_ledger_knows_is_shown_before_the_live_run_has_found_anything(empty_ledger, monkeypatch):
    def waits(job):
        while not job.should_stop():
            time.sleep(0.01)

    monkeypatch.setattr(stored, "records", lambda: pitprops_stored(3))
    ask = tasks.ask
    monkeypatch.setattr(tasks, "ask", lambda task, button=None: ask(replace(task, make=lambda: waits), button))
    app = page(data="pitprops", k=4, r=3)
    said = words_of(app)
    assert "These three parts explain 54.8 % of the total variance." in said
    assert "(stored proof)." in said
    assert "Live" not in said
    assert traces(app, "parts-band")
    app.button(key="stop-parts").click().run()
    settle(app)
    assert "These three parts explain 54.8 % of the total variance." in words_of(app)


def test_after_the_live_run_the_best_known_is_shown_and_only_live_numbers_differ(empty_ledger, monkeypatch):
    monkeypatch.setattr(stored, "records", lambda: pitprops_stored(3))
    record = pitprops_stored(3)["pitprops"]
    app = settled(data="pitprops", k=4, r=3, proven=True)
    upper = record.parts[3][1]
    lower = sum(part.variance for part in record.parts[3][0])
    best = known.ledger().parts_along((record.content_hash, False, True), 4, (3,), 0.0)[3]
    assert best.upper <= upper and best.lower >= lower * (1 - 1e-12)
    said = words_of(app)
    shares = re.findall(r"(?:at least [\d.]+ % of the optimum|proven optimal)", said)
    assert words.proven_share(best.ratio) == shares[0]
    for line in said.split("\n"):
        if "of the optimum" in line and words.proven_share(best.ratio) not in line:
            assert "live" in line.lower()
    assert re.search(r"Live, in [\d.]+ (ms|s): ", said)


def test_solve_live_starts_from_nothing(empty_ledger, monkeypatch):
    app = settled(data="pitprops", k=4, r=2)
    solved, real = [], nnspca.decompose
    monkeypatch.setattr(nnspca, "decompose", lambda *given, **more: solved.append(given) or real(*given, **more))
    settle(page(data="pitprops", k=4, r=2))
    assert not solved, "another visit takes what is known"
    app.button(key="start-parts").click().run()
    settle(app)
    assert len(solved) == 2


def test_the_joint_certificate_opens_with_every_bound_and_why_and_is_verified_by_a_script_and_here(
    tmp_path, monkeypatch
):
    app = settled(data="pitprops", k=4, r=2, proven=True)
    said = words_of(app)
    (table,) = [frame.value for frame in app.dataframe if "Proven share" in frame.value.columns]
    assert len(table) >= 3
    assert all(
        nnspca.PARTS_BOUNDS[bound.name].summary in said
        for bound in dict(app.session_state["session"].jobs["parts"].arrived)[run.PROOF].bounds
    )
    job = app.session_state["session"].jobs["parts"]
    certificate = dict(job.arrived)[run.PROOF]
    monkeypatch.chdir(tmp_path)
    nnspca.save_certificate(certificate, "pitprops-r2-k4-certificate.npz")
    (script,) = [block.value for block in app.code if "load_certificate" in block.value]
    told = []
    exec(script, {"print": told.append})
    assert told[0].startswith("found and checked:")
    app.button(key="start-verify-parts").click()  # and by a second route on the page
    app = settle(app.run())
    assert any("Confirmed" in note.value for note in app.success)


def test_tighten_keeps_the_parts_and_never_raises_the_upper_bound(empty_ledger):
    app = settled(data="pitprops", k=4, r=3, proven=True)
    job = app.session_state["session"].jobs["parts"]
    before, said = dict(job.arrived)[run.PROOF], maximum(app)
    app.button(key="start-tighten-parts").click().run()
    tightening = app.session_state["session"].jobs["tighten-parts"]
    tightening.wait(2)
    tightening.stop()
    assert tightening.wait(20)
    fall = tightening.arrived[-1]
    assert fall.after.upper <= before.upper
    assert fall.after.lower == before.lower
    assert any("upper bound" in note.value for note in app.run().success)
    assert maximum(app) <= said, "the headline follows"


def test_each_part_is_proven_alone_on_demand():
    app = settle(settled(data="pitprops", k=4, r=2, proven=True, proven_view="each part alone"))
    for part in (1, 2):
        assert re.search(rf"Part {part}: \*\*(at least|proven optimal)", words_of(app))


@pytest.mark.parametrize(
    ("apart", "said"),
    [
        ("projection", "Upper bounds can be proven for each part alone, not for all together."),
        ("quasi-orthogonal", "Nothing is proven of these parts, which may share features"),
        ("disjoint", "of the optimum"),
    ],
)
def test_the_page_says_what_is_proven_of_parts_that_are_not_disjoint(apart, said):
    assert said in words_of(settled(data="pitprops", k=4, r=2, apart=apart))


def test_fewer_parts_move_the_ends_of_the_sliders_and_what_they_say():
    app = settled(data="digits", k=8, r=3, use=True, others=True, **{"with": ["best", "em"]})
    assert app.slider(key="used").value == 3
    app.number_input(key="r").set_value(2).run()
    app = settle(settle(app))
    assert (app.slider(key="used").max, app.slider(key="used").value) == (2, 2)


def test_parts_of_standardised_data_rebuild_a_sample_in_its_own_units():
    app = settled(data="digits", k=64, r=1, scale="standardised", used=1, use=True, **{"with": ["pca"]})
    said = words_of(app)
    data = nnspca.datasets.load("digits")
    spread = np.where(data.X.std(axis=0) > 0, data.X.std(axis=0), 1.0)
    away = (data.X[0] - data.X.mean(axis=0)) / spread
    u = np.linalg.eigh(nnspca.Covariance.from_dataset(data, standardize=True).entries)[1][:, -1]
    share = (u @ away) ** 2 / (away @ away)
    assert f"This part explains **{words.percent(share)}** of this image's squared distance from the mean." in said


@pytest.mark.parametrize("apart", list(nnspca.DEFLATIONS))
def test_every_apart_for_the_library_can_be_chosen(apart):
    app = settle(page(data="pitprops", k=4, apart=apart, r=2))
    assert not app.exception
    assert "explain" in words_of(app)


@pytest.fixture
def short_bands(monkeypatch):
    """The band along the number of parts has one point: what is looked at beside it does not hang on it."""
    monkeypatch.setattr(panels, "fill_band", lambda *_: None)


def test_prices_are_asked_for_only_where_nspca_uses_them(short_bands):
    assert not page(data="pitprops", k=4, apart="joint").select_slider
    app = settle(page(data="pitprops", k=4, apart="joint", **{"with": ["coordinate-descent"]}))
    assert [s.label[0] for s in app.select_slider] == ["α"]


@pytest.mark.parametrize(("scale", "whose"), [("as is", "the samples themselves"), ("standardised", "max(A, 0)")])
def test_nmf_takes_the_images_themselves_apart_where_they_are_nonnegative(scale, whose):
    app = settle(page(data="digits", r=2, scale=scale, use=True, use_view="downloads", **{"with": ["nmf"]}))
    assert not app.exception
    (code,) = [block.value for block in app.code]
    scope = {"print": lambda *shown: None}
    exec(code, scope)
    assert whose in scope["parts"].note
    assert len(scope["parts"].parts) == 2


def test_no_solver_says_what_to_do():
    app = page(data="pitprops")
    app.multiselect(key="with").set_value([]).run()
    assert "Choose at least one solver" in app.info[0].value


def test_the_link_of_a_view_can_be_wrong_without_a_traceback():
    app = page(data="pitprops", r=99, apart="magic")
    assert not app.exception


def test_pca_goes_with_all_components_at_once_whatever_the_choice():
    chosen = choices.Choices(3, "projection", ("pca", "best"))
    assert chosen.apart_for("pca") == "joint"
    assert chosen.apart_for("best") == "projection"
    joint = choices.Choices(3, "joint", ("best",))
    assert joint.apart_for("best") == "disjoint"


def test_only_parts_sought_alone_can_be_proven():
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    assert provable(nnspca.decompose(cov, 2, 3))
    assert not provable(nnspca.decompose(cov, 2, 3, deflation="quasi-orthogonal"))
    assert not provable(nnspca.decompose(cov, 2, 3, "nmf", deflation="joint"))


def test_solvers_that_overlap_are_drawn_one_part_at_a_time_and_others_in_the_colours_of_the_parts():
    app = settled(data="digits", k=8, r=3, others=True, **{"with": ["best", "em", "nmf"]})
    assert [sent(app, key)["single"] for key in ("parts", "parts-em", "parts-nmf")] == [False, False, True]
    colours = [[part["colour"] for part in sent(app, key)["parts"]] for key in ("parts", "parts-em")]
    assert colours[0] == colours[1]
    assert len(set(colours[0])) == 3


def test_control_probes_are_computed_with_and_not_listed():
    names = ("AFFX-b_at", "MYC (1_at)", "2_at")
    data = nnspca.datasets.Dataset(name="chip", X=np.random.default_rng(0).random((6, 3)), feature_names=names)
    part = nnspca.Component(np.array([0.8, 0.36, 0.48]), 1.0, "best", k=3)
    parts = nnspca.result.Components((part,), np.array([1.0]), 2.0, "best", "together")
    sent = component.payload(component.of(parts, data), data, None)
    assert sent["scene"]["names"] == {1: "MYC (1_at)", 2: "2_at"}
    assert sent["parts"][0]["says"].startswith("3 features")
    assert sent["scene"]["unlisted"] == [0]


@pytest.mark.parametrize("link", [{"with": ["best", "pca"]}])
def test_a_link_that_asks_for_a_comparison_opens_it(link):
    app = AppTest.from_file(str(ROOT / "pages" / "parts.py"), default_timeout=60)
    app.session_state["data"], app.session_state["k"] = "pitprops", 4
    app.query_params.update({"r": "2"} | link)
    app.run()
    assert app.session_state["others"]
    settle(app)


def test_parts_that_overlap_are_shown_with_the_comparisons_open():
    link = {"with": ["coordinate-descent", "em"]}
    app = settled(data="pitprops", k=4, r=2, apart="joint", others=True, **link)
    assert not app.exception
    assert len([c for c in app.get("plotly_chart") if c.proto.id.endswith(("-explained", "-together"))]) == 2
