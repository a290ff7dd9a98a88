"""Run every check: style and types beside the tests; the last line is pytest's.

``python -m tests``         style, types and all tests but the heavy ones, those in a browser included
``python -m tests heavy``   those that need minutes, much memory, the large data, other processes or an installation
``python -m tests all``     both
``python -m tests quick``   style, types and the library on a few made-up problems: for while you work
``python -m tests coverage``  which branches of the proofs the tests take

Further words go to pytest.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path

from tests import coverage
from tests.chromium import ensure
from tests.server import ROOT, SHARED, serving

CHECKS = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",))
WAITING = 1  # workers beyond the cores: the one at a browser waits half of its time
FEW = "NNSPCA_TEST_QUICK"  # few instances of each statement
COMPILED = {"PYTHONDONTWRITEBYTECODE": ""}  # what one process compiles none of the others compiles again
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
# Beside what is marked slow: the app, the documents, files, whole experiments, other processes, and long searches.
QUICK_OMITS = (
    *(f"tests/{room}" for room in ("browser", "pages", "studies", "fuzz", "machines", "datasets", "resampling")),
    *(
        f"tests/test_{what}.py"
        for what in ("anndata", "check_more", "docs", "packaging", "real_data", "sessions", "tables")
    ),
    *("nnspca/view", "nnspca/docs", "nnspca/studies"),
    *(f"tests/{path}.py" for path in ("bounds/test_core", "bounds/test_rows_read", "components/test_sweep_parts")),
    *("tests/components/test_together.py", "tests/tasks/test_necessity.py"),
)
PARTS: dict[str, tuple[str, ...]] = {
    "": ("-m", "not heavy"),
    "heavy": ("-m", "heavy"),
    "all": (),
    "quick": (
        "-m",
        "not (heavy or slow or browser or real_data)",
        *("nnspca", "tests"),
        *(f"--ignore={path}" for path in QUICK_OMITS),
    ),
}


def main(words: Sequence[str]) -> int:
    """Run the checks beside the tests; any failure fails the whole, and none hides the others."""
    if words[:1] == ["coverage"]:
        return coverage.main()
    part = words[0] if words and words[0] in PARTS else ""
    chosen = list(words[bool(part) :])
    where = [str(path) for path in Path(__file__).parent.rglob("test_*.py") if "mark.heavy" in path.read_text("utf-8")]
    in_browsers = part != "quick"
    if in_browsers:
        ensure()
    os.environ.update(COMPILED)  # for the server and the checks, too
    checks = [_started(check, dict(os.environ)) for check in (CHECKS if part != "heavy" else ())]
    with serving(wait=False) if in_browsers and not chosen else nullcontext() as server:  # workers collect meanwhile
        more = {SHARED: f"{server.address} {server.log}"} if server else {}
        more |= {FEW: "1"} if part == "quick" else {}
        tests = _pytest([*PARTS[part], *(chosen or where * (part == "heavy"))], more, _cores() + WAITING * in_browsers)
        failed = 0
        for check, running in zip(CHECKS, checks, strict=False):
            print("$", *check, flush=True)
            failed |= _told(running)
        result = _told(tests)
    if failed and not result:
        print("the tests passed, but style or types did not: see above", file=sys.stderr)
    return result or failed


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
