"""Data are read as what they are, whatever holds them, or refused with how many values are wrong, and where."""

from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca import Covariance, DataError, NonnegativeSparsePCA
from nnspca.covariance.reading import numbers

X = np.array([[1.0, 0.5, 1.0], [2.0, 1.5, 0.0], [3.0, 9.0, 1.0]])


def masked(A, *places):
    A = np.ma.masked_array(A, mask=np.zeros(A.shape, dtype=bool))
    for place in places:
        A[place] = np.ma.masked
    return A


@pytest.mark.parametrize("read", [Covariance.from_data, Covariance.from_matrix, NonnegativeSparsePCA().fit])
def test_masked_values_are_refused_with_their_number_and_the_way_out(read):
    with pytest.raises(DataError, match=r"2 of 9 values are masked; fill them \(X.filled\(value\)\) or leave out"):
        read(masked(np.eye(3) * 1e9, (0, 1), (2, 2)))
    with pytest.raises(DataError, match="1 of 9 values are masked"):
        read(list(masked(np.eye(3), (0, 1))))


def test_a_mask_that_hides_nothing_is_no_obstacle():
    assert (Covariance.from_data(masked(X)).matrix == Covariance.from_data(X).matrix).all()


def tables():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.5, 9.0], "c": [True, False, True]})
    pytest.importorskip("pyarrow")
    return pandas, [
        frame,
        frame.convert_dtypes(),
        frame.convert_dtypes(dtype_backend="pyarrow"),
        frame.astype({"c": "boolean"}),
        frame.astype(object),
    ]


@pytest.mark.parametrize("which", range(5))
def test_tables_are_read_as_the_estimator_reads_them(which):
    _, frames = tables()
    assert (Covariance.from_data(frames[which]).matrix == Covariance.from_data(X).matrix).all()
    estimator = NonnegativeSparsePCA(1, 2).fit(frames[which])
    assert (estimator._covariance.matrix == Covariance.from_data(X).matrix).all()


def test_missing_values_of_a_table_are_refused_as_not_finite():
    pandas, frames = tables()
    for frame in frames[1:3]:
        frame.loc[1, "a"] = pandas.NA
        with pytest.raises(DataError, match=r"1 value\(s\) are not finite, the first at index \(1, 0\)"):
            Covariance.from_data(frame)


@pytest.mark.parametrize(
    ("column", "says"),
    [
        (["x", "y", "z"], "column 'name': data must be real numbers; got x of type str"),
        ([1, "y", 2.0], "column 'name': data must be real numbers; got y of type str"),
        ([1j, 2.0, 3.0], "column 'name': data must be real numbers; got dtype complex128"),
    ],
)
def test_a_column_that_is_no_number_is_named(column, says):
    pandas, _ = tables()
    with pytest.raises(DataError, match=says):
        Covariance.from_data(pandas.DataFrame({"a": [1.0, 2.0, 3.0], "name": column}))


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([[1.0, 2.0], [3.0]], r"rows have the same length; row 0 has 2 value\(s\), row 1 has 1"),
        ([[1.0, 2.0], 3.0], r"row 0 has 2 value\(s\), row 1 has 0"),
        ([[1.0, None], [2.0, 3.0]], r"1 value\(s\) are not finite, the first at index \(0, 1\)"),
        (np.array([[1, 2j]], dtype=object), "real numbers; got 2j of type complex"),
        (None, "real numbers; got None"),
        ([[10**400, 1], [1, 2]], "too large for double precision: rescale the data"),
        (
            np.array([[np.longdouble("1e400"), 1.0], [1.0, 2.0]]),
            r"1 value\(s\) are not finite, the first at",
        ),
        ({"a": 1}, "real numbers; got {'a': 1} of type dict"),
    ],
)
@pytest.mark.parametrize("read", [Covariance.from_data, Covariance.from_matrix])
def test_what_is_no_table_of_numbers_is_refused(read, given, says):
    with pytest.raises(DataError, match=says):
        read(given)


def test_exact_numbers_of_python_are_numbers():
    assert numbers([[Fraction(1, 4), True], [2, 0.5]]).tolist() == [[0.25, 1.0], [2.0, 0.5]]


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("kind", [np.float64, np.int32, np.float32, np.bool_])
def test_every_sparse_form_is_read(form, kind):
    D = X.astype(kind)
    S = scipy.sparse.csr_array(D).asformat(form)
    cov = Covariance.from_data(S)
    np.testing.assert_allclose(cov.matrix, np.cov(D.astype(float).T, bias=True), atol=1e-15)
    assert Covariance.from_matrix(scipy.sparse.eye_array(3, dtype=kind, format=form)).trace == 3.0


@pytest.mark.parametrize("form", ["coo", "dok", "csr"])
@pytest.mark.parametrize("read", [Covariance.from_data, Covariance.from_matrix])
def test_a_sparse_row_alone_is_refused(form, read):
    flat = scipy.sparse.coo_array(np.array([1.0, 0.0, 2.0]))
    with pytest.raises(DataError, match=r"\(samples, features\); got 1 dimension"):
        read(flat if form == "coo" else flat.asformat(form))
    for wrong in (scipy.sparse.csr_array([[1j]]), scipy.sparse.csr_array([[np.inf, 0.0]])):
        with pytest.raises(DataError, match=r"real numbers|not finite"):
            read(wrong)


