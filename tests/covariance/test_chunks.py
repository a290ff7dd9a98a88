"""Data read in chunks: the same covariance whatever holds them and however they are cut, and said where they fail."""

import tracemalloc
from fractions import Fraction

import anndata
import dask
import dask.array
import h5py
import numpy as np
import pandas
import pyarrow.dataset
import pyarrow.parquet
import pytest
import scipy.sparse
import xarray
import zarr

import nnspca
from nnspca import Covariance, DataError
from nnspca.covariance import samples, sources, sums
from nnspca.covariance.sums import Sums

M, N = 230, 7
NAMES = tuple(f"gene {j}" for j in range(N))


def made(m=M, n=N, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, n)) * 10.0 ** rng.integers(-1, 2, n) + rng.normal(size=n) * 10
    X[:, 0] += np.arange(m) / 20  # drifts, so that no block has the mean of all
    return X.astype(dtype)


@pytest.fixture
def small(monkeypatch):
    """Sum anything in blocks of a few rows."""
    monkeypatch.setattr(samples, "READ_WHOLE", 0)
    monkeypatch.setattr(sums, "FEWEST", 8)
    monkeypatch.setattr(sums, "BLOCK", 16 * N)
    monkeypatch.setattr(sources, "CHUNK", 30 * N)


def cut(X, *at):
    return lambda: iter(np.split(X, at))


def close(cov, other):
    np.testing.assert_allclose(cov.matrix, other.matrix, rtol=1e-11, atol=1e-12 * other.trace)
    np.testing.assert_allclose(cov.features.mean, other.features.mean, rtol=1e-12)
    np.testing.assert_allclose(cov.features.scale, other.features.scale, rtol=1e-11)
    assert cov.n_samples == other.n_samples


@pytest.fixture
def whole():
    return Covariance.from_data(made())


def exact(X, weights=None):
    w = [Fraction(1)] * len(X) if weights is None else [Fraction(float(v)) for v in weights]
    columns = [[Fraction(float(v)) for v in column] for column in X.T]
    means = [sum(a * b for a, b in zip(w, c, strict=True)) / sum(w) for c in columns]
    away = [[v - mean for v in c] for c, mean in zip(columns, means, strict=True)]
    return [[sum(a * b * c for a, b, c in zip(w, p, q, strict=True)) / sum(w) for q in away] for p in away]


def distance(A, E):
    squares = [(Fraction(float(A[i, j])) - e) ** 2 for i, row in enumerate(E) for j, e in enumerate(row)]
    return float(sum(squares)) ** 0.5


def relative_errors(A, E):
    n = len(E)
    scale = [float(E[i][i]) ** 0.5 for i in range(n)]
    return max(abs(float(Fraction(float(A[i, j])) - E[i][j])) / scale[i] / scale[j] for i in range(n) for j in range(n))


