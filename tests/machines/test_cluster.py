"""On two processes of a Dask cluster all comes out as here; Stop reaches them, and Dask makes up for a lost one."""

import os
import signal
import time

import distributed
import numpy as np
import pytest

import nnspca
from nnspca.control.progress import Monitor
from nnspca.machines import Workers
from nnspca.machines import cluster as sending
from tests.machines.doing import leave, meet, nap
from tests.resampling.test_bootstrap import PLANTED, planted
from tests.tasks.test_sweep import plain

pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("papers_read_once")]

QUIET = {
    "distributed.worker.memory.terminate": False,
    "distributed.comm.timeouts.connect": "30s",
    "distributed.deploy.lost-worker-timeout": "1 hour",  # a worker that is not made again by then is given up
    "distributed.nanny.environ.OMP_NUM_THREADS": "1",
}


@pytest.fixture(scope="module")
def client():
    import dask

    # what Dask leaves behind in its own threads when a worker is killed is its own affair
    with dask.config.set(QUIET), pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        patch.setattr(
            sending, "WORKER_TIMEOUT", 120
        )  # a worker that was killed is made again in a while, on a busy machine
        with (
            distributed.LocalCluster(
                n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
            ) as cluster,
            distributed.Client(cluster) as made,
        ):
            yield made


@pytest.fixture(scope="module")
def cov():
    return nnspca.Covariance.from_data(planted(m=40, n=16))


def same(first, second):
    return np.array_equal(first.recurrence, second.recurrence) and np.array_equal(first.agreement, second.agreement)


def test_everything_comes_out_as_it_does_here(client, cov):
    X = planted()
    asked = {"k": PLANTED, "n_components": 2, "resamples": 8, "method": "em", "seed": 3}
    own = nnspca.bootstrap(X, **asked)
    for where in (client, client.get_executor()):
        assert same(own, nnspca.bootstrap(X, **asked, executor=where))
    folds = [nnspca.cross_validate(X, [1, 4], folds=3, method="em", executor=where) for where in (None, client)]
    assert np.array_equal(folds[0].held_out, folds[1].held_out)
    curves = [nnspca.sweep(cov, [2, 4, 7], ("best", "em"), executor=where) for where in (None, client)]
    assert plain(curves[0]) == plain(curves[1])
    for certificate in curves[1].certificates.values():
        nnspca.verify(certificate, cov)
    parts = [nnspca.decompose(cov, 3, 4, deflation="together", executor=where) for where in (None, client)]
    assert np.array_equal(parts[0].loadings, parts[1].loadings)
    assert parts[0].history == parts[1].history
    bands = [nnspca.sweep_parts(cov, [1, 2], 3, executor=where) for where in (None, client)]
    for point, away in zip(bands[0].points, bands[1].points, strict=True):
        assert np.array_equal(point.together.loadings, away.together.loadings)
        assert (point.certificate.lower, point.certificate.upper) == (away.certificate.lower, away.certificate.upper)


def test_what_is_shared_is_sent_once_to_each_worker_and_both_work(client, tmp_path):
    client.wait_for_workers(2, timeout=60)  # one that another test has killed is made again in a while
    shared = np.ones(200_000)
    before = client.who_has()
    with Workers(client, shared, Monitor()) as workers:
        (there,) = (where for key, where in client.who_has().items() if key not in before)
        assert len(there) == 2
        done = dict(workers.each(meet, ((number, str(tmp_path), 2) for number in range(2))))
    assert [done[number][1:] for number in range(2)] == [(number, 200_000.0) for number in range(2)]
    assert len({who for who, *_ in done.values()}) == 2


def test_stop_reaches_tasks_in_their_middle(client):
    halted = []
    with Workers(client, np.ones(3), Monitor(lambda: bool(halted))) as workers:
        waiting = {workers.submit(nap, number, 60.0) for number in range(6)}
        time.sleep(0.5)
        halted.append(True)
        begun = time.monotonic()
        ended = [value for _, value in workers.completed(waiting)]
        assert ended
        assert set(ended) == {"stopped"}
        assert time.monotonic() - begun < 5
    freed = client.submit(os.getpid, pure=False)  # the workers are free again
    assert freed.result(timeout=20) > 0


def test_a_worker_killed_in_the_middle_costs_time_only(client):
    shared, lost = np.ones(3), []
    with Workers(client, shared, Monitor()) as workers:
        done = {}
        for number, value in workers.each(nap, ((number, 0.2) for number in range(8))):
            done[number] = value[1:]
            if not lost:
                lost.append(value[0])
                os.kill(value[0], signal.SIGKILL)
    assert done == {number: (number, 3.0) for number in range(8)}


def test_a_task_that_loses_every_worker_says_so_and_later_ones_are_done(client):
    lost = pytest.raises(RuntimeError, match="a worker ended before its task was done")
    with Workers(client, np.ones(3), Monitor()) as workers, lost:
        workers.result(workers.submit(leave, os.getpid()))
    client.wait_for_workers(2, timeout=60)
    with Workers(client, np.ones(3), Monitor()) as workers:
        assert workers.result(workers.submit(nap, 1, 0.1))[1:] == (1, 3.0)


def test_what_goes_wrong_there_is_said_here(client):
    with pytest.raises(TypeError, match="'float' and 'str'"), Workers(client, np.ones(3), Monitor()) as workers:
        workers.result(workers.submit(nap, 1, "one"))
