"""Several components: one after the other, each on the deflated covariance, or all of them jointly.

:mod:`nnspca` exports the public functions. This package also exports :func:`deflated_problem`, which returns the
covariance on which a component was found, so that an app can compare solvers part by part.
"""

from nnspca.components._deflate import DeflationInfo, deflated_problem

__all__ = ["DeflationInfo", "deflated_problem"]
