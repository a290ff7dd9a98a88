"""What the spannogram page works out and says, without a browser."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import nnspca
from nnspca.spannogram import curves, enumeration
from nnspca.view.link.state import DATA, RANDOM
from nnspca.view.spannogram import circle, sphere
from nnspca.view.spannogram.circle import Rows
from tests.pages.conftest import owner, sent, texts, unpacked

PAGE = "pages/spannogram.py"


@pytest.mark.parametrize("name", [info.name for info in nnspca.datasets.available() if info.bundled])
@pytest.mark.parametrize("sign", ["nonnegative", "any sign"])
def test_every_bundled_data_set_gives_curves_and_a_way_to_draw_its_component(open_page, name, sign):
    page = open_page(PAGE, curves=DATA, data=name, scale="as is", sign=sign, k=4)
    data, info = sent(page, "spannogram"), nnspca.datasets.load(name)
    assert data["n"] == info.n_features
    assert data["nonnegative"] is (sign == "nonnegative")
    assert (data["scene"] is None) is (info.image_shape is None and info.axis is None)
    V = unpacked(data["V"]).reshape(-1, 2)
    values = nnspca.Covariance.from_dataset(info, standardize=False).eigenpairs(2)[0]
    np.testing.assert_allclose((V**2).sum(axis=0), values[::-1], rtol=1e-8)


def test_the_canvas_is_given_the_regions_the_library_finds(open_page):
    page = open_page(PAGE, curves=RANDOM, n=30, top=4, seed=5)
    data = sent(page, "spannogram")
    V = circle.random(30, 2, 5)
    found = curves.regions(V, 4)
    for name in ("angles", "leaving", "entering", "first"):
        np.testing.assert_array_equal(unpacked(data[name]), getattr(found, name))
    assert data["candidates"] == found.candidates()
    assert data["bound"] == enumeration.candidate_bound(30, 2)
    assert data["optimum"]["value"] == curves.optimum(V, 4).value


def test_data_with_one_direction_say_what_to_change(open_page):
    line = nnspca.datasets.Dataset(name="line", X=np.arange(5.0)[:, None])
    page = open_page(PAGE, curves=DATA, data="line", session=owner(line))
    assert any("1 direction " in told.value for told in (*page.info, *page.warning, *page.error, *page.markdown))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1,0;0,1;-1,0;0,-1", ""),
        ("1,0;0,1", "not 4 rows of 2"),
        ("1,0;0,1;2,x;1,1", "cannot be read"),
        ("1,0;0,1;2,nan;1,1", "Row 3 of the link"),
        ("1,0;0,1;2,1e99;1,1", "not between -1,000,000"),
        ("0,0;0,0;0,0;0,0", "every curve is flat"),
    ],
)
def test_numbers_in_a_link_become_the_curves_and_unusable_ones_a_note_and_the_usual_four(open_page, text, words):
    page = open_page(PAGE, {"V": text})
    data = sent(page, "spannogram")
    usual = circle.example(2) if words else np.array([[1, 0], [0, 1], [-1, 0], [0, -1]])
    np.testing.assert_array_equal(unpacked(data["V"]).reshape(4, 2), usual)
    assert (data["n"], data["k"], data["nonnegative"]) == (4, 2, True)
    assert words in texts(page)


@given(some.integers(1, 30), some.integers(1, 8), some.booleans(), some.integers(0, 99))
def test_a_whole_turn_is_covered_by_the_highest_curves_and_candidates_are_numbered_as_the_library_counts_them(
    n, k, nonnegative, seed
):
    k = min(k, n)
    V = np.round(np.random.default_rng(seed).standard_normal((n, 2)), 1)  # rounded: ties and equal rows occur
    if not V.any():
        return
    picture = circle.curves_of(V, k, nonnegative)
    assert picture.candidates == picture.regions.candidates()
    sets = [tuple(s.tolist()) for _, _, s in picture.regions.supports()]
    for (one, first), (two, second) in pairwise(sorted(zip(picture.ids, sets, strict=True))):
        assert (one == two) == (first == second)
    assert (picture.regions.start, picture.regions.end) == (-np.pi / 2, 3 * np.pi / 2)
    for left, right, support in picture.regions.supports():
        if right - left > 1e-9:
            w = curves.values(V, (left + right) / 2)
            score = np.maximum(w, 0) if nonnegative else np.abs(w)
            best = np.sort(score)[::-1][:k]
            np.testing.assert_allclose(np.sort(score[support])[::-1], best[best > 0], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_of_many_curves_thirty_are_drawn_and_the_others_lie_within_their_envelope(nonnegative):
    V = circle.random(625, 2, 0)
    picture = circle.curves_of(V, 10, nonnegative)
    assert len(picture.shown) == circle.DRAWN
    assert set(picture.shown) <= set(picture.ever)
    others = np.delete(V, picture.shown, axis=0)
    angles = np.linspace(-np.pi / 2, 3 * np.pi / 2, picture.envelope.shape[1])
    heights = curves.values(others, angles) if nonnegative else np.abs(curves.values(others, angles))
    np.testing.assert_array_equal(picture.envelope, [heights.min(axis=1), heights.max(axis=1)])
    data = circle.payload(Rows(V), 10, nonnegative, picture)
    assert data["envelope"]["others"] == 595
    few = circle.curves_of(circle.random(circle.ALL_CURVES, 2, 0), 4, nonnegative)
    assert few.shown.tolist() == list(range(circle.ALL_CURVES)) and few.envelope is None
    lasting = np.zeros(625)
    for left, right, support in picture.regions.supports():
        lasting[support] += right - left
    assert lasting[picture.shown].min() >= np.delete(lasting, picture.shown).max() - 1e-9


@given(some.integers(1, 40), some.integers(1, 5), some.integers(0, 99))
def test_curves_in_the_set_at_once_have_different_colours_where_there_are_enough(n, k, seed):
    V = circle.random(n, 2, seed)
    picture = circle.curves_of(V, min(k, n), True)
    assert set(picture.tints) <= set(range(len(circle.TINTS)))
    np.testing.assert_array_equal(picture.tints, circle.curves_of(V.copy(), min(k, n), True).tints)
    first = picture.tints[picture.regions.first]
    assert len(set(first)) == len(first)


def test_the_recorded_cells_are_those_of_every_round():
    rounds = sphere.sphere_of(circle.random(15, 3, 2), 4, True).rounds
    held = sphere.record(rounds)
    for at, now in enumerate(rounds):
        here = (held.born <= at) & (at < held.gone)
        corners = held.points[held.cells[here]]
        order, wanted = (
            np.lexsort(c.reshape(len(c), -1).T) for c in (np.sort(corners, axis=1), np.sort(now.corners, axis=1))
        )
        np.testing.assert_array_equal(np.sort(corners, axis=1)[order], np.sort(now.corners, axis=1)[wanted] + 0.0)
        assert (at >= held.closes[here]).sum() == (~now.open).sum()


def test_a_flat_matrix_has_cells_too_and_what_is_sent_of_the_largest_stays_small():
    flat = np.column_stack([circle.random(6, 2, 1), np.zeros(6)])
    world = sphere.sphere_of(flat, 2, True)
    assert world.record.cells.shape[1] == 2
    assert not world.rounds[-1].open.any()
    large = sphere.sphere_of(circle.random(12582, 3, 0), 40, True)
    data = sphere.payload(Rows(circle.random(12582, 3, 0)), 40, True, large, ["" for _ in large.rounds], "")
    assert len(json.dumps(data)) < 450_000 and data["mostText"] == data["valuesText"][-1]
    V = circle.random(12582, 2, 0)
    assert len(json.dumps(circle.payload(Rows(V), 40, True, circle.curves_of(V, 40, True)))) < 250_000


def test_no_direction_of_a_closed_cell_beats_the_best():
    V = circle.random(15, 3, 2)
    world = sphere.sphere_of(V, 4, True)
    assert world.objective.max() <= world.rounds[-1].upper and not world.rounds[-1].open.any()
    for now in world.rounds:
        middles = now.corners[~now.open].sum(axis=1)
        if len(middles):
            w = middles @ V.T / np.linalg.norm(middles, axis=1, keepdims=True)
            worth = (np.sort(np.maximum(w, 0), axis=1)[:, -4:] ** 2).sum(axis=1)
            assert worth.max() <= now.value * (1 + 1e-9)
