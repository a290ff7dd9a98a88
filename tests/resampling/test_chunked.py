"""Samples that are not in memory: the same resamples, folds and answers as of the same samples in memory."""

from itertools import count

import dask.array
import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.covariance import samples
from nnspca.resampling import samples as reading
from tests.resampling.test_bootstrap import planted

M, N = 60, 40


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Nothing is few enough to be loaded."""
    monkeypatch.setattr(samples, "WHOLE", 0)
    monkeypatch.setattr(reading, "WHOLE", 0)


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
        "dask": lambda: dask.array.from_array(X, chunks=(17, N)),
        "sparse": lambda: cut(sparse),
    }[held]()
    memory = sparse if held == "sparse" else X
    options = {"k": 6, "n_components": 2, "resamples": 6, "standardize": standardize, "seed": 3}
    one, other = nnspca.bootstrap(data, **options), nnspca.bootstrap(memory, **options)
    assert np.array_equal(one.recurrence, other.recurrence)
    assert np.array_equal(one.agreement, other.agreement)
    np.testing.assert_allclose(one.parts.loadings, other.parts.loadings, atol=1e-7)
    one, other = (nnspca.cross_validate(d, [2, 6], folds=3, standardize=standardize) for d in (data, memory))
    np.testing.assert_allclose(one.held_out, other.held_out, rtol=1e-9)
    np.testing.assert_allclose(one.fitted, other.fitted, rtol=1e-9)


def test_chosen_features_keep_their_names():
    few = nnspca.most_variable(cut(planted()), 20)
    found = nnspca.bootstrap(few, 4, resamples=3)
    assert found.recurrence.shape == (20, 1)
    assert np.array_equal(found.recurrence, nnspca.bootstrap(planted()[:, few.features], 4, resamples=3).recurrence)


def test_folds_of_one_sample_and_of_equal_samples_are_as_in_memory():
    X = np.array([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [4.0, 0.0]])
    one, other = (nnspca.cross_validate(d, 1, folds=4) for d in (lambda: iter([X[:3], X[3:]]), X))
    np.testing.assert_allclose(one.held_out, other.held_out, atol=1e-12)
    found = [nnspca.bootstrap(d, 1, resamples=12) for d in (lambda: iter([X[:3], X[3:]]), X)]
    assert found[0].degenerate == found[1].degenerate > 0


def test_few_samples_are_loaded(monkeypatch):
    monkeypatch.setattr(reading, "WHOLE", 10**6)
    monkeypatch.setattr(samples, "WHOLE", 10**6)
    assert type(reading.read_samples(cut(planted()), False, "bootstrap")).__name__ == "Samples"


def test_a_fold_takes_two_passes_whatever_the_number_of_k():
    passes, X = count(), planted()

    def read():
        next(passes)
        return iter(np.split(X, 3))

    nnspca.cross_validate(read, [2, 4, 6], folds=3)
    assert next(passes) == 1 + 1 + 2 * 3  # the size, all samples, and two for each fold


def test_it_is_stopped_within_a_pass_and_reports_each(tmp_path):
    data, stages = on_disk(planted(m=400), tmp_path), []
    found = nnspca.bootstrap(data, 6, resamples=4, on_progress=stages.append)
    fractions = [p.fraction for p in stages]
    assert fractions == sorted(fractions)
    assert sum("rows read" in p.stage for p in stages) >= 5
    solved = []
    stopped = nnspca.bootstrap(data, 6, resamples=50, on_resample=solved.append, should_stop=lambda: len(solved) > 1)
    assert stopped.stopped
    assert stopped.resamples == 2
    assert np.array_equal(stopped.parts.loadings, found.parts.loadings)
    with pytest.raises(nnspca.datasets.ReadingStopped):
        nnspca.bootstrap(data, 6, resamples=4, should_stop=lambda: True)


@pytest.mark.parametrize("call", [nnspca.bootstrap, nnspca.cross_validate])
def test_too_many_features_and_other_workers_are_errors_that_say_what_to_do(call, monkeypatch):
    with pytest.raises(ValueError, match="n_jobs=2 is not allowed for data that are not in memory"):
        call(cut(planted()), 3, n_jobs=2)
    monkeypatch.setattr(reading, "DENSE_EIGEN", 10)
    with pytest.raises(nnspca.DataError, match=r"takes up to 20 features; the function .* has 40"):
        call(cut(planted()), 3)


def test_rows_that_change_or_are_not_finite_are_errors():
    X = planted()
    X[33, 2] = np.nan
    with pytest.raises(nnspca.DataError, match=r"not finite: chunk 2"):
        nnspca.bootstrap(cut(X), 3)


def test_chosen_features_whose_data_have_changed_since_are_an_error():
    X = planted()
    few = nnspca.most_variable(cut(X), 20)
    X[:, few.features[0]] *= 2
    for call in (lambda: nnspca.bootstrap(few, 4), lambda: nnspca.cross_validate(few, [2, 4])):
        with pytest.raises(nnspca.DataError, match="the data changed while they were read"):
            call()


def test_variances_beyond_double_precision_are_an_error():
    X = planted() * 1e200
    for call in (lambda: nnspca.bootstrap(cut(X), 4), lambda: nnspca.cross_validate(cut(X), [2])):
        with pytest.raises(nnspca.DataError):
            call()
