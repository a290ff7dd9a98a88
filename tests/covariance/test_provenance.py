"""The fingerprint names the data and what was done to them, not the last bits of A."""

import numpy as np
import pandas
import pytest
import scipy.sparse

import nnspca
from nnspca.covariance import provenance, samples, sources
from tests import budgets

X = np.random.default_rng(0).standard_normal((9, 6))


def of(data, **options):
    return nnspca.Covariance.from_data(data, **options).fingerprint


def test_the_layout_of_the_data_does_not_matter():
    same = {
        of(X),
        of(X.copy()),
        of(np.asfortranarray(X)),
        of(X.tolist()),
        of(np.repeat(X, 2, axis=0)[::2]),
        of(X.astype(">f8")),
    }
    assert len(same) == 1
    whole = np.arange(12.0).reshape(4, 3) ** 2
    assert of(whole) == of(whole.astype(int)) == of(whole.astype(np.float32))
    negative = np.where(whole == 0, -0.0, whole)
    assert of(negative) == of(whole)


def test_the_order_in_which_sparse_data_are_stored_does_not_matter():
    S = scipy.sparse.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    doubled = scipy.sparse.coo_array(
        (np.concatenate([S.data / 2, S.data / 2]), tuple(np.tile(c, 2) for c in S.tocoo().coords)), shape=S.shape
    )
    explicit = S.copy()
    explicit.data = S.data.copy()
    explicit = scipy.sparse.csr_array(explicit + 0 * explicit)
    assert of(S) == of(S.tocsc()) == of(doubled) == of(explicit)
    assert of(S) != of(S.toarray()), "held otherwise, with other allowances"


def test_blocks_of_rows_are_hashed_as_the_whole_is(monkeypatch):
    whole = of(X)
    monkeypatch.setattr(provenance, "AT_A_TIME", 7)
    assert of(X) == whole


def test_whatever_changes_the_covariance_changes_the_fingerprint():
    touched = X.copy()
    touched[3, 2] = np.nextafter(touched[3, 2], np.inf)
    A = np.diag([3.0, 2.0, 1.0])
    made = [
        of(X),
        of(touched),
        of(X[::-1]),
        of(X[:, ::-1]),
        of(X, standardize=True),
        of(X[:6].T.copy()),
        of(X[:6].T.reshape(4, 9)),
        nnspca.Covariance.from_matrix(A).fingerprint,
        nnspca.Covariance.from_matrix(A, repair=True).fingerprint,
    ]
    assert len(set(made)) == len(made)


DEFLATIONS = ("projection", "schur", "hotelling", "disjoint")


@pytest.mark.parametrize("deflation", DEFLATIONS)
def test_what_is_left_is_named_by_what_was_taken_out(deflation):
    cov = nnspca.Covariance.from_data(X)
    U = np.zeros((6, 2))
    U[:2, 0], U[3, 1] = (0.6, 0.8), 1.0
    left = nnspca.deflate(cov, U, deflation)
    again = nnspca.deflate(nnspca.Covariance.from_data(X.copy()), np.asfortranarray(U), deflation)
    assert left.fingerprint == again.fingerprint
    other = U.copy()
    other[:2, 0] = (0.8, 0.6)
    different = [cov.fingerprint, nnspca.deflate(cov, U[:, :1], deflation).fingerprint]
    if deflation != "disjoint":  # which leaves out the same features
        different.append(nnspca.deflate(cov, other, deflation).fingerprint)
    different += [nnspca.deflate(cov, U, other).fingerprint for other in DEFLATIONS if other != deflation]
    assert left.fingerprint not in different


SIZES = {"matrix": (20, 50), "matrix of sums": (60, 100), "factor": (20, 3100), "more than the memory": (20, 3100)}


@pytest.mark.parametrize(("share", "standardize"), [(0.02, True), (0.08, False), (0.5, True)])
@pytest.mark.parametrize("size", SIZES)
def test_data_of_equal_numbers_have_one_fingerprint_and_one_proof(size, share, standardize, by_cost, monkeypatch):
    budgets.quick(monkeypatch)
    monkeypatch.setattr(samples, "READ_WHOLE", 2_000)
    monkeypatch.setattr(sources, "CHUNK", 500)
    rng = np.random.default_rng(2)
    X = rng.integers(1, 5, SIZES[size]) * (rng.random(SIZES[size]) < share)
    X[:, 0] = 7  # never varies
    X[:, 1] = 1e6 + X[:, 1]  # far from zero
    if size == "more than the memory":
        monkeypatch.setattr(samples, "MEMORY", 10)
    dense, table, sparse, columns = (
        nnspca.Covariance.from_data(data, standardize)
        for data in (X, pandas.DataFrame(np.asfortranarray(X)), scipy.sparse.coo_array(X), scipy.sparse.csc_array(X))
    )
    assert dense.fingerprint == table.fingerprint and sparse.fingerprint == columns.fingerprint
    if size == "more than the memory" and share == 0.08:  # held as given: what is allowed for rounding differs
        assert dense.fingerprint != sparse.fingerprint
        return
    assert dense.fingerprint == sparse.fingerprint
    assert dense.held.form.name == sparse.held.form.name == table.held.form.name
    assert type(dense.held.factor) is type(sparse.held.factor) is type(table.held.factor)
    assert dense.representation_error == sparse.representation_error == table.representation_error
    assert (dense.diagonal == sparse.diagonal).all()
    component, other = nnspca.solve(dense, 3), nnspca.solve(sparse, 3)
    assert (component.loadings == other.loadings).all()
    cert, again = nnspca.certify(dense, 3, component=component), nnspca.certify(sparse, 3, component=other)
    assert cert.upper == again.upper
    nnspca.verify(cert, sparse)
    nnspca.verify(cert, table)
