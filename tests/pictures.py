"""Make the pictures of README and of the documents' charts from the real app: ``python -m tests.pictures [name …]``.

Stills of the pages at rest, and two that move: the spannogram as its direction turns, and the band as proofs close it.
"""

import base64
import io
import sys
import time
from collections.abc import Callable

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import FLAGS
from tests.browser.page import rest
from tests.chromium import ensure
from tests.server import ROOT, serving

ASSETS, CHARTS = ROOT / "assets", ROOT / "nnspca" / "docs" / "pictures"
COLOURS = 96  # of a still; a moving picture has a third
QUIET = "!document.querySelector('.js-plotly-plot')"
NOTHING = "false"
ASKED = "/?data=digits&k=16&"
GROWING = """[...document.querySelectorAll('.st-key-stage *')].map(e => e.shadowRoot?.querySelector('.play'))
  .every(play => !play || !play.dataset.k || play.querySelector('[data-say=note]').textContent)"""
PAINTED = [25 * row + column for row in range(5) for column in range(9 + row // 2, 17 + row // 2)]  # a forehead


def mask(features: list[int], n: int) -> str:
    """Return painted features as the lesson's link carries them: one bit each."""
    bits = np.zeros(n, dtype=bool)
    bits[features] = True
    return base64.urlsafe_b64encode(np.packbits(bits, bitorder="little").tobytes()).decode().rstrip("=")


def still(page: Page, name: str, height: int, part: str = "") -> None:
    """Keep what the page shows now, or of a chart of the documents that part of it."""
    page.set_viewport_size({"width": 1280, "height": height})
    page.mouse.move(2, 2)  # no tip in the picture
    page.wait_for_timeout(1500)
    taken, file = (
        page.locator(part).first if part else page,
        CHARTS / f"{name}.png" if part else ASSETS / f"screenshot-{name}.png",
    )
    image = Image.open(io.BytesIO(taken.screenshot())).convert("RGB")
    image.quantize(COLOURS, kmeans=3, dither=Image.Dither.NONE).save(file, optimize=True)


def moving(frames: list[bytes], name: str, width: int, each: int) -> None:
    """Write frames as a small moving picture, ``each`` milliseconds long, that starts over after a rest."""
    images = [Image.open(io.BytesIO(frame)).convert("RGB") for frame in frames]
    size = (width, round(images[0].height * width / images[0].width))
    images = [image.resize(size, Image.Resampling.LANCZOS) for image in images]
    palette = images[-1].quantize(COLOURS // 3, dither=Image.Dither.NONE)
    images = [image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images]
    lasting = [each] * (len(images) - 1) + [2500]
    images[0].save(
        ASSETS / f"{name}.gif", save_all=True, append_images=images[1:], duration=lasting, loop=0, optimize=True
    )


def learn(page: Page) -> None:
    """The game, painted and revealed."""
    page.locator("section.lesson[data-frames]").wait_for()
    page.get_by_role("button", name="Show the solver").click()
    page.get_by_text("Solver: ").first.wait_for()
    page.get_by_text("of the optimum").first.wait_for()
    still(page, "learn", 860)


def spannogram(page: Page) -> None:
    """The direction turns once round."""
    page.locator("section.spannogram[data-frames]").wait_for()
    page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
    still(page, "spannogram", 900)
    floor = page.locator("section.spannogram .floor")
    stage = page.locator("section.spannogram .stage").bounding_box()
    frames = []
    for step in range(30):
        page.mouse.move(stage["x"] + 40 + (stage["width"] - 70) * step / 29, stage["y"] + 60)
        page.mouse.down()
        page.mouse.up()
        page.evaluate("document.activeElement?.shadowRoot?.activeElement?.blur()")
        page.wait_for_timeout(120)
        frames.append(floor.screenshot())
    moving(frames, "spannogram", 720, 160)


def band(page: Page) -> None:
    """Points and upper bounds arrive, until the run is done."""
    page.locator(".play[data-k]").wait_for()
    place, frames = page.locator(".st-key-stage"), []
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        frame = place.screenshot()
        if not frames or frame != frames[-1]:
            frames.append(frame)
        if len(frames) > 3 and not page.evaluate(GROWING):
            break
        page.wait_for_timeout(500)
    keep = max(1, len(frames) // 16)
    moving([*frames[::keep], place.screenshot()], "band", 720, 450)


def at_rest(name: str, height: int, busy: str = QUIET, part: str = "") -> Callable[[Page], None]:
    """Return what keeps a page, or part of it, as it is once nothing runs any more."""

    def keep(page: Page) -> None:
        rest(page, busy, 2500)
        still(page, name, height, part)

    return keep


def computed(name: str, kind: str, part: str) -> Callable[[Page], None]:
    """Return what keeps a part of a page once a run that its button begins has ended."""

    def keep(page: Page) -> None:
        rest(page, NOTHING, 2500)
        page.locator(f".st-key-start-{kind} button").first.click()
        page.locator(part).first.wait_for()
        at_rest(name, 1800, NOTHING, part)(page)

    return keep


PICTURES: dict[str, tuple[str, Callable[[Page], None]]] = {
    "explore": ("/", at_rest("explore", 800, GROWING)),
    "parts": ("/parts", at_rest("parts", 1000)),
    "learn": (f"/learn?painted={mask(PAINTED, 625)}", learn),
    "spannogram": ("/spannogram", spannogram),
    "data": ("/data?data=digits", at_rest("data", 900, NOTHING)),
    "app-band": ("/", at_rest("app-band", 900, GROWING, ".st-key-stage")),
    "app-parts": ("/parts?data=digits", at_rest("app-parts", 1400, QUIET, ".st-key-parts-band")),
    "app-race": ("/compare", at_rest("app-race", 1400, QUIET, ".js-plotly-plot")),
    "app-samples": ("/?data=leukemia&k=20&samples=true", at_rest("app-samples", 1800, NOTHING, ".st-key-stage")),
    "app-sets": ("/compare?what=data+sets&vs=digits&vs=lfw-faces", at_rest("app-sets", 1400, part=".js-plotly-plot")),
    "app-need": (f"{ASKED}these=true", computed("app-need", "need", ".st-key-needed")),
    "app-held-out": (f"{ASKED}hold=true", computed("app-held-out", "which", ".st-key-held-out")),
    "app-stable": (f"{ASKED}hold=true", computed("app-stable", "stable", ".st-key-recurrence")),
    "band": (f"/?data=digits&scale=standardised&ks=1-5,8,12,20,40,64&seed={time.time_ns() % 10_000}", band),
}


def main() -> None:
    """Make the pictures named, or all."""
    with serving() as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=ensure(), args=FLAGS)
        for name in sys.argv[1:] or PICTURES:
            address, make = PICTURES[name]
            page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
            page.set_default_timeout(120_000)
            page.goto(server.address + address)
            make(page)
            page.close()
            print(name, flush=True)
        browser.close()


if __name__ == "__main__":
    main()
