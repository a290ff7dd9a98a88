"""What a page does with data that are there or not, with runs, and with choices: driven as a person would."""

import hashlib
import io
from dataclasses import replace
from urllib.parse import unquote

import numpy as np
import pytest
from PIL import Image

import nnspca
from nnspca.datasets import fetch, originals
from nnspca.view import cache, collection, ledger, session, stored
from nnspca.view.link import canvas
from nnspca.view.link.state import State, default_k, opening
from nnspca.view.sources import catalogue
from nnspca.view.ui import component
from tests.datasets.test_symbols import PROBES, pinned, saved
from tests.pace import slowness
from tests.pages.conftest import job_of, jobs, said_at, says, settle, shelved, texts
from tests.shelf import Record

pytestmark = pytest.mark.usefixtures("short_proofs")

DATA = {info.name: info for info in nnspca.datasets.available()}
FETCHED = [info.name for info in DATA.values() if not info.bundled]
SLOW = {"method": "epsilon-net", "d": 8, "epsilon-net.epsilon": 0.01, "epsilon-net.max_samples": 10_000_000}


def test_the_state_of_a_link_is_the_question_of_the_run(open_page):
    link = {"data": "digits", "scale": "standardised", "sign": "any sign", "k": 9, "d": 2, "seed": 5, "method": "em"}
    component = job_of(settle(open_page(**link, **{"em.restarts": 3})), "solve").result
    assert (component.k, component.method, component.nonnegative) == (9, "em", False)
    assert component.options["restarts"] == 3


def test_a_choice_of_one_page_and_what_its_link_opened_are_there_again_after_visiting_another(open_page):
    page = settle(open_page(data="pitprops", ks="2, 4"))
    assert page.text_input(key="ks").value == "2, 4"
    page.selectbox(key="method").select("thresholding").run()
    page.switch_page("parts.py").run()
    page.switch_page("explore.py").run()
    assert page.selectbox(key="method").value == "thresholding"
    assert settle(page, path=True).text_input(key="ks").value == "2, 4"


def test_choosing_data_opens_them_in_their_own_view_and_a_link_outweighs_it(open_page):
    page = open_page(k=100)
    assert page.radio(key="scale").value == "standardised"
    page.selectbox(key="data").select("pitprops").run()
    assert (page.number_input(key="k").value, page.radio(key="scale").value) == (4, "as is")
    assert not page.session_state["session"].notes
    page.selectbox(key="data").select("lfw-faces").run()
    assert (page.number_input(key="k").value, page.radio(key="scale").value) == (40, "standardised")
    page = open_page(data="lfw-faces", scale="as is", k=12)
    assert (page.number_input(key="k").value, page.radio(key="scale").value) == (12, "as is")


def test_a_newer_run_of_the_session_stops_the_older_one_and_stop_keeps_what_was_found(open_page):
    page = open_page("pages/explore.py", **SLOW)
    older = job_of(page, "solve")
    page.session_state["k"] = 41
    page.run()
    assert older.stopped and older.wait(5 * slowness())
    newer = job_of(page, "solve")
    assert newer is not older and not newer.done
    page.button(key="stop-explore").click().run()
    assert newer.wait(3 * slowness())
    page.run()
    assert page.warning and newer.result.cardinality == 41
    assert "41" in said_at(page, 41)


def test_an_error_inside_a_run_is_told_in_plain_words(open_page, monkeypatch):
    def fail(*_, **__):
        raise problem

    problem = nnspca.DataError("the third column is empty; remove it")
    monkeypatch.setattr(nnspca, "solve", fail)
    assert says(settle(open_page(data="synthetic-spiked", k=3, method="em")).error, problem)


@pytest.mark.parametrize("name", DATA)
def test_the_data_page_shows_citation_and_terms_and_where_data_are_not_here_a_download_as_explore_does(
    name, open_page, nothing_fetched
):
    page = open_page("pages/data.py", data=name)
    assert says(page.header, DATA[name].title)
    assert texts(page).count("Terms:") == 1
    assert (f"start-fetch-{name}" in [button.key for button in page.button]) == (name in FETCHED)
    if name in FETCHED:
        page = open_page(data=name)
        assert "Terms:" in texts(page) and f"start-fetch-{name}" in [button.key for button in page.button]


