"""Data in strange hands: masked rows in any sequence, columns of any type, sparse arrays that contradict themselves."""

import collections
import warnings
from decimal import Decimal

import numpy as np
import pandas
import pyarrow
import scipy.sparse

import nnspca
from tests.fuzz import GotThrough
from tests.holders import Listed

DTYPES = (np.float64, np.float32, np.int64, np.int8, np.uint8, np.bool_)
FORMS = ("csr", "csc", "coo", "bsr", "dia", "dok", "lil")


class Told(Listed):
    """No array, and says it is one."""

    def __array__(self, dtype=None, copy=None):
        return np.ma.array(self.values) if isinstance(self.values, list) else self.values


OUTER = (list, tuple, collections.UserList, collections.deque, Told, lambda rows: Listed(list(rows)))
INNER = (lambda row: row, list, tuple, collections.UserList, collections.deque, Told)


def attempt(rng):
    """Hold random numbers in some way, and have both readers make the same of them, or refuse them alike."""
    given, expected = (held, table, sparse)[rng.integers(3)](rng)
    read = []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for reader in (as_it_is, fitted):
            try:
                read.append(reader(given).matrix)
            except ValueError as error:  # DataError is one, and so are scikit-learn's own
                read.append(None)
                if isinstance(error, UnicodeError):
                    raise GotThrough("a UnicodeError came out") from error
    if expected is None and all(matrix is None for matrix in read):
        return False
    if expected is None or any(matrix is None for matrix in read):
        raise GotThrough(f"{given!r:.300} was read as {read!r:.300}, where {expected!r:.300} was held")
    exact = np.cov(expected.T, bias=True).reshape(expected.shape[1], -1)
    for matrix in read:
        if not np.allclose(matrix, exact, rtol=1e-9, atol=1e-9 * np.abs(exact).max()):
            raise GotThrough(f"{given!r:.300} was read as {matrix!r:.300}, where {expected!r:.300} was held")
    return True


def as_it_is(given):
    """The covariance of what is given, in its own units."""
    return nnspca.Covariance.from_data(given, standardize=False)


def fitted(given):
    """The covariance that the estimator works with."""
    return nnspca.NonnegativeSparsePCA(1, 1, "thresholding", standardize=False).fit(given)._covariance


def numbers(rng, dtype=np.float64):
    """A few samples of a few features, which vary."""
    m, n = int(rng.integers(3, 7)), int(rng.integers(1, 5))
    values = rng.integers(0, 3, (m, n)) if rng.random() < 0.5 else 10 * rng.standard_normal((m, n))
    values[:2, 0] = 0, 1
    with np.errstate(invalid="ignore"):
        return np.abs(values).astype(dtype)


def held(rng):
    """Rows in a sequence, some of them or of their numbers masked."""
    values = np.ma.masked_array(numbers(rng), mask=False)
    masked = rng.random() < 0.5
    if masked:
        values[rng.integers(values.shape[0]), rng.integers(values.shape[1])] = np.ma.masked
    inner, outer = INNER[rng.integers(len(INNER))], OUTER[rng.integers(len(OUTER))]
    if outer is Told:
        return Told(values), None if masked else values.data
    return outer([inner(row) for row in values]), None if masked else values.data


def table(rng):
    """A data frame whose columns have any type; one may miss a value, or hold no numbers."""
    values = np.round(numbers(rng))
    arrow = pandas.ArrowDtype
    kinds = {
        "float64": None,
        "object": None,
        "Int64": None,
        "Float32": None,
        "category": None,
        "decimal": arrow(pyarrow.decimal128(20, 3)),
        "int": arrow(pyarrow.int32()),
        "double": arrow(pyarrow.float64()),
    }
    spoiled, columns = None, {}
    for j, column in enumerate(values.T):
        name = list(kinds)[rng.integers(len(kinds))]
        said = [Decimal(str(v)) if name == "decimal" else int(v) for v in column]
        if rng.random() < 0.15:
            said[int(rng.integers(len(said)))], spoiled = None, j
        columns[f"c{j}"] = pandas.Series(said, dtype=kinds[name] or name)
        if rng.random() < 0.1:
            strange = pandas.Series([str(v) for v in column])
            columns[f"c{j}"] = strange.astype(["object", "string", "category"][rng.integers(3)])
            spoiled = j
    return pandas.DataFrame(columns), None if spoiled is not None else values


