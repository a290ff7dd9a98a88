"""How many calls of the package's own functions a path takes, and in how many modules.

``python -m tests.benchmarks.calls`` prints them.
"""

import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from sklearn.datasets import load_wine
from streamlit.testing.v1 import AppTest

import nnspca

HOME = str(Path(nnspca.__file__).parent)
MOST = 8  # functions named of each path


def counted(path: Callable[[], Any]) -> Counter[tuple[str, str]]:
    """Return how often each function of the package is called while a path is run, but for runs that a page begins."""
    calls: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, _: Any) -> None:
        code, of_run = frame.f_code, threading.current_thread().name.startswith("nnspca-")
        if event == "call" and code.co_filename.startswith(HOME) and not (of_run or code.co_name.startswith("<")):
            calls[code.co_filename.removeprefix(HOME), code.co_name] += 1

    for threads in (sys, threading):  # a page's script has a thread of its own
        threads.setprofile(note)
    try:
        path()
    finally:
        for threads in (sys, threading):
            threads.setprofile(None)
    return calls


def main() -> None:
    """Print the calls of each path when it is run, and, function by function, when it is run again."""
    cov = nnspca.Covariance.from_data(load_wine().data, standardize=True)
    part, page = nnspca.solve(cov, 6), Path(HOME).with_name("pages") / "explore.py"
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "forty.csv"
        rows = np.random.default_rng(0).normal(size=(40, 6)).round(3)
        np.savetxt(table, rows, delimiter=",", header="a,b,c,d,e,f", comments="")
        paths: dict[str, Callable[[], Any]] = {
            "solve, wine, k = 6": lambda: nnspca.solve(cov, 6),
            "certify it": lambda: nnspca.certify(cov, 6, component=part),
            "read, a CSV of 40 rows": lambda: nnspca.datasets.read(table),
            "from_data, 40 × 6": lambda: nnspca.Covariance.from_data(rows),
            "Explore, its first view and a rerun": AppTest.from_file(page, default_timeout=60).run,
        }
        for title, path in paths.items():
            first, calls = counted(path).total(), counted(path)
            print(f"{title}: {first:,} calls, then {calls.total():,} in {len({m for m, _ in calls})} modules")
            for (module, name), often in calls.most_common(MOST):
                print(f"  {often:6,} {module}: {name}")


if __name__ == "__main__":
    main()
