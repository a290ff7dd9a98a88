import os

import pytest
from hypothesis import HealthCheck, settings

import nnspca
from nnspca import datasets
from nnspca.datasets import fetch

QUICK = bool(os.environ.get("NNSPCA_TEST_QUICK"))  # set by ``python -m tests quick``
FEW = 3  # instances of each statement that are tried then

settings.register_profile(
    "nnspca",
    deadline=None,
    derandomize=True,
    max_examples=10 if QUICK else 30,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
settings.load_profile("nnspca")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the browser tests first, and give each a second try.

    First, as they wait more than they compute: one worker spends its time on them while the others take the rest.
    A second try, as a busy machine may starve the browser; what is broken fails twice.
    """
    items.sort(key=lambda item: item.get_closest_marker("browser") is None)
    for item in items:
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
    if QUICK:
        few = _few_of_each(items)
        config.hook.pytest_deselected(items=[item for item in items if item not in few])
        items[:] = [item for item in items if item in few]


def _few_of_each(items: list[pytest.Item]) -> set[pytest.Item]:
    """Of every statement tried on many instances some that lie evenly among them; all of one said of every module."""
    instances: dict[str, list[pytest.Item]] = {}
    for item in items:
        of_modules = item.path.name == "test_architecture.py"
        instances.setdefault(item.nodeid if of_modules else item.nodeid.partition("[")[0], []).append(item)
    return {same[at * len(same) // FEW] for same in instances.values() for at in range(FEW)}


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
