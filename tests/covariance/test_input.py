"""Data are read as what they are, whatever holds them, or refused with how many values are wrong, and where."""

import collections
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pandas
import pyarrow
import pytest
import scipy.sparse

import nnspca
from nnspca import Covariance, DataError, NonnegativeSparsePCA
from nnspca.covariance.input import numbers
from tests.covariance.test_chunks import exact
from tests.holders import Holder, Listed

X = np.array([[1.0, 0.5, 1.0], [2.0, 1.5, 0.0], [3.0, 9.0, 1.0]])


def dataset(X):
    return nnspca.datasets.Dataset(name="d", X=X)


def masked(A, *places):
    A = np.ma.masked_array(A, mask=np.zeros(A.shape, dtype=bool))
    for place in places:
        A[place] = np.ma.masked
    return A


HOLDERS = {
    "rows of a list": list,
    "numbers of a list": lambda M: [list(row) for row in M],
    "numbers of tuples": lambda M: tuple(tuple(row) for row in M),
    "user list": lambda M: collections.UserList(list(M)),
    "deque": collections.deque,
    "user lists": lambda M: [collections.UserList(row) for row in M],
    "array": Holder,
    "rows of arrays": lambda M: [Holder(row) for row in M],
    "listed": lambda M: Listed(list(M)),
    "objects": lambda M: np.fromiter(M, dtype=object),
}


@pytest.mark.parametrize("read", [Covariance.from_data, Covariance.from_matrix, NonnegativeSparsePCA().fit, dataset])
def test_masked_values_are_refused_with_their_number_whatever_holds_them(read):
    with pytest.raises(DataError, match=r"2 of 9 values are masked; fill them \(X.filled\(value\)\) or leave out"):
        read(masked(np.eye(3) * 1e9, (0, 1), (2, 2)))
    for held in HOLDERS.values():
        with pytest.raises(DataError, match="1 of 9 values are masked"):
            read(held(masked(np.eye(3), (0, 1))))


def both(given):
    """What the covariance and the estimator make of the same data."""
    fitted = NonnegativeSparsePCA(1, 2, standardize=False, store_covariance=True).fit(given)
    return Covariance.from_data(given, standardize=False).matrix, fitted.covariance_.matrix


@pytest.mark.parametrize("held", [*list(HOLDERS)[:-1], "a mask that hides nothing", "a view"])
def test_every_holder_of_rows_is_read(held):
    more = {"a mask that hides nothing": masked, "a view": memoryview}
    found = Covariance.from_data((HOLDERS | more)[held](X), standardize=False)
    assert (found.matrix == Covariance.from_data(X, standardize=False).matrix).all()


def test_tables_are_read_as_the_estimator_reads_them():
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": [0.5, 1.5, 9.0], "c": [True, False, True]})
    kinds = frame.convert_dtypes(), frame.convert_dtypes(dtype_backend="pyarrow"), frame.astype({"c": "boolean"})
    for table in (frame, *kinds, frame.astype(object)):
        assert all((found == both(X)[0]).all() for found in both(table))


READ = Covariance.from_data, dataset, nnspca.datasets.inspect


def columns():
    of = pandas.ArrowDtype
    text = ["1", "2", "4"]
    days = pandas.date_range("2020", periods=3)
    numbers = {
        "decimal": pandas.Series([Decimal(v) for v in text], dtype=of(pyarrow.decimal128(10, 2))),
        "objects": pandas.Series([Decimal(1), Fraction(2), 4], dtype=object),
        "nullable": pandas.array([1, 2, 4], dtype="Int8"),
        "arrow": pandas.array([1.0, 2.0, 4.0], dtype=of(pyarrow.float32())),
        "categories": pandas.Categorical([1, 2, 4]),
    }
    strange = {
        "text": text,
        "arrow text": pandas.Series(text, dtype=of(pyarrow.string())),
        "nullable text": pandas.Series(text, dtype="string"),
        "categories of text": pandas.Categorical(text),
        "days": days,
        "zoned": days.tz_localize("UTC"),
        "arrow days": pandas.Series(days, dtype=of(pyarrow.timestamp("ns"))),
        "spans": days - days[0],
        "complex": [1j, 2.0, 3.0],
    }
    return numbers, strange


def test_a_column_of_numbers_is_read_alike_whatever_its_type():
    numbers, _ = columns()
    plain = Covariance.from_data([[1.0, 0.5], [2.0, 1.5], [4.0, 9.0]], standardize=False).matrix
    for column in numbers.values():
        for found in both(pandas.DataFrame({"a": column, "b": [0.5, 1.5, 9.0]})):
            assert (found == plain).all()


