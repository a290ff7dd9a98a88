"""What a link says of the lesson. The browser reads and writes it; here it is only judged, and told where no use."""

from __future__ import annotations

from nnspca.view.session import state, widgets

KEYS = state.keys_of("learn")
PLAYED = ("step", "board", "painted", "best", "at")


def heed() -> None:
    """Tell the person which of the link's values cannot be used; the lesson takes the usual ones for them."""
    for key in PLAYED:
        widgets.linked_value(KEYS[key])
