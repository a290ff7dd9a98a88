import fcntl
import functools
import gc
import os
from collections.abc import Generator

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import nnspca
from nnspca import datasets
from nnspca.covariance import samples
from nnspca.datasets import fetch

QUICK = bool(os.environ.get("NNSPCA_TEST_QUICK"))  # set by ``python -m tests quick``
FEW = 1  # instances of each statement that are tried then
# Of the browser tests: these begin.
LONGEST = ("test_every_page.py", "test_explore.py", "test_parts.py")
BROWSING = 10  # how far a worker at what waits steps back, and with it a browser: as far as what the app computes
BACK = 14  # and one at other tests

settings.register_profile(
    "nnspca",
    deadline=None,
    derandomize=True,
    max_examples=10 if QUICK else 30,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("nnspca")


@pytest.fixture(autouse=True)
def held_as_given(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Hold small data dense or sparse as a test gives them, so that both are tested; not where the choice is."""
    if "by_cost" not in request.fixturenames:
        monkeypatch.setattr(samples, "by_cost", lambda data, *how: data)


@pytest.fixture
def by_cost() -> None:
    """Hold data dense or sparse by cost, as outside of tests."""


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let one worker collect before all others, which find compiled what they import.

    Look for no garbage while thousands of tests are collected, nor among them afterwards: they all stay.
    """
    gc.disable()
    try:
        with open(__file__) as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                fcntl.flock(lock, fcntl.LOCK_SH)
            return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put what waits more than it computes first: the browser tests, and the heavy ones where the second share begins.

    Each worker is given an even share: the first spends its time on the browser tests, the second on the heavy ones,
    while the others take the rest. Two browsers would wait for each other's proofs, redrawing.
    """
    items[:] = _waiting_first(items)
    if QUICK:
        few = _few_of_each(items)
        config.hook.pytest_deselected(items=[item for item in items if item not in few])
        items[:] = [item for item in items if item in few]


def _waiting_first(items: list[pytest.Item]) -> list[pytest.Item]:
    """Of the browser tests the longest begin."""
    browsing, heavy = ([item for item in items if item.get_closest_marker(name)] for name in ("browser", "heavy"))
    browsing.sort(key=lambda item: item.path.name not in LONGEST)
    waiting = {*browsing, *heavy}
    rest = [item for item in items if item not in waiting]
    before = max(0, len(items) // int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", 1)) - len(browsing))
    return list(dict.fromkeys([*browsing, *rest[:before], *heavy, *rest[before:]]))


def _step_back(to: int) -> None:
    """Let others go first: the app and what it computes before the browsers' own work, both before all other tests.

    A browser that went first would leave the runs it waits for a tenth of a busy machine.
    """
    if hasattr(os, "nice") and "PYTEST_XDIST_WORKER" in os.environ:
        os.nice(max(0, to - os.nice(0)))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    _step_back(BROWSING if any(map(item.get_closest_marker, ("browser", "heavy"))) else BACK)


def _few_of_each(items: list[pytest.Item]) -> set[pytest.Item]:
    """Of every statement tried on many instances some that lie evenly among them."""
    instances: dict[str, list[pytest.Item]] = {}
    for item in items:
        instances.setdefault(item.nodeid.partition("[")[0], []).append(item)
    return {same[at * len(same) // FEW] for same in instances.values() for at in range(FEW)}


@pytest.fixture(scope="session")
def papers_read_once():
    """Streamlit reads the papers of every installed package for each page it opens: a fifth of such tests' time."""
    from streamlit.components.v2 import manifest_scanner

    with pytest.MonkeyPatch.context() as once:
        scanned = functools.cache(manifest_scanner.scan_component_manifests)
        once.setattr(manifest_scanner, "scan_component_manifests", scanned)
        yield


@pytest.fixture(scope="session")
def real():
    """Load the covariance of a data set from the folder NNSPCA_DATA, each once a session."""
    made = {}

    def load(name, standardize=False):
        if (name, standardize) not in made:
            data = datasets.load(name)
            made[name, standardize] = nnspca.Covariance.from_data(data.X, standardize)
        return made[name, standardize]

    if not os.environ.get(fetch.DATA_VARIABLE):
        pytest.skip("NNSPCA_DATA is not set: it names the folder of the real data files")
    return load


@pytest.fixture(scope="session")
def pitprops():
    return nnspca.Covariance.from_dataset(datasets.load("pitprops"))


@pytest.fixture(scope="session")
def genes():
    """Few samples of many features, so that A is never formed: a few of them vary together, most hardly vary."""
    rng = np.random.default_rng(3)
    X = rng.standard_normal((9, 2010)) * np.geomspace(1, 1e-3, 2010)
    X[:, :12] += 3 * rng.standard_normal((9, 1))
    return X, nnspca.Covariance.from_data(X)


@pytest.fixture
def cov():
    """A matrix of six features."""
    G = np.random.default_rng(3).standard_normal((9, 6))
    return nnspca.Covariance.from_matrix(G.T @ G)


@pytest.fixture
def empty_ledger(monkeypatch):
    """Nothing is stored, and nothing known of other tests' tasks."""
    from nnspca.view import cache, ledger, stored

    monkeypatch.setattr(stored, "problems", dict)  # by the fixture that tests patch it with again: undone in order
    ledger.shared.clear()
    cache.results.clear()
    yield
    ledger.shared.clear()
