"""Presenter mode: one figure to a screen, in large type, and a QR code that opens the view on a phone."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import segno
import streamlit as st

from nnspca.view.link import canvas, state, widgets
from nnspca.view.sources import catalogue

# What segno calls the levels of repair, from the sturdiest that is usual to the one that holds the
# longest address.
LEVELS = ("m", "l")
BROWSER = Path(__file__).parent / "browser"
LONGEST = 2000  # letters of an address that a phone still reads off a screen

_mount = canvas.component("present", BROWSER, ("slide.js", "presenter.js", "present.js"))


def start_button(page: str) -> None:
    """Show the button that begins, and listen to its key; the browser does the rest."""
    for key in ("present", "slide"):
        widgets.linked_value(state.keys_of(page)[key])
    st.fragment(_offer)()


def _offer() -> None:
    session = st.session_state
    picture = session.get("present_code")
    own = state.current().data in catalogue.uploaded()

    def coded() -> None:
        st.session_state["present_code"] = code(st.session_state["present-mode"].address)

    _mount(
        key="present-mode",
        data={"code": picture, "own": own},
        on_address_change=coded,
        on_on_change=lambda: None,
    )
    drawn, session["_presenting"] = session.get("_presenting"), presenting()
    if drawn not in (None, presenting()):
        st.rerun()  # figures are drawn to the height of a slide, or of the page again


def presenting() -> bool:
    """Tell whether the page is shown as slides."""
    mode = st.session_state.get("present-mode")
    if mode is not None and mode.on is not None:
        return bool(mode.on)
    return st.query_params.get("present") == "true"  # a link, opened before the browser has said anything


def code(address: str) -> dict[str, Any]:
    """Return an address as a code that a phone's camera reads, and whether only this computer can open it.

    >>> picture = code("http://192.168.0.7:8501/?k=4")
    >>> picture["near"], picture["svg"][:4], code("http://localhost:8501/")["near"]
    (False, '<svg', True)
    >>> code("http://example.org/?V=" + 3000 * "1")["svg"]
    ''
    """
    svg = ""
    for level in LEVELS:
        if not svg and len(address) <= LONGEST:
            try:
                drawn = segno.make(address, error=level, micro=False, boost_error=False)
            except segno.DataOverflowError:
                continue
            svg = drawn.svg_inline(border=4, dark="#000", light="#fff", omitsize=True)
    return {"address": address, "svg": svg, "near": _near(urlsplit(address).hostname or "")}


def _near(host: str) -> bool:
    """Tell whether an address names the computer it is read on."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
