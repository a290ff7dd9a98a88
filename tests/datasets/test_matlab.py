import io
import struct
import time

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nnspca.datasets import read
from nnspca.errors import DataError

SHAPES = st.tuples(st.integers(2, 6), st.integers(1, 6))
TYPES = ["f8", "f4", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]


def mat(compressed=False, **variables):
    out = io.BytesIO()
    scipy.io.savemat(out, variables, do_compression=compressed)
    return out.getvalue()


def refused(data):
    start = time.process_time()
    with pytest.raises(DataError) as caught:
        read(data, "t.mat")
    assert time.process_time() - start < 1
    return str(caught.value)


@given(st.data(), st.sampled_from(TYPES), st.booleans())
def test_a_matrix_saved_by_scipy_comes_back(data, dtype, compressed):
    elements = st.floats(-(2.0**60), 2.0**60, width=32) if dtype[0] == "f" else None
    if dtype[1] == "8" and dtype[0] != "f":
        elements = st.integers(0 if dtype[0] == "u" else -(2**53), 2**53)
    X = data.draw(hnp.arrays(np.dtype(dtype), SHAPES, elements=elements))
    assume(np.any(X[0] != X))
    np.testing.assert_array_equal(read(mat(compressed, X=X), "t.mat", kind="table").X, X.astype(float))


@given(hnp.arrays(np.float64, SHAPES, elements=st.sampled_from([0.0, 0.0, 1.5, -2.0])), st.booleans())
def test_a_sparse_matrix_comes_back_in_full(X, compressed):
    X[0, 0], X[1, 0] = 1, 2
    ds = read(mat(compressed, X=scipy.sparse.csc_matrix(X)), "t.mat", kind="table")
    np.testing.assert_array_equal(ds.X, X)


def test_the_only_matrix_is_taken_among_texts_and_structures():
    X = np.arange(6.0).reshape(3, 2)
    ds = read(mat(note="text", s={"a": 1}, cells=np.array(["u", 1], dtype=object), faces=X), "t.mat")
    np.testing.assert_array_equal(ds.X, X)


def test_labels_beside_the_matrix_are_kept():
    ds = read(mat(fea=np.arange(6.0).reshape(3, 2), gnd=np.array([[5], [6], [5]])), "t.mat")
    assert ds.label_names == ("5", "6")
    np.testing.assert_array_equal(ds.labels, [0, 1, 0])


def test_matrices_that_could_all_be_meant_are_listed():
    message = refused(mat(first=np.eye(3), second=np.ones((2, 5))))
    assert "'first' (3, 3), 'second' (2, 5)" in message


def test_a_stack_of_images_is_read_upright():
    images = np.arange(24.0).reshape(2, 3, 4)
    ds = read(mat(images=images), "t.mat", samples="columns")
    assert ds.image_shape == (2, 3)
    np.testing.assert_array_equal(ds.X[3].reshape(2, 3), images[:, :, 3])


def test_complex_matrices_are_refused():
    assert "complex" in refused(mat(X=np.eye(3) * 1j))


def test_newer_and_older_files_are_told_how_to_be_saved():
    newer = b"MATLAB 7.3 MAT-file".ljust(512) + b"\x89HDF\r\n\x1a\n"
    assert "-v7" in refused(newer)
    older = io.BytesIO()
    scipy.io.savemat(older, {"X": np.eye(3)}, format="4")
    assert "-v7" in refused(older.getvalue())


def test_a_shape_larger_than_the_numbers_is_refused():
    data = bytearray(mat(X=np.eye(3)))
    place = data.index(struct.pack("<ii", 3, 3), 128)
    data[place : place + 8] = struct.pack("<ii", 2_000_000_000, 2_000_000_000)
    assert refused(bytes(data))
    data[place : place + 8] = struct.pack("<ii", 30, 30)
    assert refused(bytes(data))


@pytest.mark.parametrize("row", [-5, 3, 1_000_000_000])
def test_sparse_indices_outside_the_matrix_are_refused(row):
    data = bytearray(mat(X=scipy.sparse.csc_matrix(np.array([[0.0, 7], [0, 0], [9, 0]]))))
    place = data.index(struct.pack("<ii", 2, 0), 128)  # the rows of the two entries
    data[place : place + 4] = struct.pack("<i", row)
    assert refused(bytes(data))


@pytest.mark.real_data
def test_it_agrees_with_scipy_on_a_real_file(raw_folder):
    data = (raw_folder / "CBCL.mat").read_bytes()
    ours = read(b"m" + data[1:], "copy.mat").X  # another byte in its head, or it is known by its checksum
    np.testing.assert_array_equal(ours, scipy.io.loadmat(io.BytesIO(data))["X"])


@pytest.mark.parametrize("sparse", [False, True])
def test_whole_numbers_that_no_double_is_are_refused_and_not_rounded(sparse):
    X = np.array([[2**53 + 1, 1], [2, 3]])
    data = mat(X=X)
    if sparse:  # SciPy writes doubles only: the same bytes, called whole numbers of 64 bits
        X = X.astype(np.float64)
        held = np.array([X[0, 0], X[1, 0], X[0, 1], X[1, 1]]).tobytes()
        data = mat(X=scipy.sparse.csc_matrix(X))
        at = data.index(held) - 8
        ints = np.array([2**53 + 1, 2, 1, 3]).tobytes()
        data = data[:at] + struct.pack("<II", 12, 32) + ints + data[at + 8 + 32 :]
    assert "9007199254740993" in refused(data)
