"""What lies on a visitor's reading desk: a file, how it is read, and what was understood of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

import nnspca
from nnspca.datasets import Dataset, FilePreview, Inspection

LINES = 200  # columns that are shown at once
UNSEEN = Inspection((0, 0), ())  # of a file that cannot be used
NamedFile = tuple[str, bytes]  # its name and content


@dataclass(frozen=True)
class DeskReading(nnspca.datasets.Reading):
    """How a file is read, and what stands for a matrix that is no covariance."""

    repair: bool = False  # the nearest covariance

    @property
    def text(self) -> str:
        """What is not as usual, as a link carries it.

        >>> given = DeskReading(header=1).text
        >>> given, DeskReading.of_text(given).header, DeskReading.of_text("no") == DeskReading()
        ('{"header":1}', 1, True)
        """
        given = self.arguments | ({"repair": True} if self.repair else {})
        return json.dumps(given, separators=(",", ":")) if given else ""

    @classmethod
    def of_text(cls, text: str) -> DeskReading:
        """Return what a link says; the usual where it is of no use."""
        try:
            return cls(**json.loads(text))
        except (ValueError, TypeError, RecursionError):
            return cls()


@dataclass(eq=False)
class Desk:
    """A visitor's files that are one data set, from the moment they are brought."""

    files: tuple[NamedFile, ...]
    called: str | None = None  # the name of the data set, where that of its file is taken
    path: Path | None = None  # of a file or folder of the server's owner, in place of files
    reading: DeskReading = DeskReading()  # as it is wanted

    tried: DeskReading | None = None  # as it was last tried
    seen: FilePreview = field(default_factory=FilePreview)  # what was understood then
    problem: str = ""  # why no page could use it

    read: DeskReading | None = None  # as the data below were read
    data: Dataset | None = None
    inspected: Inspection = UNSEEN
    left_out: tuple[str, ...] = ()  # features that were left out after reading
    opened: int = 0  # features of the data when they were opened on every page

    @property
    def first(self) -> str:
        """The name of its file, or of the first of them."""
        return self.path.name if self.path is not None else self.files[0][0] if self.files else ""

    @property
    def title(self) -> str:
        """What it is called before it is read."""
        return self.first + (f" and {len(self.files) - 1:,} more" if len(self.files) > 1 else "")

    @property
    def size(self) -> int:
        """Bytes of its files."""
        return sum(len(content) for _, content in self.files)

    @property
    def standardise(self) -> bool:
        """Whether the columns seem to have different units."""
        return self.inspected.standardise or self.inspected.note("scales") is not None

    def clear(self) -> None:
        """Let go of all that it holds."""
        self.files, self.path, self.data, self.seen = (), None, None, FilePreview()

    def code(self, variable: str) -> list[str]:
        """Return the Python that reads the files again as ``variable``."""
        paths = [name for name, _ in self.files] if self.path is None else [self.path.name]
        source = repr(paths[0]) if len(paths) == 1 else repr(paths) if len(paths) < 6 else "'the folder of your files'"
        given = (self.read or self.reading).arguments | ({"name": self.called} if self.called else {})
        arguments = ", ".join([source, *(f"{key}={value!r}" for key, value in given.items())])
        lines = [f"{variable} = nnspca.datasets.read({arguments})  # the path of your file"]
        if self.left_out:
            lines.append(f"{variable} = nnspca.datasets.leave_out({variable}, {list(self.left_out)!r})")
        return lines
