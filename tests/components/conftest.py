"""Pit props, which most tests of several parts are about."""

import pytest

import nnspca


@pytest.fixture(scope="session")
def pitprops() -> nnspca.Covariance:
    return nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
