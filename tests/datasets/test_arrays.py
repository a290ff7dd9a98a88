import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nnspca.datasets import read
from tests.datasets.test_images import refused

SHAPES = st.tuples(st.integers(2, 8), st.integers(1, 6))
ARRAYS = st.one_of(
    hnp.arrays(np.float64, SHAPES, elements=st.floats(-1e50, 1e50)),
    hnp.arrays(np.dtype(">f4"), SHAPES, elements=st.floats(-(2.0**60), 2.0**60, width=32)),
    hnp.arrays(np.int32, SHAPES),
    hnp.arrays(np.uint8, SHAPES),
    hnp.arrays(np.bool_, SHAPES),
).filter(lambda X: np.any(X[0] != X))


def npy(X):
    out = io.BytesIO()
    np.save(out, X, allow_pickle=True)
    return out.getvalue()


def npz(compressed=False, **arrays):
    out = io.BytesIO()
    (np.savez_compressed if compressed else np.savez)(out, **arrays)
    return out.getvalue()


def mat(compressed=False, **variables):
    out = io.BytesIO()
    scipy.io.savemat(out, variables, do_compression=compressed)
    return out.getvalue()


@given(ARRAYS, st.booleans())
def test_an_array_saved_as_npy_comes_back(X, fortran):
    ds = read(npy(np.asfortranarray(X) if fortran else X), "t.npy", kind="table")
    np.testing.assert_array_equal(ds.X, X)


def test_names_labels_and_image_shape_saved_beside_the_array_are_kept():
    X = np.arange(12.0).reshape(3, 4)
    data = npz(
        X=X, y=np.array([1, 0, 1]), label_names=np.array(["a", "b"]), image_shape=np.array([2, 2]),
        feature_names=np.array(list("pqrs")),
    )  # fmt: skip
    ds = read(data, "t.npz")
    assert (ds.kind, ds.image_shape) == ("images", (2, 2))
    assert ds.feature_names == tuple("pqrs")
    assert ds.label_names == ("a", "b")
    np.testing.assert_array_equal(ds.labels, [1, 0, 1])
    other = npz(X=X, y=np.array([1, 0]), image_shape=np.array([3, 3]), feature_names=np.array(["p"]))
    ds = read(other, "t.npz")  # which do not fit
    assert (ds.labels, ds.image_shape, ds.feature_names[0]) == (None, None, "feature 1")
    ds = read(mat(fea=np.arange(6.0).reshape(3, 2), gnd=np.array([[5], [6], [5]])), "t.mat")
    assert ds.label_names == ("5", "6") and ds.labels.tolist() == [0, 1, 0]


def test_samples_in_columns_are_turned_and_images_upright():
    X = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(read(npy(X), "t.npy", samples="columns").X, X.T)
    images = np.arange(24.0).reshape(2, 3, 4)  # height, width, images: MATLAB's habit
    turned = np.moveaxis(images, -1, 0)
    for made, name, how in (
        (npy(turned), "t.npy", "rows"),
        (npy(images), "t.npy", "columns"),
        (mat(i=images), "t.mat", "columns"),
    ):
        ds = read(made, name, samples=how)
        assert (ds.kind, ds.image_shape) == ("images", (2, 3))
        np.testing.assert_array_equal(ds.X.reshape(-1, 2, 3), turned)


def test_arrays_that_could_all_be_meant_are_listed():
    message = refused(npz(first=np.eye(3), second=np.ones((2, 5)), third=np.ones(4)), "t.npz")
    for part in ("'first' (3, 3)", "'second' (2, 5)", "'third' (4,)", "Name it X"):
        assert part in message


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.array([[1, "a"], [2, None]], dtype=object), "Python objects"),
        (np.eye(3) * 1j, "complex"),
        (np.array([["a", "b"], ["c", "d"]]), "values of type"),
        (np.zeros((2, 2), dtype=[("a", "f8")]), "values of type"),
        (np.array([["2020-01-01"], ["2020-01-02"]], dtype="datetime64[D]"), "values of type"),
        (np.arange(3.0), "shape (3,)"),
        (np.zeros((2, 2, 2, 3)), "shape (2, 2, 2, 3)"),
        (np.zeros((0, 3)), "0 rows"),
        (np.zeros((3, 0)), "0 columns"),
        (np.array([[1.0, 2], [3, np.nan]]), "1 value is missing in 1 of 2 rows (first at row 2, in "),
        (np.array([[1.0, 2], [np.inf, -np.inf]]), "2 such values"),
        (np.full((3, 2), 4.0), "nothing varies"),
    ],
)
def test_what_is_no_data_matrix_is_refused_with_what_it_is(array, said):
    assert said in refused(npy(array), "t.npy")
    assert said in refused(npz(X=array), "t.npz")


def header(shape, descr="<f8", version=b"\x01\x00", padding=0):
    text = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode() + b" " * padding + b"\n"
    length = len(text).to_bytes(2 if version == b"\x01\x00" else 4, "little")
    return b"\x93NUMPY" + version + length + text


@pytest.mark.parametrize(
    "data",
    [
        header((10**9, 10**9)),
        header((10**30, 2)),
        header((-1, 5)),
        header((100, 100)) + bytes(80),
        header((3, 2), padding=10**6, version=b"\x02\x00"),
        header((3, 2), version=b"\x09\x00"),
        header((3, 2), descr="|O") + bytes(48),
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 1000,
        b"\x93NUMPY",
        b"not an array",
    ],
)
def test_headers_that_lie_are_refused_at_once(data):
    assert "'t.npy'" in refused(data, "t.npy")


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_whole_numbers_that_no_double_is_are_refused_and_not_rounded(dtype):
    X = np.array([[2**53 + 1, 1], [2, 3]], dtype=dtype)
    for data, name in ((npy(X), "t.npy"), (npz(X=X), "t.npz"), (mat(X=X), "t.mat")):
        assert "9007199254740993" in refused(data, name)
    X[0, 0] += 1
    np.testing.assert_array_equal(read(npy(X), "t.npy", kind="table").X, X)


def test_the_only_matrix_is_taken_among_texts_and_structures():
    X = np.arange(6.0).reshape(3, 2)
    ds = read(mat(note="text", s={"a": 1}, cells=np.array(["u", 1], dtype=object), faces=X), "t.mat")
    np.testing.assert_array_equal(ds.X, X)


def test_newer_and_older_files_are_told_how_to_be_saved():
    newer = b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n"
    assert "-v7" in refused(newer, "t.mat")
    older = io.BytesIO()
    scipy.io.savemat(older, {"X": np.eye(3)}, format="4")
    assert "-v7" in refused(older.getvalue(), "t.mat")


@pytest.mark.parametrize("compressed", [False, True])
def test_matlabs_matrices_come_back_dense_or_sparse_and_complex_ones_are_refused(compressed):
    X = np.array([[1.5, 0.0], [0.0, -2.0], [3.0, 0.0]])
    for held in (X, scipy.sparse.csc_matrix(X), X.astype(np.int16)):
        expected = held.toarray() if scipy.sparse.issparse(held) else held
        np.testing.assert_array_equal(read(mat(compressed, X=held), "t.mat", kind="table").X, expected)
    assert "complex" in refused(mat(X=np.eye(3) * 1j), "t.mat")
    assert "'first' (3, 3), 'second' (2, 5)" in refused(mat(first=np.eye(3), second=np.ones((2, 5))), "t.mat")
