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
from nnspca.view import cache, words
from nnspca.view.figures.component import Scene
from nnspca.view.figures.style import LIGHT
from nnspca.view.jobs import runs
from nnspca.view.parts import choices, face, panels, run
from nnspca.view.parts.figures import several as figures
from nnspca.view.parts.figures.over_mean import COLOURS, over_mean
from nnspca.view.results import known, stored
from nnspca.view.ui import scene as described
from tests.pages.conftest import settle, traces

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
    shares = r"explain \*\*([\d.]+) %\*\* of the total variance(?:.*The proven maximum is ([\d.]+) %)?"
    explained, most = re.search(shares, words_of(app)).groups()
    return float(most or explained)


@pytest.fixture
def empty_ledger(monkeypatch):
    """Nothing is stored, and nothing known of other tests' runs."""
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
        r"These three parts explain \*\*54\.8 %\*\* of the total variance\. The(y are| proven maximum is)", said
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
    begin = runs.run
    monkeypatch.setattr(runs, "run", lambda slot, key, make, **more: begin(slot, key, lambda: waits, **more))
    app = page(data="pitprops", k=4, r=3)
    said = words_of(app)
    assert "These three parts explain **54.8 %** of the total variance." in said
    assert "(stored proof)." in said
    assert "Live" not in said
    assert traces(app, "parts-band")
    app.button(key="stop-parts").click().run()
    settle(app)
    assert "These three parts explain **54.8 %** of the total variance." in words_of(app)


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
    app.button(key="run-parts").click().run()
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
    app.button(key="verify-parts").click()  # and by a second route on the page
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


def test_only_features_that_changed_hands_are_coloured():
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    earlier = nnspca.decompose(cov, 3, 4)
    later = nnspca.decompose(cov, 3, 4, deflation="together")
    before, after = panels.hands(earlier, later)
    assert before.any() or after.any()
    assert not ((before != 0) & (after != 0)).any(), "what stays in its part is not among them"
    assert not any(panel.any() for panel in panels.hands(later, later))
    swapped = replace(later, parts=later.parts[::-1])
    assert not panels.hands(later, swapped)[1].any(), "the order of the parts does not matter"


def test_each_part_has_its_own_trace_over_the_mean():
    loadings = np.zeros((12, 2))
    loadings[5, 0], loadings[7, 1] = 0.25, 0.75
    scene = Scene([f"p{i}" for i in range(12)], (3, 4), None, np.arange(12.0))
    drawn = over_mean(loadings, scene, LIGHT, labels=["part 1", "part 2"], title="x")
    for part, place in ((0, (1, 1)), (1, (1, 3))):
        (heat,) = [t for t in drawn.data if t.type == "heatmap" and t.name == f"part {part + 1}"]
        z = np.array(heat.z, dtype=float)
        assert np.argwhere(np.isfinite(z)).tolist() == [list(place)]
    keys = [t for t in drawn.data if t.type == "scatter"]
    assert [t.legendgroup for t in keys] == ["part 1", "part 2"]
    assert len({t.marker.color for t in keys}) == 2


def test_fewer_parts_move_the_ends_of_the_sliders_and_what_they_say():
    app = settled(data="digits", k=8, r=3, use=True, others=True, **{"with": ["best", "em"]})
    assert [app.slider(key=key).value for key in ("shown", "used")] == [3, 3]
    app.number_input(key="r").set_value(2).run()
    app = settle(settle(app))
    assert [(s.key, s.max, s.value) for s in app.slider if s.key in ("shown", "used")] == [
        ("shown", 2, 2),
        ("used", 2, 2),
    ]


def test_angles_are_shown_only_where_not_all_are_right():
    assert "angles" not in [radio.key for radio in settled(data="pitprops", k=4, r=2, others=True).radio]
    leaning = settled(data="pitprops", k=6, r=3, apart="projection", others=True)
    assert "angles" in [radio.key for radio in leaning.radio]


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
    assert [s.label[0] for s in app.select_slider] == ["α", "β"]


@pytest.mark.parametrize("sign", ["nonnegative", "any sign"])
@pytest.mark.parametrize("view", list(choices.VIEWS))
def test_a_view_worth_seeing_is_one_click_away(view, sign, short_bands):
    app = page(data="pitprops", sign=sign, k=4, r=1, **{"with": ["pca"]})  # little to do before the click
    button = app.button(key=f"view-{view}")
    assert button.disabled == (view == "prices" and sign == "any sign"), "NSPCA is nonnegative"
    if button.disabled:
        return
    button.click()
    app = settle(app.run())
    assert not app.exception
    assert not app.info, "every choice of it can be used"
    wanted = choices.VIEWS[view][2]
    assert app.selectbox(key="apart").value == wanted["apart"]
    assert set(app.multiselect(key="with").value) <= set(wanted["with"])
    assert "explain" in words_of(app)


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
    assert run.provable(nnspca.decompose(cov, 2, 3))
    assert not run.provable(nnspca.decompose(cov, 2, 3, deflation="quasi-orthogonal"))
    assert not run.provable(nnspca.decompose(cov, 2, 3, "nmf", deflation="joint"))


def test_tiles_hold_every_loading_where_it_belongs():
    loadings = np.zeros((12, 2))
    loadings[5, 0], loadings[7, 1] = 0.25, 0.75
    drawn = figures.tiles(loadings, (3, 4), LIGHT, nonnegative=True, title="x", width=300)
    z, own = (np.array(part, dtype=float) for part in (drawn.data[0].z, drawn.data[0].customdata))
    assert np.nanmax(z) == 1.0, "each in units of its own largest"
    assert sorted(own[own > 0]) == [0.25, 0.75]
    np.testing.assert_array_equal(z > 0, own > 0)
    assert np.isfinite(z).sum() == 24


def test_solvers_that_overlap_are_drawn_apart_and_others_in_the_colours_of_the_parts():
    app = settled(data="digits", k=8, r=3, others=True, **{"with": ["best", "em", "nmf"]})
    colours = [trace["marker"]["color"] for trace in traces(app, "parts-em") if trace["type"] == "scatter"]
    assert colours == list(COLOURS[:3])
    assert [trace["type"] for trace in traces(app, "parts-nmf")] == ["heatmap"]
    assert not [c for c in app.get("plotly_chart") if c.proto.id.endswith("-parts-best")], "no part is drawn twice"


def test_control_probes_are_computed_with_and_not_listed():
    names = ("AFFX-b_at", "MYC (1_at)", "2_at")
    data = nnspca.datasets.Dataset(name="chip", X=np.random.default_rng(0).random((6, 3)), feature_names=names)
    part = nnspca.Component(np.array([0.8, 0.36, 0.48]), 1.0, "best", k=3)
    parts = nnspca.result.Components((part,), np.array([1.0]), 2.0, "best", "together")
    sent = face.payload(parts, data)
    assert sent["parts"][0]["names"] == ["2_at", "MYC (1_at)"]
    assert sent["parts"][0]["says"].startswith("3 features")
    assert sent["scene"]["unlisted"] == [0]
    listed = over_mean(parts.loadings, described.drawn(data), LIGHT, labels=["part 1"], title="x")
    assert list(listed.data[0].y) == ["2_at", "MYC (1_at)"]


@pytest.mark.parametrize("link", [{"with": ["best", "pca"]}, {"shown": "2"}, {"angles": "best"}])
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
