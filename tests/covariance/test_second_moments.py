"""Second moments about zero: X'X / m however the samples come, with certificates that every checker accepts."""

import anndata
import numpy as np
import pandas
import pytest
import scipy.sparse

import nnspca
from nnspca import check, check_more

RNG = np.random.default_rng(5)
X = RNG.poisson(1.0, (30, 6)).astype(float) * [1, 2, 1, 3, 1, 1]
X[:, 5] = 2.0  # constant: it has a second moment
W = RNG.uniform(0, 2, 30)
WIDE = RNG.normal(size=(5, 1600)) + 1.0  # held as a factor


def entries(cov):
    every = np.arange(cov.n_features)
    return cov.block(every, every)


@pytest.mark.parametrize(
    "given",
    [
        X,
        X.tolist(),
        X.astype(np.uint8),
        pandas.DataFrame(X),
        scipy.sparse.csr_array(X),
        nnspca.datasets.Dataset(name="d", title="d", X=X),
        lambda: iter([X[:7], X[7:8], scipy.sparse.csr_array(X[8:])]),
        anndata.AnnData(X),
    ],
    ids=["array", "list", "small numbers", "frame", "sparse", "data set", "chunks", "annotated"],
)
def test_it_is_x_transposed_x_by_m_whatever_was_given(given):
    cov = nnspca.Covariance.from_data(given, center=False)
    assert entries(cov) == pytest.approx(X.T @ X / 30, rel=1e-13)
    assert cov.n_samples == 30 and not cov.features.mean.any()


def test_weights_scales_and_factors():
    weighted = nnspca.Covariance.from_data(X, center=False, sample_weight=W)
    assert entries(weighted) == pytest.approx((X.T * W) @ X / W.sum())
    scale = np.sqrt((X**2).mean(axis=0))
    scaled = nnspca.Covariance.from_data(X, True, center=False)
    assert entries(scaled) == pytest.approx(X.T @ X / 30 / np.outer(scale, scale))
    wide = nnspca.Covariance.from_data(WIDE, center=False)
    assert not wide.held.holds_entries and np.allclose(entries(wide), WIDE.T @ WIDE / 5)
    with pytest.raises(nnspca.DataError, match="covariance matrix"):
        nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"), center=False)


@pytest.mark.parametrize("data", [X, WIDE[:, :40]], ids=["tall", "wide"])
def test_certificates_are_verified_and_checked_with_each_sample_and_its_negative(data, tmp_path):
    cov = nnspca.Covariance.from_data(data, center=False)
    cert = nnspca.certify(cov, 3)
    nnspca.verify(cert, cov)
    unit = np.linalg.eigvalsh(data.T @ data / len(data))[-1]
    assert cert.lower <= unit * (1 + 1e-12)
    with pytest.raises(nnspca.CertificateError, match="other data"):
        nnspca.verify(cert, nnspca.Covariance.from_data(data))
    nnspca.save_certificate(cert, tmp_path / "c.npz", cov)
    both = np.repeat(data, 2, axis=0)
    both[1::2] *= -1
    for name, rows, status in (("both", both, 0), ("own", data, 1)):
        np.save(tmp_path / f"{name}.npy", rows)
        assert check.main([str(tmp_path / "c.npz"), str(tmp_path / f"{name}.npy")], check_more.Checker) == status


def test_the_estimator_measures_from_zero_and_takes_samples_by_parts():
    est = nnspca.NonnegativeSparsePCA(2, 3, center=False).fit(X)
    assert not est.mean_.any()
    assert est.transform(X) == pytest.approx(X @ est.components_.T)
    assert est.explained_variance_[0] == pytest.approx((est.transform(X)[:, 0] ** 2).mean())
    parts = nnspca.NonnegativeSparsePCA(2, 3, center=False)
    for rows in (X[:11], X[11:]):
        parts.partial_fit(rows)
    assert parts.n_samples_seen_ == 30
    assert parts.components_ == pytest.approx(est.components_)
    one = nnspca.NonnegativeSparsePCA(1, 2, center=False).fit(X[:1])
    squares = [np.sort((sign * X[0]).clip(0) ** 2) for sign in (1, -1)]
    assert one.explained_variance_[0] == pytest.approx(max(each[-2:].sum() for each in squares))
    for fitted in (est, parts):
        assert all(cert.ratio > 0.9 for cert in fitted.certify(X))
        fitted.verify(X)
