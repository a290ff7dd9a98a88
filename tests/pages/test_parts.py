"""The parts page's logic: what it asks the library, what it says, what its link carries."""

import csv
import functools
import io
import re
import threading

import numpy as np
import pytest

import nnspca
from nnspca.result import rounded
from nnspca.view import say, stored
from nnspca.view.link.widgets import Suggestion
from nnspca.view.necessity import is_bounded
from nnspca.view.parts import panels, work
from nnspca.view.parts.choices import Choices
from nnspca.view.parts.view import view_of
from tests import shelf
from tests.pages.conftest import redrawn, sent, settle, shelved, subject, texts, traces

pytestmark = pytest.mark.usefixtures("short_proofs")

SMALL = {"data": "pitprops", "k": 4}


@pytest.fixture
def page(open_page):
    """Return ``page(**state)``: the page as it is first drawn."""
    return functools.partial(open_page, "pages/parts.py")


@pytest.fixture
def settled(page):
    """Return ``settled(**state)``: the page once its parts are found and proven, and then what ``press`` begins."""

    def settled_one(press=(), **asked):
        app = settle(page(**asked))
        for key in press:
            app = settle(app.button(key=f"start-{key}").click().run())
        return app

    return settled_one


def best_known(app, k, r):
    """The best r parts of pit props in the ledger; the page says what is proven of them."""
    about = subject("pitprops", k=k)
    best = about.known_parts((r,))[r]
    assert say.nearness(best.lower, best.upper, about.total, best.source) in texts(app)
    return best


PITPROPS = "pitprops", False, True


@functools.cache
def pitprops_stored(r):
    """What a package with a stored proof of pit props would hold."""
    data = nnspca.datasets.load("pitprops")
    cov = nnspca.Covariance.from_dataset(data)
    proof, first = nnspca.certify_parts(cov, r, 4, effort="thorough"), nnspca.certify(cov, 4)
    one, several = {4: (first.component, first.upper)}, {(4, r): (proof.parts, proof.upper)}
    return {PITPROPS: shelf.Record("pitprops", data.content_hash, False, True, 13, 4, one, several)}


def test_parts_open_with_the_suggested_number_unless_one_is_chosen_and_never_with_every_feature(page, monkeypatch):
    assert page(**SMALL).number_input(key="r").value == 3  # six parts of four would be more than thirteen features
    monkeypatch.setattr(panels, "suggested", lambda *_: Suggestion(2, ""))
    app = redrawn(page(**SMALL))
    assert app.number_input(key="r").value == 2 and app.session_state["session"].says["r"] == ["2"]
    app.number_input(key="r").set_value(3)
    assert redrawn(app).number_input(key="r").value == 3
    assert page(link={"r": "3"}, **SMALL).number_input(key="r").value == 3


def test_parts_are_drawn_once_the_band_holds_the_optimum_and_solve_live_starts_from_nothing(
    empty_ledger, settled, page, monkeypatch, pitprops
):
    app = settled(["parts-curve"], **SMALL, r=3)
    assert len(re.findall("explain", texts(app))) == 1  # the number is stated once
    band = traces(app, "parts-band")
    best = next(trace for trace in band if trace.get("name") == "best found")
    marks = next(trace for trace in band if trace.get("name") == "upper bound, proven")
    assert best["x"] == marks["x"] == [1, 2, 3]
    for r in (1, 2, 3):
        attained = 100 * nnspca.certify_parts(pitprops, r, 4).lower / pitprops.trace * (1 - 1e-9)
        assert attained <= best["y"][r - 1] <= marks["y"][r - 1] * (1 + 1e-9)
    solved, real = [], nnspca.decompose
    monkeypatch.setattr(nnspca, "decompose", lambda *given, **more: solved.append(given) or real(*given, **more))
    settle(page(**SMALL, r=3))
    assert not solved  # another visit takes what is known
    app.button(key="start-parts").click().run()
    settle(app)
    assert solved


