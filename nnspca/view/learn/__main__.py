"""Write the lesson as one page that asks no server: ``python -m nnspca.view.learn lesson.html``."""

import logging
import sys
from pathlib import Path

from nnspca.view.learn import chapters, web

BUNDLED = ("faces", "digits")  # boards that anyone may pass on


def page() -> str:
    """Return the game and all chapters, on bundled data sets, as HTML for a course's site."""
    body = (chapters.BROWSER / "learn.html").read_text(encoding="utf-8")
    lesson = {"body": body, **chapters.content(BUNDLED)}
    return bytes(web.room_page("alone", lesson, ("room", "learn"), (*chapters.SCRIPTS, "alone.js")).body).decode()


if __name__ == "__main__":
    logging.disable(logging.WARNING)  # Streamlit's, which misses its server
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
