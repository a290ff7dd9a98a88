"""Data sets: bundled, fetched once, or read from your own files."""

from nnspca.control.fields import with_fields
from nnspca.datasets.catalogue import available, load
from nnspca.datasets.columns import Column
from nnspca.datasets.dataset import Axis, Dataset, DatasetInfo
from nnspca.datasets.inspecting import Inspection, inspect
from nnspca.datasets.lazily import LazyData, open_lazily
from nnspca.datasets.missing import MissingValues
from nnspca.datasets.notes import Choice, DataDoubt, Note
from nnspca.datasets.options import Reading
from nnspca.datasets.originals import gene_symbols, spiked
from nnspca.datasets.preparing import crop, hellinger, leave_out, log1p, normalize_images, project_out
from nnspca.datasets.reading import FilePreview, preview, read
from nnspca.errors import ReadingStopped

__all__ = [
    "Axis",
    "Choice",
    "Column",
    "DataDoubt",
    "Dataset",
    "DatasetInfo",
    "FilePreview",
    "Inspection",
    "LazyData",
    "MissingValues",
    "Note",
    "Reading",
    "ReadingStopped",
    "available",
    "crop",
    "gene_symbols",
    "hellinger",
    "inspect",
    "leave_out",
    "load",
    "log1p",
    "normalize_images",
    "open_lazily",
    "preview",
    "project_out",
    "read",
    "spiked",
]

with_fields(Axis, Choice, Column, Dataset, DatasetInfo, FilePreview, Inspection, LazyData, Note)
