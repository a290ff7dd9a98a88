"""Builds the site: lays the pages beside the files that they link to, and runs Sphinx, which finds dead links."""

from __future__ import annotations

import io
import re
import shutil
import tempfile
import warnings
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from nnspca.control.installed import beside_package
from nnspca.docs.site import conf

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1]
MARK = ".nnspca-docs"  # in each folder that this command made


def build(folder: Path) -> list[str]:
    """Build the site in a folder, which is replaced; return Sphinx's warnings, of dead links among others."""
    folder = Path(folder).resolve()
    _empty_site_folder(folder)
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch) / "nnspca" / "docs"
        _gather(source)
        told = io.StringIO()
        with patch_docutils(), docutils_namespace(), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Sphinx's own extensions cause these
            warnings.simplefilter("ignore", PendingDeprecationWarning)
            site = Sphinx(source, HERE, folder, Path(scratch) / "trees", "html", status=None, warning=told)
            site.build(force_all=True)
        text = re.sub(r"\x1b\[[0-9;]*m", "", told.getvalue())  # without colours
    return [line.replace(f"{source}/", "") for line in text.splitlines() if line.strip()]


def _gather(source: Path) -> None:
    """Lay the pages, and beside them the files that they link to; write the list of public names."""
    left = shutil.ignore_patterns("site", "__pycache__", "decisions.md", "tests.md", "explore.md")  # for maintainers
    shutil.copytree(PACKAGE / "docs", source, ignore=left)
    root = beside_package()
    for path in (*PACKAGE.iterdir(), *root.iterdir()):
        beside = source.parents[path.parent == root] / path.name
        if not beside.exists() and not path.name.startswith("."):
            beside.symlink_to(path)
    shutil.copy(PACKAGE / "certificates" / "CERTIFICATE.md", source / "guide" / "certificate-file.md")
    with (source / "reference" / "index.md").open("a", encoding="utf-8") as index:
        for group in conf.GROUPS:
            own = {name: source / "reference" / f"{name.lower()}.md" for name in group["names"]}
            written = [f"- [`nnspca.{name}`]({page.name})\n" for name, page in own.items() if page.exists()]
            made = [f"   nnspca.{name}\n" for name, page in own.items() if not page.exists()]
            index.write(f"\n## {group['title']}\n\n{group['text']}\n\n{''.join(written)}")
            if made:
                index.write(f"\n```{{eval-rst}}\n.. autosummary::\n   :toctree: .\n\n{''.join(made)}```\n")


def _empty_site_folder(folder: Path) -> None:
    """Empty the folder; ValueError where it holds anything but a site made before."""
    if folder.exists() and any(folder.iterdir()) and not (folder / MARK).exists():
        raise ValueError(f"{folder} holds other files; name an empty folder or one this command made")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / MARK).touch()
