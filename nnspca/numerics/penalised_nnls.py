"""Nonnegative least squares with a quadratic penalty of low rank, by Newton's method on the dual."""

from __future__ import annotations

import numpy as np

ITERATIONS = 100  # five to fifteen are usual
HALVINGS = 40  # of a step
SHARE = 1e-4  # of the slope along a step that the step must win
RESTS = 1e-14  # relative to b: what is left of the gradient then is rounding


def penalised_least_squares(b: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return the x >= 0 that minimises ``‖x − b‖² + ‖Cx‖²``.

    A nonnegative least squares problem of n unknowns, but its dual has one for each row of C. With
    ``λ = Cx`` the minimiser is ``x = (b − C'λ)₊``, and λ minimises ``½‖λ‖² + ½‖(b − C'λ)₊‖²``,
    which is strictly convex and quadratic where the same entries are positive: Newton's steps with
    halving end at it.

    Parameters
    ----------
    b : ndarray, shape (n,)
    C : ndarray, shape (r, n)

    Returns
    -------
    ndarray, shape (n,)

    Examples
    --------
    >>> penalised_least_squares(np.array([2.0, 1.0]), np.array([[1.0, 1.0]]))
    array([1., 0.])
    """
    dual = np.zeros(len(C))
    x, least = np.maximum(b, 0.0), RESTS * float(np.abs(b).max(initial=0.0))
    for _ in range(ITERATIONS):
        shared = C @ x
        gradient = dual - shared
        value = float(dual @ dual + x @ x)
        free = C[:, x > 0]
        step = np.linalg.solve(np.eye(len(C)) + free @ free.T, gradient)
        slope = float(gradient @ step)
        for halving in range(HALVINGS):
            tried = dual - step / 2**halving
            there = np.maximum(b - tried @ C, 0.0)
            if float(tried @ tried + there @ there) <= value - 2 * SHARE * slope / 2**halving:
                break
        else:
            break  # rounding leaves nothing to win
        rested = np.array_equal(there > 0, x > 0) and halving == 0
        dual, x = tried, there
        if rested or slope <= least**2:
            break
    return x
