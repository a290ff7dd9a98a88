"""Several components: one after the other, each on the deflated covariance, or all of them jointly.

:mod:`nnspca` gives what people call. Here stands besides what an app needs to compare solvers part by
part: :func:`sought` tells on what covariance a further component was sought.
"""

from nnspca.components._deflate import sought

__all__ = ["sought"]
