"""Cards of the data sets: the picture of the component they open with, and the proven share that Explore shows too."""

import io
from dataclasses import replace
from urllib.parse import unquote

import numpy as np
import pytest
from PIL import Image

import nnspca
from nnspca.view import cache, collection, ledger, session
from nnspca.view.link import canvas
from nnspca.view.link.state import State, default_k, opening
from nnspca.view.sources import catalogue
from tests.pages.conftest import shelved
from tests.shelf import Record

BUNDLED = [info.name for info in nnspca.datasets.available() if info.bundled]
FETCHED = [pytest.param(name, marks=pytest.mark.real_data) for name in ("cbcl-faces", "cbcl-faces-raw")]
pytestmark = pytest.mark.usefixtures("short_proofs")


def record(name):
    """A record as the package stores it: a component and an upper bound at the opening k, and at a k beside it."""
    data = nnspca.datasets.load(name)
    standardise, k = opening(name).standardise, default_k(data.n_features, name)
    cov = nnspca.Covariance.from_dataset(data, standardize=standardise)
    found = {}
    for at in (k, min(k + 2, data.n_features)):
        part = nnspca.solve(cov, at, "em")
        found[at] = part, 1.02 * nnspca.certify(cov, at, component=part).upper
    return Record(name, data.content_hash, standardise, True, data.n_features, k, found, {})


@pytest.fixture
def shelf(empty_ledger, monkeypatch):
    """Nothing is stored but what a test puts here, no data set is read and no picture drawn yet."""
    records = {}
    monkeypatch.setattr(ledger, "stored", lambda: shelved(*records.values()))
    cache.shared.clear()
    return records


def shown(monkeypatch, now):
    """The cards that a visitor sees."""
    cards = []
    monkeypatch.setattr(canvas, "cards", lambda key, label, given, here, choose, lay: cards.extend(given))
    collection.cards(now)
    return {card.name: card for card in cards}


def picture(card):
    """The picture of a card as the browser fetches it."""
    _, visit, key, name = card.picture.partition("?")[0].split("/")
    return session.find(visit, {}).file(unquote(key), unquote(name)).read()


def test_a_card_is_drawn_without_reading_data_whose_mean_is_stored(shelf, monkeypatch):
    read = []
    assert not any(card.foot or card.picture for card in shown(monkeypatch, State()).values())  # nothing is stored
    shelf[ledger.default_view("digits")] = record("digits")
    ledger.shared.clear()
    monkeypatch.setattr(nnspca.datasets, "load", read.append)
    card = shown(monkeypatch, State())["digits"]
    assert Image.open(io.BytesIO(picture(card))).size == (8, 8)
    assert not read


def test_a_data_set_that_is_not_here_shows_what_is_stored_of_it(monkeypatch):
    away = replace(catalogue.infos()["cbcl-faces"], local=False)
    monkeypatch.setattr(catalogue, "infos", lambda: {away.name: away})
    painted, _ = colours(shown(monkeypatch, State())["cbcl-faces"])
    assert painted > 100


def colours(card):
    """Return how many pixels of a card's picture are painted, and how many greys there are beside them."""
    pixels = np.asarray(Image.open(io.BytesIO(picture(card))).convert("RGB")).reshape(-1, 3).astype(int)
    grey = (pixels.max(axis=1) - pixels.min(axis=1)) < 3
    return int((~grey).sum()), len(np.unique(pixels[grey], axis=0))


@pytest.mark.parametrize("name", ["lfw-faces", *FETCHED])
def test_the_part_lies_over_the_mean_face_where_the_data_are_which_may_not_be_passed_on(name, shelf, monkeypatch):
    if not catalogue.infos()[name].local:
        pytest.skip(f"{name} is not on this machine")
    shelf[ledger.default_view(name)] = record(name)
    ledger.shared.clear()
    painted, greys = colours(shown(monkeypatch, State())[name])
    assert painted >= 20
    assert greys > 50
