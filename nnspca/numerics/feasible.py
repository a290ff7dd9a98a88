"""The feasible set: unit vectors with at most k nonzeros, nonnegative or not (rank-one solution, feasibility).

Everything here works on the last axis, so one call serves one vector or a whole batch of them.
"""

from __future__ import annotations

import numpy as np

GROUP, MANY = 8, 256  # size of groups whose maxima are compared first, to select few of many entries; of so many
LEAST_NORM, LARGEST_NORM = 1e-200, 1e200  # range in which a sum of squares neither underflows nor overflows
IN_SINGLE = 1e-30, 1e30  # and in single precision
SORTED = 2000  # entries up to which sorting all is as fast as selecting a few, with any ties


def allowed(w: np.ndarray, nonnegative: bool, out: np.ndarray | None = None) -> np.ndarray:
    """Return what entries are worth to loadings of the signs allowed: their positive parts, or their magnitudes."""
    return np.maximum(w, 0.0, out=out) if nonnegative else np.abs(w, out=out)


def keep_top(w: np.ndarray, k: int, nonnegative: bool = True) -> np.ndarray:
    """Keep the k largest entries of ``w`` that can be loadings and set the others to zero.

    With ``nonnegative`` these are the (at most) k largest positive entries, the set the papers call
    ``I_k^+(w)`` (Asteris et al. 2014, Def. 1); without, the k of largest magnitude.

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
    places = _places(w, largest(w if nonnegative else np.abs(w), k))
    values = w.reshape(-1)[places]
    out = np.zeros(w.size, dtype=w.dtype)
    out[places] = np.maximum(values, 0.0) if nonnegative else values
    return out.reshape(w.shape)


def largest(w: np.ndarray, count: int) -> np.ndarray:
    """Indices of the ``count`` largest entries along the last axis, in no particular order.

    Examples
    --------
    >>> np.sort(largest(np.array([[1.0, 4.0, 2.0], [3.0, 0.0, 2.0]]), 2))
    array([[1, 2],
           [0, 2]])
    """
    if count >= w.shape[-1]:
        return np.broadcast_to(np.arange(w.shape[-1]), w.shape)
    if w.shape[-1] <= max(MANY, 2 * GROUP * count):
        return _front(w, count)
    places = _leading_groups(w, count)
    return _entries_at(places, _front(_entries_at(w, places), count))


def sum_of_largest(w: np.ndarray, count: int) -> np.ndarray:
    """Sum the ``count`` largest entries along the last axis; all of them where there are fewer.

    Examples
    --------
    >>> sum_of_largest(np.array([[1.0, 4.0, 2.0], [0.0, 3.0, 3.0]]), 2)
    array([6., 6.])
    """
    if count <= 0:
        return np.zeros(w.shape[:-1])
    if count >= w.shape[-1]:
        return w.sum(axis=-1)
    return largest_entries(w, count).sum(axis=-1)


def largest_entries(w: np.ndarray, count: int) -> np.ndarray:
    """Return the ``count`` largest entries along the last axis, ascending; all of them where there are fewer.

    Examples
    --------
    >>> largest_entries(np.array([[1.0, 4.0, 2.0], [0.0, 3.0, 3.0]]), 2)
    array([[2., 4.],
           [3., 3.]])
    """
    n = w.shape[-1]
    if count <= 0:
        return np.zeros((*w.shape[:-1], 0))
    if n > max(MANY, 2 * GROUP * count):
        w = _entries_at(w, _leading_groups(w, count))
    if count < w.shape[-1] and w.shape[-1] > SORTED:
        w = largest_values(w, count)
    return np.sort(w, axis=-1)[..., max(0, w.shape[-1] - count) :]


def largest_values(w: np.ndarray, count: int) -> np.ndarray:
    """Return the ``count`` largest entries along the last axis, in no particular order; NaN counts as largest.

    Selected from the front of −w: from the back of w, rows with many ties take up to twenty times as long.
    """
    key = -w
    if np.isnan(key).any():
        return _entries_at(w, _front(w, count))
    key.partition(count - 1, axis=-1)
    return np.negative(key[..., :count])


def _front(w: np.ndarray, count: int) -> np.ndarray:
    """Indices of the ``count`` largest entries, NaN first: selected from the front of −w as well."""
    key = -w
    if (is_nan := np.isnan(key)).any():
        key[is_nan] = -np.inf
    return np.argpartition(key, count - 1, axis=-1)[..., :count]


def _places(w: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Indices along the last axis as indices into the flattened w; faster than NumPy's own function."""
    if w.ndim == 1:
        return index
    first = np.arange(0, w.size, max(w.shape[-1], 1)).reshape(*w.shape[:-1], 1)
    return np.asarray(index + first)


