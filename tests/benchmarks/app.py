"""How long a person waits: a new visitor's seconds to what each page is for, beside what they should be.

Run ``python -m tests.benchmarks.app [--actions] [--visits 5] [--only WORDS …]``; NNSPCA_DATA names the
folder of the real data. It starts a server, visits each row's page once unmeasured (then the server is warm: data sets
are read, modules are loaded), and measures new visits with nothing in the browser's cache. Rows of "own data" open a
file of a folder that the server's owner names, another one each visit: faces with a little noise, of which nothing is
known. With ``--actions`` it says what each action costs until its page has come to rest.
"""

from __future__ import annotations

import argparse
import os
import platform
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

import numpy as np
from playwright.sync_api import TimeoutError

import nnspca
from nnspca.view.explore.choices import path_ks
from nnspca.view.link.state import default_k
from tests.benchmarks.visits import PATIENCE, Visitor, visiting
from tests.browser.page import rest

# Per page: its address, and the condition on which its first figure says something.
OF_SETS = "what=data+sets"
FIRST = {
    "Explore": ("/?", "deep('play', '.play[data-k]')"),
    "Parts": ("/parts?", "deep('parts', '.component[data-seen]')"),
    "Spannogram": ("/spannogram?", "says('spannogram', '[data-say=angle]')"),
    "Learn": ("/learn?", "deep('learn', '.lesson[data-frames]')"),
    "Compare": (f"/compare?{OF_SETS}&", "sketched('together') || plot('together')?._fullData.some(t => t.x?.length)"),
    "Compare solvers": ("/compare?", "sketched('race') || plot('race')?._fullData.some(t => t.x?.length)"),
    "Papers": ("/papers?", "document.querySelector('.sketch') || document.querySelector('.main-svg')"),
    "Data": ("/data?", "document.querySelector('img.picture')?.naturalWidth"),
    "Explore with its samples": ("/?samples=true&", "deep('play', '.strips:not([hidden])')"),
}
# The titles in the table, and the data sets' names.
SETS = {"LFW": "lfw-faces", "CBCL": "cbcl-faces", "LRS": "lrs", "Leukemia": "leukemia"}
PROVEN = "/proven optimal|of the optimum/i.test(says('play', '[data-say=words]'))"
REST = f"{PROVEN} && resting()"
ENDED = "/ after .*(proven optimal|of the optimum) after/.test(says('play', '[data-say=live]'))"
BAND = "Number(deep('play', '.play').dataset.{what}) >= {count}"
LIVE = {"LFW": 3.5, "CBCL": 3.5, "LRS": 2.5, "Leukemia": 6.0}  # from the press of Solve live to its sentence
SLOW = "data=lfw-faces&method=epsilon-net&d=8&epsilon-net.epsilon=0.01&epsilon-net.max_samples=10000000"
FOUR = "&".join([OF_SETS, *(f"vs={name}" for name in ("digits", "lfw-faces", "cbcl-faces", "lrs"))])
COMPARED = "/at every k/.test(document.body.innerText) && !/Still computing/.test(document.body.innerText)"
STOPPED = "[...document.querySelectorAll('[data-testid=stAlert]')].some(a => a.textContent.includes('Stopped.'))"

FILES = 40  # of own data: one a visit
OWN = (f"own-{at}" for at in range(FILES))

PLUS = "document.querySelector('.st-key-{} [data-testid=stNumberInputStepUp]').click()"
FOLD = "document.querySelector('.st-key-{} summary').click()"
PAGE = "document.querySelector('[data-testid=stSidebarNav] a[href$=\"/{}\"]').click()"
STRIP = (
    "dispatchEvent(new MouseEvent('click', { bubbles: true, clientX: left + width / 2, clientY: top + height / 4 }))"
)
SAMPLE = (
    f"{{ const it = deep('play', '.strips'), {{left, top, width, height}} = it.getBoundingClientRect(); it.{STRIP}; }}"
)
CARD = "deep('{}', 'button[data-name={}]').click()"
FOLDS = ("samples", "these", "hold", "proof", "more")
# By name: what is done, and on which page; without one, after what was done before.
ACTIONS = {
    **{f"first visit: {page}": ("", path) for page, (path, _) in FIRST.items()},
    "k + 1": (PLUS.format("k"), "/?k=30"),
    "k + 1 again": (PLUS.format("k"), ""),
    **{f"open {fold}": (FOLD.format(fold), "/?k=30") for fold in FOLDS},
    "k + 1, all open": (PLUS.format("k"), "/?k=30&" + "=true&".join((*FOLDS, ""))),
    "a sample": (SAMPLE, "/?k=30&samples=true"),
    "other data": (CARD.format("rowgallery", "digits"), "/?k=30"),
    "to Parts": (PAGE.format("parts"), "/?k=30"),
    "back to Explore": (PAGE.format(""), ""),
    "Parts: k + 1": (PLUS.format("k"), "/parts?"),
    "another paper": (CARD.format("paper-cards", "zass2006-fig2"), "/papers?"),
}

