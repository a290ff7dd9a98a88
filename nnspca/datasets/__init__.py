"""Data sets: bundled, fetched once, or read from your own files."""

from nnspca.datasets.bundled import spiked
from nnspca.datasets.dataset import Axis, Dataset, DatasetInfo
from nnspca.datasets.fetch import DownloadStopped
from nnspca.datasets.loading import available, load
from nnspca.datasets.readers import read

__all__ = ["Axis", "Dataset", "DatasetInfo", "DownloadStopped", "available", "load", "read", "spiked"]