@pytest.mark.parametrize("read", [Covariance.from_data, NonnegativeSparsePCA(1, 1, standardize=False).fit])
@pytest.mark.parametrize("beside", [{}, {"b": [0.5, 1.5, 9.0]}])
def test_a_column_of_anything_else_is_refused_by_its_name(read, beside):
    _, strange = columns()
    for column in strange.values():
        with pytest.raises(DataError, match="column 'when': data must be real numbers; got "):
            read(pandas.DataFrame({"when": column} | beside))


@pytest.mark.parametrize("kind", ["Int64", "Float64", "boolean", "arrow"])
@pytest.mark.parametrize("read", [Covariance.from_data, NonnegativeSparsePCA(1, 1, standardize=False).fit])
def test_a_missing_value_is_refused_alike_whatever_its_type(kind, read):
    kind = pandas.ArrowDtype(pyarrow.decimal128(10, 2)) if kind == "arrow" else kind
    column = pandas.array([None if v is None else 1 for v in (1, None, 1)], dtype=kind)
    for beside in ([0.5, 1.5, 9.0], pandas.Categorical([1, 2, 3])):
        with pytest.raises(DataError, match=r"1 value\(s\) are not finite, .* index \(1, 0\), column 'a' \(NaN\)"):
            read(pandas.DataFrame({"a": column, "b": beside}))


@pytest.mark.parametrize(
    "given",
    [
        [["1", "2"], ["2", "3"]],
        np.array([["1", "2"], ["3", "1"]], dtype=object),
        np.array([[b"1", b"2"], [b"3", b"1"]]),
        np.array([["2020-01-01", "2021-01-01"], ["2020-01-01", "2022-01-01"]], dtype="M8[D]"),
        np.array([[1, 2], [3, 4]], dtype="m8[D]"),
    ],
    ids=["text", "objects", "bytes", "days", "spans"],
)
@pytest.mark.parametrize("read", [*READ, NonnegativeSparsePCA(1, 1, standardize=False).fit])
def test_text_and_times_are_no_numbers_for_covariance_and_estimator_alike(read, given):
    with pytest.raises(DataError, match="data must be real numbers; got "):
        read(given)


def test_tables_without_rows_or_columns_are_told_so():
    for frame, rows, features in (
        (pandas.DataFrame(), 0, 0),
        (pandas.DataFrame({"a": [], "b": []}), 0, 2),
        (pandas.DataFrame(index=[1, 2, 3]), 3, 0),
    ):
        with pytest.raises(DataError, match=rf"at least 1 sample and 1 feature; got shape \({rows}, {features}\)"):
            Covariance.from_data(frame, standardize=False)
        with pytest.raises(ValueError, match=rf"Found array with 0 .*\(shape=\({rows}, {features}\)\)"):
            NonnegativeSparsePCA(1, 1, standardize=False).fit(frame)


def test_columns_of_one_name_are_read_by_place_and_refused_where_names_are_kept():
    frame = pandas.DataFrame(X, columns=["a", "a", "b"])
    assert (Covariance.from_data(frame, standardize=False).matrix == both(X)[0]).all()
    with pytest.raises(DataError, match=r"1 column\(s\) have the name of another, the first 'a'; rename them"):
        NonnegativeSparsePCA(1, 1, standardize=False).fit(frame)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([[1.0, 2.0], [3.0]], "rows have the same length"),
        ([[1.0, 2.0], 3.0], "rows have the same length"),
        ([[1.0, None], [2.0, 3.0]], r"1 value\(s\) .*not finite, the first (at index \(0, 1\)|in column .*2)"),
        (np.array([[1, 2j]], dtype=object), "real numbers; got 2j of type complex"),
        (None, "real numbers; got None"),
        ([[10**400, 1], [1, 2]], "too large for double precision: rescale the data"),
        (np.array([[np.longdouble("1e400"), 1.0], [1.0, 2.0]]), r"1 value\(s\) .*not finite, the first"),
        ({"a": 1}, "real numbers; got {'a': 1} of type dict"),
    ],
)
@pytest.mark.parametrize("read", [*READ, Covariance.from_matrix])
def test_what_is_no_table_of_numbers_is_refused(read, given, says):
    with pytest.raises(DataError, match=says):
        read(given)


