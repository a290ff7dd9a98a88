"""Data sets of every format are opened by their path, and give the covariance of the same numbers in memory."""

import json
import os

import anndata
import h5py
import numpy as np
import pandas
import pytest
import scipy.sparse
import zarr

from nnspca import Covariance, DataError, most_variable
from nnspca.datasets import open_lazily

X = np.random.default_rng(0).poisson([1, 5, 1, 9, 2], (40, 5)).astype(np.float32)
NAMES = tuple("abcde")


def annotated(values):
    return anndata.AnnData(values, var=pandas.DataFrame(index=list(NAMES)), layers={"twice": 2 * values})


def written(kind, folder):
    """Write the numbers in one format; the path to open, and the names it must give."""
    path, named = folder / f"few.{kind}", pandas.DataFrame(X, columns=list(NAMES))
    match kind:
        case "npy":
            np.save(path, X)
        case "h5ad":
            annotated(scipy.sparse.csr_array(X)).write_h5ad(path)
        case "dense.h5ad":
            annotated(X).write_h5ad(path)
        case "h5":
            with h5py.File(path, "w") as file:
                file["deep/numbers"], file["one"] = X, X[0]
        case "zarr":
            zarr.create_array(str(path), data=X, chunks=(10, 5))
        case "annotated.zarr":
            annotated(scipy.sparse.csr_array(X)).write_zarr(path)
        case "parquet":
            named.assign(text="x").to_parquet(path)
        case "parts":
            path.mkdir()
            for part in range(4):
                named[10 * part : 10 * part + 10].to_parquet(path / f"{part}.parquet")
    return path, None if kind in ("npy", "h5", "zarr") else NAMES


KINDS = ("npy", "h5ad", "dense.h5ad", "h5", "zarr", "annotated.zarr", "parquet", "parts")


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_format_gives_the_covariance_of_its_numbers_with_their_names(kind, tmp_path):
    path, names = written(kind, tmp_path)
    opened = open_lazily(str(path))
    assert (opened.name, opened.shape, opened.feature_names) == (path.name, (40, 5), names)
    assert opened.size_bytes == sum(p.stat().st_size for p in (path, *path.rglob("*")) if p.is_file())
    assert not isinstance(opened.rows, np.ndarray) or isinstance(opened.rows, np.memmap)
    cov = Covariance.from_data(opened, False)
    np.testing.assert_allclose(cov.matrix, np.cov(X.T, ddof=0), rtol=1e-6)
    assert cov.feature_names == names
    few = most_variable(opened, 2)
    assert few.features.tolist() == [1, 3]
    for features in (None, few.features):
        loaded = opened.load(features)
        assert (loaded.rows(slice(None)) == (X if features is None else X[:, features])).all()
        last = 4 if features is None else 3
        assert loaded.feature_names[-1] == (names[last] if names else f"feature {last + 1}")
    assert Covariance.from_dataset(few, False).feature_names == (names and ("b", "d"))


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")
@pytest.mark.parametrize("kind", ["h5ad", "annotated.zarr"])
def test_the_path_may_go_on_to_a_layer(kind, tmp_path):
    path, _ = written(kind, tmp_path)
    opened = open_lazily(path / "layers" / "twice")
    assert opened.name == f"{path.name}/layers/twice"
    np.testing.assert_allclose(Covariance.from_data(opened, False).matrix, 4 * np.cov(X.T, ddof=0), rtol=1e-6)
    with pytest.raises(DataError, match=r"few.*/layers/thrice': there is no 'layers/thrice' in it"):
        open_lazily(path / "layers" / "thrice")


def test_what_cannot_be_opened_is_refused_with_its_name_and_what_is_allowed(tmp_path):
    def refused(name, match):
        with pytest.raises(DataError, match=match) as problem:
            open_lazily(tmp_path / name)
        assert str(tmp_path) not in str(problem.value)

    refused("gone.npy", r"'gone.npy': there is no such file or folder")
    (tmp_path / "notes.csv").write_text("a,b\n1,2\n")
    refused("notes.csv", r"'notes.csv': no known format; \.npy, \.h5ad, \.h5, \.hdf5, \.zarr, \.parquet and folders of")
    (tmp_path / "empty").mkdir()
    refused("empty", "no known format")
    for name, array, match in (
        ("line.npy", np.ones(3), r"it has shape \(3,\); a table"),
        ("none.npy", np.ones((0, 3)), r"it has shape \(0, 3\)"),
        ("texts.npy", np.array([["a"]]), "it holds <U1; real numbers"),
        ("objects.npy", np.array([[{}]]), "cannot be opened"),
    ):
        np.save(tmp_path / name, array)
        refused(name, match)
    for name in ("bad.npy", "bad.h5", "bad.parquet", "bad.zarr"):
        (tmp_path / name).write_bytes(b"nothing of the kind")
        refused(name, "cannot be opened.*: it is damaged")
    zarr.create_array(str(tmp_path / "code.zarr"), data=X, zarr_format=2)
    about = json.loads((tmp_path / "code.zarr" / ".zarray").read_text())
    (tmp_path / "code.zarr" / ".zarray").write_text(json.dumps({**about, "filters": [{"id": "pickle"}]}))
    refused("code.zarr", "pickle")
    pandas.DataFrame({"a": ["x"]}).to_parquet(tmp_path / "texts.parquet")
    refused("texts.parquet", "none of its columns holds numbers")


def test_hdf5_with_several_tables_asks_which_and_follows_no_link_out(tmp_path):
    with h5py.File(tmp_path / "secret.h5", "w") as file:
        file["X"] = X
    with h5py.File(tmp_path / "two.h5", "w") as file:
        file["one"], file["other"] = X, X[:7]
        file["away"] = h5py.ExternalLink("secret.h5", "X")
        layout = h5py.VirtualLayout(X.shape, X.dtype)
        layout[:] = h5py.VirtualSource("secret.h5", "X", X.shape)
        file.create_virtual_dataset("virtual", layout)
    with pytest.raises(DataError, match=r"3 arrays of two dimensions \('one', 'other', 'virtual'\), and one is needed"):
        open_lazily(tmp_path / "two.h5")
    assert open_lazily(tmp_path / "two.h5" / "other").shape == (7, 5)
    with pytest.raises(DataError, match="'away' in it"):
        open_lazily(tmp_path / "two.h5" / "away")
    with pytest.raises(DataError, match="its numbers lie in other files"):
        open_lazily(tmp_path / "two.h5" / "virtual")
    os.rename(tmp_path / "secret.h5", tmp_path / "secret.h5ad")
    assert open_lazily(tmp_path / "secret.h5ad").shape == (40, 5)


def test_both_scales_come_from_one_pass_and_are_those_of_from_data(tmp_path, monkeypatch):
    from nnspca.covariance import samples
    from nnspca.covariance.choosing import both_scales
    from nnspca.covariance.sources import chunked

    monkeypatch.setattr(samples, "READ_WHOLE", 0)
    path, _ = written("npy", tmp_path)
    opened = open_lazily(path)
    for given in (opened, most_variable(opened, 3)):
        for standardize, made in enumerate(both_scales(chunked(given))):
            cov = Covariance.from_data(given, bool(standardize))
            assert made.fingerprint == cov.fingerprint
            assert (made.matrix == cov.matrix).all()
            assert made.representation_error == cov.representation_error
