"""Arguments by their former names are taken, with a warning that says the new one."""

import numpy as np
import pytest

import nnspca
from nnspca.machines import Pool

X = np.random.default_rng(0).normal(size=(20, 5))
COV = nnspca.Covariance.from_data(X)


@pytest.mark.parametrize(
    ("former", "new"),
    [
        (lambda: nnspca.sweep(COV, ks=[1, 2]), lambda: nnspca.sweep(COV, k=[1, 2])),
        (lambda: nnspca.cross_validate(X, ks=[1, 2], r=2), lambda: nnspca.cross_validate(X, k=[1, 2], n_components=2)),
        (lambda: nnspca.bootstrap(X, 2, r=2, resamples=2), lambda: nnspca.bootstrap(X, 2, n_components=2, resamples=2)),
    ],
)
def test_a_former_name_gives_the_same_answer_and_a_warning(former, new):
    with pytest.warns(FutureWarning, match=r"(ks|r)= is called (k|n_components)= since 0.2.0"):
        made = former()
    assert made == new()


def test_both_names_at_once_are_refused():
    with pytest.raises(TypeError, match="ks is the former name of k; give one of the two"):
        nnspca.sweep(COV, k=[1], ks=[1])


def test_one_k_is_as_good_as_a_list_of_one():
    assert nnspca.sweep(COV, 2) == nnspca.sweep(COV, [2])
    assert nnspca.cross_validate(X, 2) == nnspca.cross_validate(X, [2])


def test_resampling_in_processes_gives_the_same_answer():
    own = nnspca.bootstrap(X, 2, 1, 4, "em")
    assert own == nnspca.bootstrap(X, 2, 1, 4, "em", n_jobs=2)
    with pytest.raises(ValueError, match="both say where to work; give one"):
        nnspca.bootstrap(X, 2, n_jobs=2, executor=Pool(1))
    for wrong in (0, -2, 1.5, True):
        with pytest.raises(ValueError, match=r"n_jobs=.* is not allowed; give a number of processes, -1 for one a"):
            nnspca.cross_validate(X, 2, n_jobs=wrong)
