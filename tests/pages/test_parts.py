"""The parts page's logic: what it asks the library, what it says, what its link carries."""

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nnspca
from nnspca.view.figures.style import LIGHT
from nnspca.view.parts import choices, run, together, verdict
from nnspca.view.parts.figures import several as figures
from nnspca.view.parts.figures.band import band
from nnspca.view.parts.figures.over_mean import Scene, over_mean
from nnspca.view.parts.hands import hands
from tests.pages.conftest import settle

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


def figure(app, key):
    """The figure of a key, as it is sent."""
    (found,) = [chart for chart in app.get("plotly_chart") if chart.proto.id.endswith(f"-{key}")]
    return json.loads(found.proto.spec)


def test_the_default_compares_parts_found_together_with_parts_found_one_after_the_other_in_a_band():
    app = settled(data="pitprops", k=4, r=3)
    said = words_of(app)
    assert "These three parts" in said
    assert "more variance than parts found one after the other (7.129 against 6.334)" in said
    assert len(re.findall("3 parts of (3 to )?4 features explain", said)) == 2
    assert "overlap 0.00" in said
    lines = {
        trace["name"]: trace for trace in figure(app, "parts-band")["data"] if trace.get("mode") == "lines+markers"
    }
    assert {"together", "one after the other"} <= set(lines)
    # and the band holds the certified optimum at every number of parts
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    traces = figure(app, "parts-band")["data"]
    band = next(trace for trace in traces if trace.get("fill") == "toself")
    ceilings, floors = np.array(band["y"][:3]), np.array(band["y"][3:][::-1])
    assert band["x"] == [1, 2, 3, 3, 2, 1]
    for r in (1, 2, 3):
        certificate = nnspca.certify_parts(cov, r, 4)
        assert floors[r - 1] == pytest.approx(100 * certificate.lower / cov.trace, rel=1e-6)
        assert floors[r - 1] <= ceilings[r - 1] * (1 + 1e-9)
        assert ceilings[r - 1] >= 100 * certificate.lower / cov.trace * (1 - 1e-9)


def test_a_band_that_is_known_while_the_page_is_drawn_is_drawn_whole(monkeypatch):
    made = together.curve

    def soon(*given):
        work = made(*given)

        def waits(job):
            time.sleep(0.1)  # the figure is drawn by then
            work(job)

        return waits

    first = settled(data="pitprops", k=3, r=3)
    monkeypatch.setattr(together, "curve", soon)
    second = page(data="pitprops", k=3, r=3)
    assert figure(second, "parts-band")["data"] == figure(first, "parts-band")["data"]


@pytest.mark.parametrize(
    ("lower", "upper", "said"),
    [
        (0.98599, 1.0, "These two parts keep at least **98.5 %** of what any two such parts could."),
        (0.99989, 1.0, "These two parts keep at least **99.98 %** of what any two such parts could."),
        (1.0, 1.0, "These two parts are proven optimal: any two such parts could keep no more"),
    ],
)
def test_the_headline_rounds_down(lower, upper, said):
    part = nnspca.Component(np.array([1.0, 0.0]), lower / 2, "best", k=1)
    bound = nnspca.Bound("eigenvalues", upper)
    certificate = nnspca.PartsCertificate(2, 1, True, lower, upper, (part, part), (bound,), "")
    assert verdict.claim(certificate).startswith(said)


def test_the_joint_certificate_opens_with_every_bound_and_why_and_is_verified_by_a_script_and_here(
    tmp_path, monkeypatch
):
    app = settled(data="pitprops", k=4, r=2, certificate=True)
    said = words_of(app)
    assert "What was proven." in said
    (table,) = [frame.value for frame in app.dataframe if "Why it is true" in frame.value.columns]
    assert len(table) >= 3
    assert all(len(why.split()) > 5 for why in table["Why it is true"])
    job = app.session_state["_jobs"]["parts"]
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


def test_tighten_keeps_the_parts_and_never_raises_the_ceiling():
    app = settled(data="pitprops", k=4, r=3)
    job = app.session_state["_jobs"]["parts"]
    before = dict(job.arrived)[run.PROOF]
    app.button(key="start-tighten-parts").click().run()
    tightening = app.session_state["_jobs"]["tighten-parts"]
    tightening.wait(2)
    tightening.stop()
    assert tightening.wait(20)
    fall = tightening.arrived[-1]
    assert fall.after.upper <= before.upper
    assert fall.after.lower == before.lower
    assert any("ceiling" in note.value for note in app.run().success)


@pytest.mark.parametrize(
    ("apart", "said"),
    [
        ("projection", "that all together are good is not proven"),
        ("quasi-orthogonal", "Nothing is proven of these parts, which may share features"),
        ("disjoint", "any two such parts could"),
    ],
)
def test_the_page_says_what_is_proven_of_parts_that_are_not_disjoint(apart, said):
    assert said in words_of(settled(data="pitprops", k=4, r=2, apart=apart))


