"""Cards of the data sets: each with its component and proven share from the ledger, and a picture from the local data.

The terms of some data sets forbid passing images on, so pictures are drawn where the data are: once
a server, in a thread of their own, while the first visitor's page is complete without them.
"""

from __future__ import annotations

import base64
import threading
import time
from collections.abc import Mapping

import streamlit as st

from nnspca.datasets import Dataset, DatasetInfo
from nnspca.view import sanitize, words
from nnspca.view.figures import dataset
from nnspca.view.jobs import progress
from nnspca.view.jobs.progress import Look
from nnspca.view.link.state import State
from nnspca.view.results import known, stored
from nnspca.view.results.ledger import Known
from nnspca.view.sources import catalogue
from nnspca.view.ui import gallery, preview
from nnspca.view.ui.gallery import Card

AFTER = 2.0  # seconds that drawing waits: reading the data would slow the first figure of a new server
POLL_SECONDS = 1.0


class Pictures:
    """Pictures of the data sets by name, as PNG in base64, drawn once for all visits."""

    def __init__(self, after: float = AFTER) -> None:
        self.done: dict[str, str] = {}
        self._after, self._begun = after, set[str]()
        self._lock = threading.Lock()

    def ask(self, cards: Mapping[str, Known | None]) -> bool:
        """Begin to draw what has not been asked for yet; return whether all wanted are done."""
        with self._lock:
            new = {name: best for name, best in cards.items() if name not in self._begun}
            self._begun |= set(new)
        if new:
            threading.Thread(target=self._draw, args=(new,), name="nnspca-cards", daemon=True).start()
        return cards.keys() <= self.done.keys()

    def _draw(self, cards: Mapping[str, Known | None]) -> None:
        time.sleep(self._after)
        for name, best in cards.items():
            try:
                content = picture(catalogue.local_dataset(name), best)
            except (ValueError, OSError):  # no longer listed, or unreadable, as its own page says
                content = b""
            self.done[name] = base64.b64encode(content).decode()


@st.cache_resource(show_spinner=False)
def pictures() -> Pictures:
    """Return the pictures that all visits share."""
    return Pictures()


def picture(data: Dataset, best: Known | None) -> bytes:
    """Return the picture of a data set: its component where one is known, else some of its numbers."""
    if best is None or not best.components or len(best.component.loadings) != data.n_features:
        return preview.thumbnail(data)
    loadings = best.component.loadings
    if data.kind != "covariance" and data.image_shape is not None:
        return dataset.over_image(loadings[:, None], data.means, data.image_shape)
    if data.kind != "covariance" and data.axis is not None:
        return dataset.along_axis(loadings, data.means, data.axis.values)
    return dataset.as_bars(loadings)


def opening(name: str) -> Known | None:
    """Return what is known of the component that a data set opens with; None where nothing is stored of it."""
    record = stored.records().get(name)
    if record is None:
        return None
    best = known.ledger().at(record.problem, record.opening, 0.0)  # variances are at least 0
    return best if best.bounded else None


def cards(now: State) -> None:
    """Show a card for each data set; a press opens it in its own view."""
    infos = catalogue.infos()
    own = catalogue.uploaded()
    best = {name: opening(name) for name in infos if name not in own}
    complete = pictures().ask({name: best[name] for name, info in infos.items() if name in best and info.local})
    gallery.show(
        "gallery",
        "Data sets",
        [_card(name, info, best.get(name), own.get(name)) for name, info in infos.items()],
        now.data,
        lambda name: catalogue.use(name, infos[name].shape[1]),
    )
    if not complete:
        wanted = {name for name in best if infos[name].local}
        drawn = pictures().done
        progress.show("cards", lambda: Look(draw=wanted <= drawn.keys()), POLL_SECONDS)


def _card(name: str, info: DatasetInfo, best: Known | None, own: Dataset | None) -> Card:
    says = info.description.split(". ")[0].rstrip(".") + "." if info.description else ""
    source = " (stored proof)" if best is not None and best.stored else ""
    if own is not None:
        picture = base64.b64encode(preview.thumbnail(own)).decode()
    elif info.local or best is None:
        picture = pictures().done.get(name, "")
    else:
        picture = base64.b64encode(dataset.as_bars(best.component.loadings)).decode()
    return Card(
        name,
        sanitize.line(info.title),
        f"{says} {away.capitalize()}." if (away := catalogue.away(info)) else says,
        "" if best is None else f"k = {best.at}: {words.proven_share(best.ratio)}{source}",
        picture,
    )
