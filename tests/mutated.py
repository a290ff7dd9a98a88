"""One module of the library with another text in one place, and the tests run there, in a process of their own."""

import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
import warnings
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).resolve().parents[1]
# What the tests import beside the library takes longer than the library and the tests: it is imported once for all.
BEFORE = ("hypothesis.extra.numpy", "pandas", "pytest", "scipy.optimize", "scipy.sparse.csgraph", "scipy.stats")


class Mutated(importlib.machinery.SourceFileLoader):
    """Compile the source with the text changed, whatever was compiled before."""

    def __init__(self, fullname: str, path: str, old: str, new: str):
        super().__init__(fullname, path)
        self._old, self._new = old, new

    def get_code(self, fullname: str) -> CodeType:
        source = Path(self.path).read_text(encoding="utf-8")
        assert source.count(self._old) == 1, f"{self._old!r} occurs {source.count(self._old)} times in {self.path}"
        return compile(source.replace(self._old, self._new), self.path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Find the one module that is changed."""

    def __init__(self, file: str, old: str, new: str):
        self._file, self._change = file, (old, new)

    def find_spec(self, fullname, path=None, target=None):
        if fullname != self._file.removesuffix(".py").replace("/", "."):
            return None
        place = str(ROOT / self._file)
        loader = Mutated(fullname, place, *self._change)
        return importlib.util.spec_from_file_location(fullname, place, loader=loader)


def run(change: tuple[str, str, str], words: list[str], said: Path) -> None:
    """End this process as pytest ends with these words where a file's text is another; keep what it says."""
    assert not any(name.partition(".")[0] == "nnspca" for name in sys.modules), "the library was imported before"
    sys.meta_path.insert(0, Finder(*change))
    with said.open("wb") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    os.chdir(ROOT)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    warnings.simplefilter("ignore")
    import pytest

    sys.exit(pytest.main(words))
