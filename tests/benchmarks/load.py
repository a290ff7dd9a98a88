"""A class at work: browser tabs that sweep at once, and what they, a newcomer and the health check wait for.

Run ``python -m tests.benchmarks.load [tabs]`` (10 unless given; Linux only: it reads /proc). It ends with status 1
where a limit is passed. The class's browser is stepped back (nice 19), as if it worked on other machines. What is found
is kept for the next request, up to a number of bytes: so the memory after a second class is held against that after the
first.
"""

import os
import sys
import threading
import time
import urllib.request
from collections.abc import Callable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import Browser, Error, Page, sync_playwright

from tests.browser.conftest import FLAGS
from tests.chromium import ensure
from tests.server import Server, serving

SWEEP = "/?data=lfw-faces&k=20&methods=best&methods=em&ks=5,20,80&seed={}"
PAINT, HEALTH, BACK = 5.0, 1.0, 1.2  # the limits: seconds, seconds at the 95th percentile, share of the memory before
BETWEEN = 0.1  # seconds between two looks at the health
NEWCOMERS = 3
STEPPED = 19  # how far the class's browser steps back
AGAIN = 0.2  # seconds after which it is told so again: Chromium gives its tabs another priority as they come and go
PATIENCE = 600  # seconds until every tab is done
FORGOTTEN = 150  # seconds after which Streamlit has forgotten sessions that left (it keeps them for 120)
STATE = """() => {
  const notes = [...document.querySelectorAll('.st-key-stage *')]
    .map(e => e.shadowRoot?.querySelector('[data-say=note]')?.textContent ?? '');
  const bars = [...document.querySelectorAll('[role=progressbar]')].map(e => e.innerText);
  const said = [...notes, ...bars].filter(Boolean).join(' ');
  const rests = document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning';
  return rests && !said && !document.querySelector('[class*=st-key-stop-]') ? 'done' : said || 'silent';
}"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"


@dataclass
class Seen:
    """What was measured: seconds of each look at the health and until newcomers saw something, and the most memory."""

    health: list[float] = field(default_factory=list)
    painted: list[float] = field(default_factory=list)
    most: int = 0


def resident(process: int) -> int:
    """Return the bytes of memory that a process holds, with those that work for it."""
    pages = 0
    for one in (process, *children(process)):
        with suppress(OSError):  # it has just ended
            pages += int(Path(f"/proc/{one}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def children(process: int) -> list[int]:
    """Return the processes that a process has started."""
    with suppress(OSError):
        lists = [thread.joinpath("children").read_text() for thread in Path(f"/proc/{process}/task").iterdir()]
        return [int(child) for one in lists for child in one.split()]
    return []


def descendants(process: int) -> set[int]:
    """Return the processes that a process has started, those that these have started, and so on."""
    found = set(children(process))
    return found.union(*map(descendants, found))


def percentile(values: list[float], share: float) -> float:
    """Return the smallest value that this share of the values does not pass.

    >>> percentile([3.0, 1.0, 2.0, 4.0], 0.75)
    3.0
    """
    return sorted(values)[max(0, -int(-len(values) * share // 1) - 1)]


@contextmanager
def meanwhile(every: float, act: Callable[[], None]):
    """Do something every so many seconds, in a thread of its own."""
    over = threading.Event()

    def again() -> None:
        while not over.wait(every):
            act()

    thread = threading.Thread(target=again)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def watching(server: Server, seen: Seen):
    """Ask for the health again and again; note the most memory."""

    def look() -> None:
        asked = time.monotonic()
        with urllib.request.urlopen(f"{server.address}/_stcore/health", timeout=60) as answer:
            answer.read()
        seen.health.append(time.monotonic() - asked)
        seen.most = max(seen.most, resident(server.process))

    return meanwhile(BETWEEN, look)


def stepped_back(processes: set[int]):
    """Let these processes, and all they start, go after everybody else, as if they were on other machines."""

    def tell() -> None:
        for process in processes.union(*map(descendants, processes)):
            with suppress(OSError):  # it has just ended
                for thread in os.listdir(f"/proc/{process}/task"):
                    os.setpriority(os.PRIO_PROCESS, int(thread), STEPPED)

    return meanwhile(AGAIN, tell)


def tab(browser: Browser, address: str) -> Page:
    """Open an address as a visitor of its own, and wait for the heading."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.set_default_timeout(120_000)
    page.goto(address, wait_until="commit")
    page.get_by_role("heading", level=1).wait_for()
    return page


def state(page: Page) -> str:
    """Return what a tab shows of its run: “done”, its progress, or “silent”."""
    try:
        return str(page.evaluate(STATE))
    except Error:
        return "gone"


def sweep(browser: Browser, server: Server, seeds: range, theirs: Browser) -> tuple[Seen, list[str]]:
    """Let a tab sweep for each seed, all at once, while newcomers come in their own browser; say what was wrong."""
    seen, wrong, states = Seen(), [], []
    pages = [tab(browser, server.address + SWEEP.format(seed)) for seed in seeds]
    with watching(server, seen):
        started = time.monotonic()
        for page in pages:
            page.get_by_role("button", name="Solve live", exact=True).first.click(no_wait_after=True)
        while time.monotonic() - started < PATIENCE and {*states} != {"done"}:
            if len(seen.painted) < NEWCOMERS:
                newcomer = tab(theirs, server.address)
                seen.painted.append(newcomer.evaluate(PAINTED) / 1000)
                newcomer.context.close()
            states = [state(page) for page in pages]
            time.sleep(0.5)
    print(f"{states.count('done')} of {len(seeds)} tabs done after {time.monotonic() - started:.0f} s", flush=True)
    wrong += [f"tab {i + 1} is {shown}" for i, shown in enumerate(states) if shown in ("silent", "gone")]
    wrong += [f"tab {i + 1} shows an error" for i, p in enumerate(pages) if p.get_by_test_id("stException").count()]
    for page in pages:
        page.context.close()
    late = percentile(seen.health, 0.95)
    wrong += [f"a newcomer's first paint took {max(seen.painted):.1f} s"] * (max(seen.painted) > PAINT)
    wrong += [f"health took {late:.2f} s at the 95th percentile"] * (late > HEALTH)
    print(
        f"health: 95th percentile {late:.2f} s; newcomers: {', '.join(f'{s:.1f}' for s in seen.painted)} s", flush=True
    )
    return seen, wrong


def main() -> None:
    """Print what was measured, with the machine's load before it."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"load before: {os.getloadavg()[0]:.2f} on {os.cpu_count()} processors, {count} tabs", flush=True)
    wrong, after = [], []
    with serving() as server, sync_playwright() as playwright:
        ours = descendants(os.getpid())
        browser = playwright.chromium.launch(executable_path=ensure(), args=FLAGS)
        started = descendants(os.getpid()) - ours
        theirs = playwright.chromium.launch(executable_path=ensure(), args=FLAGS)
        for number in (1, 2):
            with stepped_back(started):
                seen, amiss = sweep(browser, server, range(number * count, (number + 1) * count), theirs)
            wrong += amiss
            time.sleep(FORGOTTEN)
            after.append(resident(server.process))
            print(f"memory: {seen.most / 2**20:.0f} MB at most, {after[-1] / 2**20:.0f} MB afterwards", flush=True)
        browser.close()
        theirs.close()
        wrong += ["a traceback in the log"] * ("Traceback" in server.output())
    if after[1] > BACK * after[0]:
        wrong.append(f"after the second class memory came back to {100 * after[1] / after[0]:.0f} % of the first's")
    print("\n".join(wrong) or "within every limit")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
