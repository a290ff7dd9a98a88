"""Run every check: style, types, then all tests, browser ones included; the last line is pytest's."""

import subprocess
import sys
from pathlib import Path

from tests.chromium import ensure

ROOT = Path(__file__).resolve().parents[1]
CHECKS = (("ruff", "check", "."), ("ruff", "format", "--check", "."), ("mypy",))


def main() -> int:
    """Run the checks in turn; any failure fails the whole, and none hides the others."""
    ensure()
    failed = 0
    for check in CHECKS:
        print("$", *check, flush=True)
        failed |= subprocess.run([sys.executable, "-m", *check], cwd=ROOT).returncode
    tests = subprocess.run([sys.executable, "-m", "pytest", *sys.argv[1:]], cwd=ROOT).returncode
    if failed and not tests:
        print("the tests passed, but style or types did not: see above", file=sys.stderr)
    return tests or failed


if __name__ == "__main__":
    sys.exit(main())
