"""Words of public and module names that stand neither in the glossary and the mathematics nor in the field's libraries.

Run ``python -m tests.benchmarks.names``.
"""

import ast
import importlib
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENTS = ("glossary.md", "mathematics/*.md", "reference/*.toml", "guide/solvers.md")
FIELD = ("numpy", "numpy.linalg", "scipy.sparse", "scipy.stats", "sklearn.decomposition", "pandas", "streamlit")
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def words(name: str) -> set[str]:
    """Return the words of a name, plurals as singulars."""
    return {re.sub("(?<![aos])s$", "", re.sub("ies$", "y", word.lower())) for word in WORD.findall(name)}


def main() -> None:
    """Print each unknown word with the names that have it, those of most names first."""
    documents = (file for pattern in DOCUMENTS for file in (ROOT / "nnspca" / "docs").glob(pattern))
    known = words(" ".join(file.read_text(encoding="utf-8") for file in documents))
    for library in FIELD:
        module = importlib.import_module(library)
        known |= words(" ".join([*dir(module), *(name for kind in list(vars(module).values()) for name in dir(kind))]))
    used: dict[str, set[str]] = defaultdict(set)
    for file in [*(ROOT / "nnspca").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        statements = ast.parse(file.read_text(encoding="utf-8")).body
        defined = (node.name for node in statements if isinstance(node, ast.FunctionDef | ast.ClassDef))
        for name in (file.stem, *(name for name in defined if not name.startswith("_"))):
            for word in words(name) - known:
                used[word].add(f"{file.relative_to(ROOT)}:{name}")
    for word, names in sorted(used.items(), key=lambda each: (-len(each[1]), each[0])):
        print(f"{word:16} {', '.join(sorted(names)[:4])}{' …' * (len(names) > 4)}")


if __name__ == "__main__":
    main()
