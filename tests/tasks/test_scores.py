"""Scores and areas under the curve: their definitions, and what leaves them as they are."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as some

import nnspca
from nnspca.covariance import sources
from nnspca.tasks import best_separation

FEW = some.lists(some.tuples(some.integers(-3, 3), some.booleans()), min_size=1, max_size=12)


def in_chunks(X):
    return lambda: (X[start : start + 4] for start in range(0, len(X), 4))


def made(seed=0, m=9, n=6):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n)) * 10.0 ** rng.integers(-2, 3, n) + rng.normal(size=n) * 100
    X[:, 2] = 7.1  # never varies
    return X


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array, np.ndarray.tolist, in_chunks])
def test_the_mean_square_of_the_scores_is_the_variance(standardize, kind):
    X = made()
    cov = nnspca.Covariance.from_data(X, standardize)
    U = np.linalg.qr(np.random.default_rng(1).normal(size=(6, 2)))[0]
    U[1] = 0.0
    along = nnspca.scores(kind(X), U, mean="own", standardize=standardize)
    assert along.shape == (9, 2)
    assert np.allclose((along**2).mean(axis=0), cov.variance(U.T), rtol=1e-9)
    assert np.allclose(along.mean(axis=0), 0.0, atol=1e-9 * np.abs(along).max())
    assert np.allclose(nnspca.scores(kind(X), U[:, 1].tolist(), mean="own", standardize=standardize), along[:, 1])


def test_scores_of_nothing_of_one_sample_and_of_a_feature_that_never_varies_are_zero():
    X = made()
    assert (nnspca.scores(X, np.zeros(6), mean="own") == 0).all()
    assert (nnspca.scores(X[:1], np.ones(6), mean="own") == 0).all()
    assert (nnspca.scores(X, np.eye(6)[2], mean="own", standardize=True) == 0).all()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda X: nnspca.scores(X, np.ones(5)), r"have shape \(5, 1\); give finite columns of shape \(6, r\)"),
        (lambda X: nnspca.scores(X, [[1.0], [2.0, 3.0]]), "loadings=.* is not allowed"),
        (lambda X: nnspca.scores(X, np.full(6, np.nan)), "finite columns"),
        (lambda X: nnspca.scores(X[0], np.ones(6)), r"got shape \(6,\)"),
        (lambda X: nnspca.scores(np.full((2, 2), np.nan), np.ones(2)), "not finite"),
        (lambda X: nnspca.scores([[1e308], [-1e308]], [1e10], mean="own"), "rescale"),
        (lambda X: nnspca.scores(X, np.ones(6), standardize="yes"), "standardize='yes' is not allowed"),
        (lambda X: nnspca.separation([3.0, 2.0], np.ma.array([0, 1], mask=[1, 0])), "give 2 whole numbers"),
        (lambda X: nnspca.separation([1.0], [0.5]), "give 1 whole numbers"),
        (lambda X: nnspca.separation([1.0, 2.0], [0]), "give 2 whole numbers"),
        (lambda X: nnspca.scores(X, np.ones(6), mean=np.ones(6)), "mean=.*is not"),
    ],
)
def test_what_cannot_be_used_is_refused_with_what_can(call, said):
    with pytest.raises(ValueError, match=said):
        call(made())


@given(FEW)
def test_the_area_is_the_share_of_pairs_in_order_with_half_of_the_ties(told):
    values, here = (np.array(column) for column in zip(*told, strict=True))
    pairs = [np.sign(a - b) for a in values[here] for b in values[~here]]
    area = nnspca.separation(values, here.astype(int)).get(1)
    assert (area is None) == (not pairs)
    if pairs:
        assert area == pytest.approx((np.mean(pairs) + 1) / 2, abs=1e-12)
        assert nnspca.separation(-values, here.astype(int))[1] == pytest.approx(1 - area, abs=1e-12)
        assert nnspca.separation(np.exp(values.astype(float)), here.astype(int))[1] == area


@given(FEW)
def test_each_class_is_told_from_all_others_and_samples_without_one_do_not_count(told):
    values, here = (np.array(column) for column in zip(*told, strict=True))
    unnamed = np.concatenate([np.where(here, 1, 0), [-1, -1]])
    of_two = nnspca.separation(np.concatenate([values, [99.0, -99.0]]), unnamed)
    assert of_two == nnspca.separation(values, here.astype(int))


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array, in_chunks])
def test_new_samples_are_measured_as_those_the_component_was_sought_on(standardize, kind):
    X = made()
    est = nnspca.NonnegativeSparsePCA(n_components=2, n_nonzero=3, standardize=standardize).fit(X)
    parts = nnspca.decompose(nnspca.Covariance.from_data(X, standardize), 2, 3)
    new = kind(made(m=7, seed=5))
    assert np.allclose(nnspca.scores(new, parts), est.transform(new))
    assert np.allclose(nnspca.scores(new, parts[1]), est.transform(new)[:, 1])
    assert not np.allclose(nnspca.scores(new, parts, mean="own", standardize=standardize), est.transform(new))


def test_a_file_is_never_loaded_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "CHUNK", 100_000)
    np.save(tmp_path / "X.npy", np.random.default_rng(0).random((20_000, 100), dtype=np.float32))
    X = np.load(tmp_path / "X.npy", mmap_mode="r")
    part = nnspca.solve(nnspca.Covariance.from_data(np.array(X[:500])), 3)
    tracemalloc.start()
    along = nnspca.scores(X, part)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < X.nbytes / 3 and np.allclose(along, nnspca.scores(np.array(X, float), part))


def test_loadings_without_a_mean_are_refused_with_what_to_give():
    X = made()
    of_a_matrix = nnspca.solve(nnspca.Covariance.from_matrix(np.diag([3.0, 2, 1, 1, 1, 1])), 2)
    for loadings in (np.ones(6), of_a_matrix):
        with pytest.raises(ValueError, match=r"mean is not given.*mean='own' for the mean of X itself"):
            nnspca.scores(X, loadings)
    with pytest.raises(ValueError, match="standardize=True goes with mean='own'"):
        nnspca.scores(X, nnspca.solve(nnspca.Covariance.from_data(X, False), 2), standardize=True)


def test_features_are_found_by_name_in_any_order_and_among_others():
    import pandas

    frame = pandas.DataFrame(made(), columns=list("abcdef"))
    part = nnspca.solve(nnspca.Covariance.from_data(frame, standardize=False), 2)
    expected = nnspca.scores(frame, part)
    for changed in (frame[list("bacdef")], frame.assign(z=7.0, y=0.0)[list("zfedcyba")]):
        assert np.array_equal(nnspca.scores(changed, part), expected)
        assert np.array_equal(nnspca.scores(changed, part, mean="own"), nnspca.scores(frame, part, mean="own"))
    with pytest.raises(nnspca.DataError, match="X has no feature 'b', which the component has"):
        nnspca.scores(frame.drop(columns="b"), part)
    with pytest.raises(nnspca.DataError, match="X has 5 features; the component was found on 6: 'a', 'b'"):
        nnspca.scores(frame.to_numpy()[:, 1:], part)


def test_labels_may_be_words():
    values, labels = [3.0, 2.0, 2.0, 1.0], ["ill", "ill", "well", "well"]
    assert nnspca.separation(values, labels) == {"ill": 0.875, "well": 0.125}
    assert nnspca.separation(values, [*labels[:3], None]) == {"ill": 0.75, "well": 0.25}
    words = np.array(["ill", "ill", np.nan, "well"], dtype=object)
    assert nnspca.separation(values, words) == {"ill": 1.0, "well": 0.0}
    assert nnspca.separation(values, ["a"] * 4) == {"a": None}


def test_random_labels_are_separated_no_more_than_at_the_level_and_true_ones_are():
    rng, hits = np.random.default_rng(0), 0
    for _ in range(40):
        values, labels = rng.standard_normal((40, 2)), np.arange(40) % 3
        hits += best_separation(values, labels, [0, 1, 2]).p_value <= 0.05
    assert hits <= 6  # of 40 at 5 %: more in one of a hundred runs
    found = best_separation(values - 2.0 * (labels == 1)[:, None] * [0, 1], labels, [0, 1, 2])
    assert (found.part, found.label) == (1, 1) and found.area < 0.5 < found.chance and found.p_value == 1 / 201
