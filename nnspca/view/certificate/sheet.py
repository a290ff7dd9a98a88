"""One printed page about a result: the data, the method, the numbers, the certificate, the picture, the code."""

from __future__ import annotations

import html
import platform
import re
from collections.abc import Sequence
from pathlib import Path
from string import Template

import numpy as np

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import sanitize
from nnspca.view.link.state import State
from nnspca.view.sources import catalogue, store
from nnspca.view.ui import component

PAGE = Path(__file__).with_name("sheet.html")


def sheet(
    what: str,
    verdict: str,
    layers: Sequence[component.Layer],
    data: Dataset,
    now: State,
    method: str,
    numbers: Sequence[Sequence[str]],
    certificate: str,
    code: str,
) -> str:
    """Return a web page that needs nothing else and prints on one sheet.

    What stands between ** in ``verdict`` and ``certificate`` is bold. The ``layers`` are drawn over the mean sample
    where the data's terms let it be passed on, else over plain grey.
    """
    info = catalogue.infos().get(data.name)
    free = info is not None and (info.bundled or data.name in catalogue.uploaded())
    versions = f"nnspca {nnspca.__version__}, numpy {np.__version__}, Python {platform.python_version()}"
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=html.escape(f"{what}: {sanitize.line(data.title or data.name)}"),
        verdict=_bold(verdict),
        picture=component.page(layers, data, store.mean(data) if free else None),
        data=html.escape(_about(data, now)),
        method=html.escape(f"{method} Made with {versions}."),
        numbers="".join(
            "<tr>"
            + "".join(
                f"<td><b>{html.escape(cell)}</b></td>" if at else f"<td>{html.escape(cell)}</td>"
                for at, cell in enumerate(row)
            )
            + "</tr>"
            for row in numbers
        ),
        certificate=_bold(certificate),
        code=html.escape(code),
    )


def _bold(words: str) -> str:
    """Return words as HTML; what stands between ** is bold."""
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(words))


def _about(data: Dataset, now: State) -> str:
    """Say which data, how they were prepared, and whom to thank."""
    rows, columns = data.shape
    scaled = ", each feature divided by its standard deviation" if now.standardise else ""
    text = f"{data.title or data.name}: {rows:,} × {columns:,}{scaled}. {data.citation} Terms: {data.terms}"
    return sanitize.line(f"{text.strip()} Content: {data.content_hash[:16]}.")
