"""The covariance: the one thing every solver and bound takes, as a matrix or as a factor."""

from nnspca.covariance.covariance import Covariance

__all__ = ["Covariance"]
