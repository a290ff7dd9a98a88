"""What the figures of Zass & Shashua (2006) must show whatever the data."""

from itertools import pairwise

import numpy as np
import pytest

import nnspca
from nnspca.control.progress import Monitor
from nnspca.covariance import Covariance
from nnspca.studies import STUDIES
from nnspca.studies.study import Setup
from nnspca.studies.zass2006 import NONZERO, OVERLAP, SHARE, detect, overlap, prices, splits
from tests import problems


@pytest.fixture(scope="module")
def panels():
    return STUDIES["zass2006-fig2"].run(data=["digits"])


def test_a_higher_price_of_overlap_leaves_less_of_it_and_a_price_on_loadings_leaves_fewer(panels):
    frame = panels.table("summary").frame
    assert [title[:3] for title in frame["Panel"]] == ["(a)", "(b)", "(c)", "(d)", "(e)", "(f)"]
    low, high, priced, pca, _, greedy = frame.to_dict("records")
    assert high[OVERLAP] < low[OVERLAP]
    assert priced[NONZERO] < low[NONZERO]
    assert pca[OVERLAP] == pytest.approx(0, abs=1e-9)
    assert pca[SHARE] == frame[SHARE].max()
    assert greedy[NONZERO] <= 10 * 55


def test_only_the_methods_of_any_sign_have_negative_loadings(panels):
    frame = panels.table("parts").frame
    assert {strip[:3] for strip in frame[frame["value"] < 0]["strip"]} == {"(d)", "(f)"}


def test_overlap_falls_with_alpha_and_loadings_with_beta():
    result = STUDIES["zass2006-fig3"].run(data=["digits"])
    along_alpha = result.table("alpha").column(OVERLAP)
    along_beta = result.table("beta").column(NONZERO)
    assert along_alpha[-1] < 0.1 * along_alpha[0]
    assert all(after <= before + 0.05 for before, after in pairwise(along_alpha))
    assert along_beta[-1] < 0.8 * along_beta[0]


@pytest.mark.parametrize("own", [True, False])
def test_prices_in_the_papers_units_are_for_the_scatter_xx_and_the_printed_ones_on_its_own_data(own):
    X = np.array([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]])  # centred; X'X = diag(18, 2)
    task = Setup((), own, False, 0, Monitor())
    ask = prices(task, Covariance.from_data(X))
    assert ask.unit == pytest.approx(18)
    if own:
        assert [price * ask.unit for price in (ask.low, ask.high, ask.price)] == pytest.approx([2e7, 5e8, 2e6])
    else:
        assert ask.high / ask.low == pytest.approx(5e8 / 2e7, rel=0.05)
        assert ask.low / ask.price == pytest.approx(2e7 / 2e6, rel=0.05)


def test_overlap_is_its_definition():
    U = np.array([[1.0, 0.6], [0.0, 0.8]])
    assert overlap(U) == pytest.approx(np.sqrt(2) * 0.6)


def test_no_test_image_was_trained_on_and_both_parts_have_both_classes():
    X = np.arange(40.0)[:, None]
    face = np.arange(40) < 10
    for split in splits(X, face, seed=0, count=3):
        assert not set(split.X[:, 0]) & set(split.X_test[:, 0])
        assert len(split.X) + len(split.X_test) == 40
        assert split.face.sum() == 5
        assert split.face_test.sum() == 5


def test_classes_that_a_feature_tells_apart_are_told_apart_and_noise_is_not():
    rng = np.random.default_rng(0)
    face = np.arange(400) < 200
    X = rng.standard_normal((400, 3))
    X[:, 0] += 20 * face
    (split,) = splits(X, face, seed=0, count=1)
    true, area = detect(np.eye(3)[:, :1], split)
    assert area == pytest.approx(1.0)
    assert true[1] == pytest.approx(100.0)
    assert abs(detect(np.eye(3)[:, 1:2], split)[1] - 0.5) < 0.15


def test_every_curve_of_fig_4_rises_from_left_to_right():
    faces = nnspca.datasets.load("lfw-faces", with_negatives=True)
    result = STUDIES["zass2006-fig4"].run(data=[problems.coarse(faces, 5)])
    for name in ("prices", "methods"):
        frame = result.table(name).frame
        assert len(frame.columns) == 5
        for column in frame.columns[1:]:
            assert (frame[column].diff().dropna() >= -1e-9).all()
            assert frame[column].iloc[-1] == 100
    assert all(0.5 < area <= 1 for area in result.table("areas").column("Area under the curve"))


def test_on_pit_props_no_method_explains_more_than_pca_nor_a_first_component_more_than_the_exact_one():
    result = STUDIES["zass2006-fig5"].run()
    frame, sizes = result.table("variance").frame, result.table("cardinality").frame
    assert all((frame[name].dropna() <= frame["PCA"] + 1e-9).all() for name in frame.columns[1:])
    for name in ("SCoTLASS", "SPCA", "DSPCA", "ESPCA (exact)"):
        assert frame[name][0] <= frame["ESPCA (exact)"][0] + 1e-9
        assert np.diff([0, *sizes[name]]).tolist() == [7, 4, 4, 1, 1, 1]
