"""Which branches of the proofs the tests take: ``python -m tests coverage`` prints them for each file.

What must be covered is what a false claim would have to pass: the judge's room and the stand-alone checker.
"""

import json
import os
import subprocess
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The tests of each room, run beside those of the others.
TESTS = (
    ("tests/certificates", "tests/test_check.py", "tests/test_check_more.py", "tests/test_corpus.py", "tests/fuzz"),
    ("tests/bounds", "tests/components"),
    ("tests/covariance", "tests/tasks"),
)
# What is measured, and the share of the branches that must be taken, in per cent.
MEASURED = {"nnspca/certificates/*": 90, "nnspca/check.py": 90, "nnspca/bounds/*": 0, "nnspca/covariance/*": 0}
FEW = ("-m", "not heavy and not browser and not real_data", "-q", "-n", "0", "-p", "no:cacheprovider")
THREADS = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def main() -> int:
    """Run the tests under the watch, print each file's branches, and fail where too few are taken."""
    with tempfile.TemporaryDirectory(prefix="nnspca-coverage-") as folder:
        watch = {**os.environ, **THREADS, "COVERAGE_FILE": f"{folder}/taken"}
        sources = ("--branch", "--parallel-mode", f"--include={','.join(MEASURED)}")
        running = [_started(("run", *sources, "-m", "pytest", *FEW, *tests), watch) for tests in TESTS]
        failed = any([run.wait() for run in running])
        _started(("combine", "-q"), watch).wait()
        _started(("json", "-q", "-o", f"{folder}/told.json"), watch).wait()
        files = json.loads(Path(folder, "told.json").read_text(encoding="utf-8"))["files"]
    for source, demanded in MEASURED.items():
        rows = {path: told["summary"] for path, told in sorted(files.items()) if fnmatch(path, source)}
        for path, row in rows.items():
            print(f"{row['covered_branches']:5} of {row['num_branches']:5} branches, {path}")
        share = 100 * sum(row["covered_branches"] for row in rows.values())
        share /= max(1, sum(row["num_branches"] for row in rows.values()))
        print(f"{share:.1f} % of the branches of {source} are taken, at least {demanded} % must be")
        failed |= share < demanded
    return int(failed)


def _started(words: tuple[str, ...], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start the coverage package with these words."""
    return subprocess.Popen([sys.executable, "-m", "coverage", *words], cwd=ROOT, env=environment)
