"""The estimator keeps scikit-learn's contract, and its own."""

import copy
import pickle
from unittest import mock

import numpy as np
import pandas
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import nnspca
from nnspca import NonnegativeSparsePCA
from tests import budgets

TAKEN_OUT = ("disjoint", "projection", "schur", "hotelling")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # two components of few features
@parametrize_with_checks(
    [NonnegativeSparsePCA(), NonnegativeSparsePCA(method="em", deflation="schur", standardize=True, nonnegative=False)]
)
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def X():
    return nnspca.datasets.load("digits").X[:300]


@pytest.fixture(scope="module")
def strip(X):
    """Three rows of each image: where components are certified."""
    return X[:, 16:40]


@pytest.mark.parametrize("standardize", [False, True])
def test_components_found_before_make_the_estimator_that_a_fit_makes(strip, standardize):
    given = {"standardize": standardize, "ddof": 1, "random_state": 2, "deflation": "projection"}
    fitted, cov = NonnegativeSparsePCA(2, [6, 4], **given).fit(strip), nnspca.Covariance.from_data(strip, standardize)
    parts = nnspca.decompose(cov, 2, [6, 4], deflation="projection", seed=2)
    made = pickle.loads(pickle.dumps(NonnegativeSparsePCA.from_components(parts, cov, ddof=1, random_state=2)))
    assert made.get_params() == fitted.get_params() and vars(made).keys() == vars(fitted).keys()
    for name in ("components_", "explained_variance_", "explained_variance_ratio_", "mean_", "scale_", "n_nonzero_"):
        assert np.array_equal(getattr(made, name), getattr(fitted, name))
    assert np.array_equal(made.components_, parts.loadings.T)
    assert np.array_equal(made.transform(strip), fitted.transform(strip))
    assert made.certify(strip) == fitted.certificates_
    with pytest.raises(ValueError, match="parts are of other data than cov"):
        NonnegativeSparsePCA.from_components(parts, nnspca.Covariance.from_data(2 * strip[:, ::-1]))


def test_options_and_seed_reach_the_method(X):
    est = NonnegativeSparsePCA(2, 6, "em", random_state=3, options={"restarts": 2}).fit(X)
    parts = nnspca.decompose(nnspca.Covariance.from_data(X), 2, 6, "em", seed=3, restarts=2)
    assert np.array_equal(est.components_, parts.loadings.T)
    for state in (None, np.random.RandomState(0), np.random.default_rng(0)):
        assert NonnegativeSparsePCA(2, 6, "em", random_state=state).fit(X).n_components_ == 2


@pytest.mark.parametrize("deflation", [*TAKEN_OUT, "quasi-orthogonal"])
def test_scores_have_the_explained_variance_and_come_back(X, deflation):
    est = NonnegativeSparsePCA(3, 8, deflation=deflation, standardize=True).fit(X)
    T = est.transform(X)
    assert np.allclose(T.var(axis=0), est.explained_variance_)
    assert np.allclose(T.mean(axis=0), 0, atol=1e-12)
    assert np.allclose(est.transform(est.inverse_transform(T)), T)


def test_what_comes_back_is_the_nearest_point_of_the_span(X):
    est = NonnegativeSparsePCA(3, 8, deflation="projection").fit(X)
    assert est.components_[0] @ est.components_[1] > 1e-3  # they overlap
    missing = X - est.inverse_transform(est.transform(X))
    assert np.allclose(missing @ est.components_.T, 0, atol=1e-9)
    explained = 1 - (missing**2).sum() / ((X - X.mean(axis=0)) ** 2).sum()
    assert explained == pytest.approx(est.score(X))


def test_the_score_on_the_training_data_is_the_share_explained(X):
    for standardize in (False, True):
        est = NonnegativeSparsePCA(4, 8, deflation="projection", standardize=standardize).fit(X)
        assert est.score(X) == pytest.approx(est.explained_variance_ratio_.sum())
    assert NonnegativeSparsePCA(4, 20, deflation="projection").fit(X).score(X) > est.score(X)