def test_a_failed_download_shows_the_librarys_message(open_page, monkeypatch, nothing_fetched):
    monkeypatch.setattr("nnspca.datasets.fetch.BASE_URL", "https://127.0.0.1:9/")
    page = open_page("pages/explore.py", data="leukemia")
    page.button(key="start-fetch-leukemia").click().run()
    assert "MLL.csv" in "\n".join(e.value for e in settle(page).error)


def test_every_page_says_what_is_wrong_with_the_folder_it_was_given_and_offers_no_download_that_cannot_be(
    open_page, monkeypatch, tmp_path
):
    assert not open_page("pages/data.py").warning
    monkeypatch.setenv("NNSPCA_CACHE", str(tmp_path))
    monkeypatch.setenv("NNSPCA_DATA", "~nobodyofthisname")
    assert says(open_page("pages/data.py").warning, fetch.folder_problem(fetch.data_folder()))
    monkeypatch.setenv("NNSPCA_DATA", str(tmp_path / "nowhere"))
    page = open_page("pages/explore.py", data="cbcl-faces")
    assert says(page.markdown, fetch.folder_problem(fetch.data_folder()))
    assert "Download" not in [button.label for button in page.button]
    assert not jobs(page)


@pytest.fixture
def probes(monkeypatch, tmp_path, nothing_fetched):
    monkeypatch.setattr(originals, "SYMBOLS", pinned("p2s_df.rda", saved()))
    monkeypatch.setattr(originals, "MLL", pinned("MLL.csv", PROBES))
    yield tmp_path
    cache.shared().drop(("read", "leukemia"))  # of made-up probes


def test_symbols_are_offered_where_the_data_are_here_without_them(open_page, probes, monkeypatch):
    (probes / "MLL.csv").write_bytes(PROBES)
    monkeypatch.setattr(fetch, "download", lambda file, *_: saved())
    page = open_page("pages/data.py", data="leukemia")
    page.button(key="start-names-leukemia").click().run()
    settle(page)
    assert (probes / "p2s_df.rda").is_file()
    assert hashlib.sha256((probes / "p2s_df.rda").read_bytes()).hexdigest() == originals.SYMBOLS.sha256
    assert "start-names-leukemia" not in [button.key for button in page.button]
    assert component.feature_names(nnspca.datasets.load("leukemia"), [2]) == {2: "MYC (37724_at)"}


@pytest.mark.parametrize("key", ["start-names-leukemia", "start-fetch-leukemia"])
def test_what_cannot_be_kept_is_told_and_the_page_rests(key, open_page, probes, monkeypatch):
    if key == "start-names-leukemia":
        (probes / "MLL.csv").write_bytes(PROBES)
    monkeypatch.setattr(fetch, "_keep", lambda data, path: None)
    monkeypatch.setattr(fetch, "download", lambda file, *_: saved() if file is originals.SYMBOLS else PROBES)
    page = open_page("pages/data.py", data="leukemia")
    page.button(key=key).click().run()
    assert any(fetch.CACHE_VARIABLE in told.value for told in settle(page).error)


FACES = [pytest.param(name, marks=pytest.mark.real_data) for name in ("cbcl-faces", "cbcl-faces-raw")]


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
    monkeypatch.setattr(stored, "problems", lambda: shelved(*records.values()))
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
    shelf[stored.opening_key("digits")] = record("digits")
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


@pytest.mark.parametrize("name", ["lfw-faces", *FACES])
def test_the_part_lies_over_the_mean_face_where_the_data_are_which_may_not_be_passed_on(name, shelf, monkeypatch):
    if not catalogue.infos()[name].local:
        pytest.skip(f"{name} is not on this machine")
    shelf[stored.opening_key(name)] = record(name)
    ledger.shared.clear()
    painted, greys = colours(shown(monkeypatch, State())[name])
    assert painted >= 20
    assert greys > 50
