"""Ctrl-C at a prompt or in a notebook."""

import itertools
import signal
import sys
from contextlib import nullcontext

import numpy as np
import pytest

import nnspca


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize(("call", "given"), [(nnspca.certify, 5), (nnspca.certify_loadings, np.tri(2, 60).T)])
def test_the_first_keeps_what_is_proven_and_the_second_ends_the_call(monkeypatch, call, given, times):
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    cov = nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((40, 60)))
    before, pressed = signal.getsignal(signal.SIGINT), itertools.count()

    def press(progress):
        if next(pressed) < times:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) if times == 2 else nullcontext():
        answer = call(cov, given, effort="thorough", on_progress=press)
        certs = getattr(answer, "certificates", [answer])  # of one call within another: all of them end
        assert all(cert.stopped and cert.lower <= cert.upper for cert in certs)
    assert signal.getsignal(signal.SIGINT) is before