def test_the_score_of_held_out_data_is_by_what_was_learnt(X):
    est = NonnegativeSparsePCA(2, 8).fit(X[:200])
    held = X[200:] - X[:200].mean(axis=0)
    Q = np.linalg.qr(est.components_.T)[0]
    assert est.score(X[200:]) == pytest.approx(((held @ Q) ** 2).sum() / (held**2).sum())
    assert 0 <= est.score(X[200:]) <= 1
    assert est.score(est.mean_[None]) == 0.0  # nothing to explain


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("form", [scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array])
def test_sparse_data_give_what_dense_data_give(X, form, standardize):
    dense = NonnegativeSparsePCA(2, 8, "em", standardize=standardize).fit(X)
    sparse = NonnegativeSparsePCA(2, 8, "em", standardize=standardize).fit(form(X))
    assert np.allclose(dense.components_, sparse.components_, atol=1e-6)
    assert np.allclose(dense.mean_, sparse.mean_)
    assert np.allclose(dense.scale_, sparse.scale_)
    assert np.allclose(dense.transform(X), dense.transform(form(X)))
    assert dense.score(X) == pytest.approx(dense.score(form(X)))


def test_sparse_data_are_never_dense():
    S = scipy.sparse.random_array((300, 2000), density=0.01, format="csr", rng=np.random.default_rng(0))
    est = NonnegativeSparsePCA(2, 8, "em", deflation="projection", standardize=True, store_covariance=True).fit(S)
    assert est.covariance_.matrix is None
    with mock.patch.object(type(S), "toarray", side_effect=AssertionError("made dense")):
        assert est.transform(S).shape == (300, 2)
        assert est.score(S) == pytest.approx(est.explained_variance_ratio_.sum())


def test_standardised_data_are_judged_by_their_correlations(X):
    est = NonnegativeSparsePCA(2, 8, standardize=True).fit(X)
    still = X.std(axis=0) == 0
    assert still.any()
    assert (est.scale_[still] == 1).all()
    assert np.allclose(est.scale_[~still], X.std(axis=0)[~still])


@pytest.mark.parametrize(
    ("asked", "n", "said", "found"),
    [
        ({"n_components": 5, "n_nonzero": 1}, 2, r"2 of the 5 components .* found \(the data have 2 f", (2, 1)),
        ({"n_components": 3, "n_nonzero": 2}, 3, r"2 of the 3 .*\(2 of 3 components: every feature is used", (2, 2)),
        ({"n_components": 1, "n_nonzero": 99}, 4, "n_nonzero=99 is more than the 4 feature", (1, 4)),
    ],
)
def test_what_the_features_do_not_allow_is_as_much_as_they_do_with_a_warning(asked, n, said, found):
    with pytest.warns(ConvergenceWarning, match=said):
        est = NonnegativeSparsePCA(**asked).fit(np.random.default_rng(0).standard_normal((20, n)))
    assert (est.n_components_, est.n_nonzero_) == found
    assert est.get_feature_names_out().tolist() == [f"nonnegativesparsepca{i}" for i in range(found[0])]


def test_scores_of_another_shape_are_refused(X):
    est = NonnegativeSparsePCA(2, 5).fit(X)
    with pytest.raises(ValueError, match="3 scores a row; this estimator has 2"):
        est.inverse_transform(np.zeros((1, 3)))
    with pytest.raises(ValueError, match="NaN"):
        est.inverse_transform([[np.nan, 0.0]])
    for name, value in (("n_nonzero", 0), ("n_components", 1.5), ("method", "magic")):
        with pytest.raises(ValueError, match=str(value)):
            NonnegativeSparsePCA(**{name: value}).fit(X)


@pytest.mark.parametrize("deflation", [*TAKEN_OUT, "quasi-orthogonal"])
def test_certificates_hold_on_what_each_component_was_sought_on(X, deflation):
    est = NonnegativeSparsePCA(2, 5, deflation=deflation).fit(X)
    est.set_params(deflation="schur", n_nonzero=1)  # what was fitted stays what it was
    cov = nnspca.Covariance.from_data(X)
    assert len(est.certificates_) == (1 if deflation == "quasi-orthogonal" else 2)
    for r, cert in enumerate(est.certificates_):
        nnspca.verify(cert, nnspca.deflate(cov, est.components_[:r].T, deflation))
        assert 0.9 < cert.ratio <= 1
        assert cert.k == 5
    assert est.certificates_ is est.certificates_  # worked out once