Measure = Callable[[Visitor], float]


@dataclass(frozen=True)
class Row:
    """One line of the table: what is measured, in seconds, and the most it should be."""

    name: str
    target: float
    measure: Measure


def first(path: str, is_so: str) -> Measure:
    """Measure the seconds to a condition; without a path, on data of which nothing is known."""

    def measure(visitor: Visitor) -> float:
        with visitor.visit(f"{path}{visitor.fresh()}" if path else f"/?data={next(OWN)}", it=is_so) as visit:
            return visit.seen("it")

    return measure


def band(name: str) -> Measure:
    """Measure the seconds to an upper bound at every k that the page starts with."""
    return first(f"/?data={name}&", BAND.format(what="bounds", count=len(ks_of(name))))


def live(name: str) -> Measure:
    """Measure the seconds from a press of Solve live to the sentence in which it ends."""
    press = "document.querySelector('.st-key-start-explore button').click()"

    def measure(visitor: Visitor) -> float:
        with visitor.visit(f"/?data={name}&{visitor.fresh()}", rest=REST) as visit:
            visit.seen("rest")
            return visit.until(press, ENDED)

    return measure


def ks_of(name: str) -> tuple[int, ...]:
    """Return the k that the page starts with."""
    n = next(info.shape[1] for info in nnspca.datasets.available() if info.name == name)
    return path_ks(n, default_k(n, name))


def one_more(visitor: Visitor) -> float:
    """Measure the seconds from a press of k's plus to the new number, once the first view has come to rest."""
    with visitor.visit(f"/?k=30&{visitor.fresh()}", rest=REST) as visit:
        visit.seen("rest")
        visit.page.wait_for_timeout(500)
        return visit.until(
            "document.querySelector('.st-key-k [data-testid=stNumberInputStepUp]').click()",
            "deep('play', '.play').dataset.k === '31' && says('play', '[data-say=words]').includes('31 of')",
        )


def stop(path: str, slot: str, before: str = "") -> Measure:
    """Measure the seconds from a press of Stop to the page's saying so; ``before`` is pressed first."""

    def measure(visitor: Visitor) -> float:
        button = f"[...document.querySelectorAll('.st-key-stop-{slot} button')].find(b => b.offsetParent)"
        with visitor.visit(f"{path}{visitor.fresh()}", button=button) as visit:
            if before:
                visit.page.get_by_role("button", name=before).and_(visit.page.locator(":enabled")).click()
            visit.seen("button")
            visit.page.wait_for_timeout(700)
            return visit.until(f"{button}.click()", STOPPED)

    return measure


def rows() -> list[Row]:
    """Return every line of the table."""
    return [
        *[Row(f"first figure: {page}", 2.0, first(*where)) for page, where in FIRST.items()],
        *[Row(f"first bound: {title}", 1.5, first(f"/?data={name}&", PROVEN)) for title, name in SETS.items()],
        *[Row(f"band: {title}", 1.8, band(name)) for title, name in SETS.items()],
        *[Row(f"live: {t}", most, live(SETS[t])) for t, most in LIVE.items()],
        Row("own data: first bound", 2.5, first("", PROVEN)),
        Row("own data: band", 4.0, first("", BAND.format(what="bounds", count=len(ks_of("lfw-faces"))))),
        Row("compare of four", 5.0, first(f"/compare?{FOUR}&", f"({FIRST['Compare'][1]}) && {COMPARED}")),
        Row("k + 1", 0.3, one_more),
        Row("stop: Explore's Tighten", 0.5, stop("/?data=lfw-faces&k=100&", "tighten", "Tighten the proof")),
        Row("stop: Explore's other solvers", 0.5, stop(f"/?{SLOW}&", "explore")),
        Row("stop: Parts", 0.5, stop("/parts?data=cbcl-faces&r=8&", "parts", "Solve live")),
    ]


