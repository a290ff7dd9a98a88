"""A plugin of pytest that reads one module of the library with another text in one place: ``-p tests.mutated``.

MUTANT is the module's file, the text as it is, and the text in its place, as JSON.
"""

import importlib.abc
import importlib.machinery
import json
import os
import sys
from pathlib import Path
from types import CodeType

ROOT = Path(__file__).resolve().parents[1]
MUTANT = "NNSPCA_MUTANT"


class Mutated(importlib.machinery.SourceFileLoader):
    """Compile the source with the text changed, whatever was compiled before."""

    def get_code(self, fullname: str) -> CodeType:
        _, old, new = json.loads(os.environ[MUTANT])
        source = Path(self.path).read_text(encoding="utf-8")
        assert source.count(old) == 1, f"{old!r} occurs {source.count(old)} times in {self.path}"
        return compile(source.replace(old, new), self.path, "exec", dont_inherit=True)


class Finder(importlib.abc.MetaPathFinder):
    """Find the one module that is changed."""

    def find_spec(self, fullname, path=None, target=None):
        file = json.loads(os.environ[MUTANT])[0]
        if fullname != file.removesuffix(".py").replace("/", "."):
            return None
        place = str(ROOT / file)
        return importlib.machinery.ModuleSpec(fullname, Mutated(fullname, place), origin=place)


if MUTANT in os.environ:
    sys.meta_path.insert(0, Finder())
