"""A step and a bound on many features do not keep a caller waiting who asks to stop, and hearing changes nothing."""

import threading

import numpy as np
import pytest

import nnspca
from nnspca.bounds import balanced, eigenvalues, pair_scaled
from nnspca.bounds.splitting import Splitting
from nnspca.control.progress import Monitor
from nnspca.control.stopping import Stopped
from nnspca.covariance.problem import Problem


@pytest.fixture(scope="module")
def problem():
    X = np.random.default_rng(0).standard_normal((600, pair_scaled.LARGE + 10))
    X[:, :20] += X[:, :1]
    return Problem(nnspca.Covariance.from_data(X), 10, True)


def begun(problem, monitor, steps):
    weights = balanced.balanced_rows(problem, monitor=Monitor()).ingredients.weights
    x = np.zeros(problem.n)
    x[:10] = 10**-0.5
    return pair_scaled.dual_bounds(problem, x, steps=steps, goal=0.0, monitor=monitor, weights=weights)


@pytest.mark.parametrize("owner, name", [(Splitting, "advance"), (eigenvalues, "of_matrix")])
def test_whoever_asks_in_the_middle_of_a_step_is_answered(problem, monkeypatch, owner, name):
    under_way, asked = threading.Event(), threading.Event()

    def slow(*args, **kwargs):
        under_way.set()
        asked.wait(2)

    def stop():
        if under_way.is_set():
            asked.set()
        return under_way.is_set()

    monkeypatch.setattr(owner, name, slow)
    with pytest.raises(Stopped):
        list(begun(problem, Monitor(stop), 20))
    assert asked.is_set()


def test_what_is_proven_does_not_depend_on_who_listens(problem):
    alone = [bound.value for bound in begun(problem, Monitor(), 25)]
    heard = [bound.value for bound in begun(problem, Monitor(lambda: False), 25)]
    assert alone == heard
