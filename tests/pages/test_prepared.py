"""Preprocessing and covariances are made once for all sessions, and what is no covariance is looked at once."""

import numpy as np
import pytest

import nnspca
from nnspca.datasets import Dataset
from nnspca.view.sources import preparation

ROWS = np.random.default_rng(5).integers(0, 9, (30, 6)).astype(float)


def test_steps_are_done_in_their_order_and_those_that_are_impossible_are_not():
    raw = Dataset(name="counts", X=ROWS)
    data = preparation.with_steps(raw, ("project-out", "log1p", "crop-1"))
    assert data.notes[-1].says.startswith("Centred")
    assert preparation.with_steps(raw, ("project-out", "log1p")) is data
    first, second = (preparation.covariance_for(data, True, False) for _ in "ab")
    assert first is second  # for all sessions
    assert preparation.with_steps(raw, ()) is preparation.with_steps(raw, ("crop-1",)) is raw


def test_a_matrix_that_is_no_covariance_is_refused_without_looking_again(monkeypatch):
    data = Dataset(name="indefinite", X=[[1.0, 2.0], [2.0, 1.0]], kind="covariance")
    for _ in range(2):
        with pytest.raises(nnspca.DataError, match="most negative eigenvalue is -1"):
            preparation.covariance_for(data, standardise=False, repair=False)
        monkeypatch.setattr(nnspca.Covariance, "from_dataset", lambda *_, **__: pytest.fail("looked again"))
