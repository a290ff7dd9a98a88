"""Make the stored runs of the studies: ``python -m tests.stored [study …]``, with NNSPCA_DATA naming the real data.

Each study is run as its page would by default: reduced, seed 0, on the paper's own data; its first figure becomes the
small picture on its card. ``python -m tests.stored gallery`` makes the pictures that the documents draw, and
``python -m tests.stored races`` records a race of all solvers for the view that each data set opens with.
"""

import base64
import datetime
import doctest
import io
import json
import sys
import zipfile
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from plotly.graph_objects import Figure

import nnspca
from nnspca.control.threads import one_blas_thread
from nnspca.studies import STUDIES, StudyResult, Table, race
from nnspca.studies.asteris2014 import SAMPLES
from nnspca.studies.catalogue import FOLDER
from nnspca.studies.racing import BARRED, Race
from nnspca.view import collection, stored
from nnspca.view.compare import race as racing
from nnspca.view.figures import style
from nnspca.view.link.state import State
from nnspca.view.papers.figures import study as draw
from nnspca.view.papers.panels import FILE as CARDS
from tests import shelf
from tests.browser.conftest import FLAGS
from tests.chromium import ensure

SIDE, SMALL = 320, 2.5  # pixels of the picture drawn, and how many times smaller the card shows it
COLOURS = 24
DOCS = Path(nnspca.__file__).parent / "docs"
PAGES = [*DOCS.glob("gallery/*.md"), *DOCS.glob("mathematics/*.md")]
DRAWING = {page.stem: page for page in PAGES if f"(../pictures/{page.stem}.png)" in page.read_text(encoding="utf-8")}
SHARED = {info.name for info in nnspca.datasets.available() if info.bundled}


def without_photographs(result: StudyResult) -> StudyResult:
    """Leave out what images the data set's terms ask us not to pass on."""
    if set(result.data) <= SHARED:
        return result
    rows = {
        name: frame[frame["strip"] != SAMPLES] if "strip" in frame else frame for name, frame in result.rows.items()
    }
    return replace(result, rows=rows)


def first_strip(table: Table) -> Table:
    """Leave no strip of images but the first: a card is small."""
    frame = table.frame
    return replace(table, frame=frame[frame["strip"] == frame["strip"].iloc[0]]) if "strip" in frame else table


def thumbnail(result: StudyResult, browser: Browser) -> str:
    """Return the first figure without its words, as a small PNG in base64."""
    first = next(table for table in result.tables if table.picture is not None)
    figure = draw(first_strip(first), style.LIGHT)
    figure.update_layout(showlegend=False, title_text="", width=SIDE, height=SIDE)
    figure.layout.annotations = ()
    figure.update_layout(margin={"l": 6, "r": 6, "t": 6, "b": 6})
    figure.update_xaxes(title_text="", showticklabels=False)
    figure.update_yaxes(title_text="", showticklabels=False)
    figure.update_traces(line_width=5, selector={"type": "scatter", "mode": "lines"})
    figure.update_traces(line_width=5, marker_size=11, selector={"type": "scatter", "mode": "lines+markers"})
    image = photograph(figure, browser)
    image = image.resize((round(SIDE / SMALL),) * 2, Image.Resampling.LANCZOS)
    out = io.BytesIO()
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(out, "PNG", optimize=True)
    return base64.b64encode(out.getvalue()).decode()


def photograph(figure: Any, browser: Browser) -> Image.Image:
    """Return a figure as a picture of its own size."""
    page = browser.new_page(viewport={"width": figure.layout.width, "height": figure.layout.height})
    page.set_content(figure.to_html(config={"displayModeBar": False, "staticPlot": True}))
    page.wait_for_timeout(1500)
    image = Image.open(io.BytesIO(page.locator(".js-plotly-plot").screenshot())).convert("RGB")
    page.close()
    return image


