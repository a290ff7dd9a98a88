"""Tells columns about the samples from those of features: what numbers them, when, where, and how much each counts."""

from __future__ import annotations

import numpy as np

from nnspca.datasets.columns import Table
from nnspca.datasets.notes import WORDS, Choice
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import counted, quoted
from nnspca.datasets.scales import means

FEWEST = 5  # samples below which numbers tell nothing of what a column is
LOOKED_AT = 2000  # most columns that are inspected one by one


def about_samples(table: Table, reading: Reading) -> Table:
    """Give columns about the samples their roles, as chosen, by name or by looking; ask where that is not sure."""
    for role, says in WORDS["chosen"].items():
        if (name := reading.of_role(role)) in table.names:
            table = table.without([table.names.index(name)], role).saying(says.format(name=name), "columns", [name])
    X, names = table.numbers, table.names
    if len(X) < FEWEST or not 2 <= len(names) <= LOOKED_AT:
        return table
    free = [j for j, name in enumerate(names) if name not in reading.columns]
    times = [j for j in free if is_time(names[j], X[:, j])]
    numbering = [j for j in free if j not in times and numbers_samples(names[j], X[:, j])]
    if len(numbering) + len(times) == len(names):
        return table
    free = [j for j in free if j not in (*numbering, *times)]
    for j in free:
        table = _asked(table, names[j], X[:, j], j == 0)
    if places := [names[j] for j in free if _is_place(names[j], X[:, j])]:
        says = f"{counted(len(places), 'column')} may say where a sample is, which is no feature: {quoted(places)}."
        table = _asked_roles(table, "places", says, places)
    for gone, says in ((numbering, "numbers of the samples, left out"), (times, "times of the samples, no features")):
        if of := [names[j] for j in gone]:
            table = table.saying(f"Read as {says}: {quoted(of)}.", "columns", of, columns=dict.fromkeys(of, "feature"))
    for role, gone in (("left out", [*numbering, *times[1:]]), ("time", times[:1])):
        table = table.without([table.names.index(names[j]) for j in gone], role)
    return table


def numbers_samples(name: str, values: np.ndarray) -> bool:
    """Whether whole numbers, all different, are called an identifier, or count the samples and are called so."""
    if not is_whole(values) or len(np.unique(values)) < len(values):
        return False
    return means("identifier", name) or (means("counts", name.strip("'")) and _goes_on(values))


def is_whole(values: np.ndarray) -> bool:
    """Whether all numbers are whole."""
    return bool((values == np.round(values)).all())


def is_time(name: str, values: np.ndarray) -> bool:
    """Whether numbers of such a name are years, days, seconds since 1970, or go on in equal steps."""
    if means("date_or_time", name) and is_whole(values):
        low, high = float(values.min()), float(values.max())
        if (low >= 1500 and high <= 2200) or (low >= 15_000_101 and high <= 22_001_231) or (low >= 1e8 and high < 4e12):
            return True
    return means("time", name) and _goes_on(values)


def _goes_on(values: np.ndarray) -> bool:
    """Whether numbers rise in equal steps, but for their rounding."""
    steps = np.diff(values)
    return bool(np.isfinite(values).all() and (steps > 0).all() and np.ptp(steps) <= 0.02 * steps.max())


def _asked(table: Table, name: str, values: np.ndarray, is_first: bool) -> Table:
    """Ask about a column that may be a time, a number of what its rows belong to, or a weight."""
    steps, about_one = np.diff(values), name.lower() in ("weight", "weights") and 0.8 < values.mean() < 1.3
    if (is_first and _goes_on(values)) or (means("time", name) and (steps > 0).all()):
        role, says = "time", "always rises: is it a feature, the time, or a number of the rows?"
    elif means("identifier", name) and is_whole(values) and (steps >= 0).all():
        role, says = "", "may only say what a row belongs to, such as a person, and is then no feature."
    elif (means("weight", name) or about_one) and values.min() >= 0 and len(np.unique(values)) > 2:
        role, says = "weight", "may say how much each sample counts, as surveys have it, and is then no feature."
    else:
        return table
    return _asked_roles(table, f"{role}: {name}", f"Column {name!r:.60} {says}", [name], *filter(None, [role]))


def _is_place(name: str, values: np.ndarray) -> bool:
    if means("places", name):
        return bool(np.nanmax(np.abs(values)) <= 180 or not name.lower().startswith(("lat", "lon", "lng")))
    return means("codes_of_places", name) and is_whole(values[~np.isnan(values)])


def _asked_roles(table: Table, topic: str, says: str, names: list[str], *roles: str) -> Table:
    """Ask for the role of columns; they are read as features."""
    every, words = ("feature", *roles, "left out"), WORDS["roles"]
    ways = [Choice(words[role], {"columns": dict.fromkeys(names, role)}) for role in every]
    return table.asking(topic, says, *ways, about=names)
