"""Random links opened on the pages themselves: whatever an address says, the page is drawn and nothing comes alive."""

import re
from urllib.parse import quote

import numpy as np
from streamlit.testing.v1 import AppTest

from nnspca.view.link import state
from tests.fuzz import GotThrough
from tests.fuzz.links import TEXTS
from tests.pages.conftest import ROOT, jobs
from tests.pages.test_sanitize import LURES, live, ours, said

PAGES = ("app", *state.PAGES)
DATA = ("pitprops", "pitprops", "digits", "synthetic-spiked")
KEYS = tuple(dict.fromkeys(entry.key for entry in state.TABLE))
PICTURE = re.compile(r'<img class="picture" src="data:image/png;base64,[A-Za-z0-9+/]+={0,2}" ')
PATIENCE = 1.0  # seconds that a run which a link starts is given before it is stopped


def attempt(rng):
    """Open a page by a link, and draw it again once what it started has ended."""
    name = PAGES[rng.integers(len(PAGES))]
    link = drawn(rng, "explore" if name == "app" else name)
    page = AppTest.from_file(str(ROOT / ("pages/main.py" if name == "app" else f"pages/{name}.py")), default_timeout=60)
    if name != "app":  # which alone draws the sidebar
        page.session_state["data"], page.session_state["k"] = DATA[rng.integers(len(DATA))], int(rng.integers(1, 14))
    page.query_params.update(link)
    try:
        for _ in range(2):
            page.run()
            check(page, name, link)
            for job in jobs(page, path=True):
                job.wait(PATIENCE)
                job.stop()
            for job in jobs(page, path=True):
                if not job.wait(60):
                    raise GotThrough(f"{name} by ?{address(link):.2000} started a run that does not stop")
    finally:
        for job in jobs(page, path=True):
            job.stop()
    return not any("cannot be used here" in note.value for note in page.info)


def check(page, name, link):
    """Raise unless the page was drawn to its end, and no word of the link is more than a word."""
    if page.exception:
        raise GotThrough(f"{name} by ?{address(link):.2000} ended in {page.exception[0].message!r:.300}")
    words = [word for word in map(without_pictures, said(page)[0]) if live(word) and ours(word)]
    if words:
        raise GotThrough(f"{name} by ?{address(link):.2000} shows {words[0]!r:.300}")


def without_pictures(word):
    """Leave the pictures out that the page draws itself, whose data come with them: what they are called stays."""
    return PICTURE.sub(" ", word)


def drawn(rng, name):
    """Draw a link: keys of the page and of others, each with what it may say, or with nonsense."""
    entries = [entry for entry in state.TABLE if not entry.pages or name in entry.pages]
    link = {}
    for entry in entries:
        if rng.random() < 0.4:
            texts = [text(rng, entry) for _ in range(1 + (rng.random() < 0.2) * int(rng.integers(1, 4)))]
            link[entry.key] = texts[0] if len(texts) == 1 else texts
    if rng.random() < 0.2:
        link[KEYS[rng.integers(len(KEYS))]] = str(rng.choice(LURES))
    return link


def text(rng, entry):
    """Something to say of a key."""
    if rng.random() < 0.35:
        every = [text for text in (*TEXTS, *LURES) if "\ud800" not in text]  # an address holds whole characters only
        return every[rng.integers(len(every))]
    if entry.key == "data":
        return DATA[rng.integers(len(DATA))]
    if entry.options:
        return str(entry.options[rng.integers(len(entry.options))])
    if entry.kind in ("whole", "number"):
        low = -1e6 if entry.low is None else entry.low
        high = 10.0 ** rng.uniform(0, 17) if entry.high is None else entry.high
        number = [low, high, low - 1, high + 1, rng.uniform(low, high)][rng.integers(5)]
        return f"{number:.0f}" if entry.kind == "whole" else f"{number:.6g}"
    if entry.kind in ("switch", "fold"):
        return ("true", "false")[rng.integers(2)]
    letters = "0123456789-:,; .enaif\u0665\n"
    return "".join(letters[i] for i in rng.integers(len(letters), size=int(rng.integers(0, 40))))


def address(link):
    """The link as it stands in an address, to open it by hand."""
    pairs = [(key, value) for key, said in link.items() for value in np.atleast_1d(said)]
    return "&".join(f"{quote(key)}={quote(str(value))}" for key, value in pairs)