@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("kind", [np.float64, np.int32, np.float32, np.bool_])
def test_every_sparse_form_is_read(form, kind):
    D = X.astype(kind)
    S = scipy.sparse.csr_array(D).asformat(form)
    cov = Covariance.from_data(S, standardize=False)
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


def sparse(form, **parts):
    """A sparse array of 3 × 3 with some of the arrays behind it replaced."""
    made = scipy.sparse.csr_array(np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0]])).asformat(form)
    if form == "bsr":
        made = made.tobsr(blocksize=(1, 1))
    for name, value in parts.items():
        setattr(made, name, value)
    return made


CONTRADICTIONS = [
    *((form, {"indices": np.array([0, 2, 1, 0, at])}) for form in ("csr", "csc", "bsr") for at in (3, 7, 10**6, -1)),
    *(
        (form, {"indptr": np.array(p)})
        for form in ("csr", "csc", "bsr")
        for p in ([0, 4, 3, 5], [0, 2, 3, 9], [0, 2, 3, -5])
    ),
    *((form, {"indptr": np.array(p)}) for form in ("csr", "csc") for p in ([1, 2, 3, 5], [0, 2, 5], [-3, 2, 3, 5])),
    *((form, {"data": np.ones(3)}) for form in ("csr", "csc", "coo")),
    *(("coo", {"coords": (np.array([0, 0, 1, 2, at]), np.array([0, 2, 1, 0, 2]))}) for at in (3, -1, 10**6)),
    ("coo", {"coords": (np.array([0, 0, 1, 2]), np.array([0, 2, 1, 0, 2]))}),
    ("coo", {"coords": (np.array([0, 0, 1, 2, 2.0]), np.array([0, 2, 1, 0, 2]))}),
    ("dia", {"offsets": np.array([0, 0, 1])}),
    ("dia", {"offsets": np.array([0])}),
    ("lil", {"rows": np.array([[0, 9], [1], [0, 2]], dtype=object)}),
    ("lil", {"rows": np.array([[0, -1], [1], [0, 2]], dtype=object)}),
    ("lil", {"rows": np.array([[0], [1], [0, 2]], dtype=object)}),
    ("dok", {"_dict": {(7, 7): 3.0, (0, 0): 1.0}}),
]


@pytest.mark.parametrize(
    "read", [Covariance.from_data, Covariance.from_matrix, NonnegativeSparsePCA(1, 1, standardize=False).fit]
)
def test_a_sparse_array_that_points_beside_itself_is_refused(read):
    for form, parts in CONTRADICTIONS:
        with pytest.raises(DataError, match=r"the sparse array contradicts itself \(.+\)"):
            read(sparse(form, **parts))


@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_reading_a_sparse_array_leaves_it_as_it_was(form):
    given = sparse("coo", coords=(np.array([1, 0, 0, 2, 2]), np.array([1, 0, 0, 0, 2]))).asformat(form)
    names = [name for name in ("data", "indices", "indptr", "coords") if hasattr(given, name)]
    before = [np.array(getattr(given, name)) for name in names]
    Covariance.from_data(given, standardize=False)
    for name, was in zip(names, before, strict=True):
        assert np.array_equal(getattr(given, name), was)


def twice(values, form="coo"):
    """A sparse array that stores two values at its first place, as they are."""
    values = np.array(values)
    made = scipy.sparse.csr_array((values, np.array([0, 0, 1]), np.array([0, 2, 2, 3])), shape=(3, 2))
    if form == "csr":
        return made
    made = scipy.sparse.coo_array((3, 2), dtype=values.dtype)
    made.coords, made.data = (np.array([0, 0, 2]), np.array([0, 0, 1])), values
    return made


@pytest.mark.parametrize("form", ["coo", "csr"])
@pytest.mark.parametrize(
    ("values", "first"),
    [([True, True, True], 1.0), (np.array([100, 100, 1], dtype=np.int8), 200.0), ([0.5, 0.25, 1.0], 0.75)],
    ids=["bool", "int8", "float"],
)
def test_entries_stored_twice_add_up_for_covariance_and_estimator_alike(form, values, first):
    plain = Covariance.from_data([[first, 0.0], [0.0, 0.0], [0.0, 1.0]], standardize=False).matrix
    for matrix in both(twice(values, form)):
        np.testing.assert_allclose(matrix, plain, rtol=1e-14, atol=1e-16)


