"""Suggested k and number of parts: by the curve, by held-out samples, by shuffled columns."""

import dataclasses

import numpy as np

from nnspca.result import CrossValidation
from nnspca.view.chance import Chance
from nnspca.view.explore.folds import suggested_k
from nnspca.view.parts.panels import suggested

CURVE = [(k, v, v) for k, v in ((1, 1.0), (2, 1.9), (3, 2.2), (4, 2.21), (5, 2.22))]
MORE, LESS = Chance(0.3, 0.2, 1 / 21), Chance(0.1, 0.2, 0.4)


def held_out(best, apart=0.0):
    """Held-out shares of two folds that grow up to ``best``, and that share by chance."""
    shares = np.array([[min(k, best) / 10 for k in (1, 2, 3, 4)]] * 2)
    chance = np.full_like(shares, apart)
    return CrossValidation((1, 2, 3, 4), shares, shares, apart=chance, apart_error=np.full_like(shares, 0.01))


def test_held_out_samples_say_which_k_where_they_were_asked():
    assert suggested_k(CURVE, held_out(2)).value == 2 and suggested_k(CURVE, held_out(4)).value == 4
    assert suggested_k(CURVE).value == suggested_k(CURVE, dataclasses.replace(held_out(2), stopped=True)).value == 3
    assert suggested_k(CURVE, held_out(2, apart=0.19)) is None  # no more than chance


def test_the_parts_before_the_first_that_is_no_more_than_chance_are_suggested():
    assert suggested([MORE, MORE, LESS, MORE]).value == 2
    assert suggested([LESS, MORE]) is suggested([MORE, MORE]) is suggested([]) is None
