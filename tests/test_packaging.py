"""What an installed nnspca needs and what it weighs: the library alone, the app on top, and one list of both."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "nnspca"
READ = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, PACKAGE_DATA = READ["project"], READ["tool"]["setuptools"]["package-data"]["nnspca"]
DATA_FILES = READ["tool"]["setuptools"]["data-files"]
EXTRAS = PROJECT["optional-dependencies"]

# The first version of each package without a published hole, and which holes those before it have.
FIRST_GOOD = {
    "dask": ("2026.1.0", "CVE-2021-42343, and in distributed, which has the same version, CVE-2026-23528"),
    "h11": ("0.16.0", "CVE-2025-43859"),
    "h5py": ("3.12.1", "in its wheels HDF5 before 1.14.4, CVE-2024-29157 to CVE-2024-33877"),
    "openpyxl": ("2.4.2", "CVE-2017-5992"),
    "pillow": ("12.1.1", "CVE-2023-50447, CVE-2024-28219, CVE-2025-48379, CVE-2026-25990"),
    "pyarrow": ("14.0.1", "CVE-2023-47248"),
    "python-multipart": ("0.0.30", "CVE-2026-24486, CVE-2026-40347, CVE-2026-42561, CVE-2026-53539"),
    "scikit-learn": ("1.5.0", "CVE-2024-5206"),
    "scipy": ("1.10.0", "CVE-2023-25399"),
    "starlette": ("1.3.1", "CVE-2025-54121, CVE-2025-62727, CVE-2026-48710, forms whose parts have no limit"),
    "streamlit": ("1.54.0", "CVE-2024-42474, CVE-2026-33682"),
    "tornado": ("6.6", "CVE-2025-47287, CVE-2026-31958, CVE-2026-49855, CVE-2026-82397, CVE-2026-103261"),
}

BLOCKED = """
import importlib.abc
import sys

class Blocker(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names}:
            raise ModuleNotFoundError(f"no module named {{name!r}} here")

sys.meta_path.insert(0, Blocker())
"""


def python(script, without=(), folder=ROOT, **environment):
    """Run a script in a new interpreter in which some packages cannot be imported; return what it prints."""
    whole = BLOCKED.format(names=tuple(without)) + script
    given = {"cwd": folder, "env": {**os.environ, **environment}, "timeout": 120}
    done = subprocess.run([sys.executable, "-c", whole], capture_output=True, text=True, check=False, **given)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Copy what an installer copies: the modules, what package-data and data-files name, and a record of it."""
    site = tmp_path_factory.mktemp("site-packages")
    files = {*PACKAGE.rglob("*.py"), *(path for glob in PACKAGE_DATA for path in PACKAGE.glob(glob))}
    copies = {path.relative_to(ROOT): path for path in filter(Path.is_file, files)}
    copies |= {Path(to, p.name): p for to, globs in DATA_FILES.items() for glob in globs for p in ROOT.glob(glob)}
    for place, path in copies.items():
        (site / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, site / place)
    (record := site / "nnspca-0.dist-info" / "RECORD").parent.mkdir()
    record.write_text("".join(f"{place.as_posix()},,\n" for place in copies))
    record.with_name("METADATA").write_text("Metadata-Version: 2.1\nName: nnspca\nVersion: 0\n")
    return site


def test_the_documents_have_their_pictures_where_the_package_is_installed(installed, tmp_path):
    program = f"""
import re
from pathlib import Path
from nnspca.docs.site import generator
assert generator.__file__.startswith({str(installed)!r})
generator._gather(pages := Path({str(tmp_path)!r}) / "nnspca" / "docs")
named = {{page: re.findall(r"!\\[.*?\\]\\((.+?)\\)", page.read_text()) for page in pages.rglob("*.md")}}
links = [page.parent / link for page in named for link in named[page]]
assert links and not [link for link in links if not link.is_file()]
"""
    python(program, folder=tmp_path, PYTHONPATH=str(installed), PYTHONWARNINGS="ignore")


@pytest.mark.heavy
def test_the_package_imports_outside_a_checkout_and_finds_its_canvas_its_style_and_its_data(installed, tmp_path):
    program = f"""
import nnspca
assert nnspca.__file__.startswith({str(installed)!r})
from nnspca.view.spannogram import circle
assert all((circle.BROWSER / name).is_file() for name in circle.SCRIPTS)
from nnspca.view.frame import server
assert server.STYLE.is_file()
assert all(nnspca.datasets.load(info.name).X.size for info in nnspca.datasets.available() if info.bundled)
assert all(nnspca.studies.stored(name).tables for name in nnspca.studies.STUDIES)
"""
    python(program, folder=tmp_path, PYTHONPATH=str(installed), PYTHONWARNINGS="ignore")


