"""What is certified where, and at what cost: writes the table of ``nnspca/docs/guide/benchmarks.md``.

Run ``python -m tests.benchmarks.certificates``: every data set at hand, at a few k, nonnegative and of any sign.
"""

import time
from pathlib import Path

import nnspca
from nnspca.datasets import available
from nnspca.studies import PRINTED
from nnspca.view.say import at_most
from tests.benchmarks.data import covariance

TABLE_KS = (5, 10, 20, 50)
STUDIED = {"asteris2014-fig4": "cbcl-faces", "asteris2014-fig5": "leukemia", "asteris2014-fig6": "lrs"}
PAGE = Path(__file__).parents[2] / "nnspca" / "docs" / "guide" / "benchmarks.md"
BEGIN, END = "<!-- certificates: begin -->", "<!-- certificates: end -->"


def main() -> None:
    """Write the table of the documents, a row for each data set at hand and each k."""
    lines = [
        "| data | n | k | gap, x ≥ 0 | CPU s | gap, any sign | CPU s | the paper's gap, x ≥ 0 |",
        "|---|--:|--:|--:|--:|--:|--:|--:|",
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
            lines.append(f"| {info.name} | {cov.n_features:,} | {k} | {' | '.join(cells)} | {said} |")
            print(lines[-1], flush=True)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text("\n".join([before + BEGIN, "", *lines, "", END + after]), encoding="utf-8")


def measured(cov: nnspca.Covariance, k: int, nonnegative: bool) -> tuple[str, str]:
    """Return the proven gap and the processor's seconds that component and proof took, both rounded up."""
    started = time.process_time()
    cert = nnspca.certify(cov, k, nonnegative=nonnegative)
    spent = time.process_time() - started
    return f"{at_most(100 * cert.gap, 2)} %", at_most(spent, 1)


if __name__ == "__main__":
    main()
