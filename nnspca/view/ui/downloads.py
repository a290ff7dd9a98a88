"""Exports of any page: tables, arrays and JSON, and the code that loads the data again."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping

import numpy as np

import nnspca
from nnspca.datasets import Dataset, preparing
from nnspca.studies import StudyTable
from nnspca.studies.table import safe_cell
from nnspca.view.link.state import State
from nnspca.view.sources import catalogue, files, opened, store


def table_csv(rows: Iterable[Mapping[str, object]]) -> bytes:
    """Return rows with the same keys as CSV."""
    rows = list(rows)
    out = io.StringIO()
    writer = csv.writer(out)
    if rows:
        writer.writerow(map(safe_cell, rows[0]))
        writer.writerows(map(safe_cell, row.values()) for row in rows)
    return out.getvalue().encode()


def study_csv(table: StudyTable) -> bytes:
    """Return a table of a study as CSV."""
    return table.to_csv().encode()


def tables_json(*tables: StudyTable) -> bytes:
    """Return tables of a study as JSON: of each its name, title, note and rows, these by the names of the columns."""
    entries = [
        {
            "name": table.name,
            "title": table.title,
            "note": table.note,
            "stopped": table.stopped,
            "rows": [dict(zip(table.names, row, strict=True)) for row in table.rows],
        }
        for table in tables
    ]
    return json_of({"tables": entries})


def data_record(data: Dataset, now: State) -> dict[str, object]:
    """Return what a result as JSON says of the data: which, and how they were prepared."""
    return {
        "data": data.name,
        "content_hash": data.content_hash,
        "standardise": now.standardise,
        "prepared": list(steps_of(now.data, now)),
        "nonnegative": now.nonnegative,
        "seed": now.seed,
        "nnspca": nnspca.__version__,
    }


def json_of(result: Mapping[str, object]) -> bytes:
    """Return a result as JSON; JSON has neither infinities nor NaN: null stands for them."""
    return json.dumps(_plain(result), indent=1, allow_nan=False).encode()


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(held) for key, held in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(held) for held in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def arrays_npz(**arrays: np.ndarray) -> bytes:
    """Return named arrays as an NPZ file that opens with ``allow_pickle=False``."""
    out = io.BytesIO()
    np.savez_compressed(out, **arrays)  # type: ignore[arg-type]  # the stubs take every name for an option
    return out.getvalue()


def load_line(name: str, variable: str = "data") -> str:
    """Return the Python that loads a data set as ``variable``."""
    if name not in catalogue.uploaded() and name in opened.listed():
        return "\n".join(opened.listed()[name].code(variable))
    if name not in catalogue.uploaded() and name in {info.name for info in nnspca.datasets.available()}:
        return f"{variable} = nnspca.datasets.load({name!r})"
    if lines := files.code(name, variable):
        return "\n".join(lines)
    file = catalogue.uploaded()[name].source if name in catalogue.uploaded() else name
    return f"{variable} = nnspca.datasets.read({file!r})  # the path of your file"


def steps_of(name: str, now: State) -> tuple[str, ...]:
    """Return those of the steps asked for that a data set can go through."""
    if not now.prep or name not in catalogue.infos():
        return ()
    return tuple(step for step in preparing.possible(catalogue.dataset(name)) if step in now.prep)


def is_repaired(name: str) -> bool:
    """Return whether a data set is a matrix for which this session took the nearest covariance."""
    return name in catalogue.uploaded() and store.is_repaired(catalogue.uploaded()[name])


def ready_lines(name: str, now: State, variable: str = "data") -> list[str]:
    """Return the lines that load a data set as ``variable`` and do to it the steps asked for."""
    steps = (re.sub(r"\bdata\b", variable, preparing.STEPS[step].code) for step in steps_of(name, now))
    return [*load_line(name, variable).split("\n"), *steps]


def data_lines(now: State) -> list[str]:
    """Return the lines that load the data set and prepare its covariance, as ``data`` and ``cov``."""
    repair = ", repair=True" if is_repaired(now.data) else ""
    return [
        "import nnspca",
        "",
        *ready_lines(now.data, now),
        f"cov = nnspca.Covariance.from_dataset(data, standardize={now.standardise}{repair})",
    ]