def test_components_that_were_not_sought_alone_have_no_certificate(X):
    joint = NonnegativeSparsePCA(2, 5, "coordinate-descent", "joint", options={"restarts": 1}).fit(X)
    assert joint.certificates_ == ()
    assert NonnegativeSparsePCA(2, 5, "pca", "projection", nonnegative=False).fit(X).certificates_ == ()
    with pytest.raises(NotFittedError):
        _ = NonnegativeSparsePCA().certificates_


@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
@pytest.mark.parametrize("parts", [False, True])
def test_a_copy_keeps_what_certifies_it(X, how, parts, monkeypatch):
    budgets.quick(monkeypatch)
    est = NonnegativeSparsePCA(1, 2, method="em")
    est = est.partial_fit(X) if parts else est.fit(X)
    twin = how(est)
    assert twin.certificates_ == est.certificates_ and twin.fingerprint_ == est.fingerprint_
    twin.partial_fit(X + 1) if parts and how is copy.deepcopy else twin.fit(-X)
    assert twin.fingerprint_ != est.fingerprint_


def test_parts_found_together_come_with_one_certificate_of_all():
    X = nnspca.datasets.load("digits").X[:, 20:36]
    est = NonnegativeSparsePCA(3, 4, deflation="together").fit(X)
    assert np.count_nonzero(est.components_, axis=0).max() <= 1
    cert = est.certificate_
    assert cert is est.certificate_
    assert cert.lower == pytest.approx(est.explained_variance_.sum())
    nnspca.verify(cert, nnspca.Covariance.from_data(X))
    assert est.certificates_ == ()
    one_by_one = NonnegativeSparsePCA(3, 4).fit(X)
    assert one_by_one.certificate_.lower <= cert.lower * (1 + 1e-12)
    assert NonnegativeSparsePCA(3, 4, deflation="projection").fit(X).certificate_ is None


def test_it_pickles_small_unless_the_covariance_is_to_be_stored(monkeypatch):
    budgets.hurried(monkeypatch)
    data = np.random.default_rng(0).normal(size=(60, 400))
    est, storing = (NonnegativeSparsePCA(1, 5, "em", store_covariance=keep).fit(data) for keep in (False, True))
    written = pickle.dumps(est)
    assert len(written) < 40_000 < 400 * 400 * 8 < len(pickle.dumps(storing))
    assert not hasattr(est, "covariance_")
    kept = pickle.loads(pickle.dumps(storing))
    kept.verify()
    assert kept.covariance_.fingerprint == storing.covariance_.fingerprint
    again = pickle.loads(written)
    with pytest.raises(ValueError, match=r"not held any more: give the samples fitted, as in certify\(X\)"):
        again.certify()
    with pytest.raises(ValueError, match="is not what was fitted"):
        again.certify(data[::-1])
    again.verify(data)
    assert pickle.loads(pickle.dumps(again)).certify() == again.certify(data)  # what was worked out stays


@pytest.mark.parametrize("deflation", [*TAKEN_OUT, "quasi-orthogonal", "together"])
def test_it_verifies_what_it_certified(X, deflation, monkeypatch):
    budgets.hurried(monkeypatch)
    budgets.brief(monkeypatch)
    est = NonnegativeSparsePCA(2, 5, deflation=deflation).fit(X)
    est.verify()
    proven = est.certify()
    assert proven is est.certify()
    together = deflation == "together"
    assert isinstance(proven, nnspca.PartsCertificate) == together
    forged = proven if together else proven[0]
    object.__setattr__(forged, "upper", forged.upper * 0.9)  # what it holds is what it has given out
    with pytest.raises(nnspca.CertificateError):
        est.verify()