def test_the_parts_before_stay_dimmed_and_named_until_others_are_found_and_a_carried_bound_needs_no_run(
    empty_ledger, settled, monkeypatch
):
    app = settled(**SMALL, r=2)
    first, begun = sent(app, "parts"), threading.Event()
    monkeypatch.setattr(work, "find_or_reuse", lambda *_, found=work.find_or_reuse: begun.wait(60) and found(*_))
    proofs = []
    monkeypatch.setattr(nnspca, "certify_parts", lambda *given, **more: proofs.append(given))
    app.session_state["k"] = 5
    shown = sent(redrawn(app), "parts")
    assert shown["dimmed"] and "4 features" in shown["note"] and shown["parts"] == first["parts"]
    assert traces(app, "parts-band")
    begun.set()
    shown = sent(settle(app), "parts")
    assert not shown["dimmed"] and shown["parts"] != first["parts"]
    assert not proofs and best_known(app, 5, 2).carried == 4


def test_where_the_ledger_answers_no_run_begins_and_a_live_one_ends_in_one_sentence(empty_ledger, page, monkeypatch):
    monkeypatch.setattr(stored, "problems", lambda: shelved(*pitprops_stored(3).values()))
    app = page(**SMALL, r=3)
    known, record = best_known(app, 4, 3), pitprops_stored(3)[PITPROPS]
    assert known.stored and known.upper == record.parts[4, 3][1]
    assert "parts" not in app.session_state["session"].jobs and "Live" not in texts(app)
    app.button(key="start-parts").click().run()
    said = texts(settle(app))
    best = best_known(app, 4, 3)
    assert best.upper <= known.upper
    (live,) = [line for line in said.splitlines() if line.startswith("Live: ")]
    for line in said.replace(live, "").splitlines():
        assert "of the optimum" not in line or rounded.proven_share(best.ratio) in line


def test_the_joint_certificate_opens_with_every_bound_and_is_verified_by_a_script_and_here_and_tightened(
    empty_ledger, settled, tmp_path, monkeypatch, pitprops
):
    app = settled(**SMALL, r=2, proven=True)
    about = subject("pitprops", k=4)
    certificate = view_of(about, Choices(2, "together", ("best",)), (), done=True).proof
    (table,) = [frame.value for frame in app.dataframe if "Upper bound" in frame.value.columns]
    assert len(table) >= 3
    assert all(nnspca.bounds.registry.PARTS_BOUNDS[bound.name].summary in texts(app) for bound in certificate.bounds)
    monkeypatch.chdir(tmp_path)
    (script,) = [block.value for block in app.code if "load_certificate" in block.value]
    nnspca.save_certificate(certificate, re.search(r"load_certificate\('(.+?)'\)", script)[1], pitprops)
    told = []
    exec(script, {"print": told.append})
    assert all(f"{end:.9g}" in told[0] for end in (certificate.lower, certificate.upper))
    app.button(key="start-verify-parts").click()  # and by a second route on the page
    app = settle(app.run())
    assert any("Confirmed" in note.value for note in app.success)
    app.button(key="start-tighten-parts").click().run()
    tightening = app.session_state["session"].jobs["tighten-parts"]
    tightening.wait(2)
    tightening.stop()
    assert tightening.wait(20)
    fall = tightening.result
    assert fall.after.upper <= certificate.upper and fall.after.lower == certificate.lower
    assert any("upper bound" in note.value for note in app.run().success)
    assert best_known(app, 4, 2).upper <= fall.after.upper  # the headline follows


def test_folds_compute_nothing_on_opening_and_each_part_is_proven_alone_on_demand(settled):
    shown = {"proven": True, "proven_view": "each part alone", "others": True, "use": True, "with": ["best", "em"]}
    app = settled(**SMALL, r=2, **shown)
    assert set(app.session_state["session"].jobs) <= {"parts"}
    said = texts(settle(app.button(key="start-parts-proof").click().run()))
    proofs = app.session_state["session"].jobs["parts-proof"].results
    assert len(proofs) == 2 and all(rounded.proven_share(one.lower, one.upper) in said for one in proofs)


@pytest.mark.parametrize("apart", list(nnspca.DEFLATIONS))
def test_every_apart_for_the_library_can_be_chosen(apart, settled):
    assert "explain" in texts(settled(**SMALL, r=2, apart=apart))