def test_every_file_beside_the_modules_is_named_as_package_data(installed):
    files = [path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc")]
    assert files and not [path for path in files if not (installed / path.relative_to(ROOT)).is_file()]


def test_what_is_installed_is_small_and_has_no_tests(installed):
    sizes = {path.relative_to(installed): path.stat().st_size for path in installed.rglob("*") if path.is_file()}
    assert sum(sizes.values()) < 40e6 and not [path for path in sizes if "tests" in path.parts]


@pytest.mark.heavy
def test_the_app_runs_from_a_checkout_that_is_not_installed():
    """README's first command installs what nnspca needs, not nnspca."""
    program = """
import importlib.metadata as metadata, pkgutil
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
    python(program, PYTHONPATH=str(ROOT), PYTHONWARNINGS="ignore")


@pytest.mark.heavy
def test_the_library_works_where_the_apps_packages_are_not_installed():
    said = python(
        """
import nnspca
for name in ("digits", "pitprops", "synthetic-spiked"):
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load(name))
    part = nnspca.solve(cov, k=5)
    cert = nnspca.certify(cov, k=5, component=part)
    nnspca.verify(cert, cov)
    print(name, part.cardinality, cert.lower == part.variance)
print(nnspca.NonnegativeSparsePCA(n_components=1, n_nonzero=3).fit([[0, 1.0], [2, 3], [1, 5]]).n_nonzero_)
""",
        without=("streamlit", "plotly", "PIL", "pandas", "skimage"),
    ).splitlines()
    assert said[:3] == ["digits 5 True", "pitprops 5 True", "synthetic-spiked 5 True"]
    assert said[3:] == ["2"]


def test_what_needs_a_package_that_is_not_installed_says_what_to_install():
    said = python(
        """
import io, zipfile, nnspca
packed = io.BytesIO()
with zipfile.ZipFile(packed, "w") as archive:
    archive.writestr("a.pgm", b"P5 1 1 255 x")
for what in (lambda: nnspca.datasets.read(packed.getvalue(), "a.zip"), lambda: nnspca.datasets.load("lfw-faces")):
    try:
        what()
    except nnspca.DataError as error:
        print(error)
""",
        without=("PIL", "skimage"),
    ).splitlines()
    assert "pip install pillow" in said[0] and "pip install 'nnspca[faces]'" in said[1]


def test_importing_the_library_leaves_what_is_slow_to_load_for_later():
    """It takes half a second, three fifths of it NumPy's and SciPy's; any of these would add a fifth or more."""
    slow = {"sklearn", "skimage", "pandas", "PIL", "streamlit", "plotly", "matplotlib", "polars"}
    slow |= {"scipy.optimize", "scipy.special", "scipy.stats"}
    most = "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024"
    script = f"import resource; before = {most}; import nnspca; print({most} - before); import nnspca.datasets.reading"
    script += f"; nnspca.datasets.load('digits'); print({slow!r} & set(sys.modules))"
    megabytes, loaded, all_loaded = python(f"{script}; nnspca.studies; print('scipy.stats' in sys.modules)").split()
    assert int(megabytes) <= 75 and (loaded, all_loaded) == ("set()", "False")


def test_the_apps_requirements_are_the_librarys_and_the_extras():
    """requirements.txt stands alone, as hosts of Streamlit apps read it; it may not drift from pyproject.toml."""
    listed = (ROOT / "requirements.txt").read_text(encoding="utf-8").split()
    assert listed == [*PROJECT["dependencies"], *EXTRAS["app"]]


@pytest.mark.parametrize("package", ["streamlit", "plotly"])
def test_the_apps_packages_are_capped_at_the_version_that_was_tested(package):
    (line,) = (line for line in EXTRAS["app"] if line.startswith(package))
    assert ",<" in line
    assert not any(line.startswith(package) for line in PROJECT["dependencies"])


def test_no_version_with_a_known_hole_is_admitted():
    listed = [*PROJECT["dependencies"], *(line for extra in EXTRAS.values() for line in extra)]
    floors = {}
    for requirement in map(Requirement, listed):
        lowest = [Version(one.version) for one in requirement.specifier if one.operator == ">="]
        if requirement.name != "nnspca":
            assert len(lowest) == 1, f"{requirement} has no floor"
            floors[requirement.name] = lowest[0]
    assert floors.keys() >= FIRST_GOOD.keys()
    for name, (good, holes) in FIRST_GOOD.items():
        assert floors[name] >= Version(good), f"{name} {floors[name]} has {holes}; {good} has not"