def _entries_at(w: np.ndarray, index: np.ndarray) -> np.ndarray:
    """The entries at the given indices along the last axis."""
    return np.asarray(w.reshape(-1)[_places(w, index)])


def _leading_groups(w: np.ndarray, count: int) -> np.ndarray:
    """Indices of entries that include the ``count`` largest: the groups with the largest maxima, and ungrouped entries.

    An entry of any other group has ``count`` maxima above or equal to it, so it is not needed.
    Selecting among the maxima first is several times faster.
    """
    groups = w.shape[-1] // GROUP
    maxima = w[..., : groups * GROUP].reshape(*w.shape[:-1], GROUP, groups).max(axis=-2)
    leading = _front(maxima, count)
    members = (leading[..., None, :] + groups * np.arange(GROUP)[:, None]).reshape(*w.shape[:-1], GROUP * count)
    rest = np.arange(groups * GROUP, w.shape[-1])
    return np.concatenate([members, np.broadcast_to(rest, (*w.shape[:-1], len(rest)))], axis=-1)


def unit(w: np.ndarray) -> np.ndarray:
    """Scale to unit Euclidean norm without overflow or underflow; zero vectors stay zero."""
    squares = np.einsum("...i,...i->...", w, w)[..., None]
    small, large = IN_SINGLE if w.dtype == np.float32 else (LEAST_NORM, LARGEST_NORM)
    plain = (squares > small) & (squares < large)
    if not plain.all():
        peak = np.abs(w).max(axis=-1, keepdims=True)
        w = w / np.where(plain | ~(peak > 0), 1.0, peak)
        squares = np.einsum("...i,...i->...", w, w)[..., None]
    return w / np.where(squares > 0, np.sqrt(squares), 1.0)


def argmax(g: np.ndarray, k: int, nonnegative: bool = True, include: tuple[int, ...] = ()) -> np.ndarray:
    """Maximise ``g'x`` over the feasible set.

    The k largest positive entries, normalised; where no entry is positive, the unit vector at the largest one. Features
    of ``include``, fewer than k, have a place of their own: of the others ``k - len(include)`` are left.

    Examples
    --------
    >>> argmax(np.array([4.0, 3.0, -1.0]), k=2)
    array([0.8, 0.6, 0. ])
    >>> argmax(np.array([-2.0, -1.0, -3.0]), k=2)
    array([0., 1., 0.])
    >>> argmax(np.array([4.0, 3.0, 3.0]), k=2, include=(2,))
    array([0.8, 0. , 0.6])
    """
    if not include:
        return _filled(unit(keep_top(g, k, nonnegative)), g)
    own, others = list(include), g.copy()
    others[..., own] = 0.0
    top = keep_top(others, k - len(own), nonnegative)
    top[..., own] = np.maximum(g[..., own], 0.0) if nonnegative else g[..., own]
    return _filled(unit(top), g)


def _filled(x: np.ndarray, g: np.ndarray) -> np.ndarray:
    """Replace zero vectors by the unit vector at the largest entry of ``g``."""
    is_zero = ~x.any(axis=-1)
    if is_zero.any():
        rows = np.atleast_2d(x)
        places = np.flatnonzero(np.atleast_1d(is_zero))
        rows[places, np.atleast_2d(g)[places].argmax(axis=-1)] = 1.0
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
        return argmax(a, k, nonnegative=False)
    plus, minus = keep_top(a, k), keep_top(-a, k)
    flip = (minus**2).sum(axis=-1) > (plus**2).sum(axis=-1)
    flip = flip[..., None]
    return _filled(unit(np.where(flip, minus, plus)), np.where(flip, -a, a))


def orient(x: np.ndarray) -> np.ndarray:
    """Choose the sign of a signed vector: its loading of largest magnitude is positive."""
    return -x if x[np.abs(x).argmax()] < 0 else x


def infeasibility(x: np.ndarray, k: int, nonnegative: bool = True) -> str:
    """Return why ``x`` is not feasible; an empty string if it is.

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
    if abs(norm - 1.0) > 1e-9:
        return f"the norm is {norm!r}, not 1"
    return ""
