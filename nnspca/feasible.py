"""The feasible set: unit vectors with at most k nonzeros, nonnegative or not (rank-one solution, feasibility).

Everything here works on the last axis, so one call serves one vector or a whole batch of them.
"""

from __future__ import annotations

import numpy as np

GROUP = 8  # entries of which only the largest is looked at first, where few of many are wanted


def keep_top(w: np.ndarray, k: int, nonnegative: bool = True) -> np.ndarray:
    """Keep the k largest entries of ``w`` that can be loadings and set the others to zero.

    With ``nonnegative`` these are the (at most) k largest positive entries, the set the papers call
    ``I_k^+(w)`` (Asteris et al. 2014, Def. 1); without, the k of largest magnitude.

    Parameters
    ----------
    w : ndarray, shape (..., n)
    k : int
        1 <= k <= n.
    nonnegative : bool

    Returns
    -------
    ndarray, shape (..., n)

    Examples
    --------
    >>> keep_top(np.array([3.0, -5.0, 1.0, 2.0]), k=2)
    array([3., 0., 0., 2.])
    >>> keep_top(np.array([3.0, -5.0, 1.0, 2.0]), k=2, nonnegative=False)
    array([ 3., -5.,  0.,  0.])
    """
    n = w.shape[-1]
    if k >= n:
        return np.maximum(w, 0.0) if nonnegative else w.copy()
    top = np.argpartition(w if nonnegative else np.abs(w), n - k, axis=-1)[..., n - k :]
    kept = np.take_along_axis(w, top, axis=-1)
    out = np.zeros_like(w)
    np.put_along_axis(out, top, np.maximum(kept, 0.0) if nonnegative else kept, axis=-1)
    return out


def sum_of_largest(w: np.ndarray, count: int) -> np.ndarray:
    """Sum the ``count`` largest entries along the last axis; all of them where there are fewer.

    Examples
    --------
    >>> sum_of_largest(np.array([[1.0, 4.0, 2.0], [0.0, 3.0, 3.0]]), 2)
    array([6., 6.])
    """
    n = w.shape[-1]
    if count <= 0:
        return np.zeros(w.shape[:-1])
    if count >= n:
        return w.sum(axis=-1)
    if n >= 2 * GROUP * count and n > 256:
        w = _of_leading_groups(w, count)
        n = w.shape[-1]
    return np.partition(w, n - count, axis=-1)[..., n - count :].sum(axis=-1)


def _of_leading_groups(w: np.ndarray, count: int) -> np.ndarray:
    """Entries among which the ``count`` largest are: groups with the largest maxima, and what no group takes.

    An entry of any other group has ``count`` maxima above or equal to it, so that the sum loses nothing
    without it; selecting among maxima and then among few takes a fifth of the time.
    """
    groups = w.shape[-1] // GROUP
    grouped = w[..., : groups * GROUP].reshape(*w.shape[:-1], GROUP, groups)
    leading = np.argpartition(grouped.max(axis=-2), groups - count, axis=-1)[..., groups - count :]
    chosen = np.take_along_axis(grouped, leading[..., None, :], axis=-1)
    return np.concatenate([chosen.reshape(*w.shape[:-1], GROUP * count), w[..., groups * GROUP :]], axis=-1)


def unit(w: np.ndarray) -> np.ndarray:
    """Scale to unit Euclidean norm without overflow or underflow; zero vectors stay zero."""
    peak = np.abs(w).max(axis=-1, keepdims=True)
    w = w / np.where(peak > 0, peak, 1.0)
    norm = np.sqrt(np.einsum("...i,...i->...", w, w))[..., None]
    return w / np.where(norm > 0, norm, 1.0)


def best(g: np.ndarray, k: int, nonnegative: bool = True) -> np.ndarray:
    """Maximise ``g'x`` over the feasible set.

    The k largest positive entries, normalised; where no entry is positive, the unit vector at the
    largest one.

    Parameters
    ----------
    g : ndarray, shape (..., n)
    k : int
    nonnegative : bool

    Returns
    -------
    ndarray, shape (..., n)
        Feasible vectors.

    Examples
    --------
    >>> best(np.array([4.0, 3.0, -1.0]), k=2)
    array([0.8, 0.6, 0. ])
    >>> best(np.array([-2.0, -1.0, -3.0]), k=2)
    array([0., 1., 0.])
    """
    x = unit(keep_top(g, k, nonnegative))
    lost = ~x.any(axis=-1)
    if lost.any():
        rows = np.atleast_2d(x)
        where = np.flatnonzero(np.atleast_1d(lost))
        rows[where, np.atleast_2d(g)[where].argmax(axis=-1)] = 1.0
    return x


def rank_one(a: np.ndarray, k: int, nonnegative: bool = True) -> np.ndarray:
    """Maximise ``(a'x)^2`` over the feasible set (Asteris et al. 2014, Prop. 3.1).

    Attained at the k largest positive entries of ``a`` or of ``-a``, normalised.

    Examples
    --------
    >>> rank_one(np.array([1.0, -3.0, -4.0]), k=2)
    array([0. , 0.6, 0.8])
    """
    if not nonnegative:
        return best(a, k, nonnegative=False)
    plus, minus = keep_top(a, k), keep_top(-a, k)
    flip = (minus**2).sum(axis=-1) > (plus**2).sum(axis=-1)
    return best(np.where(flip[..., None], -a, a), k)


def orient(x: np.ndarray) -> np.ndarray:
    """Choose the sign of a signed vector: its loading of largest magnitude is positive."""
    return -x if x[np.abs(x).argmax()] < 0 else x


def infeasibility(x: np.ndarray, k: int, nonnegative: bool = True, tol: float = 1e-9) -> str:
    """Say why ``x`` is not feasible; the empty string when it is.

    Examples
    --------
    >>> infeasibility(np.array([0.6, 0.8, 0.0]), k=2)
    ''
    >>> infeasibility(np.array([0.6, -0.8, 0.0]), k=2)
    'loading 1 is -0.8, below zero'
    """
    if not np.isfinite(x).all():
        return "a loading is not finite"
    if np.count_nonzero(x) > k:
        return f"{np.count_nonzero(x)} loadings are nonzero, more than k = {k}"
    if nonnegative and (x < 0).any():
        return f"loading {int(x.argmin())} is {x.min():g}, below zero"
    norm = float(np.linalg.norm(x))
    if abs(norm - 1.0) > tol:
        return f"the norm is {norm!r}, not 1"
    return ""
