"""Decisions and doubts of reading: a sentence, what it is about, and the choices that would settle it otherwise."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

WORDS = tomllib.loads(Path(__file__).with_name("words.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Choice:
    """One answer to a doubt, or another way to read than was decided.

    Examples
    --------
    >>> import nnspca
    >>> nnspca.datasets.Reading().settled(Choice("not samples", {"skip_rows": ("Total",)})).arguments
    {'skip_rows': ('Total',)}
    """

    label: str  #: A few words, as a button has them
    #: The options of :class:`Reading` that it sets; :meth:`Reading.settled` takes them over
    sets: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.label} ({', '.join(f'{name}={value!r}' for name, value in self.sets.items())})"


@dataclass(frozen=True)
class Note:
    """A decision of the reader, or a doubt: ``str(note)`` is its sentence.

    Examples
    --------
    >>> import nnspca
    >>> note = nnspca.datasets.read(b"site;pH\\nA;7,5\\nB;6,9\\nC;7,1", "water.csv").notes[0]
    >>> str(note), note.topic
    ('Cells are parted by semicolons, and decimals written with a comma.', 'delimiter')
    """

    says: str  #: One sentence or two
    about: tuple[str, ...] = ()  #: The columns that it is about, by name; empty where it is about rows or the whole
    #: Of a doubt, the answers, the first being how it was read; of a decision, what would read it otherwise, where one
    #: choice does.
    settles: tuple[Choice, ...] = ()
    #: The option of :class:`Reading` that it belongs beside; of a doubt its own name, which ``Reading(accepted=…)``
    #: takes: read so, and never asked again.
    topic: str = ""
    rows: tuple[int, ...] = ()  #: The rows that it is about, from 0 on below the header

    def __str__(self) -> str:
        return self.says


def decision(says: str, topic: str = "", about: Sequence[str] = (), **otherwise: Any) -> Note:
    """Return a decision; ``otherwise`` are the options that would read it the other way."""
    settles = (Choice("the other way", otherwise),) if otherwise else ()
    return Note(says, tuple(about), settles, topic)


def doubt(topic: str, says: str, *choices: Choice, about: Sequence[str] = (), rows: Sequence[int] = ()) -> Note:
    """Return a question; the first choice is how it was read, and accepts that."""
    first, *others = choices
    as_read = Choice(first.label, {**first.sets, "accepted": (topic,)})
    return Note(says, tuple(about), (as_read, *others), topic, tuple(rows))


class DataDoubt(UserWarning):
    """What was read may be misread: the warning names each doubt, and the options that settle it.

    Examples
    --------
    >>> import nnspca
    >>> issubclass(nnspca.datasets.DataDoubt, UserWarning)
    True
    """
