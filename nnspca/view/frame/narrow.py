"""Bar at the foot of a narrow screen: data set and k, where the sidebar is folded away."""

from __future__ import annotations

from pathlib import Path

from nnspca.view import sanitize
from nnspca.view.link import canvas, state
from nnspca.view.sources import catalogue

BROWSER = Path(__file__).parent / "browser"

_mount = canvas.component("narrow", BROWSER, ("narrow.js",))


def bar(counting: set[str]) -> None:
    """Show the choices of data set and k that count on this page; wider than a phone, nothing is seen of it."""
    if "data" not in counting:
        return
    infos, now = catalogue.infos(), state.current()
    columns = catalogue.features(now.data, now.prep)

    def choose_data() -> None:
        name = canvas.sent("narrow", "data")
        if name in infos:
            catalogue.use(name, infos[name].shape[1])

    def choose_k() -> None:
        if (k := canvas.sent("narrow", "k")) is not None:
            state.assign(k=min(max(int(k), 1), columns))

    content = {
        "sets": [[name, sanitize.line(info.title)] for name, info in infos.items()],
        "here": now.data,
        "k": min(now.k, columns) if "k" in counting else None,
        "most": columns,
    }
    _mount(key="narrow", data=content, height=0, on_data_change=choose_data, on_k_change=choose_k)
