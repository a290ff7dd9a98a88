"""Run every check: style, types, then all tests, browser ones included; the last line is pytest's.

``python -m tests`` runs everything, one worker a core; ``python -m tests quick`` what takes a minute: style, types of
what changed, and the tests of the library on made-up data. Further words go to pytest.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext

from tests.chromium import ensure
from tests.server import ROOT, SHARED, serving

CHECKS = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",))
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
QUICK = ("-m", "not browser and not real_data", "nnspca", "tests", "README.md")
# What takes more than a few seconds: the app, whole experiments, real data, and the largest made-up problems.
QUICK_OMITS = ("tests/browser", "tests/pages", "tests/studies", "tests/test_real_data.py", "nnspca/view")
QUICK_SKIPS = (
    "best_is_at_least_as_good_as_every_other_method",
    "certifying_few_samples_never_forms",
    "with_a_working_set_verifies_and_survives_a_file",
    "of_a_cut_and_of_few_samples_survives_the_file",
    "that_starts_from_a_neighbour_is_as_valid_and_no_looser",
    "few_samples_never_make_a_features_by_features_array",
)


def main(words: Sequence[str]) -> int:
    """Run the checks in turn; any failure fails the whole, and none hides the others."""
    quick = words[:1] == ["quick"]
    chosen = list(words[1:] if quick else words)
    failed = 0
    for check in CHECKS:
        print("$", *check, flush=True)
        failed |= subprocess.run([sys.executable, "-m", *check], cwd=ROOT).returncode
    tests = _quick(chosen) if quick else _whole(chosen)
    if failed and not tests:
        print("the tests passed, but style or types did not: see above", file=sys.stderr)
    return tests or failed


def _quick(chosen: Sequence[str]) -> int:
    """Run the tests of the library that need no browser, no page, no files and no patience."""
    skips = " and ".join(f"not {name}" for name in QUICK_SKIPS)
    return _pytest([*QUICK, *(f"--ignore={path}" for path in QUICK_OMITS), "-k", skips, *chosen], {})


def _whole(chosen: Sequence[str]) -> int:
    """Run all tests, or those chosen, with one server for the browsers of all workers."""
    ensure()
    with serving() if not chosen else nullcontext() as server:
        return _pytest(chosen, {SHARED: f"{server.address} {server.log}"} if server else {})


def _pytest(chosen: Sequence[str], more: dict[str, str]) -> int:
    """Run pytest with a worker for each core, and one thread in each: the workers are parallel enough."""
    workers = max(2, os.cpu_count() or 1)
    command = [sys.executable, "-m", "pytest", "-q", "-n", str(workers), "--dist", "worksteal", *chosen]
    environment = {**os.environ, **dict.fromkeys(THREADS, "1"), **more}
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
