"""The app as a page script runs it, without a browser; runs left over are stopped."""

import asyncio
import base64
import functools
import gc
import gzip
import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from urllib.parse import unquote

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from nnspca import datasets
from nnspca.datasets import fetch
from nnspca.resampling import _bootstrap
from nnspca.solvers import coordinate_descent
from nnspca.studies import sigg2008, sigg2008_genes
from nnspca.view import cache, chance, ledger, stored
from nnspca.view.certificate import proofs
from nnspca.view.desk import Desk
from nnspca.view.explore import choices, work
from nnspca.view.ledger import Ledger
from nnspca.view.link.state import State
from nnspca.view.sanitize import plain
from nnspca.view.session import Session
from nnspca.view.sources import catalogue, sandbox
from nnspca.view.subject import Subject
from nnspca.view.ui import charts, downloads
from tests import budgets, shelf

ROOT = Path(__file__).parents[2]
RANKED = 300  # features, more than any picture of their number has
SWEEPS = 2  # of NSPCA's ascent: a table is as long after few as after many
CLUSTERED = 2  # starts of k-means, whose mean and deviation are drawn
PATIENCE = 240  # seconds for what takes a few: others work beside
SEARCHED = 50  # largest cardinality of Sigg and Buhmann's curves


@pytest.fixture(autouse=True)
def runs_stay_here(monkeypatch):
    """No processes beside this one: a test that puts something in the library's place finds it in the runs too."""
    monkeypatch.setenv("NNSPCA_PROCESSES", "0")


@pytest.fixture(autouse=True)
def the_player_has_few_steps(monkeypatch):
    """The path behind the first screen runs beside all that a test looks at: of a few k, one of them proven."""
    for module, name, n in ((choices, "POINTS", 6), (work, "POINTS", 6), (work, "CERTIFIED", 2), (work, "ANCHORS", 3)):
        monkeypatch.setattr(module, name, n)


@pytest.fixture(autouse=True)
def columns_are_shuffled_where_it_is_asked(monkeypatch):
    """What chance gives is measured beside each answer; here where a test presses the button."""
    monkeypatch.setattr(chance, "UNASKED_NUMBERS", 0)
    monkeypatch.setattr(_bootstrap, "SHUFFLES", 2)


@pytest.fixture(autouse=True)
def the_ledger_holds_only_what_is_stored(papers_read_once):
    """What one test's runs have found is not known in the next."""
    ledger.shared.clear()


@pytest.fixture
def read_here(monkeypatch):
    """Files of any kind are read in this process: ``test_sandbox`` asks how another one reads them."""
    monkeypatch.setattr(sandbox, "PLAIN", ("",))


@pytest.fixture
def nothing_found():
    """What other tests' runs have found is forgotten, certificates too."""
    cache.results.clear()


@pytest.fixture
def nothing_stored(monkeypatch):
    """The ledger of data that no thorough run has seen."""
    book = Ledger()
    monkeypatch.setattr(ledger, "shared", lambda: book)
    monkeypatch.setattr(stored, "cardinalities", lambda problem: ())
    monkeypatch.setattr(proofs, "stored_certificate", lambda subject, k: None)
    return book


@pytest.fixture
def nothing_fetched(monkeypatch, tmp_path):
    """A machine that has no data sets but those that come with the package."""
    monkeypatch.delenv(fetch.DATA_VARIABLE, raising=False)
    monkeypatch.setenv(fetch.CACHE_VARIABLE, str(tmp_path))


@pytest.fixture
def short_proofs(monkeypatch):
    """Certificates of the quick bounds, joint ones soon ended: what a page shows of them does not hang on the gap."""
    budgets.quick(monkeypatch)
    budgets.brief(monkeypatch)


@pytest.fixture(scope="session")
def load_once():
    """Return ``datasets.load`` that reads each data set once: several experiments are of the same."""
    return functools.cache(lambda name, load=datasets.load: load(name))