def sparse(rng):
    """A sparse array of any form, one of the arrays behind it changed at random."""
    dtype = DTYPES[rng.integers(len(DTYPES))]
    dense = numbers(rng, dtype)
    made = scipy.sparse.csr_array(dense).asformat(FORMS[rng.integers(len(FORMS))])
    if rng.random() < 0.3:
        return made, dense.astype(float)
    made = made.copy()
    names = [
        name for name in ("indices", "indptr", "offsets", "data") if isinstance(getattr(made, name, None), np.ndarray)
    ]
    if made.format == "coo":
        axis = int(rng.integers(2))
        coords = list(made.coords)
        coords[axis] = spoiled(rng, coords[axis])
        made.coords = tuple(coords)
    elif made.format in ("csr", "csc", "bsr", "dia"):
        names = ("offsets", "data") if made.format == "dia" else ("indices", "indptr", "data")
        name = names[rng.integers(len(names))]
        setattr(made, name, spoiled(rng, getattr(made, name)))
    elif made.format == "lil":
        row = int(rng.integers(len(made.rows)))
        made.rows[row] = [*made.rows[row], int(rng.integers(-9, 99))][int(rng.random() < 0.3) :]
    else:
        made._dict[int(rng.integers(-9, 9)), int(rng.integers(-9, 9))] = dtype(1)
    return made, replayed(made)


def spoiled(rng, array):
    """One number changed, one taken off, or one more."""
    array = np.array(array)
    kind = rng.integers(3)
    if kind == 0 and array.size:
        array.reshape(-1)[rng.integers(array.size)] = int(rng.choice([0, 1, 2, 3, 100]))
        if array.dtype.kind == "i" and rng.random() < 0.5:
            array.reshape(-1)[rng.integers(array.size)] = int(rng.choice([-1, -5, 7, 127]))
        return array
    return array[:-1] if kind == 1 else np.concatenate([array, array[:1]])


def replayed(made):
    """What a sparse array holds, number by number in plain Python; None where it contradicts itself."""
    m, n = made.shape
    if made.format in ("csr", "csc", "bsr"):
        ends, at, values = made.indptr.tolist(), made.indices.tolist(), np.asarray(made.data)
        R, C = made.blocksize if made.format == "bsr" else (1, 1)
        major = (m // R) if made.format != "csc" else n
        minor = (n // C) if made.format != "csc" else m
        sound = len(ends) == major + 1 and ends[0] == 0 and ends == sorted(ends) and len(at) == len(values)
        if not sound or ends[-1] > len(at) or not all(0 <= i < minor for i in at[: ends[-1]]):
            return None
        blocks = [
            (i, at[p], np.asarray(values[p]).reshape(R, C)) for i in range(major) for p in range(*ends[i : i + 2])
        ]
        entries = [(i * R + a, j * C + b, block[a, b]) for i, j, block in blocks for a in range(R) for b in range(C)]
        entries = [(j, i, v) for i, j, v in entries] if made.format == "csc" else entries
    elif made.format == "coo":
        rows, columns = (c.tolist() for c in made.coords)
        if not len(rows) == len(columns) == len(made.data):
            return None
        entries = list(zip(rows, columns, made.data, strict=True))
    elif made.format == "dia":
        offsets = made.offsets.tolist()
        if len(offsets) != len(made.data) or len(set(offsets)) < len(offsets):
            return None
        entries = [
            (j - offset, j, values[j])
            for offset, values in zip(offsets, made.data, strict=True)
            for j in range(min(n, len(values)))
            if 0 <= j - offset < m
        ]
    elif made.format == "lil":
        if [len(row) for row in made.rows] != [len(row) for row in made.data]:
            return None
        entries = [(i, j, v) for i, row in enumerate(made.rows) for j, v in zip(row, made.data[i], strict=True)]
    else:
        entries = [(i, j, v) for (i, j), v in made._dict.items()]
    if not all(0 <= i < m and 0 <= j < n for i, j, _ in entries):
        return None
    dense = np.zeros((m, n))
    for i, j, value in entries:
        dense[i, j] = max(dense[i, j], float(value)) if made.dtype == bool else dense[i, j] + float(value)
    return dense if (dense != dense[0]).any() else None
