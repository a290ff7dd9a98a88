"""The covariances the benchmarks run on: every data set that can be loaded here without a network."""

import nnspca
from nnspca.datasets import available


def covariance(name: str, standardize: bool = False) -> nnspca.Covariance | None:
    """Return the covariance of a data set, or None (said aloud) where its file is not at hand."""
    info = next(i for i in available() if i.name == name)
    if not info.local:
        print(f"{name}: not at hand (set NNSPCA_DATA to the folder with its file)")
        return None
    return nnspca.Covariance.from_dataset(nnspca.datasets.load(name), standardize)
