"""Ctrl-C at a prompt or in a notebook."""

import itertools
import signal
import sys
from contextlib import nullcontext

import numpy as np
import pytest

import nnspca


@pytest.mark.parametrize("times", [1, 2])
def test_the_first_keeps_what_is_proven_and_the_second_ends_the_call(monkeypatch, times):
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    cov = nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((40, 60)))
    before, pressed = signal.getsignal(signal.SIGINT), itertools.count()

    def press(progress):
        if next(pressed) < times:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) if times == 2 else nullcontext():
        cert = nnspca.certify(cov, 5, effort="thorough", on_progress=press)
        assert cert.stopped and cert.lower <= cert.upper
    assert signal.getsignal(signal.SIGINT) is before
