"""The measured numbers of the documents: ``measured.json`` beside this file holds them, the pages' tables show them.

``python -m tests.benchmarks.measured`` writes them into the tables between ``<!-- measured: begin -->`` and its end;
with ``checker`` it first measures how long the stand-alone checkers take. ``tests.benchmarks.live --save`` and
``tests.benchmarks.any_size --save`` keep the others.
"""

import json
import math
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

import nnspca
from nnspca import check, check_more
from nnspca.result.rounded import fixed

FILE = Path(__file__).with_name("measured.json")
DOCS = Path(nnspca.__file__).parent / "docs"
PAGES = (DOCS / "guide" / "gap.md", DOCS / "guide" / "benchmarks.md")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
CHECKERS = (Path(check.__file__), Path(check_more.__file__))
CHECKED = (("pitprops", 5), ("lfw-faces", 40), ("cbcl-faces", 80), ("leukemia", 10))
Numbers = dict[str, list[float]]


def load(file: Path = FILE) -> Numbers:
    """Return what was measured: of a certificate its ratio and CPU seconds, of others what their benchmark says."""
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def save(numbers: Numbers, file: Path = FILE) -> None:
    """Put these numbers beside, or in the place of, those that a file holds."""
    held = json.dumps(load(file) | numbers, indent=0, ensure_ascii=False)
    file.write_text(held + "\n", encoding="utf-8")


def filled(text: str, numbers: Numbers) -> str:
    """Return a page with the numbers in its measured tables: what follows the case and its k or features."""
    lines, fill, cells = text.splitlines(), None, 0
    for i, line in enumerate(lines):
        if line in (BEGIN, END):
            fill = None
        elif line.startswith("|") and not line.startswith("|--"):
            words = [cell.strip() for cell in line.strip("| ").split("|")]
            if words[-1] in TABLES:
                cells, fill = TABLES[words[-1]]
            elif fill is not None:
                lines[i] = f"| {' | '.join([*words[:cells], *fill(words, numbers)])} |"
    return "\n".join(lines) + "\n"


def _shares(words: list[str], numbers: Numbers) -> Iterable[str]:
    name, ks, *_ = words
    found = [numbers[f"{name}, k = {k}"][0] for k in ks.split(", ")]
    return [", ".join(f"{math.floor(1e4 * ratio) / 100:.2f}" for ratio in found) + " %"]


def _growth(words: list[str], numbers: Numbers) -> Iterable[str]:
    ratio, solve, certify, memory = numbers[f"{words[0]}, {words[1]} features"]
    return fixed(solve, 1, up=True), fixed(certify, 1, up=True), f"{memory / 1000:.1f} GB", fixed(ratio, 4, down=True)


def _checker(words: list[str], numbers: Numbers) -> Iterable[str]:
    seconds, size, second = numbers[f"{words[0]}, k = {words[1]}, checked"]
    return fixed(seconds, 1, up=True), f"{max(size, 0.01):.2f} MB", f"`{CHECKERS[bool(second)].name}`"


# The last heading of a table, how many cells name a case, and what fills the others.
TABLES: dict[str, tuple[int, Callable[[list[str], Numbers], Iterable[str]]]] = {
    "proven share of the optimum": (2, _shares),
    "proven share": (2, _growth),
    "checker": (2, _checker),
}


def checker() -> Numbers:
    """Measure the CPU seconds of the first checker that can tell, the size of the file in MB, and which it is."""
    numbers: Numbers = {}
    with tempfile.TemporaryDirectory() as folder:
        file, table = Path(folder) / "certificate.npz", Path(folder) / "data.npy"
        for name, k in CHECKED:
            data = nnspca.datasets.load(name)
            cov = nnspca.Covariance.from_dataset(data)
            np.save(table, data.X)
            nnspca.save_certificate(nnspca.certify(cov, k), file, cov)
            size, spent, which = file.stat().st_size / 1e6, 0.0, -1
            while not spent:
                which += 1
                before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
                call = [sys.executable, str(CHECKERS[which]), str(file), str(table)]
                if subprocess.run(call, stdout=subprocess.DEVNULL, check=False).returncode == 0:
                    spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            told = numbers[f"{name}, k = {k}, checked"] = [round(spent, 2), round(size, 2), which]
            print(name, k, *told, flush=True)
    return numbers


if __name__ == "__main__":
    if "checker" in sys.argv:
        save(checker())
    for page in PAGES:
        page.write_text(filled(page.read_text(encoding="utf-8"), load()), encoding="utf-8")
