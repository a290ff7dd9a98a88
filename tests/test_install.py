"""An installed package finds what it reads at run time, wherever it is imported from."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "nnspca"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Copy what an installer copies: the modules, and the files that package-data names."""
    site = tmp_path_factory.mktemp("site-packages")
    named = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    files = {*PACKAGE.rglob("*.py"), *(path for glob in named["nnspca"] for path in PACKAGE.glob(glob))}
    for path in files:
        if path.is_file():
            copy = site / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
    return site


@pytest.mark.heavy
def test_the_package_imports_outside_a_checkout_and_finds_its_canvas_its_style_and_its_data(installed, tmp_path):
    program = f"""
import nnspca
assert nnspca.__file__.startswith({str(installed)!r})
from nnspca.view.spannogram import circle
assert all((circle.BROWSER / name).is_file() for name in circle.SCRIPTS)
from nnspca.view.frame import assets
assert assets.STYLE.is_file()
assert all(nnspca.datasets.load(info.name).X.size for info in nnspca.datasets.available() if info.bundled)
"""
    settings = {**os.environ, "PYTHONPATH": str(installed), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_every_file_beside_the_modules_is_named_as_package_data(installed):
    beside = {
        path.relative_to(ROOT) for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")
    }
    assert beside
    assert not [path for path in beside if not (installed / path).is_file()]


@pytest.mark.heavy
def test_the_app_runs_from_a_checkout_that_is_not_installed():
    """README's first command installs what nnspca needs, not nnspca."""
    program = """
import importlib.metadata as metadata, pkgutil, sys
found = metadata.Distribution.from_name
def absent(name):
    if name.lower() == "nnspca":
        raise metadata.PackageNotFoundError(name)
    return found(name)
metadata.Distribution.from_name = absent
import nnspca, nnspca.view
for module in pkgutil.walk_packages(nnspca.view.__path__, "nnspca.view."):
    __import__(module.name)
assert nnspca.__version__
"""
    settings = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=settings, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
