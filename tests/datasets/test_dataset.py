import dataclasses

import numpy as np
import pytest

from nnspca.datasets import Dataset
from nnspca.errors import DataError


def dataset(**changes):
    given = dict(name="d", X=np.arange(6.0).reshape(3, 2), labels=np.array([0, 1, 0]), label_names=("a", "b"))
    return Dataset(**{**given, **changes})


def test_nobody_can_write_into_a_dataset():
    mine = np.arange(6.0).reshape(3, 2)
    ds = dataset(X=mine)
    mine[0, 0] = 99
    assert ds.X[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        ds.X[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        ds.labels[0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        ds.name = "other"


def test_a_read_only_array_is_shared_and_not_copied():
    X = np.arange(6.0).reshape(3, 2)
    X.setflags(write=False)
    assert np.shares_memory(dataset(X=X).X, X)


def test_data_are_float64_in_rows_whatever_was_given():
    ds = dataset(X=np.asfortranarray(np.arange(6, dtype=np.uint8).reshape(3, 2)))
    assert ds.X.dtype == np.float64
    assert ds.X.flags.c_contiguous


def test_features_have_names_when_none_are_given():
    assert dataset().feature_names == ("feature 1", "feature 2")
    assert dataset(image_shape=(1, 2)).feature_names == ("row 1, column 1", "row 1, column 2")


def test_the_hash_knows_numbers_names_and_labels_and_nothing_else():
    same = dataset(title="another title", source="elsewhere")
    assert dataset().content_hash == same.content_hash
    changed = [
        dataset(X=np.array([[0, 1], [2, 3], [4, np.nextafter(5, 6)]])),
        dataset(X=np.arange(6.0).reshape(2, 3)),
        dataset(feature_names=("u", "v")),
        dataset(labels=np.array([0, 1, 1])),
        dataset(labels=None),
        dataset(label_names=("a", "c")),
        dataset(kind="covariance"),
    ]
    assert len({ds.content_hash for ds in [dataset(), *changed]}) == 8


def test_a_covariance_does_not_know_its_number_of_samples():
    assert dataset(X=np.eye(2), labels=None, kind="covariance").n_samples is None
    assert dataset().n_samples == 3


@pytest.mark.parametrize(
    "X, says",
    [
        (np.ma.masked_array(np.eye(2), mask=np.eye(2)), "2 values are masked"),
        ([np.ma.masked_array([1.0, 2.0], mask=[True, False]), [3.0, 4.0]], "1 value is masked"),
        (np.eye(2) * 1j, "complex128"),
        ([["1", "2"], ["3", "5"]], "<U1"),
        (np.array([[2**53 + 1, 1], [2, 3]]), "9007199254740993"),
        ([[1, 2], [3]], "same length"),
        (None, "object"),
    ],
)
def test_what_is_no_table_of_numbers_is_no_dataset(X, says):
    with pytest.raises(DataError, match=says):
        dataset(X=X)
