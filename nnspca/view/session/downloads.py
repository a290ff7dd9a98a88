"""What a person can take away from any page: tables, arrays, and the code that loads the data again."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping

import numpy as np

import nnspca
from nnspca.studies import StudyTable
from nnspca.studies.table import written
from nnspca.view.session.state import State
from nnspca.view.session.store import repaired, uploads


def table_csv(rows: Iterable[Mapping[str, object]]) -> bytes:
    """Return rows with the same keys as CSV."""
    rows = list(rows)
    out = io.StringIO()
    writer = csv.writer(out)
    if rows:
        writer.writerow(map(written, rows[0]))
        writer.writerows(map(written, row.values()) for row in rows)
    return out.getvalue().encode()


def study_csv(table: StudyTable) -> bytes:
    """Return a table of a study as CSV."""
    return table.to_csv().encode()


def arrays_npz(**arrays: np.ndarray) -> bytes:
    """Return named arrays as an NPZ file that opens with ``allow_pickle=False``."""
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)  # type: ignore[arg-type]  # the stubs take every name for an option
    return out.getvalue()


def load_line(name: str) -> str:
    """Return the Python that loads a data set, as ``data``."""
    if name in {info.name for info in nnspca.datasets.available()}:
        return f"data = nnspca.datasets.load({name!r})"
    file = uploads()[name].source if name in uploads() else name
    return f"data = nnspca.datasets.read({file!r})  # the path of your file"


def data_lines(now: State) -> list[str]:
    """Return the lines that load the data set and prepare its covariance, as ``data`` and ``cov``."""
    mended = now.data in uploads() and repaired(uploads()[now.data])
    repair = ", repair=True" if mended else ""
    return [
        "import nnspca",
        "",
        load_line(now.data),
        f"cov = nnspca.Covariance.from_dataset(data, standardize={now.standardise}{repair})",
    ]