@pytest.mark.parametrize("scale", [1e160, 1e-165, 1e200, 1e-200, 1e306, 1e-300])
@pytest.mark.parametrize("sparse", [False, True])
def test_standardised_data_have_no_scale(scale, sparse):
    Y = np.random.default_rng(0).standard_normal((40, 5))
    plain = Covariance.from_data(Y, standardize=True).matrix
    form = scipy.sparse.csr_array if sparse else np.asarray
    one = Y.copy()
    one[:, 2] *= scale
    for scaled in (one, Y * scale):
        np.testing.assert_allclose(Covariance.from_data(form(scaled), standardize=True).matrix, plain, atol=1e-14)
        fitted = NonnegativeSparsePCA(1, 3, standardize=True).fit(form(scaled))
        np.testing.assert_allclose(fitted._covariance.matrix, plain, atol=1e-14)
        scores = NonnegativeSparsePCA(1, 3, standardize=True).fit(Y).transform(Y)
        np.testing.assert_allclose(fitted.transform(form(scaled)), scores, atol=1e-12)
        assert fitted.score(form(scaled)) == pytest.approx(fitted.explained_variance_ratio_.sum())


@pytest.mark.parametrize("scale", [1e160, 1e-165])
def test_data_too_large_or_too_small_are_told_so_not_called_constant(scale):
    Y = np.random.default_rng(0).standard_normal((4, 3)) * scale
    for data in (Y, scipy.sparse.csr_array(Y)):
        with pytest.raises(DataError, match="rescale the data, or standardize them"):
            Covariance.from_data(data)


def exact_variances(X):
    """The diagonal of the covariance in exact arithmetic."""
    columns = [[Fraction(v) for v in column] for column in X.T]
    means = [sum(column) / len(column) for column in columns]
    return [sum((v - mean) ** 2 for v in c) / len(c) for c, mean in zip(columns, means, strict=True)]


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9, 1e12, 1e15])
@pytest.mark.parametrize("zeros", [0, 1])
def test_a_sparse_feature_far_from_zero_keeps_its_digits(offset, zeros):
    rng = np.random.default_rng(0)
    data = rng.standard_normal((60, 8)) * (rng.random((60, 8)) < 0.2)
    data[zeros:, 3] = offset + rng.random(60 - zeros)
    if zeros:
        data[:zeros, 3] = 0.0
        data /= offset
    cov = Covariance.from_data(scipy.sparse.csr_array(data))
    expected = exact_variances(data)
    for found, exact in zip(cov.diagonal, expected, strict=True):
        assert abs(Fraction(float(found)) - exact) <= cov.representation_error
    assert cov.representation_error <= 1e-11 * float(sum(expected))


def test_a_sparse_feature_far_from_zero_beside_sparse_ones_is_certified_as_if_dense():
    rng = np.random.default_rng(0)
    rest = rng.standard_normal((200, 30)) * (rng.random((200, 30)) < 0.1)
    data = np.hstack([1e6 + rng.random((200, 1)), rest])
    dense = nnspca.certify(Covariance.from_data(data), 5)
    cov = Covariance.from_data(scipy.sparse.csr_array(data))
    sparse = nnspca.certify(cov, 5)
    nnspca.verify(sparse, cov)
    assert sparse.ratio == pytest.approx(dense.ratio, abs=1e-6)
    assert sparse.ratio > 0.999
    few = Covariance.from_data(
        scipy.sparse.csr_array([[1000001, 1000001, 0, 0], [1000002, 1000002, 0, 0], [10**6] * 2 + [0] * 2])
    )
    for k, best in ((1, 2 / 3), (2, 4 / 3)):
        cert = nnspca.certify(few, k)
        assert cert.lower == pytest.approx(best)
        assert cert.ratio == pytest.approx(1.0)


@pytest.mark.parametrize("offset", [1e6, 1e12])
def test_the_lower_bound_is_attained_on_the_sparse_data_themselves(offset):
    rng = np.random.default_rng(1)
    data = rng.standard_normal((30, 6)) * (rng.random((30, 6)) < 0.4)
    data[:, :2] = offset + np.round(rng.random((30, 1)) + rng.random((30, 2)) / 4, 3)
    cov = Covariance.from_data(scipy.sparse.csr_array(data))
    cert = nnspca.certify(cov, 2)
    nnspca.verify(cert, cov)
    weights = [Fraction(float(w)) for w in cert.component.loadings]
    rows = [sum(Fraction(v) * w for v, w in zip(row, weights, strict=True)) for row in data]
    mean = sum(rows) / len(rows)
    attained = sum((r - mean) ** 2 for r in rows) / len(rows) / sum(w * w for w in weights)
    assert Fraction(cert.lower) <= attained + Fraction(cov.representation_error)
    assert cov.representation_error < 1e-10 * float(attained)


def test_features_near_zero_stay_sparse():
    S = scipy.sparse.random_array((200, 50), density=0.05, format="csr", rng=np.random.default_rng(0))
    wide = scipy.sparse.hstack([S, scipy.sparse.csr_array(1e6 + np.arange(200.0)[:, None])])
    cov = Covariance.from_data(scipy.sparse.hstack([wide] * 40))
    assert cov.factor.S.nnz <= 40 * (S.nnz + 200)


def test_a_masked_matrix_is_refused_whether_it_is_standardised_or_not():
    C = np.ma.array([[2.0, 0.9], [0.9, 1.0]])
    C[0, 1] = C[1, 0] = np.ma.masked
    data = SimpleNamespace(X=C, kind="covariance")
    for standardize in (False, True):
        with pytest.raises(nnspca.DataError, match="2 of 4 values are masked"):
            nnspca.Covariance.from_dataset(data, standardize)
