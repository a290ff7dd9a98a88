"""Tasks on one component: solve, certify, sweep over k, necessity, contribution and scores.

:mod:`nnspca` exports the public functions. This package also exports what an app needs to show a
curve as it comes: :func:`path` solves for many k from coarse to fine, :func:`certify_path` adds the
upper bounds.
"""

from nnspca.tasks._sweep import certify_path, coarse_first, path

__all__ = ["certify_path", "coarse_first", "path"]
