"""The result in words: each clause only where a value says it, and no share larger than what was found."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nnspca
from nnspca.result import sentences, wording
from nnspca.result.component import correlation

NAMES = ("income", "rent", "debt", "age")


def cov(*pairs, n=4):
    """Correlations of features that are uncorrelated but for these pairs."""
    A = np.eye(n)
    for i, j, r in pairs:
        A[i, j] = A[j, i] = r
    return nnspca.Covariance.from_matrix(A, names=NAMES[:n])


@pytest.mark.parametrize(
    ("r", "said"), [(0.7, "rise together:"), (0.2, "rise together weakly:"), (0.05, "hardly rise together:")]
)
def test_how_far_features_rise_together_is_said_by_their_mean_correlation(r, said):
    part = nnspca.solve(cov((0, 1, r)), 2)
    assert correlation(part) == pytest.approx(r)
    assert f"income and rent {said} one number made of these two carries " in part.summary()


def test_the_mean_correlation_does_not_depend_on_units():
    X = np.random.default_rng(0).standard_normal((50, 3)) + np.random.default_rng(1).standard_normal((50, 1))
    for factors in ([1.0, 1.0, 1.0], [1.0, 100.0, 0.01]):
        seen = nnspca.Covariance.from_data(X * factors, standardize=False)
        x = np.array([1.0, 1.0, 0.0]) / np.sqrt(2)
        part = nnspca.Component(x, seen.variance(x), "given", 2, features=seen.features)
        assert correlation(part) == pytest.approx(np.corrcoef(X[:, 0], X[:, 1])[0, 1])


def test_features_of_either_sign_are_told_apart():
    part = nnspca.solve(cov((0, 1, 0.6), (0, 2, -0.6), (1, 2, -0.5)), 3, nonnegative=False)
    assert part.summary().startswith("income and rent rise while debt falls: one number made of these three carries ")


def test_what_nothing_is_known_of_is_not_said():
    alone = nnspca.solve(cov(), 1)
    carries = "income alone carries 25 % of the variance of all four features."
    assert alone.summary() == f"{carries} One feature has 25 % on average."
    bare = nnspca.Component(np.array([0.6, 0.8]), 2.0, "given", 2)
    assert bare.summary() == "One number made of x1 and x0 has variance 2.000."
    assert correlation(bare) is None


def test_parts_that_add_hardly_anything_are_counted():
    parts = nnspca.decompose(nnspca.Covariance.from_matrix(np.diag([4.0, 3.0, 0.01, 0.002])), 4, 1)
    assert parts.summary().endswith("add less than 1 % each. One feature has 25 % on average.")


@given(st.integers(1, 30), st.integers(1, 30), st.data())
def test_pixels_are_said_to_lie_where_they_do(rows, columns, data):
    support = np.array(sorted(data.draw(st.sets(st.integers(0, rows * columns - 1), min_size=1, max_size=12))))
    said = sentences.where_in_image(support, (rows, columns))
    at = np.column_stack(np.divmod(support, columns)) + 0.5
    if "at the " in said:
        ninths = [f"{sentences.ROWS[int(3 * r / rows)]} {sentences.COLUMNS[int(3 * c / columns)]}" for r, c in at]
        ninths = [ninth.replace("middle centre", "centre") for ninth in ninths]
        named = {name.strip() for name in said.partition("at the ")[2].replace(" and the ", ", the ").split(", the ")}
        assert named <= {*ninths}
        held = sum(ninth in named for ninth in ninths)
    elif " half" in said:
        inside = {"upper": at[:, 0] < rows / 2, "lower": at[:, 0] > rows / 2, "left": at[:, 1] < columns / 2}
        inside["right"] = at[:, 1] > columns / 2
        held = int(inside[said.partition("in the ")[2].removesuffix(" half")].sum())
    else:
        assert said == "spread over the image"
        return
    assert held >= sentences.COVERED * len(support)
    of_them = "all " if held == len(support) else f"{wording.in_letters(held)} of them "
    assert said.startswith(("at ", "in ") if len(support) == 1 else of_them)


def test_wavelengths_are_said_as_stretches_whatever_their_order():
    axis = np.array([9.0, 7.0, 8.0, 7.5, 8.5])
    assert sentences.intervals_of_axis(np.array([0, 1, 3]), axis, "wavelength (µm)") == "7 to 7.5 and 9 µm"
    many = sentences.intervals_of_axis(np.arange(0, 20, 2), np.arange(20.0), "time")
    assert many == "0, 2, 4 and at seven more stretches"
