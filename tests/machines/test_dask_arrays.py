"""On three processes of a Dask cluster: what crosses the wire, how often data are loaded, and what faults say."""

import os
import signal
import time
from concurrent.futures import BrokenExecutor

import dask
import dask.array
import dask.dataframe
import distributed
import numpy as np
import pandas
import pytest
import scipy.sparse

import nnspca
from tests.pace import slowness

pytestmark = pytest.mark.heavy
M, N, HEIGHT = 40_000, 500, 2000
QUIET = {
    "distributed.nanny.environ.OMP_NUM_THREADS": "1",
    "distributed.comm.timeouts.connect": "5s",
    "distributed.scheduler.work-stealing": False,  # which moves blocks on a busy machine
}


@pytest.fixture(scope="module")
def client():
    how = {"n_workers": 3, "threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
    with dask.config.set(QUIET), distributed.LocalCluster(**how) as cluster, distributed.Client(cluster) as made:
        yield made


@pytest.fixture(scope="module")
def X():
    return made().compute(scheduler="synchronous")


def sent(client):
    """Bytes that workers have sent to each other or to the client."""
    return sum(client.run(lambda dask_worker: dask_worker.transfer_outgoing_bytes_total).values())


def made(heights=(HEIGHT,), path="", seconds=0.0, wrong=-1, fault=OSError):
    """The rows of X, made where they are used; each making is noted in a file."""

    def load(block, block_info=None):
        start, end = block_info[0]["array-location"][0]
        if path:
            with open(path, "ab") as file:
                file.write(b"x")
        time.sleep(seconds)
        if start <= wrong < end:
            if fault is None:
                os._exit(1)
            raise fault("the disk is gone")
        return np.random.default_rng(start).standard_normal((end - start, N)) * np.linspace(1, 2, N)

    return dask.array.zeros((M, N), chunks=(*heights, -1)).map_blocks(load, dtype=float)


@pytest.mark.parametrize("sparse", [False, True])
def test_few_bytes_cross_the_wire_and_certificates_hold_on_either_side(client, X, sparse):
    here = scipy.sparse.csr_array(np.where(X > 3, X, 0.0)) if sparse else X
    blocks = client.persist(made().map_blocks(thinned) if sparse else made())
    distributed.wait(blocks)
    before = sent(client)
    there, own = nnspca.Covariance.from_data(blocks, False), nnspca.Covariance.from_data(here, False)
    few = nnspca.most_variable(blocks, 50)
    scores = nnspca.scores(blocks, nnspca.solve(there, 5))
    how = {"parts": nnspca.decompose(own, 1, 5, "em"), "resamples": 1, "method": "em", "standardize": False}
    drawn = nnspca.bootstrap(blocks, 5, **how)
    assert isinstance(scores, dask.array.Array)
    assert sent(client) - before < 20e6  # of 160 MB, in 20 blocks: a share is 2 MB
    assert np.array_equal(drawn.recurrence, nnspca.bootstrap(here, 5, shuffles=0, **how).recurrence)
    assert there.fingerprint == own.fingerprint
    assert there.representation_error == own.representation_error
    nnspca.verify(nnspca.certify(there, 5), own)
    nnspca.verify(nnspca.certify(own, 5), there)
    assert np.array_equal(few.features, nnspca.most_variable(here, 50).features)
    np.testing.assert_allclose(scores, nnspca.scores(here, nnspca.solve(own, 5)), atol=1e-9)


def test_lazy_centring_loads_the_source_once_and_tables_keep_their_names(client, tmp_path):
    lazy = made(path=str(tmp_path / "loads"))
    nnspca.Covariance.from_data(lazy - lazy.mean(0), False)
    assert (tmp_path / "loads").stat().st_size <= 2 * M // HEIGHT
    table = pandas.DataFrame(np.random.default_rng(0).normal(size=(60, 3)), columns=["a", "b", "c"])
    dask.dataframe.from_pandas(table, npartitions=4).to_parquet(tmp_path / "folder")
    cov = nnspca.Covariance.from_data(dask.dataframe.read_parquet(tmp_path / "folder"), False)
    assert cov.feature_names == ("a", "b", "c")
    assert cov.fingerprint == nnspca.Covariance.from_data(table, False).fingerprint


def test_stop_takes_a_second_and_leaves_nothing_running(client):
    begun = time.monotonic()
    with pytest.raises(nnspca.datasets.ReadingStopped):
        nnspca.Covariance.from_data(made(seconds=0.5), should_stop=lambda: time.monotonic() - begun > 1)
    assert time.monotonic() - begun < 1 + 1.5 * slowness()
    time.sleep(1.0)
    assert not any(client.processing().values())


def test_a_task_that_fails_says_why_and_a_lost_worker_costs_time_only(client):
    with pytest.raises(nnspca.DataError, match=r"cannot be computed.*the disk is gone"):
        nnspca.Covariance.from_data(made(wrong=9000), False)
    with pytest.raises(MemoryError, match="blocks of fewer rows"):
        nnspca.most_variable(made(wrong=9000, fault=MemoryError, seconds=0.1), 5)
    expected, lost = nnspca.Covariance.from_data(made(), False), []

    def kill(progress):
        if not lost and progress.fraction > 0.1:
            lost.append(min(client.run(os.getpid).values()))
            os.kill(lost[0], signal.SIGKILL)

    cov = nnspca.Covariance.from_data(made(seconds=0.2), False, on_progress=kill)
    assert lost
    assert cov.fingerprint == expected.fingerprint
    client.wait_for_workers(3, timeout=60)
    blocks, lost[:] = client.persist(made()), []
    distributed.wait(blocks)
    slow = blocks.map_blocks(lambda block: time.sleep(0.2) or block, dtype=float)
    assert nnspca.Covariance.from_data(slow, False, on_progress=kill).fingerprint == expected.fingerprint
    client.wait_for_workers(3, timeout=60)
    client.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    with pytest.raises(BrokenExecutor, match="blocks of fewer rows"):
        nnspca.most_variable(made(wrong=9000, fault=None, seconds=0.1), 5)
    del blocks, slow  # else what was lost of them is made again
    time.sleep(1.0)
    assert not any(client.processing().values())


def thinned(block):
    return scipy.sparse.csr_matrix(np.where(block > 3, block, 0.0))


def test_a_scheduler_that_is_gone_is_said():
    with dask.config.set(QUIET):
        cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0", silence_logs=50)
        with distributed.Client(cluster, set_as_default=True) as client:
            gone = []

            def close(progress):
                if not gone:
                    gone.append(time.monotonic())
                    cluster.close(timeout=60)

            with pytest.raises(BrokenExecutor, match="the scheduler is gone"):
                nnspca.Covariance.from_data(made(seconds=0.5), False, on_progress=close)
            assert client.status != "running"
