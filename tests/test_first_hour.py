"""Twelve tasks, in the calls that come to mind first if one knows scikit-learn and pandas."""

import pickle

import anndata
import numpy as np
import pandas
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, train_test_split

import nnspca
from nnspca.check import main


@pytest.fixture(scope="module")
def table():
    return load_breast_cancer(as_frame=True).data.iloc[:, :12]


@pytest.fixture(scope="module")
def classes():
    data = load_breast_cancer()
    return data.target_names[data.target]


@pytest.fixture(scope="module")
def est(table):
    return nnspca.NonnegativeSparsePCA(n_components=2, n_nonzero=4, standardize=True).fit(table)


@pytest.fixture(scope="module")
def cov(table):
    return nnspca.Covariance.from_data(table, standardize=True)


def test_fit_on_a_frame_and_name_the_features(est, table):
    assert set(est.parts_[0].names) <= set(table.columns)
    assert list(est.feature_names_in_) == list(table.columns)


def test_score_new_rows(table, classes):
    old, new = train_test_split(table, random_state=0)
    part = nnspca.solve(nnspca.Covariance.from_data(old, standardize=True), k=4)
    fitted = nnspca.NonnegativeSparsePCA(1, 4, standardize=True).fit(old)
    assert np.allclose(nnspca.scores(new, part), fitted.transform(new)[:, 0])
    assert nnspca.auc(nnspca.scores(new, part), classes[new.index], pos_label="malignant") > 0.9


def test_three_parts_with_different_k(cov):
    assert nnspca.decompose(cov, 3, [5, 3, 2]).cardinalities.tolist() == [5, 3, 2]


def test_certify(cov, est):
    assert nnspca.certify(cov, k=4).ratio > 0.99
    assert all(cert.ratio > 0.99 for cert in est.certify())


def test_save_verify_and_check_by_the_stand_alone_checker(cov, est, table, tmp_path):
    nnspca.save_certificate(nnspca.certify(cov, 4), tmp_path / "certificate.npz", cov)
    np.save(tmp_path / "data.npy", table.to_numpy())
    nnspca.verify(nnspca.load_certificate(tmp_path / "certificate.npz"), cov)
    est.verify()
    assert main([str(tmp_path / "certificate.npz"), str(tmp_path / "data.npy")]) == 0


def test_plot(cov, tmp_path):
    nnspca.solve(cov, 4).plot().write_html(tmp_path / "component.html")
    assert (tmp_path / "component.html").stat().st_size > 1000


def test_sweep_to_a_frame(cov):
    curve = nnspca.sweep(cov, range(1, 5), "best").to_frame()
    assert curve["variance"].is_monotonic_increasing and (curve["ratio"] > 0.99).all()


def test_weights(table, classes):
    weights = np.where(classes == "malignant", 2.0, 1.0)
    fitted = nnspca.NonnegativeSparsePCA(1, 4, standardize=False).fit(table, sample_weight=weights)
    part = nnspca.solve(nnspca.Covariance.from_data(table, sample_weight=weights, standardize=False), 4)
    assert np.array_equal(fitted.components_[0], part.loadings)


def test_grid_search_over_n_nonzero(table):
    search = GridSearchCV(nnspca.NonnegativeSparsePCA(1, method="em", standardize=True), {"n_nonzero": [1, 4]}, cv=2)
    assert search.fit(table).best_params_ == {"n_nonzero": 4}


def test_annotated_data_in_and_out(table, tmp_path):
    adata = anndata.AnnData(table.to_numpy(), var=pandas.DataFrame(index=table.columns))
    nnspca.anndata.components(adata, n_components=2, k=3, standardize=True)
    adata.write_h5ad(tmp_path / "adata.h5ad")
    again = anndata.read_h5ad(tmp_path / "adata.h5ad")
    assert nnspca.anndata.parts(again).names == nnspca.anndata.parts(adata).names
    assert all(cert.ratio > 0.99 for cert in nnspca.anndata.certify(again))


def test_bootstrap(table):
    found = nnspca.bootstrap(table, 4, 2, resamples=5, standardize=True)
    assert set(found.to_frame()["feature"]) <= set(table.columns)


def test_pickle_small(est, table):
    written = pickle.dumps(est)
    assert len(written) < table.to_numpy().nbytes
    assert pickle.loads(written).certify(table)[0].ratio > 0.99