def test_fewer_parts_move_the_ends_of_the_sliders_and_each_solver_has_its_drawing_in_the_colours_of_the_parts(settled):
    asked = {"data": "digits", "k": 8, "r": 3, "use": True, "others": True, "with": ["best", "em", "nmf"]}
    app = settled(["parts-others"], **asked)
    shown = [sent(app, key) for key in ("parts", "parts-em", "parts-nmf")]
    assert [one["single"] for one in shown] == [False, False, True]  # those that overlap are drawn one at a time
    colours = [[part["colour"] for part in one["parts"]] for one in shown[:2]]
    assert colours[0] == colours[1] and len(set(colours[0])) == 3
    assert app.slider(key="used").value == 3
    app.number_input(key="r").set_value(2).run()
    app = settle(settle(app))
    assert (app.slider(key="used").max, app.slider(key="used").value) == (2, 2)


def test_parts_of_standardised_data_rebuild_a_sample_in_its_own_units(settled):
    app = settled(data="digits", k=64, r=1, scale="standardised", used=1, use=True, **{"with": ["pca"]})
    data = nnspca.datasets.load("digits")
    spread = np.where(data.X.std(axis=0) > 0, data.X.std(axis=0), 1.0)
    away = (data.X[0] - data.X.mean(axis=0)) / spread
    u = np.linalg.eigh(nnspca.Covariance.from_dataset(data, standardize=True).matrix)[1][:, -1]
    share = rounded.percent((u @ away) ** 2 / (away @ away))
    assert any(f" {share} " in words.value for words in app.markdown)


def test_parts_go_home_with_their_features_and_loadings_as_a_page_and_as_a_table(page, taken):
    settle(page(data="pitprops", k=3, r=2, use=True, use_view="downloads", **{"with": ["best"]}))
    rows = list(csv.DictReader(io.StringIO(taken("loadings.csv").decode())))
    assert [row.pop("feature") for row in rows] == list(nnspca.datasets.load("pitprops").feature_names)
    U = np.array([[float(row[f"best part {r}"]) for r in (1, 2)] for row in rows])
    assert np.linalg.norm(U, axis=0) == pytest.approx([1, 1]) and ((U != 0).sum(axis=1) <= 1).all()
    printed = taken("report.html").decode()
    assert "nnspca.decompose" in printed
    with pytest.raises(KeyError):
        taken("scores.csv")  # a covariance has no samples


def test_prices_are_asked_for_only_where_nspca_uses_them_and_parts_that_overlap_are_compared(page, settled):
    assert not page(**SMALL, apart="joint").select_slider
    ways = {"others": True, "with": ["coordinate-descent", "em"]}
    app = settled(["parts-others"], **SMALL, r=2, apart="joint", **ways)
    assert [slider.label[0] for slider in app.select_slider] == ["α"]
    assert len([c for c in app.get("plotly_chart") if c.proto.id.endswith(("-explained", "-together"))]) == 2


@pytest.mark.parametrize(("scale", "whose"), [("as is", "the samples themselves"), ("standardised", "max(A, 0)")])
def test_nmf_takes_the_images_themselves_apart_where_they_are_nonnegative(scale, whose, page):
    app = settle(page(data="digits", r=2, scale=scale, use=True, use_view="downloads", **{"with": ["nmf"]}))
    (code,) = [block.value for block in app.code]
    scope = {"print": lambda *shown: None}
    exec(code, scope)
    assert whose in scope["parts"].note and len(scope["parts"].parts) == 2


def test_no_solver_says_what_to_do_and_a_link_that_asks_for_a_comparison_opens_it(page):
    app = page(link={"r": "2", "with": ["best", "pca"]}, **SMALL)
    assert app.session_state["others"]
    app.multiselect(key="with").set_value([])
    assert len(redrawn(app).info) == 1 and not traces(app)


def test_pca_goes_with_all_components_at_once_and_only_parts_sought_alone_can_be_proven(pitprops):
    chosen = Choices(3, "projection", ("pca", "best"))
    assert (chosen.apart_for("pca"), chosen.apart_for("best")) == ("joint", "projection")
    assert Choices(3, "joint", ("best",)).apart_for("best") == "disjoint"
    assert is_bounded(nnspca.decompose(pitprops, 2, 3))
    assert not is_bounded(nnspca.decompose(pitprops, 2, 3, deflation="quasi-orthogonal"))
    assert not is_bounded(nnspca.decompose(pitprops, 2, 3, "nmf", deflation="joint"))
