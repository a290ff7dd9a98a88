"""Reads words that are an order as places in it, and codes with labels as codes; asks where either is not sure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from nnspca.datasets.cells import ABSENT, CLASS_NAMES
from nnspca.datasets.columns import Table, Texts
from nnspca.datasets.notes import Choice
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import quoted
from nnspca.datasets.scales import CODE, MOST_WORDS, means, order_of

ALIKE = 3  # columns with the same words from which these are asked to be an order


def read_orders(table: Table, reading: Reading) -> Table:
    """Read columns of ordered words as their places: chosen orders, else known ones, which are asked."""
    unsaid = [text for text in table.texts if text.name and text.name not in reading.columns and not text.levels]
    free = [text for text in unsaid if text.name.lower() not in CLASS_NAMES]
    for order in reading.orders or ():
        if chosen := [text for text in free if text in table.texts and set(map(str, order)) >= _words(text)]:
            names = [text.name for text in chosen]
            table = _as_numbers(table, chosen, tuple(map(str, order)))
            says = f"Words of {quoted(names)} read as places in an order: {' < '.join(map(str, order))}."
            table = table.saying(says, "orders", names, orders=())
    free = [text for text in free if text in table.texts and 2 <= len(_words(text)) <= MOST_WORDS]
    for same in _alike(free) if reading.orders != () else ():
        words = sorted({word for text in same for word in _words(text)})
        order, names = order_of(words), [text.name for text in same]
        if not order and len(same) < ALIKE:
            continue
        if len(same) < 2 and (len(order) == 2 or all(CODE.fullmatch(word) for word in order)):
            continue  # yes and no, small and large, g1 and g2: a class
        topic, first = f"order: {names[0]}", order or tuple(words)
        ways = [Choice(" < ".join(way), {"orders": (way,)}) for way in (first, first[::-1])]
        ways += [Choice("the class", {"columns": {names[0]: "class"}})] if len(names) == 1 else []
        ways.append(Choice("left out", {"columns": dict.fromkeys(names, "left out")}))
        if order:
            table = _as_numbers(table, same, order)
            says = f"Words of {quoted(names)} read as places in an order, 1 to {len(order)}: {' < '.join(order)}."
            table = table.asking(topic, says, *ways, about=names)
        else:
            says = f"The same {len(words)} words in {quoted(names)} may be an order: {quoted(words)}."
            table = table.asking(topic, says, Choice("no order"), *ways, about=names)
    return table


def _words(text: Texts) -> set[str]:
    no_words = ABSENT - {"none"}
    return {word for word in set(text.values) if word.lower() not in no_words and not means("no_answer", word)}


def _alike(texts: Sequence[Texts]) -> list[list[Texts]]:
    """Columns that hold the same words, or together words of one known order."""
    groups: list[tuple[set[str], list[Texts]]] = []
    for text in sorted(texts, key=lambda text: -len(_words(text))):
        words = _words(text)
        for held, same in groups:
            if words <= held or (len(words & held) > 1 and order_of(sorted(words | held))):
                held |= words
                same.append(text)
                break
        else:
            groups.append((words, [text]))
    return [sorted(same, key=lambda text: text.place) for _, same in groups]


def _as_numbers(table: Table, texts: Sequence[Texts], order: Sequence[str]) -> Table:
    """Columns of words as places in an order, from 1 on; other words are missing values."""
    places = {word: float(i) for i, word in enumerate(order, start=1)}
    columns = [np.array([places.get(word, np.nan) for word in text.values]) for text in texts]
    gone = [text.place for text in texts]
    every = np.concatenate([table.places, gone]).astype(int)
    by_place = np.argsort(every, kind="stable")
    words = {place: word for word, place in places.items()}
    return replace(
        table,
        numbers=np.column_stack([table.numbers, *columns])[:, by_place],
        places=every[by_place],
        texts=tuple(text for text in table.texts if text not in texts),
        kinds={**table.kinds, **dict.fromkeys(gone, "order")},
        levels={**table.levels, **dict.fromkeys(gone, words)},
    )


def read_labels(table: Table, labels: Mapping[str, Mapping[float, str]], reading: Reading) -> Table:
    """Keep labelled codes as numbers, unless they are the names of classes; codes of no answer are missing values."""
    labelled = {j: labels[name] for j, name in enumerate(table.names) if labels.get(name)}
    if not labelled:
        return table
    numbers, levels, texts, silent, kept = table.numbers.copy(), dict(table.levels), [], [], []
    shared = Counter(tuple(sorted(words.values())) for words in labelled.values())
    for j, words in labelled.items():
        name, place, values = table.names[j], int(table.places[j]), numbers[:, j]
        none = [code for code, word in words.items() if means("no_answer", word.strip())]
        if none and np.isin(values, none).any():
            values[np.isin(values, none)] = np.nan
            silent.append(name)
        used = set(np.unique(values[~np.isnan(values)]).tolist())
        levels[place] = {code: word for code, word in words.items() if code not in none}
        alone = shared[tuple(sorted(words.values()))] == 1
        whole = used <= set(levels[place]) and len(used) > 1 and alone and name not in reading.columns
        kinds = [word for _, word in sorted(levels[place].items())]
        if reading.columns.get(name) == "class" or (whole and (len(kinds) == 2 or not order_of(kinds))):
            given = ["" if np.isnan(v) else words.get(v, f"{v:.15g}") for v in values.tolist()]
            texts.append(Texts(name, given, tuple(kinds), place))
            if len(kinds) > 2 and name not in reading.columns:
                ways = Choice("kinds", {}), Choice("an order", {"columns": {name: "feature"}})
                says = f"The codes of {name!r:.60} stand for {quoted(kinds)}: kinds, or an order?"
                table = table.asking(f"order: {name}", says, *ways, about=[name])
        else:
            kept.append(name)
    if silent:
        table = table.saying(f"Codes labelled as no answer read as missing in {quoted(silent)}.", "missing", silent)
    if kept:
        table = table.saying(f"Labelled codes read as these numbers: {quoted(kept)}.", "columns", kept)
    gone = [text.place for text in texts]
    stay = ~np.isin(table.places, gone)
    every = sorted([*table.texts, *texts], key=lambda text: text.place)
    return replace(table, numbers=numbers[:, stay], places=table.places[stay], texts=tuple(every), levels=levels)
