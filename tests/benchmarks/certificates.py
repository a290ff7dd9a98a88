"""What is certified where, and at what cost: writes the table of ``nnspca/docs/guide/benchmarks.md``.

Run ``python -m tests.benchmarks.certificates``: every data set at hand, at a few k, nonnegative and of any sign. With
``--stored`` only the gaps of the stored ledger are written, there and in README, without a measurement.
"""

import sys
import time
from pathlib import Path

import nnspca
from nnspca.datasets import available
from nnspca.result.rounded import OPTIMAL, fixed, gap
from nnspca.studies import PRINTED
from nnspca.view import ledger
from tests import shelf
from tests.benchmarks.data import covariance

TABLE_KS = (5, 10, 20, 50)
STUDIED = {"asteris2014-fig4": "cbcl-faces", "asteris2014-fig5": "leukemia", "asteris2014-fig6": "lrs"}
PAGE = Path(__file__).parents[2] / "nnspca" / "docs" / "guide" / "benchmarks.md"
README = Path(__file__).parents[2] / "README.md"
STORED = "gap stored, x ≥ 0"  # heading of the column that comes from the ledger
IN_README = {  # data set and whether it is standardised, by what README calls it
    "CBCL faces": ("cbcl-faces", False),
    "LRS spectra": ("lrs", False),
    "Leukemia genes": ("leukemia", False),
    "LFW faces, standardised": ("lfw-faces", True),
    "pit props": ("pitprops", False),
}
BEGIN, END = "<!-- certificates: begin -->", "<!-- certificates: end -->"


def main() -> None:
    """Write the table of the documents, a row for each data set at hand and each k."""
    lines = [
        f"| data | n | k | {STORED} | gap live, x ≥ 0 | CPU s | gap live, any sign | CPU s | the paper's gap, x ≥ 0 |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for info in available():
        cov = covariance(info.name)
        if cov is None:
            continue
        printed = {p.k: p for p in PRINTED if STUDIED.get(p.study) == info.name and p.k is not None}
        for k in sorted({*TABLE_KS, *printed}):
            if k > cov.n_features:
                continue
            cells = [cell for nonnegative in (True, False) for cell in measured(cov, k, nonnegative)]
            said = f"{100 * (1 - printed[k].value):.3g} %" if k in printed else ""
            lines.append(f"| {info.name} | {cov.n_features:,} | {k} |  | {' | '.join(cells)} | {said} |")
            print(lines[-1], flush=True)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text("\n".join([before + BEGIN, "", *lines, "", END + after]), encoding="utf-8")


def with_stored(text: str) -> str:
    """Return a text with the stored gaps in the column ``STORED`` of its tables."""
    lines, column = text.splitlines(), None
    for i, line in enumerate(lines):
        cells = [cell.strip() for cell in line.split("|")]
        if STORED in cells:
            column = cells.index(STORED)
        elif not line.startswith("|"):
            column = None
        elif column is not None and not line.startswith("|--"):
            name, standardise = IN_README.get(cells[1], (cells[1], False))
            k = int(cells[3])
            record = shelf.records().get((name, standardise, True))
            if record is not None:
                known = ledger.shared().at(record.problem, k, 0.0)
                cells[column] = shown(known.lower, known.upper)
            lines[i] = " | ".join(cells).strip()
    return "\n".join(lines) + "\n"


def measured(cov: nnspca.Covariance, k: int, nonnegative: bool) -> tuple[str, str]:
    """Return the proven gap and the processor's seconds that component and proof took, both rounded up."""
    started = time.process_time()
    cert = nnspca.certify(cov, k, nonnegative=nonnegative)
    spent = time.process_time() - started
    return shown(cert.lower, cert.upper), fixed(spent, 1, up=True)


def shown(lower: float, upper: float) -> str:
    """Return a gap, rounded up."""
    return "< 0.01 %" if lower > (1 - OPTIMAL) * upper else gap(lower, upper)


if __name__ == "__main__":
    if "--stored" not in sys.argv:
        main()
    for file in (PAGE, README):
        file.write_text(with_stored(file.read_text(encoding="utf-8")), encoding="utf-8")
