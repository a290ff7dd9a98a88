import dataclasses

import numpy as np
import pytest
import scipy.sparse

from nnspca.datasets import Axis, Dataset


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
        dataset(X=np.arange(6.0).reshape(2, 3), feature_names=("a", "b", "c"), labels=np.array([0, 1])),
        dataset(feature_names=("u", "v")),
        dataset(labels=np.array([0, 1, 1])),
        dataset(labels=None),
        dataset(label_names=("a", "c")),
    ]
    assert len({ds.content_hash for ds in [dataset(), *changed]}) == 7
    square = {"X": np.eye(2), "labels": None}
    assert dataset(**square).content_hash != dataset(**square, kind="covariance").content_hash


def test_a_covariance_does_not_know_its_number_of_samples():
    assert dataset(X=np.eye(2), labels=None, kind="covariance").n_samples is None
    assert dataset().n_samples == 3


@pytest.mark.parametrize(
    "changes, says",
    [
        ({"kind": "Covariance"}, "kind='Covariance' is not known; give one of .*'covariance'"),
        ({"X": np.arange(2.0), "labels": None}, r"X has shape \(2,\)"),
        ({"X": np.ones((0, 2)), "labels": None}, r"X has shape \(0, 2\)"),
        ({"X": np.array([[0, 1], [np.nan, 3], [4, np.inf]])}, "2 value.s. of X are not finite"),
        ({"X": scipy.sparse.csr_array([[0, 1], [np.nan, 3], [4, 5]])}, "1 value.s. of X are not finite"),
        (
            {"X": np.array([[0, 1], [2, np.inf], [4, 5]]), "feature_names": ("a", "b")},
            "finite, the first in column 'b'; remove",
        ),
        ({"X": scipy.sparse.csr_array([[1j, 1], [2, 3], [4, 5]])}, "complex128"),
        ({"kind": "covariance"}, "square"),
        ({"feature_names": ("one",)}, "feature_names stands for 1 features; X has 2"),
        ({"image_shape": (5, 5)}, "image_shape stands for 25 features; X has 2"),
        ({"axis": Axis([1.0], "wavelength")}, "axis stands for 1 features; X has 2"),
        ({"planted": np.ones((3, 1))}, "planted stands for 3 features; X has 2"),
        ({"labels": [0, 1]}, "labels stands for 2 samples; X has 3"),
        ({"labels": [0.2, 1.9, 0.5]}, "give one whole number for each sample"),
        ({"labels": ["a", "b", "a"]}, "give one whole number for each sample"),
        ({"labels": [0, 1, 2]}, "a label is 2; .* from 0 to 1"),
        ({"labels": [0, -2, 1]}, "a label is -2; .* from 0 to 1"),
    ],
)
def test_what_does_not_fit_together_is_no_dataset(changes, says):
    with pytest.raises(ValueError, match=says):
        dataset(**changes)


def test_labels_may_be_absent_and_written_as_floats():
    assert dataset(labels=[0.0, -1.0, 1.0]).labels.tolist() == [0, -1, 1]
