"""Nonnegative least squares with a quadratic penalty of low rank, by Newton's method on the dual."""

from __future__ import annotations

import numpy as np

SUFFICIENT = 1e-4  # share of the slope that a step must gain; half and twice of it change nothing
NEGLIGIBLE = 1e-14  # relative to b: below that, the gradient is rounding


def penalised_least_squares(b: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return the x >= 0 that minimises ``‖x − b‖² + ‖Cx‖²``.

    A nonnegative least squares problem of n unknowns, but its dual has one for each row of C. With
    ``λ = Cx`` the minimiser is ``x = (b − C'λ)₊``, and λ minimises ``½‖λ‖² + ½‖(b − C'λ)₊‖²``,
    which is strictly convex and piecewise quadratic, so Newton's method with step halving converges.

    Examples
    --------
    >>> penalised_least_squares(np.array([2.0, 1.0]), np.array([[1.0, 1.0]]))
    array([1., 0.])
    """
    dual = np.zeros(len(C))
    x, least = np.maximum(b, 0.0), NEGLIGIBLE * float(np.abs(b).max(initial=0.0))
    for _ in range(100):  # five to fifteen are usual
        image = C @ x
        gradient = dual - image
        value = float(dual @ dual + x @ x)
        free = C[:, x > 0]
        step = np.linalg.solve(np.eye(len(C)) + free @ free.T, gradient)
        slope = float(gradient @ step)
        for halving in range(40):
            candidate = dual - step / 2**halving
            primal = np.maximum(b - candidate @ C, 0.0)
            if float(candidate @ candidate + primal @ primal) <= value - 2 * SUFFICIENT * slope / 2**halving:
                break
        else:
            break  # no further progress despite rounding
        converged = np.array_equal(primal > 0, x > 0) and halving == 0
        dual, x = candidate, primal
        if converged or slope <= least**2:
            break
    return x
