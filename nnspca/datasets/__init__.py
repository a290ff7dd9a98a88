"""Data sets: bundled, fetched once, or read from your own files."""

from nnspca.datasets.bundled import spiked
from nnspca.datasets.dataset import Axis, Dataset, DatasetInfo
from nnspca.datasets.fetch import DownloadStopped
from nnspca.datasets.inspecting import Inspection, inspect, leave_out
from nnspca.datasets.lazily import LazyData, open_lazily
from nnspca.datasets.loading import available, load
from nnspca.datasets.missing import MissingValues
from nnspca.datasets.naming import read_names, rename
from nnspca.datasets.preparing import center, crop, log1p, normalize_images, project_out, standardize
from nnspca.datasets.readers import read
from nnspca.datasets.symbols import gene_symbols
from nnspca.errors import ReadingStopped

__all__ = [
    "Axis",
    "Dataset",
    "DatasetInfo",
    "DownloadStopped",
    "Inspection",
    "LazyData",
    "MissingValues",
    "ReadingStopped",
    "available",
    "center",
    "crop",
    "gene_symbols",
    "inspect",
    "leave_out",
    "load",
    "log1p",
    "normalize_images",
    "open_lazily",
    "project_out",
    "read",
    "read_names",
    "rename",
    "spiked",
    "standardize",
]