@pytest.fixture
def short_studies(short_proofs, load_once, monkeypatch):
    """Nothing is computed for long: what is drawn of an experiment does not hang on how good its numbers are."""

    def few_sweeps(*given, max_iter, **more):
        return honest(*given, max_iter=min(max_iter, SWEEPS), **more)

    def of_few(X, stop):
        """Rank some features by what they say among themselves, and put the others behind them."""
        ranked = contributions(X[:, :RANKED], stop)
        return None if ranked is None else np.concatenate([ranked, np.full(X.shape[1] - len(ranked), -np.inf)])

    contributions, grid = sigg2008_genes.contributions, sigg2008.grid
    honest = coordinate_descent.coordinate_ascent
    monkeypatch.setattr(datasets, "load", lambda name, **_: load_once(name))
    monkeypatch.setattr(coordinate_descent, "coordinate_ascent", few_sweeps)
    monkeypatch.setattr(sigg2008_genes, "contributions", of_few)
    monkeypatch.setattr(sigg2008_genes, "STARTS", {False: CLUSTERED, True: CLUSTERED})
    monkeypatch.setattr(sigg2008, "grid", lambda n, last, points: grid(n, min(last, SEARCHED), min(points, 4)))
    for regression in (sigg2008.SPCA, sigg2008.SPCA_OPT):
        monkeypatch.setitem(regression.options, "rounds", 1)


@pytest.fixture
def open_page() -> Iterator[Callable[..., AppTest]]:
    """Return ``open_page(path, link, **params)``: pages/main.py with a link's parameters, or a page with its state.

    ``link`` are more parameters of the link of either. AppTest loses button presses behind st.navigation, so tests that
    press buttons run the page alone.
    """
    opened: list[AppTest] = []

    def open_one(path: str = "pages/main.py", link: Mapping[str, object] = MappingProxyType({}), **params) -> AppTest:
        page = AppTest.from_file(str(ROOT / path), default_timeout=PATIENCE)
        opened.append(page)
        if path == "pages/main.py":
            state = {"session": params.pop("session")} if "session" in params else {}
            link, params = {**link, **params}, state
        return drawn_with(page, link, params)

    yield open_one
    for page in opened:
        for job in jobs(page, path=True):
            job.stop()
        for job in jobs(page, path=True):
            job.wait(10)


def alone(script: str | Callable, link: Mapping[str, object] = MappingProxyType({}), **state) -> AppTest:
    """Run a script, or a function as one, that draws what is looked at and nothing else."""
    make = AppTest.from_string if isinstance(script, str) else AppTest.from_function
    return drawn_with(make(script, default_timeout=PATIENCE), link, state)


def drawn_with(page: AppTest, link: Mapping[str, object], state: Mapping[str, object]) -> AppTest:
    """Draw a page with a link's parameters and its session's state."""
    for key, value in link.items():
        page.query_params[key] = value if isinstance(value, list) else str(value)
    for key, value in state.items():
        page.session_state[key] = value
    return redrawn(page)


def redrawn(page: AppTest) -> AppTest:
    """Draw a page again."""
    page.run()
    assert not page.exception, page.exception
    return page


def brought(page: AppTest, *files: tuple[str, bytes]) -> AppTest:
    """Bring files to the data page, and wait until they are read."""
    page.file_uploader(key="upload").set_value([(name, content, "text/csv") for name, content in files]).run()
    return settle(page)


@pytest.fixture
def taken(monkeypatch) -> Callable[[str], bytes]:
    """Return ``taken(name)``: a file among everything that the page last offered, before it is packed."""
    made = {}
    monkeypatch.setattr(charts, "download_button", lambda label, content, key, *_: made.update({key: content}))
    monkeypatch.setattr(downloads, "zipped", dict)

    def taken_one(name: str) -> bytes:
        held = made["everything"]()[name]
        content = held() if callable(held) else held
        return content if isinstance(content, bytes) else content.encode()

    return taken_one


def jobs(page: AppTest, *, path: bool = False) -> list:
    """Return the runs this session has started; the long one behind the first screen's curve only with ``path``."""
    if "session" not in page.session_state:
        return []
    return [job for slot, job in page.session_state["session"].jobs.items() if path or slot != "path"]


def files_of(page: AppTest) -> dict[str, Session]:
    """Return the state of another page of the same visitor: what was brought, and nothing else of the session."""
    held = page.session_state["session"]
    return {"session": Session(desks=held.desks)}


def shelved(*records: shelf.Record) -> dict:
    """Return what is stored where these records are."""

    def read(record):
        yield from ((k, 1, (part,), part.variance, upper) for k, (part, upper) in record.components.items())
        for (k, r), (parts, upper) in record.parts.items():
            yield k, r, parts, sum(part.variance for part in parts), upper

    return {
        r.problem: SimpleNamespace(
            name=r.name,
            problem=r.problem,
            opening=r.opening,
            opened=(r.name, r.standardise, r.nonnegative) == stored.opening_key(r.name),
            about={"ks": sorted(r.components)},
            read=functools.partial(read, r),
        )
        for r in records
    }