@pytest.mark.parametrize("kind", ["plain", "far", "sorted", "steps", "single"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("summed", [False, True])
def test_what_rounding_moves_data_by_is_in_its_room(kind, weighted, summed, small, monkeypatch):
    """Against the same covariance in exact arithmetic, entry by entry and in all."""
    if not summed:
        monkeypatch.setattr(samples, "READ_WHOLE", 2**24)
    X = made(60, 4, 3)
    if kind == "far":
        X += 1e9
    if kind == "sorted":
        X = np.sort(X, axis=0)
    if kind == "steps":
        X = np.round(X, 1) + np.repeat(np.array([0.0, 1e6, -1e5, 1e7]), 15)[:, None]
    if kind == "single":
        X = X.astype(np.float32)
    weights = 10.0 ** np.random.default_rng(1).uniform(-3, 3, 60) if weighted else None
    cov = Covariance.from_data(X, False, sample_weight=weights)
    assert ("marked" in cov.held.provenance.operation) == summed
    E = exact(X, weights)
    assert 0 < distance(cov.matrix, E) <= cov.representation_error
    assert 2 * relative_errors(cov.matrix, E) <= cov.held.provenance.relative_drift
    standard = Covariance.from_data(X, True, sample_weight=weights)
    error = max(
        abs(float(Fraction(float(standard.matrix[i, j])) ** 2 - E[i][j] ** 2 / (E[i][i] * E[j][j])))
        for i in range(4)
        for j in range(4)
    )
    assert error <= 2 * standard.held.provenance.relative_drift


@pytest.fixture
def absorbed(monkeypatch):
    """Whether each sparse block was multiplied as it is."""
    seen, honest = [], Sums._absorb_sparse
    monkeypatch.setattr(Sums, "_absorb_sparse", lambda self, rows: seen.append(honest(self, rows)) or seen[-1])
    return seen


@pytest.mark.parametrize("standardize", [False, True])
def test_what_rounding_moves_sparse_summed_data_by_is_in_its_room(standardize, small, absorbed):
    X = made(90, 4, 5) * (np.random.default_rng(2).random((90, 4)) < 0.04)
    S = scipy.sparse.csr_array(X)
    cov = Covariance.from_data(lambda: iter([S[:50], S[50:]]))
    assert absorbed == [True, True]
    assert distance(cov.matrix, exact(X)) <= cov.representation_error < 1e-11 * cov.trace


def test_a_few_features_far_from_zero_leave_the_others_of_a_block_sparse(small, absorbed):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 80)) * (rng.random((120, 80)) < 0.01)
    X[:, 0] = 1e8 + rng.normal(size=120)
    X[:, 1] = 7 + np.arange(120) // 30  # alike within a block
    dense = Covariance.from_data(X - X.mean(axis=0))
    for given in (X, scipy.sparse.csr_array(X), lambda: iter([X[:70], X[70:]])):
        cov = Covariance.from_data(given)
        np.testing.assert_allclose(cov.matrix[0], dense.matrix[0], rtol=0, atol=1e-7)
        np.testing.assert_allclose(cov.matrix[1:, 1:], dense.matrix[1:, 1:], rtol=1e-11, atol=1e-12)
    assert len(absorbed) >= 3
    assert all(absorbed)


def test_a_feature_that_never_varies_has_no_variance_at_all(small):
    X = made()
    X[:, 3] = 0.1
    for given in (X, cut(X, 11, 140)):
        for standardize in (False, True):
            cov = Covariance.from_data(given, standardize)
            assert not cov.matrix[3].any()
            assert cov.features.scale[3] == 1.0


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, np.int64, np.uint8, bool])
def test_an_array_summed_in_blocks_has_the_covariance_of_the_whole(dtype, standardize, monkeypatch):
    X = (made() > 3) if dtype is bool else np.abs(made()).astype(dtype)
    own = Covariance.from_data(X, standardize)
    monkeypatch.setattr(samples, "READ_WHOLE", 0)
    for given in (X, np.asfortranarray(X), pandas.DataFrame(X)):
        close(Covariance.from_data(given, standardize), own)
    weights = np.random.default_rng(0).integers(0, 3, M)
    summed = Covariance.from_data(X, standardize, sample_weight=weights)
    monkeypatch.undo()
    again = Covariance.from_data(np.repeat(X, weights, axis=0), standardize)
    np.testing.assert_allclose(summed.matrix, again.matrix, rtol=1e-10, atol=1e-12 * again.trace)


def test_an_array_in_memory_of_any_scale_can_still_be_standardised(small):
    X = made() * 10.0 ** np.array([-200, 200, 0, 0, 0, 0, 0])
    np.testing.assert_allclose(Covariance.from_data(X, True).matrix, np.corrcoef(made().T), atol=1e-9)
    with pytest.raises(DataError, match="can be standardised from 1e-280 to 1e"):
        Covariance.from_data(cut(X, 9), True)


def in_hdf5(X, tmp_path):
    file = h5py.File(tmp_path / "data.h5", "w")
    return file.create_dataset("X", data=X, chunks=(7, 3))


def in_zarr(X, tmp_path, version):
    stored = zarr.create_array(
        store=str(tmp_path / f"data{version}.zarr"), shape=X.shape, chunks=(9, 4), dtype=X.dtype, zarr_format=version
    )
    stored[:] = X
    return stored


def in_memmap(X, tmp_path):
    np.save(tmp_path / "data.npy", X)
    return np.load(tmp_path / "data.npy", mmap_mode="r")


def in_parquet(X, tmp_path):
    folder = tmp_path / "table"
    folder.mkdir()
    for number, part in enumerate(np.array_split(X, 5)):
        table = pandas.DataFrame(part, columns=list(NAMES))
        table.to_parquet(folder / f"part-{number}.parquet")
    return pyarrow.dataset.dataset(folder)


