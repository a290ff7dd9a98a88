"""How many of the app's modules one redraw of a page runs through, and how often it crosses between them.

Run ``python -m tests.benchmarks.redraw [page …]``.
"""

import sys
import threading
from collections import Counter
from pathlib import Path
from types import FrameType

from streamlit.testing.v1 import AppTest

from nnspca.view.link.state import PAGES

ROOT = Path(__file__).parents[2]
QUICK: dict[str, dict[str, object]] = {
    "explore": {"ks": "2, 5, 13"},
    "parts": {"k": 4, "r": 2},
    "compare": {"what": "data sets", "vs": ["pitprops", "digits"]},
}
LINKS = {page: {"data": "pitprops", "k": 4} | QUICK.get(page, {}) for page in PAGES}
RUNS = 60  # seconds a page's own runs may take


def measure(page: str) -> tuple[set[str], Counter[tuple[str, str]]]:
    """Draw a page until its runs have ended, then once more: return the modules it runs through, and crossings."""
    app = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=RUNS)
    for key, value in LINKS[page].items():
        app.session_state[key] = value
    app.run()
    for job in list(app.session_state["session"].jobs.values()) if "session" in app.session_state else []:
        assert job.wait(RUNS), job.progress
    app.run()
    modules: set[str] = set()
    crossings: Counter[tuple[str, str]] = Counter()

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (here := _module(frame)):
            if here.startswith("nnspca.view"):
                modules.add(here)
            there = _caller(frame)
            if there and there != here:
                crossings[there, here] += 1

    threading.setprofile(watch)  # AppTest runs the script in a thread of its own
    try:
        app.run()
    finally:
        threading.setprofile(None)
    assert not app.exception, app.exception
    return modules, crossings


def _module(frame: FrameType) -> str:
    """Return the name of a module of the view, “page” for the script, and nothing for all others."""
    name = str(frame.f_globals.get("__name__", ""))
    if name == "nnspca.view" or name.startswith("nnspca.view."):
        return name
    return "page" if frame.f_code.co_filename.startswith(str(ROOT / "pages")) else ""


def _caller(frame: FrameType) -> str:
    """Return the module of the view that called, whatever of Streamlit lies between."""
    above = frame.f_back
    while above is not None and not _module(above):
        above = above.f_back
    return _module(above) if above is not None else ""


def main() -> None:
    """Print one line a page, and every crossing of a page named."""
    for page in sys.argv[1:] or LINKS:
        modules, crossings = measure(page)
        print(sorted(m.removeprefix("nnspca.view.") for m in modules)) if len(sys.argv) > 1 else None
        print(f"{page:12} {len(modules):3} modules of the view, {crossings.total():4} calls between modules")
        if len(sys.argv) > 1:
            for (there, here), count in sorted(crossings.items()):
                print(f"    {there} → {here}: {count}")


if __name__ == "__main__":
    main()