def test_only_features_that_changed_hands_are_coloured():
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    earlier = nnspca.decompose(cov, 3, 4)
    later = nnspca.decompose(cov, 3, 4, deflation="together")
    seen = hands(earlier, later)
    assert seen.moved + seen.joined + seen.left > 0
    both = (seen.before != 0).any(axis=1) | (seen.after != 0).any(axis=1)
    assert both.sum() == seen.moved + seen.joined + seen.left
    assert not ((seen.before != 0) & (seen.after != 0)).any(), "what stays in its part is not among them"
    swapped = replace(later, parts=later.parts[::-1])
    assert not hands(later, swapped).after.any(), "the order of the parts does not matter"
    assert "went from one part to another" in words_of(settled(data="pitprops", k=4, r=3, hands=True))


def test_each_part_has_its_own_trace_over_the_mean():
    loadings = np.zeros((12, 2))
    loadings[5, 0], loadings[7, 1] = 0.25, 0.75
    scene = Scene([f"p{i}" for i in range(12)], (3, 4), None, np.arange(12.0))
    drawn = over_mean(loadings, scene, LIGHT, labels=["part 1", "part 2"], title="x", width=300)
    for part, place in ((0, (1, 1)), (1, (1, 3))):
        (heat,) = [t for t in drawn.data if t.type == "heatmap" and t.name == f"part {part + 1}"]
        z = np.array(heat.z, dtype=float)
        assert np.argwhere(np.isfinite(z)).tolist() == [list(place)]
    keys = [t for t in drawn.data if t.type == "scatter"]
    assert [t.legendgroup for t in keys] == ["part 1", "part 2"]
    assert len({t.marker.color for t in keys}) == 2


def test_fewer_parts_move_the_ends_of_the_sliders_and_what_they_say():
    app = settled(data="digits", k=8, r=3)
    assert [app.slider(key=key).value for key in ("shown", "used")] == [3, 3]
    app.number_input(key="r").set_value(2).run()
    app = settle(settle(app))
    assert [(s.key, s.max, s.value) for s in app.slider if s.key in ("shown", "used")] == [
        ("used", 2, 2),
        ("shown", 2, 2),
    ]


def test_angles_are_shown_only_where_not_all_are_right():
    assert "angles" not in [radio.key for radio in settled(data="pitprops", k=4, r=2).radio]
    assert "angles" in [radio.key for radio in settled(data="pitprops", k=6, r=3, apart="projection").radio]


def test_parts_of_standardised_data_rebuild_a_sample_in_its_own_units():
    app = settled(data="digits", k=64, r=1, scale="standardised", used=1, **{"with": ["pca"]})
    said = words_of(app)
    data = nnspca.datasets.load("digits")
    spread = np.where(data.X.std(axis=0) > 0, data.X.std(axis=0), 1.0)
    away = (data.X[0] - data.X.mean(axis=0)) / spread
    u = np.linalg.eigh(nnspca.Covariance.from_dataset(data, standardize=True).entries)[1][:, -1]
    missing = 100 * (1 - (u @ away) ** 2 / (away @ away))
    assert f"**{missing:.1f} %** of this sample's squared distance from the mean, in standard deviations," in said


@pytest.mark.parametrize("apart", list(nnspca.DEFLATIONS))
def test_every_apart_for_the_library_can_be_chosen(apart):
    app = settle(page(data="pitprops", k=4, apart=apart, r=2))
    assert not app.exception
    assert "explain" in words_of(app)


@pytest.fixture
def short_bands(monkeypatch):
    """The band along the number of parts has one point: what is looked at beside it does not hang on it."""
    monkeypatch.setattr(together, "counts", lambda choice: (1,))


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
    app = settle(page(data="digits", r=2, scale=scale, take=True, **{"with": ["nmf"]}))
    assert not app.exception
    assert f"parts of {whose}" in words_of(app)
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


def test_a_chart_keeps_the_heaviest_of_each_part():
    rng = np.random.default_rng(0)
    loadings = rng.random((200, 4))
    drawn = figures.chart(loadings, [f"g{i}" for i in range(200)], LIGHT, nonnegative=True, title="x")
    for r in range(4):
        assert f"g{loadings[:, r].argmax()}" in drawn.data[0].y
    assert "heaviest of 200" in drawn.layout.title.text


def test_nothing_is_drawn_between_numbers_of_parts_that_are_not_known_yet():
    drawn = band({"together": {1: 0.1, 4: 0.3}}, {1: (0.1, 0.11), 4: (0.3, 0.32)}, range(1, 5), LIGHT)
    lines = {(trace.name, trace.yaxis): trace for trace in drawn.data}
    assert list(lines["together", None].y) == [pytest.approx(10), None, None, pytest.approx(30)]
    assert list(lines["proven ceiling", "y"].y)[1:3] == [None, None]
    assert lines["proven ceiling", "y"].marker.line.color == LIGHT.ceiling  # a dash is all outline
    shaded = lines["the best possible lies in here (proven)", "y"]
    assert None in shaded.x
    assert not {2, 3} & set(shaded.x)