@pytest.mark.parametrize("form", ["coo", "csr"])
@pytest.mark.parametrize("read", [Covariance.from_data, NonnegativeSparsePCA(1, 1, standardize=False).fit])
def test_entries_whose_sum_no_double_holds_are_told_with_their_place(form, read):
    with pytest.raises(DataError, match=r"1 place\(s\) hold several entries whose sum is not finite, the first at"):
        read(twice([1e308, 1e308, 1.0], form))
    with pytest.raises(DataError, match=r"1 value\(s\) are not finite, the first at index \(2, 1\) \(NaN\)"):
        read(twice([1e308, 1.0, np.nan], form))


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
        fitted = NonnegativeSparsePCA(1, 3, standardize=True, store_covariance=True).fit(form(scaled))
        np.testing.assert_allclose(fitted.covariance_.matrix, plain, atol=1e-14)
        scores = NonnegativeSparsePCA(1, 3, standardize=True).fit(Y).transform(Y)
        np.testing.assert_allclose(fitted.transform(form(scaled)), scores, atol=1e-12)
        assert fitted.score(form(scaled)) == pytest.approx(fitted.explained_variance_ratio_.sum())


@pytest.mark.parametrize("offset", [1e3, 1e6, 1e9, 1e12, 1e15])
@pytest.mark.parametrize("zeros", [0, 1])
def test_a_sparse_feature_far_from_zero_keeps_its_digits(offset, zeros):
    rng = np.random.default_rng(0)
    data = rng.standard_normal((60, 8)) * (rng.random((60, 8)) < 0.2)
    data[zeros:, 3] = offset + rng.random(60 - zeros)
    if zeros:
        data[:zeros, 3] = 0.0
        data /= offset
    cov = Covariance.from_data(scipy.sparse.csr_array(data), standardize=False)
    expected = [row[at] for at, row in enumerate(exact(data))]
    for found, truth in zip(cov.diagonal, expected, strict=True):
        assert abs(Fraction(float(found)) - truth) <= cov.representation_error
    assert cov.representation_error <= 1e-11 * float(sum(expected))


def test_a_sparse_feature_far_from_zero_beside_sparse_ones_is_certified_as_if_dense():
    rng = np.random.default_rng(0)
    rest = rng.standard_normal((200, 30)) * (rng.random((200, 30)) < 0.1)
    data = np.hstack([1e6 + rng.random((200, 1)), rest])
    dense = nnspca.certify(Covariance.from_data(data, standardize=False), 5)
    cov = Covariance.from_data(scipy.sparse.csr_array(data), standardize=False)
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


def test_features_near_zero_stay_sparse():
    S = scipy.sparse.random_array((200, 50), density=0.05, format="csr", rng=np.random.default_rng(0))
    wide = scipy.sparse.hstack([S, scipy.sparse.csr_array(1e6 + np.arange(200.0)[:, None])])
    cov = Covariance.from_data(scipy.sparse.hstack([wide] * 40), standardize=False)
    assert cov.held.factor.S.nnz <= 40 * (S.nnz + 200)


def test_a_matrix_that_is_none_is_refused_before_it_is_standardised():
    for wrong in (np.ones((2, 3)), np.ones(3), [["1", "2"], ["2", "3"]], np.empty((0, 0))):
        for standardize in (False, True):
            with pytest.raises(DataError, match=r"must be square|must be real numbers"):
                Covariance.from_dataset(SimpleNamespace(X=wrong, kind="covariance"), standardize)


def test_a_matrix_whose_rows_are_named_in_another_order_is_refused():
    names = list("abc")
    S = pandas.DataFrame(np.cov(np.random.default_rng(0).normal(size=(20, 3)).T), index=names, columns=names)
    mixed = S[["b", "a", "c"]]
    for repair in (False, True):
        with pytest.raises(DataError, match="row 0 is named 'a' where column 0 is 'b'"):
            Covariance.from_matrix(mixed, repair=repair)
    Covariance.from_matrix(S)
    Covariance.from_matrix(S.reset_index(drop=True))
    Covariance.from_matrix(S.loc[["b", "a", "c"], ["b", "a", "c"]])


def test_a_mask_of_features_is_not_their_indices():
    cov = Covariance.from_matrix(np.diag([3.0, 2.0, 1.0]))
    some, others = cov.restrict(np.array([True, False, True])), cov.restrict(np.array([1, 0, 1]))
    assert some.fingerprint != others.fingerprint
    assert some.fingerprint == cov.restrict(np.array([0, 2])).fingerprint


def table(first, second, kind="int64"):
    return pandas.DataFrame({"id": pandas.array(first, dtype=kind), "b": second})


