import numpy as np
import pytest
import scipy.sparse

from nnspca import Covariance
from nnspca.datasets import Dataset, crop, load, log1p, normalize_images, preparing, project_out
from nnspca.errors import DataError


def made(X, **more):
    return Dataset(name="made", X=X, **more)


@pytest.mark.parametrize("shape", [(30, 6), (6, 30)])
def test_what_is_left_without_the_first_component_is_the_rest_of_the_spectrum(shape):
    data = made(np.random.default_rng(1).standard_normal(shape))
    before = Covariance.from_dataset(data).eigenpairs(4)[0]
    after = Covariance.from_dataset(project_out(data)).eigenpairs(3)[0]
    np.testing.assert_allclose(after, before[1:], atol=1e-10)


def test_images_of_lee_and_seung_lie_between_0_and_1_and_do_not_know_their_brightness():
    faces = load("lfw-faces")
    once = normalize_images(faces)
    assert once.X.min() >= 0 and once.X.max() <= 1
    brighter = Dataset(name="b", X=3 * faces.X + 7, image_shape=faces.image_shape, kind="faces")
    np.testing.assert_allclose(normalize_images(brighter).X, once.X, atol=1e-9)


def test_cropping_keeps_the_middle_with_its_names_and_says_so():
    digits = load("digits")
    small = crop(digits, 2)
    assert small.image_shape == (4, 4)
    np.testing.assert_array_equal(small.X.reshape(-1, 4, 4), digits.X.reshape(-1, 8, 8)[:, 2:-2, 2:-2])
    assert small.feature_names[0] == "row 3, column 3"
    assert small.source.endswith("cropped by a 2-pixel border")
    assert digits.shape == (1797, 64)


def test_what_cannot_be_done_is_refused_with_the_reason():
    sparse = made(scipy.sparse.eye_array(4, format="csr"))
    assert log1p(sparse).is_sparse
    for step, error, said in (
        (lambda: project_out(sparse), DataError, "write out 4 × 4 numbers of a sparse"),
        (lambda: log1p(made([[-3.0, 1], [2, 3]])), DataError, "the least here is -3"),
        (lambda: crop(sparse, 1), DataError, "no images"),
        (lambda: crop(load("digits"), 4), ValueError, "pixels=4"),
        (lambda: log1p(load("pitprops")), DataError, "is a covariance"),
    ):
        with pytest.raises(error, match=said):
            step()


@pytest.mark.parametrize("name", ["lfw-faces", "digits", "pitprops", "synthetic-spiked"])
def test_what_is_called_possible_can_be_done(name):
    data = load(name)
    for step in preparing.possible(data):
        assert np.isfinite(preparing.STEPS[step].do(data).X).all()
