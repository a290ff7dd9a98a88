"""The estimator keeps scikit-learn's contract, and its own."""

import pickle

import numpy as np
import pytest
import scipy.sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import nnspca
from nnspca import NonnegativeSparsePCA


@parametrize_with_checks([NonnegativeSparsePCA(), NonnegativeSparsePCA(n_components=1, method="em", deflation="schur")])
def test_every_check_of_scikit_learn_passes(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def X():
    return nnspca.datasets.load("digits").X[:300]


def test_components_are_what_decompose_finds(X):
    est = NonnegativeSparsePCA(3, 6).fit(X)
    parts = nnspca.decompose(nnspca.Covariance.from_data(X), 3, 6)
    assert np.array_equal(est.components_, parts.loadings.T)
    assert (est.components_ >= 0).all()
    assert ((est.components_ != 0).sum(axis=1) <= 6).all()
    assert np.allclose(np.cumsum(est.explained_variance_ratio_) * parts.total, est.cumulative_variance_)


def test_scores_have_the_explained_variance_and_come_back(X):
    for deflation in ("disjoint", "projection"):
        est = NonnegativeSparsePCA(3, 8, deflation=deflation, standardize=True).fit(X)
        T = est.transform(X)
        assert np.allclose(T.var(axis=0), est.explained_variance_)
        assert np.allclose(T.mean(axis=0), 0, atol=1e-12)
        assert np.allclose(est.transform(est.inverse_transform(T)), T)


def test_the_score_on_the_training_data_is_the_share_explained(X):
    est = NonnegativeSparsePCA(4, 8, deflation="projection").fit(X)
    assert est.score(X) == pytest.approx(est.explained_variance_ratio_.sum())
    assert NonnegativeSparsePCA(4, 20, deflation="projection").fit(X).score(X) > est.score(X)


def test_sparse_data_give_what_dense_data_give(X):
    dense = NonnegativeSparsePCA(2, 8).fit(X)
    sparse = NonnegativeSparsePCA(2, 8).fit(scipy.sparse.csr_array(X))
    assert np.allclose(dense.components_, sparse.components_)
    assert np.allclose(dense.transform(X), sparse.transform(scipy.sparse.csr_array(X)))


def test_at_most_ten_of_four_features_are_at_most_four():
    est = NonnegativeSparsePCA().fit(np.random.default_rng(0).standard_normal((20, 4)))
    assert est.n_nonzero_ == 4


def test_disjoint_components_end_where_the_features_do():
    est = NonnegativeSparsePCA(n_components=3, n_nonzero=2).fit(np.random.default_rng(0).standard_normal((20, 3)))
    assert est.n_components_ == 2
    assert est.get_feature_names_out().tolist() == ["nonnegativesparsepca0", "nonnegativesparsepca1"]


@pytest.mark.parametrize("wrong", [{"n_nonzero": 0}, {"n_components": 1.5}, {"method": "magic"}, {"deflation": "none"}])
def test_a_wrong_parameter_is_named(X, wrong):
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        NonnegativeSparsePCA(**wrong).fit(X)


@pytest.mark.parametrize("deflation", ["disjoint", "projection", "schur", "hotelling", "quasi-orthogonal"])
def test_certificates_hold_on_what_each_component_was_sought_on(X, deflation):
    est = NonnegativeSparsePCA(2, 5, deflation=deflation).fit(X)
    cov = nnspca.Covariance.from_data(X)
    assert len(est.certificates_) == (1 if deflation == "quasi-orthogonal" else 2)
    for r, cert in enumerate(est.certificates_):
        nnspca.verify(cert, nnspca.deflate(cov, est.components_[:r].T, deflation))
        assert 0.9 < cert.ratio <= 1


def test_it_can_be_cloned_pickled_searched_and_chained(X):
    y = nnspca.datasets.load("digits").labels[:300]
    est = NonnegativeSparsePCA(2, 5).fit(X)
    again = pickle.loads(pickle.dumps(est))
    assert np.array_equal(again.transform(X), est.transform(X))
    assert again.certificates_[0].upper == est.certificates_[0].upper
    assert not hasattr(clone(est), "components_")
    search = GridSearchCV(NonnegativeSparsePCA(method="em"), {"n_nonzero": [2, 20], "n_components": [1, 3]}, cv=2)
    assert search.fit(X).best_params_ == {"n_nonzero": 20, "n_components": 3}
    chain = make_pipeline(StandardScaler(), NonnegativeSparsePCA(5, 10, method="em"), LogisticRegression(max_iter=500))
    assert chain.fit(X, y).score(X, y) > 0.3