def in_h5ad(X, tmp_path, sparse):
    path = tmp_path / "cells.h5ad"
    values = scipy.sparse.csr_matrix(X) if sparse else X
    anndata.AnnData(values, var=pandas.DataFrame(index=list(NAMES)), layers={"counts": values}).write_h5ad(path)
    return anndata.read_h5ad(path, backed="r")


HOLDERS = {
    "memmap": in_memmap,
    "HDF5": in_hdf5,
    "Zarr 2": lambda X, path: in_zarr(X, path, 2),
    "Zarr 3": lambda X, path: in_zarr(X, path, 3),
    "dask": lambda X, path: dask.array.from_array(X, chunks=(41, 3)),
    "dask of sparse": lambda X, path: dask.array.from_array(X, chunks=(41, N)).map_blocks(scipy.sparse.csr_matrix),
    "xarray of dask": lambda X, path: xarray.DataArray(dask.array.from_array(X, chunks=(41, 3)), dims=("m", "n")),
    "Parquet": in_parquet,
    "AnnData in a file": lambda X, path: in_h5ad(X, path, False),
    "sparse AnnData in a file": lambda X, path: in_h5ad(X, path, True),
    "its sparse layer": lambda X, path: anndata.io.sparse_dataset(
        h5py.File(in_h5ad(X, path, True).filename)["layers/counts"]
    ),
    "lazy AnnData": lambda X, path: anndata.experimental.read_lazy(in_h5ad(X, path, True).filename),
    "function": lambda X, path: cut(X, 1, 2, 100, 101),
    "function of tables": lambda X, path: lambda: (pandas.DataFrame(part) for part in np.array_split(X, 4)),
}


@pytest.mark.filterwarnings("ignore::UserWarning:zarr", "ignore::FutureWarning:anndata")
@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("large", [False, True])
def test_whatever_holds_the_rows_their_covariance_is_the_same(holder, large, whole, tmp_path, monkeypatch):
    X = made()
    given = HOLDERS[holder](X, tmp_path)
    sparse = "sparse" in holder or "lazy" in holder
    if not large:
        cov = Covariance.from_data(given)
        assert cov.fingerprint == Covariance.from_data(scipy.sparse.csr_array(X) if sparse else X).fingerprint
        close(cov, whole)
        return
    monkeypatch.setattr(samples, "READ_WHOLE", 0)
    monkeypatch.setattr(sources, "CHUNK", 30 * N)
    cov = Covariance.from_data(given)
    close(cov, whole)
    close(Covariance.from_data(given, True), Covariance.from_data(X, True))
    if not sparse:
        assert cov.fingerprint == Covariance.from_data(X).fingerprint
    cert = nnspca.certify(cov, 3)
    nnspca.verify(cert, Covariance.from_data(given))
    if "Parquet" in holder or holder.endswith("AnnData in a file"):
        assert cov.feature_names == NAMES
    weights = np.random.default_rng(0).integers(0, 3, M)
    weighed = Covariance.from_data(given, sample_weight=weights)
    np.testing.assert_allclose(weighed.matrix, np.cov(X.T, bias=True, fweights=weights), rtol=1e-10, atol=1e-9)
    assert weighed.fingerprint == Covariance.from_data(X, sample_weight=weights * 2.5).fingerprint


@pytest.mark.parametrize("cuts", [(), (1,), (7, 8, 9, 200), tuple(range(1, M))])
def test_any_cut_of_the_rows_gives_the_same_to_the_last_bit(cuts, small):
    X = made()
    cov, other = Covariance.from_data(cut(X, *cuts)), Covariance.from_data(X)
    assert np.array_equal(cov.matrix, other.matrix)
    assert cov.fingerprint == other.fingerprint
    assert Covariance.from_data(cut(X[::-1].copy(), *cuts)).fingerprint != cov.fingerprint
    assert Covariance.from_data(cut(X, *cuts), True).fingerprint != cov.fingerprint
    assert Covariance.from_data(cut(-X, *cuts)).fingerprint != cov.fingerprint
    there = Covariance.from_data(dask.array.from_array(X, chunks=(tuple(np.diff([0, *cuts, M])), N)))
    assert there.fingerprint == cov.fingerprint
    assert np.linalg.norm(there.matrix - cov.matrix) <= cov.held.drift


