"""Attacks: whatever comes in, what comes out is true, or a plain refusal.

The suite makes a share, the same attempts each time; ``NNSPCA_FUZZ=20 python -m pytest tests/fuzz -s`` makes twenty
times as many. A campaign's ``attempt(rng)`` returns True where the attack was let in and found harmless, False where it
was refused, and raises :class:`GotThrough` where neither is so.
"""

import os

import numpy as np

MORE = int(os.environ.get("NNSPCA_FUZZ", "1"))


class GotThrough(AssertionError):
    """A false claim was accepted, or an error came out that is not one of ours."""


def generator(campaign: str, number: int) -> np.random.Generator:
    """The generator of one attempt: any attempt can be made again alone."""
    return np.random.default_rng([0, number, *campaign.encode()])
