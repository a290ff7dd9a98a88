"""Samples that lie on workers of Dask are resampled there: the same resamples, folds and answers as in memory."""

import dask.array
import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.covariance import samples
from tests.resampling.test_bootstrap import planted


@pytest.fixture(autouse=True)
def large(monkeypatch):
    monkeypatch.setattr(samples, "WHOLE", 0)


def close(one, other):
    for name in ("recurrence", "agreement", "held_out", "error", "fitted"):
        if hasattr(one, name):
            np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-9)


@pytest.mark.parametrize(
    "more", [{}, {"standardize": True}, {"center": False}, {"groups": True}, {"sample_weight": True}]
)
@pytest.mark.parametrize("sparse", [False, True])
def test_resamples_and_folds_are_those_of_samples_in_memory(sparse, more):
    X = planted()
    m = len(X)
    more = {
        name: np.arange(m) // 3 if name == "groups" else 1.0 + np.arange(m) % 3 if name == "sample_weight" else value
        for name, value in more.items()
    }
    X = np.where(np.abs(X) > 1, X, 0.0) if sparse else X
    blocks = dask.array.from_array(X, chunks=(17, X.shape[1]))
    blocks = blocks.map_blocks(scipy.sparse.csr_matrix) if sparse else blocks
    given = scipy.sparse.csr_array(X) if sparse else X
    options = {"method": "em", "seed": 3, **more}
    one, other = (nnspca.bootstrap(d, 6, n_components=2, resamples=3, shuffles=0, **options) for d in (blocks, given))
    close(one, other)
    one, other = (nnspca.cross_validate(d, [2, 6], folds=3, **options) for d in (blocks, given))
    close(one, other)


def test_a_stopped_call_keeps_its_resamples_and_what_would_do_nothing_is_refused():
    from concurrent.futures import ThreadPoolExecutor

    X, seen = dask.array.from_array(planted(), chunks=(17, -1)), []
    found = nnspca.bootstrap(
        X, 6, resamples=50, method="em", on_resample=seen.append, should_stop=lambda: len(seen) > 2
    )
    assert found.stopped and 2 < found.resamples < 50
    with ThreadPoolExecutor(1) as threads, pytest.raises(ValueError, match="would do nothing"):
        nnspca.bootstrap(X, 6, executor=threads)
    with pytest.raises(ValueError, match="shuffles=2 is not allowed"):
        nnspca.bootstrap(X, 6, shuffles=2)
