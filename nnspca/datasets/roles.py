"""Tells columns about the samples from those of features: what numbers them, when, where, and how much each counts."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from nnspca.datasets.notes import Choice, Note, decision, doubt
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import Table, counted, listed

FEW = 5  # samples below which numbers tell nothing of what a column is
LOOKED_AT = 2000  # most columns of which each is looked at
IDENTIFIERS = re.compile(
    r"(?:^|[_\s.-])(?:id|ids|index|idx|no|nr|num|row|rownum|case|subject|patient|code)$", re.IGNORECASE
)
COUNTS = re.compile(r"obs(ervation)?|samples?|n|#|lfd.*|unnamed.*|counter|column 1|", re.IGNORECASE)
TIMES = re.compile(r"(?:^|[_\s.-])(?:date|day|time|timestamp|year|month)s?(?:$|[_\s.-])", re.IGNORECASE)
TIME_ALONE = re.compile(
    r"(elapsed[ _])?(time|t|date|day|hour|minute|sec(ond)?|year|month|week|timestamp|unix ?time|epoch|datum|zeit|"
    r"jahr|année|año|anno|frame|cycle)s?([ _]*([(\[].*[)\]]|m?s|sec|min|h))?",
    re.IGNORECASE,
)
PLACES = re.compile(r"(lat(itude)?|lon(g(itude)?)?|lng|easting|northing|[xy][_ ]coord(inate)?)s?", re.IGNORECASE)
PLACE_CODES = re.compile(
    r".*(zip|plz|postal|post ?code|fips|nuts|insee|ags|area[_ ]?code|country[_ ]?code|region[_ ]?code|geo ?id).*",
    re.IGNORECASE,
)
WEIGHTS = re.compile(
    r"([a-z]+[_ .])?(survey|sampling|sample|design|person|final|post|calibration|household|pop(ulation)?)[_ .]?"
    r"(weight|wt|wgt)s?|[dp](s?p)?we?i?ght|perwt|hhwt|wtss(all)?|w[gt]t?_?\d*|gewichte?|(hochrechnungs)?faktor|pond[eé]ration",
    re.IGNORECASE,
)


def about_samples(table: Table, reading: Reading) -> Table:
    """Give columns about the samples their roles, as chosen, by name or by looking; ask where that is not sure."""
    for role in ("time", "weight"):
        if chosen := [j for j, name in enumerate(table.names) if reading.columns.get(name) == role]:
            name = table.names[chosen[0]]
            table = table.without(chosen, role)
            table = table.saying(decision(f"Column {name!r:.60} is the {role}, as chosen.", "columns", [name]))
    X, names = table.numbers, table.names
    if len(X) < FEW or not 2 <= len(names) <= LOOKED_AT:
        return table
    said_of = {*reading.columns, reading.label, reading.sample_names}
    free = [j for j, name in enumerate(names) if name not in said_of]
    times = [j for j in free if is_time(names[j], X[:, j])]
    numbering = [j for j in free if j not in times and numbers_samples(names[j], X[:, j])]
    free = [j for j in free if j not in (*numbering, *times)]
    if not free and len(numbering) + len(times) == len(names):
        return table
    doubts = [question for j in free if (question := _asked(names[j], X[:, j], j == 0))]
    if places := [names[j] for j in free if _is_place(names[j], X[:, j])]:
        says = f"{counted(len(places), 'column')} may say where a sample is, which is no feature: {listed(places)}."
        doubts.append(_roles("places", says, places))
    for gone, says in (
        (numbering, "number(s) of the samples: left out"),
        (times, "time(s) of the samples: no feature"),
    ):
        if of := [names[j] for j in gone]:
            says = f"{counted(len(of), 'column')} with {says}: {listed(of)}."
            table = table.saying(decision(says, "columns", of, columns=dict.fromkeys(of, "feature")))
    roles = dict.fromkeys((*numbering, *times[1:]), "left out") | dict.fromkeys(times[:1], "time")
    for role in ("left out", "time"):
        table = table.without([table.names.index(names[j]) for j, one in roles.items() if one == role], role)
    return replace(table, doubts=(*table.doubts, *doubts))


def numbers_samples(name: str, values: np.ndarray) -> bool:
    """Whether whole numbers, all different, are called an identifier, or count the samples and are called so."""
    if not is_whole(values) or len(np.unique(values)) < len(values):
        return False
    return IDENTIFIERS.search(name) is not None or (COUNTS.fullmatch(name.strip("'")) is not None and _goes_on(values))


def is_whole(values: np.ndarray) -> bool:
    """Whether all numbers are whole."""
    return bool((values == np.round(values)).all())


def is_time(name: str, values: np.ndarray) -> bool:
    """Whether numbers of such a name are years, days, seconds since 1970, or go on in equal steps."""
    if TIMES.search(name) and is_whole(values):
        low, high = float(values.min()), float(values.max())
        if (low >= 1500 and high <= 2200) or (low >= 15_000_101 and high <= 22_001_231) or (low >= 1e8 and high < 4e12):
            return True
    return TIME_ALONE.fullmatch(name) is not None and _goes_on(values)


def _goes_on(values: np.ndarray) -> bool:
    """Whether numbers rise in equal steps, but for their rounding."""
    steps = np.diff(values)
    return bool(np.isfinite(values).all() and (steps > 0).all() and np.ptp(steps) <= 0.02 * steps.max())


def _asked(name: str, values: np.ndarray, is_first: bool) -> Note | None:
    """The question about a column that may be a time or a weight."""
    rises = bool((np.diff(values) > 0).all())
    if (is_first and _goes_on(values)) or (rises and TIME_ALONE.fullmatch(name)):
        how = "rises in equal steps" if _goes_on(values) else "always rises"
        return _roles(f"time: {name}", f"Column {name!r:.60} {how}: is it the time, or a count?", [name], "time")
    if WEIGHTS.fullmatch(name) and values.min() >= 0 and len(np.unique(values)) > 2:
        says = f"Column {name!r:.60} may say how much each sample counts, as surveys have it, and is then no feature."
        return _roles(f"weight: {name}", says, [name], "weight")
    return None


def _is_place(name: str, values: np.ndarray) -> bool:
    if PLACES.fullmatch(name):
        return bool(np.nanmax(np.abs(values)) <= 180 or not name.lower().startswith(("lat", "lon", "lng")))
    return PLACE_CODES.fullmatch(name) is not None and is_whole(values[~np.isnan(values)])


def _roles(topic: str, says: str, names: list[str], *roles: str) -> Note:
    """A question whose answers are roles; they are read as features."""
    labels = {"time": "the time", "weight": "the weight of the samples", "left out": "left out"}
    ways = [Choice(labels[role], {"columns": dict.fromkeys(names, role)}) for role in (*roles, "left out")]
    first = Choice("a feature" if len(names) == 1 else "features", {"columns": dict.fromkeys(names, "feature")})
    return doubt(topic, says, first, *ways, about=names)
