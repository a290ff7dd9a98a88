"""Preprocessing steps: functions from a data set to another one, each with a note of what was done."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import scipy.sparse.linalg

from nnspca.control.arguments import check_instance, check_whole
from nnspca.datasets.dataset import Dataset, distinct
from nnspca.datasets.notes import decision
from nnspca.errors import DataError

CROP = "crop-"  # and how many pixels
DENSE_SIDE = 2000  # samples or features up to which all directions are computed to know the first
SHARE = 0.25  # mean and standard deviation of Lee and Seung's images


def log1p(dataset: Dataset) -> Dataset:
    """Return log(1 + x) of every number, as is usual for counts.

    Examples
    --------
    >>> log1p(Dataset(name="counts", X=[[0, 1], [3, 0]])).X.round(2)
    array([[0.  , 0.69],
           [1.39, 0.  ]])
    """
    _samples(dataset, "A logarithm")
    least = float(dataset.X.min())
    if least <= -1:
        raise DataError(f"log(1 + x) needs numbers above −1; the least here is {least:g}. Leave this step out.")
    return _with_values(
        dataset, dataset.X.log1p() if dataset.is_sparse else np.log1p(dataset.X), "log(1 + x) of every number"
    )


def hellinger(dataset: Dataset) -> Dataset:
    """Return the square root of each row's shares, as is usual for counts of species: large samples weigh no more.

    Examples
    --------
    >>> hellinger(Dataset(name="counts", X=[[1, 3], [0, 2]])).X.round(2)
    array([[0.5 , 0.87],
           [0.  , 1.  ]])
    """
    _samples(dataset, "A share of each row")
    sums = np.asarray(dataset.X.sum(axis=1)).reshape(-1, 1)
    if float(dataset.X.min()) < 0 or not sums.all():
        raise DataError("shares need numbers that are not negative, and no row of zeros. Leave this step out.")
    X = dataset.X.multiply(1.0 / sums).tocsr().sqrt() if dataset.is_sparse else np.sqrt(dataset.X / sums)
    return _with_values(dataset, X, "the square root of each row's shares (Hellinger)")


def project_out(dataset: Dataset) -> Dataset:
    """Return the data without their first principal component, which all features share.

    Useful where it is dull, as the brightness of faces or the size of a library of counts.

    Examples
    --------
    >>> project_out(Dataset(name="two", X=[[3, 1], [-3, 1], [0, 2], [0, 0]])).X
    array([[ 0.,  0.],
           [ 0.,  0.],
           [ 0.,  1.],
           [ 0., -1.]])
    """
    _samples(dataset, what := "Projecting out the first component")
    if dataset.is_sparse:
        m, n = dataset.shape
        raise DataError(f"{what} would write out {m:,} × {n:,} numbers of a sparse array; leave this step out.")
    Y = dataset.X - dataset.means
    v = _first(Y)
    return _with_values(dataset, Y - np.outer(Y @ v, v), "centred, and the first principal component projected out")


def normalize_images(dataset: Dataset) -> Dataset:
    """Return images of equal brightness and contrast, as in Lee and Seung (1999).

    Each image is scaled so that the mean and the standard deviation of its pixels are 0.25, then
    clipped to [0, 1]; an image of one grey becomes 0.25 everywhere.

    Examples
    --------
    >>> ds = Dataset(name="small", X=[[0, 2, 2, 4], [9, 9, 9, 9]], image_shape=(2, 2), kind="images")
    >>> normalize_images(ds).X.round(3)
    array([[0.   , 0.25 , 0.25 , 0.604],
           [0.25 , 0.25 , 0.25 , 0.25 ]])
    """
    _images(dataset)
    mean, spread = dataset.X.mean(axis=1, keepdims=True), dataset.X.std(axis=1, keepdims=True)
    scaled = SHARE + SHARE * (dataset.X - mean) / np.where(spread > 0, spread, 1.0)
    return _with_values(
        dataset, np.clip(scaled, 0.0, 1.0), "each image scaled to mean and deviation 0.25 and clipped to [0, 1]"
    )


def crop(dataset: Dataset, pixels: int) -> Dataset:
    """Return images without a border of so many pixels.

    Examples
    --------
    >>> ds = Dataset(name="small", X=np.arange(32).reshape(2, 16), image_shape=(4, 4), kind="images")
    >>> crop(ds, 1).X, crop(ds, 1).image_shape
    (array([[ 5.,  6.,  9., 10.],
           [21., 22., 25., 26.]]), (2, 2))
    """
    _images(dataset)
    assert dataset.image_shape is not None
    height, width = dataset.image_shape
    check_whole("pixels", pixels, 1, (min(height, width) - 1) // 2)
    retained = np.arange(height * width).reshape(height, width)[pixels:-pixels, pixels:-pixels]
    inner = dataset.of_features(retained.ravel(), image_shape=retained.shape)
    return _with_values(inner, inner.X, f"cropped by a {pixels}-pixel border")


def rename_features(dataset: Dataset, names: Mapping[str, str]) -> Dataset:
    """Return the data set with new names of its features by their old ones; DataError where none has one."""
    known = sum(name in names for name in dataset.feature_names)
    if not known:
        theirs, ours = next(iter(names), ""), dataset.feature_names[0]
        raise DataError(
            f"none of the {dataset.n_features:,} features has a new name: the file's first is {theirs!r:.60}, that of "
            f"the data {ours!r:.60}. The first column must hold the names as they are in the data."
        )
    every = distinct(str(names.get(name, name)) for name in dataset.feature_names)
    note = f"{known:,} of {dataset.n_features:,} features have the names given beside the data."
    return replace(dataset, feature_names=every, notes=(*dataset.notes, decision(note)))


def with_distinct_names(dataset: Dataset) -> Dataset:
    """Return the data set with distinct names of features, and a note if some were changed."""
    again = dataset.n_features - len(set(dataset.feature_names))
    if not again:
        return dataset
    note = f"Features with the name of one before have a number behind it: {again:,}."
    return replace(dataset, feature_names=distinct(dataset.feature_names), notes=(*dataset.notes, decision(note)))


def leave_out(data: Dataset, columns: Sequence[str | int]) -> Dataset:
    """Return a data set without some of its columns.

    Parameters
    ----------
    data : Dataset
        Of any kind.
    columns : sequence of str or int
        By name or by position, from 0 on.

    Returns
    -------
    Dataset
        Spectra keep their axis, a covariance loses rows and columns, and images that lose pixels become a table.

    Raises
    ------
    nnspca.DataError
        Where a column is not there, or none would be left.

    Examples
    --------
    >>> table = Dataset(name="people", X=[[1.0, 7.0], [2.0, 5.0]], feature_names=("id", "age"))
    >>> leave_out(table, ["id"]).feature_names
    ('age',)
    """
    places = {str(name): i for i, name in enumerate(data.feature_names)}
    gone = set()
    for column in columns:
        i = places.get(column, -1) if isinstance(column, str) else int(column)
        if not 0 <= i < data.n_features:
            known = ", ".join(list(places)[:5])
            raise DataError(f"there is no column {column!r:.60}; there are {data.n_features:,}: {known}, …")
        gone.add(i)
    retained, names = [i for i in range(data.n_features) if i not in gone], {data.feature_names[i] for i in gone}
    if not retained:
        raise DataError("at least one column has to be left")
    if not gone:
        return data
    rows = retained if data.kind == "covariance" else slice(None)
    return data.of_features(
        retained,
        X=data.X[rows][:, retained],
        kind="table" if data.image_shape is not None and data.kind != "covariance" else data.kind,
        table=data.table and tuple(replace(one, role="left out") if one.name in names else one for one in data.columns),
    )


@dataclass(frozen=True)
class Step:
    """One preprocessing step, as ``steps.toml`` has it."""

    name: str  # what a link and a menu say
    about: str  # a sentence on what it does and when to use it
    function: str
    needs: str
    arguments: Sequence[int] = ()

    @property
    def code(self) -> str:
        """The Python that does it to ``data``."""
        return f"data = nnspca.datasets.{self.function}({', '.join(['data', *map(str, self.arguments)])})"

    def do(self, dataset: Dataset) -> Dataset:
        """Return the data after it."""
        done: Dataset = globals()[self.function](dataset, *self.arguments)
        return done


#: The steps by name, in the order in which they are done.
STEPS = {
    name: Step(name, **said)
    for name, said in tomllib.loads(Path(__file__).with_name("steps.toml").read_text(encoding="utf-8")).items()
}


def possible(dataset: Dataset) -> tuple[str, ...]:
    """Return the names of the steps that apply to this data set."""
    if dataset.kind == "covariance":
        return ()
    small = min(dataset.image_shape) if dataset.image_shape is not None and not dataset.is_sparse else 0
    crops = {f"{CROP}{pixels}" for pixels in range(1, 5) if 2 * pixels < small}
    least, plain = float(dataset.X.min()), dataset.kind in ("table", "genes") and dataset.axis is None
    fits = {"images": small > 0, "dense": not dataset.is_sparse, "samples": least > -1}
    fits["shares"] = plain and least >= 0 and bool(np.asarray(dataset.X.sum(axis=1)).all())
    return tuple(n for n, s in STEPS.items() if fits[s.needs] and (n in crops or not n.startswith(CROP)))


def features(dataset: Dataset, steps: Sequence[str]) -> int:
    """Return the number of features after those of these steps that apply."""
    if dataset.image_shape is None:
        return dataset.n_features
    height, width = dataset.image_shape
    for step in possible(dataset):
        if step in steps and step.startswith(CROP):
            pixels = int(step.removeprefix(CROP))
            height, width = height - 2 * pixels, width - 2 * pixels
    return height * width if min(height, width) > 0 else dataset.n_features


def _first(Y: np.ndarray) -> np.ndarray:
    """The direction of largest variance, with a fixed sign."""
    m, n = Y.shape
    if min(m, n) <= DENSE_SIDE:
        v = np.linalg.eigh(Y.T @ Y)[1][:, -1] if n <= m else Y.T @ np.linalg.eigh(Y @ Y.T)[1][:, -1]
    else:
        v = scipy.sparse.linalg.svds(Y, k=1, v0=np.ones(min(m, n)))[2][0]
    length = np.linalg.norm(v)
    return v / (length if length > 0 else 1.0)


def _with_values(dataset: Dataset, X: object, action: str) -> Dataset:
    """The data set with other numbers, and a note on what was done."""
    note = f"{action[:1].upper()}{action[1:]}."
    source = f"{dataset.source}; {action}" if dataset.source else action
    return replace(dataset, X=X, planted=None, notes=(*dataset.notes, decision(note)), source=source)


def _samples(dataset: Dataset, what: str) -> None:
    check_instance("dataset", dataset, Dataset, "as nnspca.datasets.load or read returns it")
    if dataset.kind == "covariance":
        raise DataError(f"{what} needs samples; {dataset.name!r:.60} is a covariance. Leave this step out.")


def _images(dataset: Dataset) -> None:
    _samples(dataset, "Preparing images")
    if dataset.image_shape is None or dataset.is_sparse:
        raise DataError(f"{dataset.name!r:.60} holds no images. Leave this step out.")
