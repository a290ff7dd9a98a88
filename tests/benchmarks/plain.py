"""Truncated power iteration from random starts, and swaps, as plainly as they can be written down."""

import time

import numpy as np


def plain_restarts(Y, k, seconds, *, seed=0):
    """Return the largest ‖Yx‖² that truncated power iterations and swaps reach from random starts in so much CPU time.

    Starts are random points and random features in turn; the points of x are nonnegative.
    """
    rng, end, best = np.random.default_rng(seed), time.process_time() + seconds, 0.0
    Yt = np.ascontiguousarray(Y[:, Y.any(axis=0)].T)
    own, of_features = np.einsum("ji,ji->j", Yt, Yt), False
    while time.process_time() < end:
        of_features = not of_features
        g = Yt @ (Yt[rng.integers(len(Yt))] if of_features else rng.standard_normal(len(Y)))
        x, variance = _climbed(Yt, g, k)
        while time.process_time() < end:
            swapped = _swapped(Yt, own, x, k)
            x, after = _climbed(Yt, Yt @ (Yt.T @ swapped), k)
            if after <= variance * (1 + 1e-10):
                break
            variance = after
        best = max(best, variance)
    return best


def _climbed(Yt, g, k):
    """Return where a truncated power iteration rests, and its variance."""
    before = 0.0
    while True:
        x = _cut(g, k)
        support = np.flatnonzero(x)
        z = x[support] @ Yt[support]
        if z @ z <= before * (1 + 1e-9):
            return x, max(float(z @ z), before)
        before, g = float(z @ z), Yt @ z


def _swapped(Yt, own, x, k):
    """Return x after the most gainful of some swaps: its 50 weakest loadings for the 200 strongest pulls outside."""
    inside, z = np.flatnonzero(x), x @ Yt
    g = Yt @ z
    outside = np.argsort(-np.where(x > 0, -np.inf, g))[:200]
    pulling, gain, best = Yt[outside], z @ z, x
    for i in inside[np.argsort(x[inside])][:50]:
        rest = z - x[i] * Yt[i]
        scale = 1 - x[i] ** 2
        a, pull = rest @ rest / scale, pulling @ rest / np.sqrt(scale)
        values = (a + own[outside]) / 2 + np.hypot((a - own[outside]) / 2, np.maximum(pull, 0.0))
        j = int(np.argmax(values))
        if values[j] > gain:
            angle = np.arctan2(2 * pull[j], a - own[outside[j]]) / 2
            gain, best = values[j], np.where(np.arange(len(x)) == i, 0.0, x) / np.sqrt(scale) * np.cos(angle)
            best[outside[j]] = np.sin(angle)
    return best


def _cut(w, k):
    """Keep the k largest positive entries, normalised."""
    out = np.zeros_like(w)
    top = np.argsort(-w)[:k]
    out[top] = np.maximum(w[top], 0.0)
    return out / np.linalg.norm(out)
