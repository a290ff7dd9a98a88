"""Run every check: style and types beside all tests, browser ones included; the last line is pytest's.

``python -m tests`` runs everything, a worker more than there are cores; ``python -m tests quick`` what takes a minute
and a half: style, types of what changed, and every statement about the library on a few made-up problems. Further words
go to pytest.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext

from tests.chromium import ensure
from tests.server import ROOT, SHARED, Server, serving

CHECKS = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",))
WAITING = 1  # workers beyond the cores: the one at a browser waits half of its time
FEW = "NNSPCA_TEST_QUICK"  # few instances of each statement
COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}  # what one process compiles none of the others compiles again
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
QUICK = ("-m", "not browser and not real_data", "nnspca", "tests", "README.md")
# What takes more than a few seconds: the app, whole experiments, real data, other processes, and the largest made-up
# problems.
QUICK_OMITS = (
    "tests/browser",
    "tests/pages",
    "tests/studies",
    "tests/fuzz",
    "tests/machines",
    "tests/certificates/test_elsewhere.py",
    "tests/datasets/test_apart.py",
    "tests/bounds/test_splitting.py",
    "tests/bounds/test_working.py",
    "tests/test_anndata.py",
    "tests/test_load.py",
    "tests/test_real_data.py",
    "nnspca/view",
)
QUICK_SKIPS = (
    "best_is_at_least_as_good_as_every_other_method",
    "certifying_few_samples_never_forms",
    "the_optimum_is_reached_on",
    "of_a_cut_and_of_few_samples_survives_the_file",
    "that_starts_from_a_neighbour_is_as_valid_and_no_looser",
    "few_samples_never_make_a_features_by_features_array",
    "every_bound_asks_often_whether_to_stop",
    "are_those_of_a_general_solver",
    "a_neighbours_certificate_is_a_good_start",
    "imports_outside_a_checkout",
    "where_the_apps_packages_are_not_installed",
    "a_pool_of_processes_gives_the_same",
    "thousands_of_tampered_certificates",
    "the_app_runs_from_a_checkout",
    "necessity_asks_often_whether_to_stop",
    "what_all_cases_prove_by_as_few_as_it_needs",
    "what_multipliers_prove_of_fewer_features",
    "given_parts_are_what_is_certified",
    "branching_proves_pit_props_optimal",
    "variance_never_falls_with_more_parts",
    "the_identity_of_many_features_is_a_covariance",
    "a_tree_that_memory_cannot_hold",
    "every_bound_by_a_cover_of_the_sphere_is_accepted",
    "every_k_has_a_first_upper_bound_before_any",
    "a_stranger_reads_no_more_rows",
    "the_site_is_whole",
    "the_gallery_says_what_was_proven",
)


def main(words: Sequence[str]) -> int:
    """Run the checks beside the tests; any failure fails the whole, and none hides the others."""
    quick = words[:1] == ["quick"]
    chosen = list(words[1:] if quick else words)
    if not quick:
        ensure()
    os.environ.update(COMPILED)  # for the server and the checks, too
    checks = [_started(check, dict(os.environ)) for check in CHECKS]  # while the server starts
    shared = serving() if not chosen and not quick else nullcontext()
    with shared as server, _quick(chosen) if quick else _whole(chosen, server) as tests:
        failed = 0
        for check, running in zip(CHECKS, checks, strict=True):
            print("$", *check, flush=True)
            failed |= _told(running)
        result = _told(tests)
    if failed and not result:
        print("the tests passed, but style or types did not: see above", file=sys.stderr)
    return result or failed


def _quick(chosen: Sequence[str]) -> subprocess.Popen[bytes]:
    """Start the tests of the library that need no browser, no page, no files and no patience."""
    skips = " and ".join(f"not {name}" for name in QUICK_SKIPS)
    words = [*QUICK, *(f"--ignore={path}" for path in QUICK_OMITS), "-k", skips, *chosen]
    return _pytest(words, {FEW: "1"}, _cores())


def _whole(chosen: Sequence[str], server: Server | None) -> subprocess.Popen[bytes]:
    """Start all tests, or those chosen, with one server for the browsers of all workers."""
    more = {SHARED: f"{server.address} {server.log}"} if server else {}
    return _pytest(chosen, more, _cores() + WAITING)


def _cores() -> int:
    return max(2, os.cpu_count() or 1)


def _pytest(chosen: Sequence[str], more: dict[str, str], workers: int) -> subprocess.Popen[bytes]:
    """Start pytest with one thread in each worker."""
    colour = "--color=yes" if sys.stdout.isatty() else "--color=auto"
    words = ("pytest", "-q", "-n", str(workers), "--dist", "worksteal", colour, *chosen)
    return _started(words, {**os.environ, **dict.fromkeys(THREADS, "1"), **more})


def _started(words: Sequence[str], environment: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a module of this Python; what it says waits until it is told."""
    command = [sys.executable, "-m", *words]
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, bufsize=0
    )


def _told(running: subprocess.Popen[bytes]) -> int:
    """Write what a process says as it says it, and return how it ended."""
    assert running.stdout is not None
    while words := running.stdout.read(4096):
        sys.stdout.buffer.write(words)
        sys.stdout.flush()
    return running.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
