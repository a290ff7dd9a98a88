"""Covariance and correlation of the same rows, from one pass."""

from __future__ import annotations

from nnspca.control.threads import one_blas_thread
from nnspca.covariance.covariance import Covariance
from nnspca.covariance.sources import Source
from nnspca.covariance.streamed import added, of_sums
from nnspca.errors import DataError


def both_scales(source: Source) -> tuple[Covariance, Covariance | DataError]:
    """Return the covariance of rows that are read once, and that of the standardised rows.

    Each is the one that :meth:`Covariance.from_data` makes of so many rows that they are summed. The
    second is an error where the variances are beyond what can be standardised from sums.
    """
    sums = added(None, source, None)
    with one_blas_thread():
        plain = of_sums(sums, False, source.expected, last=False)
        covariance = Covariance._of_read(plain, False, source.names)
        try:
            return covariance, Covariance._of_read(of_sums(sums, True), True, source.names)
        except DataError as problem:
            return covariance, problem
