"""A data set that was brought has a card with a picture of its own."""

import io

import numpy as np
import pytest
import scipy.sparse
from PIL import Image

from nnspca.datasets import Dataset
from nnspca.view import collection
from nnspca.view.link import canvas
from nnspca.view.link.state import State

RNG = np.random.default_rng(0)
OWN = {
    "images": Dataset(name="images", X=RNG.random((5, 12)), image_shape=(3, 4), kind="images"),
    "table": Dataset(name="table", X=RNG.random((40, 3))),
    "wide": Dataset(name="wide", X=RNG.random((3, 500))),
    "constant column": Dataset(name="constant column", X=np.column_stack([np.ones(4), RNG.random(4)])),
    "sparse": Dataset(name="sparse", X=scipy.sparse.random_array((30, 40), density=0.1, format="csr", rng=RNG)),
    "matrix": Dataset(name="matrix", X=np.eye(5), kind="covariance"),
}


@pytest.mark.parametrize("name", OWN)
def test_every_kind_of_data_has_a_small_picture(name):
    content = collection.thumbnail(OWN[name])
    picture = Image.open(io.BytesIO(content))
    assert max(picture.size) <= 128 and len(content) < 10_000
    assert len(picture.getcolors(256)) > 1


def test_the_card_of_a_file_that_was_brought_has_a_picture(monkeypatch):
    shown = []
    monkeypatch.setattr(collection.catalogue, "uploaded", lambda: OWN)
    monkeypatch.setattr(canvas, "cards", lambda key, label, cards, here, choose: shown.extend(cards))
    collection.cards(State(data="table"))
    own = {card.name: card for card in shown if card.name in OWN}
    assert own.keys() == OWN.keys()
    assert all(card.picture for card in own.values())
    assert not any(card.foot for card in own.values()), "nothing is stored of it"
