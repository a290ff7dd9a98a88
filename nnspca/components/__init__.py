"""Several components: one after the other, each on the deflated covariance, or all of them jointly.

:mod:`nnspca` exports the public functions. This package also exports :func:`sought`, with which an app
compares solvers part by part: it returns the covariance on which a component was sought.
"""

from nnspca.components._deflate import sought

__all__ = ["sought"]
