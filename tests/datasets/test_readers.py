import io

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from nnspca.datasets import read
from nnspca.datasets.readers import SUFFIXES
from nnspca.errors import DataError
from tests.datasets.test_images import refused, tarred, zipped

TABLE = b"a,b\n1,2\n3,5\n4,0\n"


def _samples():
    """One small valid file of each format."""
    X = np.arange(12.0).reshape(4, 3)
    npy, npz, mat, packed = (io.BytesIO() for _ in range(4))
    np.save(npy, X)
    np.savez_compressed(npz, X=X, y=np.arange(4))
    scipy.io.savemat(mat, {"X": X})
    scipy.io.savemat(packed, {"X": X}, do_compression=True)
    images = {f"{folder}/{i}.pgm": b"P5 2 2 255\n" + bytes([i, 2, 3, i]) for i, folder in enumerate("aabb")}
    arff = b"@relation r\n@attribute a real\n@attribute b real\n@attribute c {x,y}\n@data\n1,2,x\n3,5,y\n4,0,x\n"
    return {
        "t.csv": TABLE,
        "t.tsv": TABLE.replace(b",", b"\t"),
        "t.arff": arff,
        "t.npy": npy.getvalue(),
        "t.npz": npz.getvalue(),
        "t.mat": mat.getvalue(),
        "packed.mat": packed.getvalue(),
        "t.zip": zipped(images),
        "t.tgz": tarred(images, "w:gz"),
    }


VALID = _samples()


@pytest.mark.parametrize("filename", VALID)
def test_every_format_is_read_from_bytes_and_from_a_path(filename, tmp_path):
    ds = read(VALID[filename], filename)
    assert ds.shape[0] >= 3
    (tmp_path / filename).write_bytes(VALID[filename])
    for path in (tmp_path / filename, str(tmp_path / filename)):
        again = read(path)
        assert again.content_hash == ds.content_hash
        assert again.source == filename
    assert read(bytearray(VALID[filename]), filename.upper()).content_hash == ds.content_hash


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.binary(max_size=300), st.sampled_from(SUFFIXES))
@example(b"\x1f\x8b", ".tgz")
@example(b"PK\x05\x06" + bytes(18), ".zip")
@example(b"\xff\xfe\x00", ".csv")
@example(b"\x00", ".csv")
@example(b'"', ".csv")
@example(b"{", ".arff")
def test_bytes_of_any_kind_raise_nothing_but_a_data_error(data, suffix):
    try:
        assert np.isfinite(read(data, "fuzz" + suffix).X).all()
    except DataError as error:
        assert "fuzz" in str(error)


@pytest.mark.parametrize(
    ("filename", "name", "source"),
    [
        ("../../x.csv", "x", "x.csv"),
        ("..\\..\\x.csv", "x", "x.csv"),
        ("/etc/passwd/x.CSV", "x", "x.CSV"),
        ("C:\\Users\\me\\x.csv", "x", "x.csv"),
        ("x\n\x1b[31m\u202ey.csv", "x__[31m_y", "x__[31m_y.csv"),
        (".csv", ".csv", ".csv"),
        ("a" * 5000 + ".csv", "a" * 96, "a" * 96 + ".csv"),
    ],
)
def test_hostile_file_names_are_labels_and_nothing_more(filename, name, source):
    ds = read(TABLE, filename)
    assert (ds.name, ds.source) == (name, source)


def test_a_path_never_shows_in_the_data_set(tmp_path):
    (tmp_path / "t.csv").write_bytes(TABLE)
    ds = read(tmp_path / "t.csv")
    assert str(tmp_path) not in repr(vars(ds))


@pytest.mark.parametrize(
    ("filename", "said"),
    [("t.odt", "ends in '.odt'"), ("t", "has no ending"), ("t.gz", "ends in '.gz'"), ("..", "ends in '.'")],
)
def test_other_formats_are_answered_with_those_that_are_read(filename, said):
    message = refused(TABLE, filename)
    assert said in message
    assert ".csv, .txt" in message


def test_an_absent_file_and_a_folder_are_no_files(tmp_path):
    assert "file's name" in refused(TABLE, None)
    assert "there is no file 'nothing.csv'" in refused(tmp_path / "nothing.csv")
    assert "holds no files" in refused(tmp_path)
    assert "there is no file" in refused("1,2\n3,4\n" * 5000)


def test_a_format_under_another_ending_is_told():
    for filename in ("t.npy", "t.npz", "t.mat", "t.zip", "t.tar", "t.tgz", "t.arff"):
        assert f"'{filename}'" in refused(TABLE, filename)


def as_csv(A):
    return "\n".join(",".join(map(repr, map(float, row))) for row in A).encode()


@pytest.mark.parametrize(
    "A", [[[1, 0.5], [0.4, 1]], [[-1, 0.5], [0.5, 1]], [[0, 1], [1, 0]], [[1, 2], [2, 1]], [[1, 0, 0], [0, 1, 0]]]
)
def test_what_cannot_be_a_covariance_is_a_table(A):
    assert read(as_csv(np.array(A)), "a.csv").kind == "table"
    assert "symmetric" in refused(as_csv(np.array(A)), "a.csv", kind="covariance")


def test_the_tolerance_of_symmetry_is_relative():
    A = 1e6 * np.array([[2.0, 1], [1, 2]])
    A[0, 1] += 1e-3
    assert read(as_csv(A), "a.csv").kind == "covariance"
    A[0, 1] += 1
    assert read(as_csv(A), "a.csv").kind == "table"


def test_features_of_one_name_are_told_apart_and_the_reader_says_so():
    ds = read(b"a,a,b,a\n1,2,3,1\n4,5,7,2\n0,1,1,9\n", "t.csv")
    assert ds.feature_names == ("a", "a (2)", "b", "a (3)")
    assert "Features with the name of one before have a number behind it: 2." in " ".join(map(str, ds.notes))
    assert not read(b"a,b\n1,2\n4,5\n0,1\n", "t.csv").notes