TOO_FINE = 2**53 + 1  # the first whole number that no double is
WHOLE = {
    "int64": lambda v: np.array([[v, 1], [2, 5], [3, 4]]),
    "uint64": lambda v: np.array([[v, 1], [2, 5], [3, 4]], dtype=np.uint64),
    "the largest": lambda v: np.array([[2**64 - 1, 1], [2, 5], [v, 4]], dtype=np.uint64)[::-1],
    "numbers of a list": lambda v: [[v, 1], [2, 5], [3, 4]],
    "beside decimals in a list": lambda v: [[v, 1.5], [2, 5], [3, 4]],
    "beside decimals in arrays": lambda v: [np.array([v, 1]), np.array([2.0, 5.0]), np.array([3, 4])],
    "objects": lambda v: np.array([[v, 1], [2, 5], [3, 4.5]], dtype=object),
    "NumPy's beside floats": lambda v: [[np.int64(v), 0.0], [np.int64(2), 1.0], [np.int64(3), 3.0]],
    "NumPy's as objects": lambda v: np.array([[np.int64(v), 0.0], [2, 1.0], [3, 3]], dtype=object),
    "signed and unsigned": lambda v: [[np.uint64(v), np.int64(-1)], [np.uint64(2), np.int64(1)], [np.uint64(0), 3]],
    "a decimal number": lambda v: np.array([[Decimal(v), 1], [2, 5], [3, 4.5]], dtype=object),
    "a fraction": lambda v: np.array([[Fraction(v), 1], [2, 5], [3, 4.5]], dtype=object),
    "negative": lambda v: np.array([[-v, 1], [2, 5], [3, 4]]),
    "a table": lambda v: table([v, 2, 3], [1, 5, 4]),
    "a table beside decimals": lambda v: table([v, 2, 3], [1.5, 5, 4]),
    "a nullable table": lambda v: table([v, 2, 3], [1.5, 5, 4], "Int64"),
    "a table of Arrow itself": lambda v: pyarrow.table({"id": [v, 2, 3], "b": [1, 5, 4]}),
    "an Arrow table": lambda v: table([v, 2, 3], [1.5, 5, 4], "int64[pyarrow]"),
    "sparse": lambda v: scipy.sparse.csr_array(np.array([[v, 1], [2, 5], [3, 4]])),
    "sparse, stored twice": lambda v: scipy.sparse.coo_array(
        ([v - 1, 1, 1, 5, 4], ([0, 0, 0, 1, 2], [0, 0, 1, 1, 1])), shape=(3, 2)
    ),
}


@pytest.mark.parametrize("held", WHOLE.values(), ids=WHOLE)
def test_a_whole_number_that_no_double_is_is_refused_and_not_rounded(held):
    for read in (Covariance.from_data, NonnegativeSparsePCA(n_components=1).fit, dataset):
        with pytest.raises(DataError, match=r"9007199254740993|18446744073709551615|stored several times"):
            read(held(TOO_FINE))


@pytest.mark.parametrize("value", [2**53 + 2, 2**62])
def test_a_large_whole_number_that_is_a_double_is_read_exactly(value):
    for name in WHOLE.keys() - {"the largest", "sparse, stored twice"}:
        read = numbers(WHOLE[name](value))
        assert abs(int((read.toarray() if scipy.sparse.issparse(read) else read)[0, 0])) == value, name


def test_a_table_of_arrow_that_cannot_be_read_is_refused_by_its_column():
    with pytest.raises(DataError, match=r"index \(1, 0\), column 'a'"):
        Covariance.from_data(pyarrow.table({"a": [1, None, 3], "b": [2, 5, 1]}))
    with pytest.raises(DataError, match="column 'a': data must be real numbers"):
        Covariance.from_data(pyarrow.table({"a": ["1", "2", "3"], "b": [2, 5, 1]}))


def test_a_covariance_is_an_array_where_it_is_held_and_never_samples():
    X = np.random.default_rng(0).standard_normal((5, 1600))
    small = Covariance.from_data(X[:, :4])
    np.testing.assert_array_equal(np.asarray(small), small.matrix)
    assert np.array(small, dtype=np.float32).dtype == np.float32 and np.array(small).flags.writeable
    with pytest.raises(TypeError, match="are not held: read blocks"):
        np.asarray(Covariance.from_data(X))
    with pytest.raises(DataError, match="is a Covariance"):
        Covariance.from_data(small)
