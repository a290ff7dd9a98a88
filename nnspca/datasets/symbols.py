"""Gene symbols for the probes of the chip HG-U95Av2: a Bioconductor table, fetched once and verified.

The file is R's own: one data frame of three columns of text (probe, symbol, chip), for 37 chips.
Its licence, the Artistic License 2.0, is stated both by the collection (the R package idmap1 of J.
Zeng) and by what was collected (Bioconductor's hgu95av2.db). It is fetched and never shipped, as
the expression levels are.
"""

from __future__ import annotations

import bz2
from dataclasses import replace

from nnspca.control.arguments import check_callables
from nnspca.datasets import fetch
from nnspca.datasets.dataset import Content
from nnspca.errors import DataError

FILE = fetch.RemoteFile(
    "p2s_df.rda",
    "jmzeng1314/idmap1/2becd51a19fc9074021d92caa99d12a2daa75fdf/data/p2s_df.rda",
    "1c377f054a5fbb31ea3f855ae8c9128fc15c8393b72c1e47df6f864f3580abbd",
    3_979_754,
)
CHIP = "GPL8300"  # what NCBI's GEO calls the HG-U95Av2
TERMS = (
    "Gene symbols: Bioconductor's hgu95av2.db as collected in idmap1 (J. Zeng, 2020), Artistic License 2.0; "
    "today's may differ."
)
_TEXT = b"\x00\x04\x00\x09"  # before each text, whose length in four bytes follows
_HEAD = b"RDX2\nX\n"


def gene_symbols(
    *, on_progress: fetch.OnProgress | None = None, should_stop: fetch.ShouldStop | None = None
) -> dict[str, str]:
    """Return gene symbols for the probes of Affymetrix's chip HG-U95Av2; the table is fetched once.

    The data set ``leukemia`` has them beside its probes as soon as the table is on this machine;
    for others there is :func:`rename`. It is looked for, and kept, as the files of :func:`load` are.

    Parameters
    ----------
    on_progress : callable, optional
        Called as ``on_progress(done, total)`` in bytes while downloading; ``total`` may be None.
    should_stop : callable, optional
        Asked about every 50 ms while downloading; a true answer ends the call with
        :class:`DownloadStopped`.

    Returns
    -------
    dict
        About 11,000 symbols; a few percent of the probes have none.

    Raises
    ------
    nnspca.DataError
        When the table cannot be had; the message says what happened and how to supply the file by
        hand.

    Examples
    --------
    >>> import nnspca
    >>> symbols = nnspca.datasets.gene_symbols()    # doctest: +SKIP
    >>> symbols["41096_at"]                         # doctest: +SKIP
    'S100A8'
    """
    check_callables(on_progress=on_progress, should_stop=should_stop)
    return parse(fetch.obtain(FILE, on_progress, should_stop)[0])


def parse(data: bytes, chip: str = CHIP) -> dict[str, str]:
    """Read the table in R's format; the file was verified, so no other form is handled."""
    try:
        saved = bz2.decompress(data)
    except (OSError, ValueError) as error:
        raise DataError("the table of gene symbols is damaged: remove that copy.") from error
    head, called, *texts = [*saved.split(_TEXT), b""]
    rows = int.from_bytes(called[-4:], "big")  # the frame's name is the first text; before the second, their number
    if not head.startswith(_HEAD) or not 0 < 3 * rows < len(texts):
        raise DataError("the table of gene symbols is none that R saved: remove that copy.")
    probes, symbols, chips = (map(_text, texts[j * rows : (j + 1) * rows]) for j in range(3))
    return {probe: symbol for probe, symbol, of in zip(probes, symbols, chips, strict=True) if of == chip}


def _text(content: bytes) -> str:
    return content[4 : 4 + int.from_bytes(content[:4], "big")].decode()


def with_symbols(content: Content) -> Content:
    """Return the content with the symbol before each probe that has one, ``MYC (37724_at)``, if the table is here."""
    try:
        table = fetch.local(FILE)
        symbols = {} if table is None else parse(table)
    except DataError:  # the probes' own names do
        return content
    names = tuple(f"{symbols[name]} ({name})" if name in symbols else name for name in content.feature_names)
    return replace(content, feature_names=names)
