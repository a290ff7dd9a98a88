"""The parts page's logic: what it asks the library, what it says, what its link carries."""

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import nnspca
from nnspca.view.figures.style import LIGHT
from nnspca.view.parts import choices, figures, run
from tests.pages.conftest import settle

ROOT = Path(__file__).parents[2]


def page(**link):
    app = AppTest.from_file(str(ROOT / "pages" / "parts.py"), default_timeout=60)
    for key, value in link.items():
        app.session_state[key] = value
    return app.run()


def words_of(app):
    return " ".join([*(m.value for m in app.markdown), *(c.value for c in app.caption)])


def test_the_default_view_shows_six_disjoint_parts_of_two_solvers():
    app = settle(page())
    assert not app.exception
    said = words_of(app)
    assert said.count("6 parts of 40 features explain") == 2
    assert "overlap 0.00" in said


@pytest.mark.parametrize("apart", list(nnspca.DEFLATIONS))
def test_every_apart_for_the_library_can_be_chosen(apart):
    app = settle(page(apart=apart, r=2))
    assert not app.exception
    assert "explain" in words_of(app)


def test_prices_are_asked_for_only_where_nspca_uses_them():
    assert not page(apart="joint").select_slider
    app = settle(page(apart="joint", **{"with": ["coordinate-descent"]}))
    assert [s.label[0] for s in app.select_slider] == ["α", "β"]


@pytest.mark.parametrize("sign", ["nonnegative", "any sign"])
@pytest.mark.parametrize("view", list(choices.VIEWS))
def test_a_view_worth_seeing_is_one_click_away(view, sign):
    app = page(data="pitprops", sign=sign, k=4)
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
    app = page()
    app.multiselect(key="with").set_value([]).run()
    assert "Choose at least one solver" in app.info[0].value


def test_the_link_of_a_view_can_be_wrong_without_a_traceback():
    app = page(r=99, apart="magic")
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
