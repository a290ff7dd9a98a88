"""Samples on disk, in chunks and on a cluster are loaded: the same resamples, folds and answers as in memory."""

import tracemalloc

import dask.array
import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.covariance import samples as making
from nnspca.covariance import sums
from nnspca.machines import HERE
from nnspca.resampling import samples as reading
from tests.resampling.test_bootstrap import planted


def cut(X):
    return lambda: (X[start : start + 13] for start in range(0, X.shape[0], 13))


def on_disk(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("held", ["function", "file", "dask", "sparse"])
def test_resamples_are_those_of_samples_in_memory(held, standardize, tmp_path):
    X = planted()
    sparse = scipy.sparse.csr_array(np.where(np.abs(X) > 1, X, 0.0))
    data = {
        "function": lambda: cut(X),
        "file": lambda: on_disk(X, tmp_path),
        "dask": lambda: dask.array.from_array(X, chunks=(17, X.shape[1])),
        "sparse": lambda: cut(sparse),
    }[held]()
    memory = sparse if held == "sparse" else X
    options = {"method": "em", "standardize": standardize, "seed": 3}
    one, other = (nnspca.bootstrap(d, 6, n_components=2, resamples=3, shuffles=2, **options) for d in (data, memory))
    assert one == other
    one, other = (nnspca.cross_validate(d, [2, 6], folds=3, **options) for d in (data, memory))
    assert one == other


@pytest.mark.parametrize("standardize", [False, True])
def test_samples_in_single_precision_are_never_copied_whole(standardize, monkeypatch):
    for room, name, value in ((making, "READ_WHOLE", 1000), (reading, "AT_ONCE", 20_000), (sums, "BLOCK", 20_000)):
        monkeypatch.setattr(room, name, value)
    X = planted(m=20_000, n=40).astype(np.float32)
    options = {"method": "em", "standardize": standardize}
    for call in (
        lambda X: nnspca.bootstrap(X, 6, resamples=2, **options),
        lambda X: nnspca.cross_validate(X, 6, folds=2, **options),
    ):
        call(X[:100])  # imports what it needs
        tracemalloc.start()
        found = call(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < X.nbytes  # beside the data
        assert found == call(X.astype(float))


def test_chosen_features_are_the_same():
    X = planted()
    few = nnspca.most_variable(cut(X), 20)
    found = nnspca.bootstrap(few, 4, resamples=3)
    assert np.array_equal(found.recurrence, nnspca.bootstrap(X[:, few.features], 4, resamples=3).recurrence)


def test_the_reading_is_told_and_stopped(tmp_path):
    data, stages = on_disk(planted(m=400), tmp_path), []
    nnspca.bootstrap(data, 6, resamples=4, on_progress=stages.append)
    assert [p.fraction for p in stages] == sorted(p.fraction for p in stages)
    assert any("rows read" in p.stage for p in stages)
    with pytest.raises(nnspca.datasets.ReadingStopped):
        nnspca.bootstrap(data, 6, resamples=4, should_stop=lambda: True)


@pytest.mark.parametrize("call", [nnspca.bootstrap, nnspca.cross_validate])
def test_too_many_numbers_and_unusable_ones_are_errors_that_say_what_to_do(call, monkeypatch):
    X = planted()
    X[33, 2] = np.nan
    with pytest.raises(nnspca.DataError, match=r"not finite, the first at index \(33, 2\)"):
        call(cut(X), 3)
    with pytest.raises(nnspca.DataError):
        call(cut(planted() * 1e200), 3)
    monkeypatch.setattr(reading, "GATHERED", 1000)
    with pytest.raises(nnspca.DataError, match=r"up to 1,000 numbers, and .* has more: choose the features that vary"):
        call(cut(planted()), 3)


@pytest.mark.parametrize(
    ("sparse", "told"),
    [
        (False, {"standardize": True}),
        (False, {"center": False, "groups": np.arange(60) // 3}),
        (True, {"sample_weight": np.arange(60) % 3}),
    ],
)
def test_samples_on_workers_of_dask_are_resampled_there(sparse, told, monkeypatch):
    X = np.where(np.abs(planted()) > sparse, planted(), 0.0)
    blocks, held = dask.array.from_array(X, chunks=(17, -1)), scipy.sparse.csr_array(X) if sparse else X
    blocks = blocks.map_blocks(scipy.sparse.csr_matrix) if sparse else blocks
    monkeypatch.setattr(making, "READ_WHOLE", 0)
    monkeypatch.setattr(reading, "GATHERED", 0)  # so that none are loaded
    options = {"method": "em", "seed": 3, **told}
    own, *others = (
        nnspca.bootstrap(d, 6, n_components=2, resamples=3, shuffles=0, **options) for d in (X, held, blocks)
    )
    assert all(np.array_equal(own.recurrence, other.recurrence) for other in others)
    own, *others = (nnspca.cross_validate(d, [2, 6], folds=3, **options) for d in (X, held, blocks))
    for other in others:
        np.testing.assert_allclose([*own.held_out, own.error], [*other.held_out, other.error])
    seen = []
    stopping = options | {"on_resample": seen.append, "should_stop": lambda: len(seen) > 2}
    assert 2 < len(nnspca.bootstrap(blocks, 6, resamples=50, **stopping).agreement) < 50
    with pytest.raises(ValueError, match="executor="):
        nnspca.bootstrap(blocks, 6, executor=HERE)
