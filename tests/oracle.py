"""Brute force (MATH F4): the optimum of a tiny problem from all its supports, and exact arithmetic to compare with.

An optimum x with support J is an eigenvector of A_JJ, of one sign where x must be nonnegative; where the
eigenvalue is multiple, a smaller support attains the same variance. So it is enough to try every eigenvector
of every block. Each is clipped to the feasible set before it is scored: the value returned is attained by the
point returned, hence never above the optimum, and rounding alone can keep it below.
"""

import io
from fractions import Fraction
from itertools import combinations

import numpy as np

import nnspca


def optimum(A, k, nonnegative=True):
    """Return (value, x): the largest x'Ax over unit x with at most k nonzeros, and a point that attains it."""
    A = np.asarray(A, dtype=np.float64)
    scale = np.abs(A).max()
    B = A / scale
    n = len(A)
    best, point = -np.inf, None
    for size in range(1, k + 1) if nonnegative else (k,):
        supports = np.array(list(combinations(range(n), size)))
        blocks = B[supports[:, :, None], supports[:, None, :]]
        vectors = np.swapaxes(np.linalg.eigh(blocks)[1], 1, 2)  # (supports, eigenvectors, entries)
        signed = np.concatenate([vectors, -vectors], axis=1)
        if nonnegative:
            signed = np.maximum(signed, 0.0)
        norms = np.linalg.norm(signed, axis=2, keepdims=True)
        signed = signed / np.where(norms > 0, norms, 1.0)
        values = np.where(norms[..., 0] > 0, np.einsum("jei,jik,jek->je", signed, blocks, signed), -np.inf)
        j, e = np.unravel_index(values.argmax(), values.shape)
        if values[j, e] > best:
            best = float(values[j, e])
            point = np.zeros(n)
            point[supports[j]] = signed[j, e]
    return best * scale, point


def optimum_of_rows(V, k, nonnegative=True):
    """Return the largest ‖V'x‖² over the feasible set, and a point that attains it."""
    return optimum(V @ V.T, k, nonnegative)


def optima_of_parts(A, k, most, nonnegative=True):
    """Return [(value, rows)] for 1 … ``most`` parts of disjoint supports: the largest sum of variances, attained.

    Dynamic programming over the sets of features in use: with one part more, a support joins a set it shares nothing
    with. As above, each value is attained by the parts returned.
    """
    A = np.asarray(A, dtype=np.float64)
    n = len(A)
    values, points = on_every_support(A, k, nonnegative)
    sets = np.arange(1 << n)
    reached = np.where(sets == 0, 0.0, -np.inf)
    last, optima = [], []
    for _ in range(most):
        fresh, by = np.full(1 << n, -np.inf), np.zeros(1 << n, dtype=int)
        for support in np.flatnonzero(np.isfinite(values)):
            apart = sets[(sets & support) == 0]
            gained = reached[apart] + values[support]
            better = gained > fresh[apart | support]
            fresh[apart[better] | support], by[apart[better] | support] = gained[better], support
        reached = fresh
        last.append(by)
        used = int(reached.argmax())
        value, parts = float(reached[used]), []
        for by in last[::-1]:
            parts.append(points[by[used]])
            used ^= int(by[used])
        optima.append((value, np.array(parts)))
    return optima


def on_every_support(A, k, nonnegative):
    """The largest variance on each set of 1 to k features (indexed by its bits; −∞ for others), and its point."""
    n = len(A)
    B = A / np.abs(A).max()
    values, points = np.full(1 << n, -np.inf), np.zeros((1 << n, n))
    for size in range(1, k + 1):
        supports = np.array(list(combinations(range(n), size)))
        every = np.arange(len(supports))
        bits = (1 << supports).sum(axis=1)
        blocks = A[supports[:, :, None], supports[:, None, :]]
        vectors = np.swapaxes(np.linalg.eigh(B[supports[:, :, None], supports[:, None, :]])[1], 1, 2)
        if nonnegative:
            vectors = np.maximum(np.concatenate([vectors, -vectors], axis=1), 0.0)
        norms = np.linalg.norm(vectors, axis=2, keepdims=True)
        vectors = vectors / np.where(norms > 0, norms, 1.0)
        variances = np.einsum("jei,jik,jek->je", vectors, blocks, vectors)
        best = np.where(norms[..., 0] > 0, variances, -np.inf).argmax(axis=1)
        values[bits] = variances[every, best]
        points[bits[:, None], supports] = vectors[every, best]
    return values, points


def exact(array):
    """The array's numbers as fractions: every double is one."""
    array = np.asarray(array, dtype=np.float64)
    return np.array([Fraction(float(a)) for a in array.ravel()], dtype=object).reshape(array.shape)


def exact_variance(A, x):
    """x'Ax / x'x without any rounding."""
    support = np.flatnonzero(x)
    z = exact(x[support])
    return z @ exact(np.asarray(A)[np.ix_(support, support)]) @ z / (z @ z)


def exact_variance_of_rows(V, x):
    """‖V'x‖² / x'x without any rounding."""
    support = np.flatnonzero(x)
    z = exact(x[support])
    y = z @ exact(np.asarray(V)[support])
    return (y @ y) / (z @ z) if len(y) else Fraction(0)


def exact_variance_of_data(X, x):
    """Variance of the centred data (1/m) along x, over x'x, without any rounding."""
    support = np.flatnonzero(x)
    z = exact(x[support])
    scores = exact(np.asarray(X, dtype=np.float64)[:, support]) @ z
    m = len(scores)
    mean = sum(scores) / m
    return sum((s - mean) ** 2 for s in scores) / m / (z @ z)


def allows(upper_bound, attained):
    """Whether a bound is at or above a variance known exactly: not one last digit of tolerance."""
    return Fraction(float(upper_bound)) >= attained


def read_back(cert, cov):
    """A certificate as it is read from its file, once the judge confirms that."""
    nnspca.save_certificate(cert, file := io.BytesIO(), cov)
    nnspca.verify(read := nnspca.load_certificate(file.getvalue()), cov)
    return read


def judged_files(cert, cov, X, folder):
    """The paths of a certificate and its data, for a checker, once the judge confirms both it and what is read back."""
    files = [folder / "cert.npz", folder / "data.npy"]
    nnspca.verify(cert, cov)
    nnspca.save_certificate(cert, files[0], cov)
    nnspca.verify(nnspca.load_certificate(files[0]), cov)
    np.save(files[1], X)
    return [str(file) for file in files]
