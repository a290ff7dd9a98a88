"""What the search, the judge and the checkers each state for themselves agrees: none makes what the next refuses."""

import numpy as np
import pytest

from nnspca import METHODS, check, check_more
from nnspca.bounds import eigenvalues, levelled, masses
from nnspca.bounds.plan import PLANS
from nnspca.bounds.registry import BOUNDS, PARTS_BOUNDS
from nnspca.certificates import boxes as judged_boxes
from nnspca.certificates import eigenvalues as judged_eigenvalues
from nnspca.certificates import elimination, judge, npz, numbers, rows
from nnspca.numerics import rounding


def test_what_is_searched_stays_within_the_limits_of_the_judge_and_of_the_checker():
    assert masses.WIDEST <= judged_boxes.WIDEST <= check_more.WIDEST
    assert masses.STAGES <= judged_boxes.STAGES
    assert judged_boxes.PRICES[0] <= masses.LEAST_PRICE and judged_boxes.PRICES[1] >= masses.MOST_PRICE
    assert eigenvalues.LARGEST <= judged_eigenvalues.LARGEST
    assert rows.LEAST <= levelled.FLOOR**2 and rows.MOST >= 1.0
    assert len(BOUNDS) <= judge.MOST_BOUNDS and len(PARTS_BOUNDS) <= judge.MOST_BOUNDS
    assert npz.TOTAL <= check.MOST
    assert tuple(PLANS) == numbers.EFFORTS
    assert all(map(numbers.is_of_method, (*METHODS, "given")))


@pytest.mark.parametrize("seed", range(5))
def test_the_search_allows_for_at_least_the_rounding_that_the_judge_adds(seed):
    rng = np.random.default_rng(seed)
    for _ in range(200):
        value, mass = 10.0 ** rng.uniform(-6, 6), float(rng.uniform(0, 0.999))
        error = value * 10.0 ** rng.uniform(-16, -6)
        assert elimination.bound_on_all(value, mass, error) <= rounding.eliminated(value, mass, error)
