"""The warning for data of which one feature holds nearly all the variance: a component then speaks about its unit."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from nnspca.control.arguments import check_flag

DOMINANT = 0.9  # share of the trace from which one feature holds it


def stated(standardize: bool | None) -> bool:
    """Return whether to standardise; False where that was left open."""
    if standardize is not None:
        check_flag("standardize", standardize)
    return bool(standardize)


def warn_of_dominant(variances: np.ndarray, names: Sequence[str] | None) -> None:
    """Warn where one of several features holds over 90 % of the trace; called by what a person calls."""
    total = float(variances.sum())
    first = int(variances.argmax())
    share = float(variances[first]) / total
    if not share > DOMINANT or np.count_nonzero(variances) < 2:
        return
    name = names[first] if names is not None else f"x{first}"
    warnings.warn(
        f"feature {str(name)!r:.60} alone holds {np.floor(1000 * share) / 10:.1f} % of the total variance: a component "
        "may say no more than that its unit is large; give standardize=True, or standardize=False to keep the data as "
        "they are",
        UserWarning,
        stacklevel=3,
    )
