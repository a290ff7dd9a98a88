"""What a reader says of a file it cannot read is for people: no addresses of objects, no empty brackets."""

import gzip
import re

import numpy as np
import pytest

from nnspca.datasets import MissingValues, read
from nnspca.errors import DataError
from tests.datasets.test_formats import h5ad, market, parquet, picture, workbook, zipped
from tests.datasets.test_readers import as_csv

TEXT = b"this is text, and nothing else\n" * 4


def noise(content: bytes) -> bytes:
    """The same file with its middle overwritten."""
    middle = len(content) // 2
    return content[: middle // 2] + bytes(range(256)) * (middle // 256 + 1) + content[-8:]


BROKEN = {
    f"text.{ending}": TEXT
    for ending in ("xlsx", "zip", "parquet", "h5ad", "mat", "npy", "npz", "mtx", "mtx.gz", "tar.gz", "arff")
} | {
    "cut.zip": zipped({f"{i}.png": picture(i) for i in range(4)})[:200],
    "none.mtx.gz": gzip.compress(market())[:-12],
    "noise.xlsx": noise(workbook([["a", "b"], [1, 2], [3, 5]])),
    "noise.parquet": noise(parquet({"a": [1.0, 2, 4], "b": [2.0, 1, 9]})),
    "noise.h5ad": noise(h5ad()),
    "pictures.zip": zipped({"a.png": TEXT, "b.png": picture(0)}),
    "halves.zip": zipped({f"{i}.png": picture(i)[:40] for i in range(3)}),
}


@pytest.mark.parametrize("name", BROKEN)
def test_what_is_wrong_with_a_file_is_said_without_addresses_and_empty_brackets(name):
    with pytest.raises(DataError) as caught:
        read(BROKEN[name], name)
    said = str(caught.value)
    assert not re.search(r"0x[0-9a-f]{4,}|<[^>]*object|\(\s*\)|\[\s*\]|: *[.)]", said), said
    assert said[-1] in ".?"


def test_where_no_value_is_there_no_choice_is_offered_that_could_not_help():
    for missing in ("refuse", "drop rows", "drop features", "mean"):
        with pytest.raises(DataError, match="none of its 2 × 3 values is a number") as caught:
            read(b"a,b,c\nNaN,NaN,NaN\n,,\n", "nans.csv", missing=missing)
        assert not isinstance(caught.value, MissingValues)


def test_a_symmetric_table_that_is_no_covariance_is_said_to_be_read_as_samples():
    A = np.eye(4) + 0.5
    A[0, 1] = A[1, 0] = 9
    made = read(as_csv(A), "A.csv")
    assert made.kind == "table"
    assert "no covariance: the number in row 1, column 2 is larger than its diagonal allows" in str(made.notes[-1])
    A[0, 1] = A[1, 0] = 0.5
    A[2, 2] = -1
    assert "row 3 of its diagonal is negative" in read(as_csv(A), "A.csv").notes[-1].says
    plain = read(as_csv(np.arange(16.0).reshape(4, 4) ** 2), "A.csv")
    assert not any("covariance" in str(note) for note in plain.notes)
