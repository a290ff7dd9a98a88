"""Builds the site: gathers the pages into a folder, runs Sphinx, and checks every link."""

from __future__ import annotations

import gc
import io
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from nnspca.docs.site import figures, links, pages

HERE = Path(__file__).parent
MARK = ".nnspca-docs"  # in each folder that this command made
OBJECTS = 100_000  # made between two searches for garbage in cycles


def build(folder: Path) -> list[str]:
    """Build the site in a folder, which is replaced; return Sphinx's warnings and broken links."""
    folder = Path(folder).resolve()
    _empty_site_folder(folder)
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "nnspca" / "docs"
        pages.gather(source)
        warning_stream = io.StringIO()
        with patch_docutils(), docutils_namespace(), _few_garbage_searches(), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Sphinx's own extensions cause these
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            site = Sphinx(source, HERE, folder, Path(scratch) / "trees", "html", status=None, warning=warning_stream)
            site.build(force_all=True)
        warning_text = re.sub(r"\x1b\[[0-9;]*m", "", warning_stream.getvalue())  # without colours
        sphinx_warnings = [line.replace(f"{source}/", "") for line in warning_text.splitlines() if line.strip()]
    figures.write_script(folder / "_static")
    return sphinx_warnings + links.broken(folder)


def _empty_site_folder(folder: Path) -> None:
    """Empty the folder; ValueError where it holds anything but a site made before."""
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise ValueError(f"{folder} holds other files; name an empty folder or one this command made")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARK).touch()


@contextmanager
def _few_garbage_searches() -> Iterator[None]:
    """Search for garbage in cycles less often: each search looks at all of Sphinx's objects, and most of them stay."""
    before = gc.get_threshold()
    gc.set_threshold(OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
