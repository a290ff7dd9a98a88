"""Stop is heeded at once, however many features there are: counted in the process's own time, not the machine's."""

import threading
import time

import numpy as np
import pytest

import nnspca
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped, run_cancellable
from tests import budgets
from tests.benchmarks.data import zipf_text
from tests.pace import slowness
from tests.tasks.test_necessity import spend

pytestmark = pytest.mark.heavy

PATIENCE = 0.3  # seconds of computing between two polls on an idle machine: a tenth is meant
FEATURES = 20_000
ALIKE = 12_000  # where no feature can be left out, what is read grows with the square
QUICK = ("best", "em", "greedy", "thresholding", "spannogram")


class Watch:
    """A stop switch that notes how much was computed between two polls, and at last says stop."""

    def __init__(self, polls=10**9):
        self.polls, self.count, self.longest = polls, 0, 0.0
        self.last = time.process_time()  # of every thread: what runs beside is not silence only because others ask

    def __call__(self):
        now = time.process_time()
        self.longest, self.last = max(self.longest, now - self.last), now
        self.count += 1
        return self.count > self.polls

    def over(self, *, more_than=0):
        """State of what has ended that it asked so often, and was never silent for longer than may be."""
        self()
        assert self.count > more_than
        assert self.longest < PATIENCE or self.longest < PATIENCE * slowness()  # asked where it matters


@pytest.fixture(scope="module", params=["sparse", "alike"])
def data(request):
    if request.param == "sparse":
        return zipf_text(1500, FEATURES)
    return np.random.default_rng(0).standard_normal((20, ALIKE))


@pytest.fixture
def cov(data):
    """Made anew for each test: a covariance keeps the eigenpairs that were once asked for."""
    return nnspca.Covariance.from_data(data)


LONG = {  # what each method is asked for so that it takes longer than Stop may
    "best": {"restarts": 200, "leaders": 50},
    "enumeration": {"rank": 2},
    "epsilon-net": {"rank": 8, "epsilon": 0.05, "max_samples": 10**6},
    "spannogram": {"rank": 6},
}


@pytest.mark.parametrize("method", nnspca.METHODS)
def test_every_solver_asks_often_on_faces(method):
    info = nnspca.METHODS[method]
    X = nnspca.datasets.load("lfw-faces").X[:, : info.max_features]
    cov = nnspca.Covariance.from_data(X)
    watch = Watch(polls=40)
    nnspca.solve(cov, X.shape[1] // 2, method, nonnegative=info.signs[0], should_stop=watch, **LONG.get(method, {}))
    watch.over()


@pytest.mark.parametrize("method", QUICK)
def test_every_solver_asks_often_whether_to_stop(cov, method):
    watch = Watch()
    nnspca.solve(cov, 5, method=method, should_stop=watch)
    watch.over(more_than=1)


def test_every_bound_asks_often_whether_to_stop(cov, data, monkeypatch):
    budgets.hurried(monkeypatch)  # the silence of each step is what counts
    part = nnspca.solve(nnspca.Covariance.from_data(data), 5)
    watch = Watch()
    cert = nnspca.certify(cov, 5, component=part, should_stop=watch)
    watch.over(more_than=40)
    assert not cert.stopped


def test_necessity_asks_often_whether_to_stop(monkeypatch):
    cov = nnspca.Covariance.from_data(zipf_text(500, FEATURES))
    spend(monkeypatch, whole=0.1, each=0.1)
    part = nnspca.solve(cov, 5)
    watch = Watch()
    need = nnspca.necessity(cov, 5, 0.0, component=part, should_stop=watch)
    watch.over(more_than=20)
    assert not need.stopped


@pytest.mark.parametrize("polls", [0, 2, 8, 32])
def test_a_search_among_many_features_returns_its_best_soon_after_the_word(polls):
    cov = nnspca.Covariance.from_data(zipf_text(500, FEATURES))
    shown = []
    watch = Watch(polls)
    part = nnspca.solve(cov, 5, should_stop=watch, on_found=lambda x, variance: shown.append(variance))
    watch.over()
    assert part.stopped
    assert watch.count < polls + 10
    assert part.cardinality <= 5 and (part.loadings >= 0).all()
    assert part.variance >= max(shown) * (1 - 1e-9)


def test_what_runs_beside_is_left_when_told_to_stop_and_its_errors_are_the_callers():
    never = threading.Event()
    with pytest.raises(Stopped):
        run_cancellable(never.wait, Monitor(Watch(1)))
    never.set()
    with pytest.raises(ZeroDivisionError):
        run_cancellable(lambda: 1 // 0, Monitor(Watch()))
    assert run_cancellable(lambda: 2 + 2, Monitor(Watch())) == run_cancellable(lambda: 2 + 2, Monitor()) == 4