@contextmanager
def owned(folder: str) -> Iterator[None]:
    """Write files of which nothing is known into a folder, and name it to the server."""
    faces, rng = nnspca.datasets.load("lfw-faces").X, np.random.default_rng(0)
    for at in range(FILES):
        np.save(f"{folder}/own-{at}.npy", faces + 1e-3 * faces.std() * rng.standard_normal(faces.shape))
    os.environ["NNSPCA_OPEN"] = folder
    try:
        yield
    finally:
        del os.environ["NNSPCA_OPEN"]


def selected(words: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return the names that hold one of these words; all where none is given."""
    chosen = [name for name in names if not words or any(word.casefold() in name.casefold() for word in words)]
    if not chosen:
        raise SystemExit(f"no row is named like {', '.join(words)}; there are {', '.join(names)}")
    return chosen


def costs(visitor: Visitor, names: Sequence[str]) -> Iterator[str]:
    """Do the actions, each on a page at rest; yield a line for each: what it cost until the page came to rest again."""
    with ExitStack() as left:
        for name in names:
            act, path = ACTIONS[name]
            before = visitor.cpu(), 0, 0, 0, 0, 0
            if path:
                left.close()
                visit = left.enter_context(visitor.visit(path))
                rest(visit.page, pause=2000)
            if act:
                before = visitor.cpu(), *visit.counted()
                try:
                    visit.do(act)
                except TimeoutError:
                    yield f"{name:32} not done: the page has nothing for {act}"
                    continue
                rest(visit.page, pause=2000)
            cpu, *counted = np.subtract((visitor.cpu(), *visit.counted()), before)
            yield f"{name:32} {cpu:8.2f}" + "".join(f"{number:11,.0f}" for number in counted)


def line(row: Row, taken: Sequence[float], cpu: float) -> str:
    """Return a row as it is printed: its visits, beside the target, and the server's seconds of processor a visit."""
    spread = f"{min(taken):7.2f} – {max(taken):<6.2f}"
    return f"{row.name:32} {np.median(taken):7.2f} s  {row.target:>7g} {spread} {cpu:6.2f}"


def main(asked: Sequence[str] | None = None) -> None:
    """Print the table."""
    reading = argparse.ArgumentParser(prog="python -m tests.benchmarks.app", description=__doc__.splitlines()[0])
    reading.add_argument("--actions", action="store_true", help="what each action costs, instead of seconds")
    reading.add_argument("--visits", type=int, default=5, help="measured visits a row (default 5)")
    reading.add_argument("--only", nargs="+", default=[], metavar="WORDS", help="rows whose names hold one of these")
    said = reading.parse_args(asked)
    every = {row.name: row for row in rows()}
    chosen = selected(said.only, ACTIONS if said.actions else every)
    if said.actions:
        print(f"{'':32} {'CPU s':>8}{'bytes':>11}{'compressed':>11}{'messages':>11}{'runs':>11}{'HTTP bytes':>11}")
        with visiting() as visitor:
            list(costs(visitor, chosen))  # not counted
            for found in costs(visitor, chosen):
                print(found, flush=True)
        return
    cores, load = os.cpu_count(), os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    print(f"{platform.machine()}, {cores} cores, load {load:.1f} before; medians of {said.visits} new visits")
    print(f"{'':32} {'median':>7}    {'target':>7} {'least':>7} – {'most':6} {'server CPU s':>6}", flush=True)
    with tempfile.TemporaryDirectory(prefix="nnspca-own-") as folder, owned(folder), visiting() as visitor:
        for row in map(every.__getitem__, chosen):
            try:
                row.measure(visitor)  # not counted
                before = visitor.cpu()
                taken = [row.measure(visitor) for _ in range(said.visits)]
            except TimeoutError:
                print(f"{row.name:32} not seen within {PATIENCE / 1000:g} s", flush=True)
                continue
            print(line(row, taken, (visitor.cpu() - before) / said.visits), flush=True)


if __name__ == "__main__":
    main()
