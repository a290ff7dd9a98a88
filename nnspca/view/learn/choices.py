"""The lesson's keys in the link. The browser reads and writes them; here they are only checked."""

from __future__ import annotations

from nnspca.view.link import state, widgets

KEYS = state.keys_of("learn")
PLAYED = ("step", "board", "painted", "best", "at")


def check() -> None:
    """Say which values of the link cannot be used; the lesson takes the defaults for them."""
    for key in PLAYED:
        widgets.linked_value(KEYS[key])
