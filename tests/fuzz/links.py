"""Random links: whatever an address says of any key, its reader gives an allowed value or none."""

import math

from nnspca.view.link.state import TABLE
from tests.fuzz import GotThrough

TEXTS = (
    "", "0", "1", "-1", "00", "+3", "1e309", "-1e309", "1e-400", "inf", "-inf", "nan", "NaN", "Infinity", "1_000",
    "٣", "0x10", "1e3", "3.5", "9" * 400, "9" * 17, "true", "True", "false", "TRUE", "None", "null", "[]", "\0",
    "a" * 10_000, "![p](http://example.org)", "<b>", "%00", "em", "best", "40 · best", "../..", "\ud800", " 5 ",
    "5 ", "5,6", "NaN5",
)  # fmt: skip


def attempt(rng):
    """Ask one key's reader to make sense of texts that no link should have."""
    entry = TABLE[rng.integers(len(TABLE))]
    texts = [TEXTS[i] for i in rng.integers(len(TEXTS), size=int(rng.integers(0, 4)))]
    if entry.options and rng.random() < 0.3:
        texts.append(str(entry.options[rng.integers(len(entry.options))]))
    value, whole = entry.read(texts)
    if not isinstance(whole, bool) or not allowed(entry, value, texts):
        raise GotThrough(f"{entry.key} reads {texts!r:.200} as {value!r:.200}")
    return value is not None


def allowed(entry, value, texts):
    """Whether the value is one that the key may have."""
    if value is None:
        return True
    if entry.kind == "text":
        return value == (texts[-1] if texts else "")
    if entry.kind in ("switch", "fold"):
        return isinstance(value, bool)
    if entry.kind in ("whole", "number"):
        low = -math.inf if entry.low is None else entry.low
        high = math.inf if entry.high is None else entry.high
        fits = math.isfinite(value) and low <= value <= high and (not entry.options or value in entry.options)
        return fits and (entry.kind == "number" or isinstance(value, int))
    if entry.kind == "one":
        return value in entry.options
    return (
        isinstance(value, tuple) and all(v in entry.options for v in value) and len(value) <= (entry.most or math.inf)
    )
