"""Seeded attacks at random: whatever comes in, what comes out is true, or a plain refusal.

``python -m tests.fuzz`` runs them for five minutes and prints how many were made and refused; the suite runs a share.
Each campaign is a module with ``attempt(rng)``: it returns True where the attack was let in and found harmless,
False where it was refused, and raises :class:`GotThrough` where neither is so.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Attempt = Callable[[np.random.Generator], bool]


class GotThrough(AssertionError):
    """A false claim was accepted, or an error came out that is not one of ours."""


def generator(campaign: str, number: int, seed: int) -> np.random.Generator:
    """The generator of one attempt: any attempt can be made again alone."""
    return np.random.default_rng([seed, number, *campaign.encode()])