def subject(name: str, **link) -> Subject:
    """Return a data set as a page that has these choices shows it."""
    return Subject(catalogue.dataset(name), State(name, **link))


def owner(*data) -> Session:
    """Return the session of a visitor who has brought these data."""
    return Session(desks={one.name: Desk((), data=one) for one in data})


def settle(page: AppTest, *, path: bool = False) -> AppTest:
    """Wait until the session's runs have ended, then draw the page again; with ``path`` those along the curve too."""
    for job in jobs(page, path=path):
        assert job.wait(PATIENCE), job.progress
    return redrawn(page)


def raced(page: AppTest) -> AppTest:
    """Press the button of a race where the page has one."""
    return next((one.click().run() for one in page.button if one.key == "start-race"), page)


def job_of(page: AppTest, kind: str):
    """Return the session's one run of a kind."""
    (job,) = [job for job in jobs(page) if job.key[0] == kind]
    return job


def played(page: AppTest) -> dict:
    """Return what the player on the Explore page was sent or fetches: components, band, curves and sentences."""
    shown = sent(page, "play")
    fetched = json.loads(gzip.decompress(page.session_state["session"].file("play", "path.json").read()))
    says = {of["ks"][s]: words for of in (fetched, shown["here"]) for s, words in enumerate(of["says"])}
    return shown | {"says": [says[k] for k in shown["ks"]]}


def said_at(page: AppTest, k: int) -> str:
    """Return the sentence about the component at k on the Explore page."""
    shown = played(page)
    return shown["says"][shown["ks"].index(k)]


def drawn(page: AppTest, key: str = "") -> list[dict]:
    """Return what is drawn by Plotly on the page, as plain data; of one key, if one is given."""
    charts = [chart for chart in page.get("plotly_chart") if chart.proto.id.endswith(f"-{key}" if key else "")]
    return [json.loads(chart.proto.spec) for chart in charts]


def traces(page: AppTest, key: str = "") -> list[dict]:
    """Return all that these figures draw."""
    return [trace for figure in drawn(page, key) for trace in figure["data"]]


def sent(page: AppTest, key: str) -> dict:
    """Return what a component of our own was sent, by its key, with what was sent once."""
    (found,) = [element for element in page.get("bidi_component") if element.proto.id.split("-", 2)[2] == key]
    data = json.loads(found.proto.json or found.proto.mixed.json)
    if once := data.pop("once", None):
        file = page.session_state["session"].file(key, "path.json")
        content = once.get("content") or json.loads(gzip.decompress(file.read()))
        data |= content["curve"]
    return data


def unpacked(packed: dict) -> np.ndarray:
    """Return the array that ``canvas.pack`` made a text of."""
    return np.frombuffer(base64.b64decode(packed["data"]), packed["kind"])


def until(holds: Callable[[], bool], seconds: float = 10) -> bool:
    """Wait until this holds, with nothing kept that is only waiting to be collected; say whether it does."""
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.01)
        gc.collect()
    return holds()


def texts(page: AppTest) -> str:
    """Return all the words on the page."""
    kinds = (page.title, page.header, page.markdown, page.caption, page.success, page.info, page.warning, page.error)
    return "\n".join(element.value for kind in kinds for element in kind)


def says(place: Iterable, text: object) -> bool:
    """Tell whether an element among these shows a text that came from elsewhere, or the words of a function."""
    assert text  # every element shows nothing
    return any(plain(str(text)) in element.value for element in place)


def answered(app, path: str, method: str = "GET", body: bytes = b"", **headers: str) -> tuple[int, dict, bytes]:
    """Return the status, headers and body of what an ASGI application answers.

    In a thread with an event loop of its own: this one's may be a browser's.
    """
    sent: list[dict] = []
    asked = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive():
        if request := next(asked, None):
            return request
        await asyncio.sleep(1)
        return {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    place, _, query = path.partition("?")
    given = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": method, "path": unquote(place), "raw_path": place.encode(), "headers": given}
    scope |= {"query_string": query.encode(), "root_path": "", "scheme": "http", "server": ("127.0.0.1", 8501)}
    with ThreadPoolExecutor(1) as apart:
        apart.submit(asyncio.run, app(scope, receive, send)).result()
    told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return sent[0]["status"], told, b"".join(message.get("body", b"") for message in sent[1:])
