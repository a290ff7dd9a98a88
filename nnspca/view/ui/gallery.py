"""Gallery component: cards with a small picture and a few words each; a press chooses one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

from nnspca.view.link import canvas

_mount = canvas.component("gallery", canvas.SHARED, ("gallery.js",))


@dataclass(frozen=True)
class Card:
    """One card."""

    name: str  # what a press chooses
    # its three lines
    title: str
    says: str
    foot: str = ""
    picture: str = ""  # a PNG in base64; empty for none
    group: str = ""  # the heading it stands under; empty for none. Cards of one group follow each other.


def show(
    key: str, label: str, cards: Sequence[Card], here: str, choose: Callable[[str], None], *, strip: bool = False
) -> None:
    """Draw the cards, the one that is ``here`` marked; ``choose`` is called with the name of a card pressed.

    A ``strip`` stands beside what is chosen and scrolls by itself; on a phone it lies above it, in
    one row.
    """
    names = {card.name for card in cards}

    def pressed() -> None:
        name = canvas.sent(key, "chosen")
        if name in names:
            choose(name)

    data = {"label": label, "cards": [asdict(card) for card in cards], "here": here, "strip": strip}
    _mount(key=key, data=data, on_chosen_change=pressed)
