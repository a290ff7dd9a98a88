"""Find a Chromium for the browser tests, or install one; ``python3 -m tests.chromium`` needs no other package."""

import os
import shutil
import subprocess
import sys

SHELL = "chromium-headless-shell"  # the same engine without the browser around it: a fifth less computing a visit
NAMES = (SHELL, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PACKAGES = (SHELL, "chromium")  # of Debian, in the order they are tried


def find() -> str | None:
    """Return the path of a Chromium: the one NNSPCA_CHROMIUM names, one on PATH, or Playwright's own."""
    path = _at_hand()
    if path or os.environ.get("NNSPCA_CHROMIUM"):
        return path
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def _at_hand() -> str | None:
    named = os.environ.get("NNSPCA_CHROMIUM")
    if named:
        return named if os.path.exists(named) else None
    return next(filter(None, map(shutil.which, NAMES)), None)


def ensure() -> str:
    """Return a Chromium's path, installing Debian's as root and Playwright's own otherwise."""
    path = find()
    if path is None:
        debian()
        path = find()
    if path is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)
        path = find()
    if path is None:
        raise SystemExit(
            "no Chromium found and none could be installed: install one (Debian: apt-get install chromium) "
            "or name it in NNSPCA_CHROMIUM"
        )
    return path


def debian() -> None:
    """Install Debian's Chromium as root, unless one is at hand."""
    if _at_hand() or not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    subprocess.run(["apt-get", "update", "-q"], check=False)
    for package in PACKAGES:
        if not _at_hand():
            subprocess.run(["apt-get", "install", "-y", "-q", "--no-install-recommends", package], check=False)


if __name__ == "__main__":
    debian()
