"""How seconds and memory grow with the number of features, text and dense data: measured, written down and drawn.

Run ``python -m tests.benchmarks.growth [most features]``: it writes growth.json beside this file and assets/growth.svg;
with ``--picture``, it draws the picture anew from what is written down.
"""

import json
import os
import platform
import resource
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import numpy as np

import nnspca
from tests.benchmarks.data import expression_array, zipf_text
from tests.benchmarks.growth_picture import draw

RECORD = Path(__file__).with_suffix(".json")
PICTURE = Path(__file__).parents[2] / "assets" / "growth.svg"
SIZES = {
    "text": (1_000, 3_162, 10_000, 31_623, 100_000, 316_228, 1_000_000),
    "dense": (1_000, 3_162, 10_000, 31_623, 100_000),
}
SAMPLES = 200  # of the dense data; of the text, a tenth of its words
K = 20
PATIENCE = 120.0  # CPU seconds after which a proof is told to stop: what it has by then is a proof all the same
LARGE = 10_000  # features from which the second slope is fitted: below, what every call costs flattens the first


def main() -> None:
    """Measure each size in a process of its own, and write all down."""
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measured(sys.argv[2], int(sys.argv[3]))))
        return
    if sys.argv[1:2] != ["--picture"]:
        most = int(sys.argv[1]) if sys.argv[1:] else 10**6
        RECORD.write_text(json.dumps(record(most), indent=1) + "\n")
    PICTURE.write_text(draw(json.loads(RECORD.read_text())))
    print(json.loads(RECORD.read_text())["slopes"])


def record(most: int) -> dict:
    """Return the whole record: where and at which load it was made, a row for each size, and the slopes."""
    begun, rows = os.getloadavg()[0], []
    for kind, sizes in SIZES.items():
        for n in (size for size in sizes if size <= most):
            command = [sys.executable, "-m", "tests.benchmarks.growth", "--one", kind, str(n)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            rows.append(json.loads(done.stdout))
            print(rows[-1], flush=True)
    return {
        "made": date.today().isoformat(),
        "processors": os.cpu_count(),
        "load": {"before": begun, "after": os.getloadavg()[0]},
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "patience": PATIENCE,
        "rows": rows,
        "slopes": slopes(rows),
    }


def measured(kind: str, n: int) -> dict:
    """Return CPU seconds and peak memory of reading, solving and proving at one size."""
    X = zipf_text(n // 10, n) if kind == "text" else expression_array(SAMPLES, n)
    nnspca.solve(nnspca.Covariance.from_data(np.random.default_rng(0).standard_normal((20, 30))), 3)  # what loads late
    _forget_peak()
    begun = time.process_time()
    cov = nnspca.Covariance.from_data(X)
    read = time.process_time()
    part = nnspca.solve(cov, K)
    solved, memory = time.process_time(), _peak()
    cert = nnspca.certify(cov, K, component=part, should_stop=lambda: time.process_time() - solved > PATIENCE)
    proven = time.process_time()
    return {
        "kind": kind,
        "samples": X.shape[0],
        "features": n,
        "entries": int(X.nnz) if kind == "text" else X.size,
        "k": K,
        "reading": read - begun,
        "solve": solved - read,
        "certify": proven - solved,
        "solve_megabytes": memory,
        "certify_megabytes": _peak(),
        "ratio": cert.ratio,
        "stopped": cert.stopped,
    }


def slopes(rows: list[dict]) -> dict:
    """Return the slopes of the straight lines fitted to the logarithms, of all sizes and of the large ones."""
    fitted = {}
    for kind in SIZES:
        for what in ("solve", "certify"):
            whole = [row for row in rows if row["kind"] == kind and not (what == "certify" and row["stopped"])]
            for name, chosen in (("all", whole), ("large", [row for row in whole if row["features"] >= LARGE])):
                if len(chosen) > 1:
                    n, seconds = np.log([[row["features"], row[what]] for row in chosen]).T
                    fitted[f"{what}, {kind}, {name}"] = round(float(np.polyfit(n, seconds, 1)[0]), 3)
    return fitted


def _forget_peak() -> None:
    """Let the peak of memory begin anew, where the system can: making the data is not measured."""
    if os.path.exists("/proc/self/clear_refs"):
        Path("/proc/self/clear_refs").write_text("5")


def _peak() -> float:
    """Return the process's peak of memory, data included, in megabytes."""
    if os.path.exists("/proc/self/status"):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024
    unit = 1024**2 if platform.system() == "Darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main()
