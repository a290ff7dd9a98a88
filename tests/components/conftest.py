import pytest

import nnspca


@pytest.fixture(scope="session")
def pitprops():
    return nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
