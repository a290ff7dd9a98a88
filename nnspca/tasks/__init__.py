"""Tasks on one component: solve, certify, sweep over k, necessity, contribution and scores.

:mod:`nnspca` exports the public functions. This package also exports what an app needs to show a
curve as it comes: :func:`path` solves for many k from coarse to fine, :func:`certify_path` adds the
upper bounds; :func:`best_separation` compares scores with classes.
"""

from nnspca.tasks._scores import best_separation
from nnspca.tasks._sweep import certify_path, coarse_first, path

__all__ = ["best_separation", "certify_path", "coarse_first", "path"]
