"""Elimination: a bound on few features that holds for all; `run` states why, `policy` chooses what is done next."""

from nnspca.bounds.elimination.run import Budget, begin, on, tighten

__all__ = ["Budget", "begin", "on", "tighten"]
