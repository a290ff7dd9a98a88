"""A progress bar: tqdm's if it is installed, else a line for every tenth."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from nnspca.control.progress import Progress


def progress_bar(title: str = "nnspca") -> Callable[[Progress], None]:
    """Return a callback for ``on_progress`` that shows the progress on standard error.

    Parameters
    ----------
    title : str
        Label in front of the bar.

    Returns
    -------
    callable
        With :class:`nnspca.Progress`. It draws with tqdm where that is installed, and writes a line
        for every tenth otherwise.

    Examples
    --------
    >>> import nnspca
    >>> cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    >>> nnspca.certify(cov, k=1, on_progress=nnspca.progress_bar("certify")).ratio > 0.99
    True
    """
    try:
        tqdm: Any = import_module("tqdm.auto").tqdm
    except ImportError:
        return _lines(title)
    bar = tqdm(total=100, desc=title, bar_format="{desc}: {percentage:3.0f} %|{bar}| {elapsed} {postfix}")

    def draw(progress: Progress) -> None:
        bar.set_postfix_str(progress.stage, refresh=False)
        bar.update(100 * progress.fraction - bar.n)
        if progress.fraction >= 1.0:
            bar.close()

    return draw


def _lines(title: str) -> Callable[[Progress], None]:
    written = 0

    def write(progress: Progress) -> None:
        nonlocal written
        if (tenth := int(progress.fraction * 10)) > written:
            written = tenth
            print(f"{title}: {10 * tenth} % ({progress.stage})", file=sys.stderr)

    return write