def broken():
    yield made()[:50]
    raise OSError("the disk is gone")


def spoilt(value):
    parts = np.array_split(made(), 46)
    parts[37][2, 4] = value
    return lambda: iter(parts)


class Loses:
    """Chunks that a store says it has, and has not."""

    shape, dtype, chunks = (M, N), np.dtype(float), (10, N)

    def __getitem__(self, rows):
        if rows.start >= 150:
            raise OSError("unexpected end of file")
        return made()[rows]


@pytest.mark.parametrize("read", [Covariance.from_data, nnspca.most_variable])
@pytest.mark.parametrize(
    ("given", "said"),
    [
        (spoilt(np.nan), r"row 187, feature 4 is NaN"),
        (spoilt(np.inf), r"row 187, feature 4 is infinite"),
        (lambda: iter([made()[:50], made()[50:90, :5]]), "chunk 1 has 5 features where those before have 7"),
        (broken, r"chunk 1 of the function 'broken' cannot be read \(the disk is gone\)"),
        (Loses(), r"chunk 5 of the Loses of test_chunks cannot be read \(unexpected end of file\)"),
        (lambda: iter([made()[:50], np.array([["a"] * N])]), "chunk 1: data must be real numbers"),
        (lambda: iter([made()[:50], made()[0]]), r"chunk 1: it must be a table of shape \(rows, features\)"),
        (lambda: iter([np.ma.masked_less(made(), 0)]), "chunk 0: .* of .* values are masked"),
        (lambda: iter([]), "gave no rows"),
        (lambda: 3, "chunk 0 of the function .* cannot be read .*not iterable"),
        (lambda: iter([np.ones((9, N)), np.ones((9, N))]), "no feature varies over the samples"),
        (lambda: iter([np.full((9, N), 2**53 + 1)]), "the whole number 9007199254740993 would be rounded"),
    ],
)
def test_what_cannot_be_used_is_said_with_where_it_is(read, given, said, small):
    with pytest.raises(DataError, match=said):
        read(given)


@pytest.mark.parametrize(
    ("rows", "said"), [(made()[:1], "one sample has no variance"), (1e200 * made(), "the total variance is inf")]
)
def test_what_has_no_variance_or_too_much_is_said(rows, said, small):
    with pytest.raises(DataError, match=said):
        Covariance.from_data(lambda: iter([rows]))


def test_a_dask_array_of_unknown_size_says_how_to_learn_it():
    X = dask.array.from_array(made(), chunks=(50, N))
    with pytest.raises(DataError, match=r"chunks are of unknown size: call X.compute_chunk_sizes\(\)"):
        Covariance.from_data(X[X[:, 0] > 0])
    with pytest.raises(DataError, match=r"shape \(samples, features\); got 1 dimension"):
        Covariance.from_data(X[0])


def test_columns_of_text_and_missing_values_in_parquet_are_named(tmp_path, small):
    table = pandas.DataFrame({"a": [1.0, 2.0, None], "b": [1, 2, 3]})
    table.to_parquet(tmp_path / "numbers.parquet")
    with pytest.raises(DataError, match="row 2, feature 'a' is NaN"):
        Covariance.from_data(pyarrow.dataset.dataset(tmp_path / "numbers.parquet"))
    table.assign(c=["x", "y", "z"]).to_parquet(tmp_path / "words.parquet")
    with pytest.raises(DataError, match=r"column 'c' holds .*string, no numbers"):
        Covariance.from_data(pyarrow.dataset.dataset(tmp_path / "words.parquet"))


def test_weights_that_are_not_one_for_each_row_are_refused(small):
    for weights in (np.arange(20), np.arange(240), np.ones(200), np.ones(240)):
        with pytest.raises(DataError, match=rf"the {len(weights)} rows|has {len(weights)} weights"):
            Covariance.from_data(cut(made(), 30), sample_weight=weights)
    assert Covariance.from_data(cut(made(), 30), sample_weight=np.ones(M)).n_samples == M
    with pytest.raises(ValueError, match="sample_weight=3 is not allowed; give finite numbers"):
        Covariance.from_data(cut(made(), 30), sample_weight=3)