def test_components_may_have_a_number_of_loadings_each(X):
    est = NonnegativeSparsePCA(3, [8, 4, 2]).fit(X)
    assert (est.components_ != 0).sum(axis=1).tolist() == est.n_nonzero_ == [8, 4, 2]
    parts = nnspca.decompose(nnspca.Covariance.from_data(X), 3, [8, 4, 2])
    assert est.parts_ == parts
    assert est.certificate_ is None
    assert [cert.k for cert in est.certify()] == [8, 4, 2]
    assert np.array_equal(clone(est).fit(X).components_, est.components_)
    with pytest.raises(ValueError, match=r"n_nonzero=\[8, 4\] has 2 values; give one whole number, or 3"):
        NonnegativeSparsePCA(3, [8, 4]).fit(X)


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("standardize", [False, True])
def test_a_sample_of_weight_two_is_two_samples(X, form, standardize):
    weights = np.random.default_rng(0).integers(0, 3, len(X))
    repeated = np.repeat(X, weights, axis=0)
    est = NonnegativeSparsePCA(2, 5, standardize=standardize).fit(form(X), sample_weight=weights)
    same = NonnegativeSparsePCA(2, 5, standardize=standardize).fit(repeated)
    assert np.allclose(est.components_, same.components_)
    assert np.allclose(est.explained_variance_, same.explained_variance_)
    assert np.allclose(est.transform(form(X)), same.transform(X))
    assert est.score(form(X), sample_weight=weights) == pytest.approx(same.score(repeated))
    assert est.certify(form(X), sample_weight=weights)[0].ratio > 0.9
    est.verify()


@pytest.mark.parametrize("standardize", [False, True])
def test_variances_may_be_those_of_m_less_one(X, standardize):
    one, none = (NonnegativeSparsePCA(2, 5, standardize=standardize, ddof=ddof).fit(X) for ddof in (1, 0))
    twice = NonnegativeSparsePCA(2, 5, standardize=standardize, ddof=1)
    repeated = twice.fit(np.repeat(X, 2, axis=0)).explained_variance_
    for fit in (twice.fit, twice.partial_fit):
        weighted = fit(X, sample_weight=np.full(len(X), 2.0))
        assert np.allclose(weighted.explained_variance_, repeated, rtol=1e-10)
    assert np.array_equal(one.components_, none.components_)
    assert np.allclose(one.transform(X).var(axis=0, ddof=1), one.explained_variance_)
    assert np.allclose(one.explained_variance_ratio_, none.explained_variance_ratio_)
    assert one.score(X) == pytest.approx(none.score(X))
    with pytest.raises(ValueError, match="ddof=300 is not allowed; give a whole number from 0 to 299"):
        NonnegativeSparsePCA(ddof=300).fit(X)


@pytest.mark.slow
def test_certificates_of_several_components_may_be_made_in_processes(strip):
    est, own = (NonnegativeSparsePCA(2, 4, "em", n_jobs=n).fit(strip) for n in (2, None))
    assert est.certify() == own.certify()
    with pytest.raises(ValueError, match="n_jobs=0 is not allowed; give a number of processes"):
        NonnegativeSparsePCA(n_jobs=0).fit(strip).certify()


def test_weights_are_routed_to_it(X):
    with sklearn.config_context(enable_metadata_routing=True):
        est = NonnegativeSparsePCA(1, 4, "em").set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        search = GridSearchCV(est, {"n_nonzero": [2, 4]}, cv=2)
        weights = np.arange(len(X))
        found = search.fit(X, sample_weight=weights).best_estimator_
        chain = make_pipeline(est.set_params(n_nonzero=found.n_nonzero)).fit(X, sample_weight=weights)
    assert np.array_equal(chain[-1].components_, found.components_)


def test_single_precision_stays_and_columns_are_found_by_name(X):
    table = pandas.DataFrame(X, columns=[f"pixel {i}" for i in range(X.shape[1])])
    est = nnspca.NonnegativeSparsePCA(2, 4).fit(table)
    scores = est.transform(table)
    assert scores.dtype == np.float64
    assert np.allclose(est.transform(table.assign(more=1.0).iloc[:, ::-1]), scores)
    with pytest.raises(nnspca.DataError, match="no feature 'pixel 3'"):
        est.transform(table.drop(columns="pixel 3"))
    single = est.transform(table.astype(np.float32))
    assert single.dtype == np.float32 == nnspca.NonnegativeSparsePCA(2, 4).fit(X).transform(np.float32(X)).dtype
    assert np.allclose(single, scores, rtol=1e-5, atol=1e-4)


