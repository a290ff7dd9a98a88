"""Reads words that are an order as places in it, and codes with labels as codes; asks where either is not sure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from nnspca.datasets.cells import ABSENT, CLASS_NAMES
from nnspca.datasets.notes import Choice, decision, doubt
from nnspca.datasets.options import Reading
from nnspca.datasets.parsing import Table, Texts, counted, listed
from nnspca.datasets.scales import CODE, MOST_WORDS, NO_ANSWER, order_of

ALIKE = 3  # columns with the same words from which these are asked to be an order


def read_orders(table: Table, reading: Reading) -> Table:
    """Read columns of ordered words as their places: chosen orders, else known ones, which are asked."""
    for order in reading.orders or ():
        chosen = [text for text in table.texts if set(map(str, order)) >= _words(text) and _is_free(text, reading)]
        table = _as_numbers(table, chosen, tuple(map(str, order)))
        if chosen:
            said = f"{_called(chosen)} read as places in an order: {' < '.join(map(str, order))}."
            table = table.saying(decision(said, "orders", [text.name for text in chosen]))
    if reading.orders is not None:
        return table
    able = [text for text in table.texts if _is_free(text, reading) and 2 <= len(_words(text)) <= MOST_WORDS]
    for same in _alike(able):
        words = list(dict.fromkeys(word for text in same for word in text.values if _is_word(word)))
        order = order_of(words)
        names = [text.name for text in same]
        if not order and len(same) < ALIKE:
            continue
        if len(same) < 2 and (len(order) == 2 or all(CODE.fullmatch(word) for word in order)):
            continue  # yes and no, small and large, g1 and g2: a class
        unknown = tuple(sorted(words))
        one = [Choice("the class", {"columns": {names[0]: "class"}, "orders": ()})] if len(names) == 1 else []
        out = Choice("left out", {"columns": dict.fromkeys(names, "left out")})
        if order:
            table = _as_numbers(table, same, order)
            said = f"{_called(same)} in an order: {' < '.join(order)}. Read as places in it, 1 to {len(order)}."
            read = Choice(" < ".join(order), {"orders": (order,)})
            question = doubt(f"order: {names[0]}", said, read, *one, out, about=names)
        else:
            said = f"{_called(same)} the same {len(words)} words, {listed(unknown)}, which may be an order."
            read = Choice("no order", {"orders": ()})
            ways = [Choice(" < ".join(way), {"orders": (way,)}) for way in (unknown, unknown[::-1])]
            question = doubt(f"order: {names[0]}", said, read, *ways, out, about=names)
        if not set(question.settles[0].sets["accepted"]) & set(reading.accepted) or order:
            table = replace(table, doubts=(*table.doubts, question))
    return table


def _called(texts: Sequence[Texts]) -> str:
    """How a sentence begins that is about such columns."""
    names = listed([text.name for text in texts])
    return f"Column {names} holds words" if len(texts) == 1 else f"Columns {names} hold words"


def _is_word(word: str) -> bool:
    return word.lower() not in ABSENT - {"none"} and not NO_ANSWER.fullmatch(word)


def _words(text: Texts) -> set[str]:
    return {word for word in set(text.values) if _is_word(word)}


def _is_free(text: Texts, reading: Reading) -> bool:
    """Whether nothing was said of a column."""
    chosen = text.name in (reading.label, reading.sample_names) or text.name in reading.columns
    return bool(text.name) and not chosen and text.name.lower() not in CLASS_NAMES and not text.levels


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
    if not texts:
        return table
    places = {word: float(i) for i, word in enumerate(order, start=1)}
    columns = [np.array([places.get(word, np.nan) for word in text.values]) for text in texts]
    gone = {text.place for text in texts}
    at = np.array([text.place for text in texts])
    every = np.concatenate([table.places, at])
    numbers = np.column_stack([table.numbers, *columns])
    by_place = np.argsort(every, kind="stable")
    words = {place: word for word, place in places.items()}
    return replace(
        table,
        numbers=numbers[:, by_place],
        places=every[by_place],
        texts=tuple(text for text in table.texts if text.place not in gone),
        kinds={**table.kinds, **dict.fromkeys(gone, "order")},
        levels={**table.levels, **{text.place: words for text in texts}},
    )


def read_labels(table: Table, labels: Mapping[str, Mapping[float, str]], reading: Reading) -> Table:
    """Keep labelled codes as numbers, unless they are the names of classes; codes of no answer are missing values."""
    labelled = {j: labels[name] for j, name in enumerate(table.names) if labels.get(name)}
    if not labelled:
        return table
    numbers, levels, classes, unclear, silent = table.numbers.copy(), dict(table.levels), [], [], []
    kinds = Counter(tuple(sorted(words.values())) for words in labelled.values())
    for j, words in labelled.items():
        none = [code for code, word in words.items() if NO_ANSWER.fullmatch(word.strip())]
        if none and np.isin(numbers[:, j], none).any():
            numbers[np.isin(numbers[:, j], none), j] = np.nan
            silent.append(table.names[j])
        used = set(np.unique(numbers[~np.isnan(numbers[:, j]), j]).tolist())
        words = {code: word for code, word in words.items() if code not in none}
        levels[int(table.places[j])] = words
        free = table.names[j] not in reading.columns
        whole = used <= set(words) and len(used) > 1 and kinds[tuple(sorted(labels[table.names[j]].values()))] == 1
        if table.names[j] == reading.label or reading.columns.get(table.names[j]) == "class":
            classes.append(j)
        elif free and whole and (len(words) == 2 or not order_of(list(words.values()))):
            classes.append(j)
            unclear += [j] * (len(words) > 2)
    table = replace(table, numbers=numbers, levels=levels)
    if silent:
        said = (
            f"What is labelled as no answer is read as missing in {counted(len(silent), 'column')}: {listed(silent)}."
        )
        table = table.saying(decision(said, "missing", silent))
    if others := [table.names[j] for j in labelled if j not in classes]:
        said = f"{counted(len(others), 'column')} of labelled codes read as these numbers: {listed(others)}."
        table = table.saying(decision(said, "columns", others))
    for j in unclear:
        name = table.names[j]
        kinds_of_it = [word for _, word in sorted(labels[name].items())]
        said = f"The codes of {name!r:.60} stand for {listed(kinds_of_it)}: kinds, or an order?"
        ways = Choice("kinds", {}), Choice("an order", {"columns": {name: "feature"}})
        table = replace(table, doubts=(*table.doubts, doubt(f"order: {name}", said, *ways, about=[name])))
    texts = []
    for j in classes:
        words = labels[table.names[j]]
        values = ["" if np.isnan(v) else words.get(v, f"{v:.15g}") for v in numbers[:, j].tolist()]
        ordered = tuple(word for _, word in sorted(words.items()))
        texts.append(Texts(table.names[j], values, ordered, int(table.places[j])))
    every = sorted([*table.texts, *texts], key=lambda text: text.place)
    kept = np.setdiff1d(np.arange(len(table.places)), classes).astype(int)
    return replace(table, numbers=numbers[:, kept], places=table.places[kept], texts=tuple(every))