@pytest.mark.parametrize("in_file", [True, False])
def test_an_array_in_memory_or_a_file_is_never_converted_whole(in_file, tmp_path):
    rows = made(600, 40).astype(np.float32)
    X = np.lib.format.open_memmap(tmp_path / "data.npy", "w+", np.float32, (600_000, 40)) if in_file else None
    X = rows.repeat(1000, axis=0) if X is None else X
    X[:] = rows.repeat(1000, axis=0)
    tracemalloc.start()
    cov = Covariance.from_data(X, False)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.45 * X.nbytes
    np.testing.assert_allclose(cov.matrix, np.cov(rows.T, bias=True), rtol=1e-5, atol=1e-4)


def test_an_iterator_is_read_once_and_says_so_when_it_would_be_read_again(small, whole):
    close(Covariance.from_data(iter(np.split(made(), [30, 100]))), whole)
    close(Covariance.from_data(part for part in np.split(made(), [30, 100])), whole)
    few = nnspca.most_variable(iter(np.split(made(), [30])), 2)
    with pytest.raises(DataError, match="an iterator can be read once only: give a function that returns a new one"):
        Covariance.from_data(few)


def test_rows_of_too_many_features_come_into_memory_where_there_is_room_and_else_an_error_says_what_to_do(monkeypatch):
    monkeypatch.setattr(samples, "DENSE_FEATURES", 0)
    monkeypatch.setattr(samples, "DENSE_EIGEN", 0)
    X = made()
    monkeypatch.setattr(samples, "MEMORY", samples.NUMBER * M * N)
    np.testing.assert_allclose(Covariance.from_data(cut(X, 50)).diagonal, X.var(axis=0), rtol=1e-12)
    monkeypatch.setattr(samples, "MEMORY", samples.MEMORY - 1)
    with pytest.raises(DataError, match=r"7 features, too many .* GB: .*most_variable"):
        Covariance.from_data(cut(X, 50))


@pytest.mark.filterwarnings("ignore::UserWarning:zarr", "ignore::FutureWarning:anndata")
@pytest.mark.parametrize("holder", [*HOLDERS, "array", "sparse array", "table"])
@pytest.mark.parametrize("large", [False, True])
def test_the_features_that_vary_most_are_chosen_in_one_pass_and_keep_their_names(holder, large, tmp_path, monkeypatch):
    X = made()
    here = {
        "array": lambda X, path: X,
        "sparse array": lambda X, path: scipy.sparse.csc_array(X),
        "table": lambda X, path: pandas.DataFrame(X, columns=list(NAMES)),
    }
    given = (HOLDERS | here)[holder](X, tmp_path)
    if large:
        monkeypatch.setattr(samples, "READ_WHOLE", 0)
        monkeypatch.setattr(sources, "CHUNK", 30 * N)
    few = nnspca.most_variable(given, 3)
    expected = np.sort(np.argsort(-X.var(axis=0))[:3])
    assert np.array_equal(few.features, expected)
    np.testing.assert_allclose(few.variances, X.var(axis=0), rtol=1e-11)
    np.testing.assert_allclose(few.means, X.mean(axis=0), rtol=1e-11)
    assert few.share == pytest.approx(X.var(axis=0)[expected].sum() / X.var(axis=0).sum())
    cov = Covariance.from_data(few)
    np.testing.assert_allclose(cov.matrix, np.cov(X[:, expected].T, bias=True), rtol=1e-10)
    if holder in ("table", "Parquet") or holder.endswith("AnnData in a file"):
        assert cov.feature_names == few.names == tuple(NAMES[j] for j in expected)


@pytest.mark.parametrize("call", [Covariance.from_data, lambda *a, **k: nnspca.most_variable(*a, 3, **k)])
def test_reading_tells_how_far_it_is_and_stops_when_told(call, small, tmp_path):
    heard = []
    call(in_hdf5(made(), tmp_path), on_progress=heard.append)
    fractions = [told.fraction for told in heard]
    assert fractions == sorted(fractions)
    assert len(fractions) > 3
    assert fractions[-1] == 1.0
    assert heard[0].stage == "28 rows read"
    read = []

    def chunks():
        for part in np.split(made(), 10):
            read.append(part)
            yield part

    with pytest.raises(nnspca.datasets.ReadingStopped, match="the reading was stopped after 46 rows"):
        call(chunks, should_stop=lambda: len(read) == 2)
    with pytest.raises(TypeError, match="on_progress=3 is not allowed"):
        call(chunks, on_progress=3)