def test_data_sets_and_annotated_data_bring_their_names(X):
    pitprops, digits = nnspca.datasets.load("pitprops"), nnspca.datasets.load("lfw-faces")
    est = NonnegativeSparsePCA(1, 4, "em").fit(digits)
    assert list(est.feature_names_in_) == list(digits.feature_names)
    assert est.parts_[0].names == tuple(digits.feature_names[i] for i in est.parts_[0].support)
    with pytest.raises(nnspca.DataError, match="is a covariance matrix: an estimator is fitted on samples"):
        est.fit(pitprops)


# Samples by parts, and in chunks


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("cuts", [(), (1, 2, 3), (10, 150, 299)])
@pytest.mark.parametrize("kind", [np.asarray, scipy.sparse.csr_array])
def test_any_split_of_the_samples_gives_what_fit_gives(strip, cuts, standardize, kind):
    X = strip
    whole = NonnegativeSparsePCA(2, 6, standardize=standardize).fit(X)
    est = NonnegativeSparsePCA(2, 6, standardize=standardize)
    for number, part in enumerate(np.split(X, cuts)):
        est.partial_fit(kind(part))
        if number == 1:
            assert est.n_samples_seen_ == cuts[1]
            assert est.mean_.shape == (24,)  # found in between, and again later
    np.testing.assert_allclose(est.components_, whole.components_, atol=1e-9)
    np.testing.assert_allclose(est.explained_variance_, whole.explained_variance_, rtol=1e-12)
    np.testing.assert_allclose(est.mean_, whole.mean_, atol=1e-12)
    assert est.n_samples_seen_ == 300
    est.verify()
    est.verify(kind(X))
    again = pickle.loads(pickle.dumps(est))
    assert np.array_equal(again.components_, est.components_)
    assert again.partial_fit(X).n_samples_seen_ == 600
    assert est.certify()[0].ratio > 0.99
    with pytest.raises(ValueError, match="is not what was fitted"):
        est.verify(kind(X[::-1]))
    assert not hasattr(est.fit(X), "n_samples_seen_")


def test_parts_of_weighted_samples_add_up(X):
    weights = np.arange(300) % 4
    whole = NonnegativeSparsePCA(1, 6).fit(X, sample_weight=weights)
    est = NonnegativeSparsePCA(1, 6)
    for part in (slice(0, 70), slice(70, 300)):
        est.partial_fit(X[part], sample_weight=weights[part])
    np.testing.assert_allclose(est.explained_variance_, whole.explained_variance_, rtol=1e-12)
    with pytest.raises(ValueError, match="in each, or in none"):
        est.partial_fit(X)


def test_a_part_that_cannot_be_used_leaves_what_was_taken_before(X):
    est = NonnegativeSparsePCA(1, 6).partial_fit(X)
    before = est.explained_variance_
    for wrong in (X[:, :9], np.full((3, 64), np.nan), lambda: iter([X[:5], np.full((3, 64), np.nan)])):
        with pytest.raises(ValueError):
            est.partial_fit(wrong)
        assert est.n_samples_seen_ == 300
        assert np.array_equal(est.explained_variance_, before)
    est.partial_fit(lambda: iter([X[:5], X[5:]]))
    np.testing.assert_allclose(est.explained_variance_, before, rtol=1e-12)
    with pytest.raises(nnspca.DataError, match=r"7,000 features; sums are kept of up to 6,000.*most_variable"):
        NonnegativeSparsePCA().partial_fit(np.ones((2, 7000)))


def test_an_estimator_takes_what_is_read_in_chunks(strip):
    import dask.array

    X = strip
    whole = NonnegativeSparsePCA(2, 6).fit(X)
    for given in (lambda: iter(np.split(X, [10, 200])), dask.array.from_array(X, chunks=(90, 24))):
        est = NonnegativeSparsePCA(2, 6).fit(given)
        assert np.array_equal(est.components_, whole.components_)
        np.testing.assert_allclose(est.transform(given), whole.transform(X), atol=1e-12)
        assert est.score(given) == pytest.approx(whole.score(X), rel=1e-12)
        assert est.n_features_in_ == 24
        est.verify(given)
        with pytest.raises(ValueError, match="features"):
            est.transform(lambda: iter([X[:, :9]]))