def gallery() -> None:
    """Make the picture of each page of the documents that draws one: its first figure."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=ensure(), args=FLAGS)
        for name, page in DRAWING.items():
            names: dict[str, Any] = {}
            for example in doctest.DocTestParser().get_examples(page.read_text(encoding="utf-8")):
                exec(compile(example.source, page.name, "exec"), names)
            shown = [thing for thing in names.values() if isinstance(thing, Figure)]
            shown[0].update_layout(width=600, height=shown[0].layout.height or 420, title_text="", margin_t=10)
            image = photograph(shown[0], browser).quantize(2 * COLOURS, dither=Image.Dither.NONE)
            image.save(DOCS / "pictures" / f"{name}.png", optimize=True)
        browser.close()


def packed(ended: Race) -> dict[str, Any]:
    """Return the numbers of a race as they are written; a solver that did not start is left out."""
    lanes = tuple(replace(lane, component=None) for lane in ended.lanes if lane.state != BARRED)
    told = asdict(replace(ended, lanes=lanes, certificate=None))
    return {name: told[name] for name in ("lanes", "falls", "proof_state", "proof_seconds")}


def races() -> None:
    """Record a race of all solvers for the view that each data set at hand opens with."""
    settings = {"seed": State.seed, "rank": State.d, "seconds": racing.SECONDS}
    core = next(line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name"))
    told = {"made": datetime.date.today().isoformat(), "machine": core.partition(": ")[2], **settings, "races": []}
    for record in shelf.records().values():
        if (record.name, record.standardise, record.nonnegative) != stored.opening_key(record.name):
            continue
        cov = nnspca.Covariance.from_dataset(nnspca.datasets.load(record.name), standardize=record.standardise)
        options = racing.options(tuple(nnspca.METHODS), State())
        seed, seconds = settings["seed"], settings["seconds"]
        ended = race(cov, record.opening, tuple(nnspca.METHODS), options=options, seed=seed, seconds=seconds)
        nnspca.verify(ended.certificate, cov)
        told["races"].append({"problem": record.problem, "k": record.opening, "race": packed(ended)})
        print(record.name, *(f"{lane.method} {lane.seconds:.2f} s" for lane in ended.lanes), flush=True)
    racing.FILE.write_text(json.dumps(told) + "\n", encoding="utf-8")


def means() -> None:
    """Write the mean image of each data set that may be passed on, in whole greys."""
    held = {}
    for data in map(nnspca.datasets.load, sorted(SHARED)):
        if data.image_shape is not None:
            grey = 255 * (data.means - data.means.min()) / np.ptp(data.means)
            held[data.name] = grey.round().astype(int).reshape(data.image_shape).tolist()
    collection.MEANS.write_text(json.dumps(held, separators=(",", ":")) + "\n", encoding="utf-8")


def pack(result: StudyResult) -> bytes:
    """Return a run as a ZIP of its frames as CSV, with all digits, and of what is known of the run."""
    out = io.BytesIO()
    about = {name: getattr(result, name) for name in ("data", "full", "seed", "seconds", "shape")}
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as held:
        held.writestr("run.json", json.dumps(about))
        for name, frame in result.rows.items():
            held.writestr(f"{name}.csv", frame.to_csv(index=False))
    return out.getvalue()


def main() -> None:
    """Run and keep the studies named, or all."""
    if (making := {"gallery": gallery, "races": races, "means": means}.get(" ".join(sys.argv[1:]))) is not None:
        return making()
    FOLDER.mkdir(exist_ok=True)
    cards = json.loads(CARDS.read_text(encoding="utf-8")) if CARDS.exists() else {}
    with sync_playwright() as playwright, one_blas_thread():
        browser = playwright.chromium.launch(executable_path=ensure(), args=FLAGS)
        for name in sys.argv[1:] or STUDIES:
            result = without_photographs(STUDIES[name].run())
            file = FOLDER / f"{name}.zip"
            file.write_bytes(pack(result))
            cards[name] = {
                "picture": thumbnail(result, browser),
                "made": datetime.date.today().isoformat(),
                "nnspca": nnspca.__version__,
            }
            rows = sum(map(len, result.rows.values()))
            sizes = file.stat().st_size, len(cards[name]["picture"])
            print(name, f"{result.seconds:.0f} s", rows, *sizes, flush=True)
            CARDS.write_text(json.dumps(cards, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        browser.close()


if __name__ == "__main__":
    main()
