"""Rooms: who is in one, what each attempt explains, what each guesses. They live in memory, and end by themselves."""

from __future__ import annotations

import secrets
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import nnspca
from nnspca.result import rounded
from nnspca.view import sanitize
from nnspca.view.ui.downloads import table_csv

MOST_ROOMS, MOST_PEOPLE, LASTS = 50, 200, 7200.0  # LASTS in seconds
IDLE = 1200.0  # seconds that a room stays without a phone, and without its owner on Learn or at its wall
PER_SECOND = 5  # attempts of one person
JOINS, WITHIN = 20, 10.0  # people who join from one address, which a class may share, in so many seconds
MOST_POINTS = 5000  # attempts that a wall shows, the latest
LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"  # without I and O, which look like digits
LENGTH = 8  # letters of a code: 10¹¹ of them
NAME = 16  # letters of a name
STARTS = 8  # of the search where a painting's covariances have both signs
LARGEST_GUESS = 1e6
RESULT = ("name", "phone", "what", "value", "share of the proven maximum", "time")
BEST = 3  # drawings that are shown in the end


class RoomError(Exception):
    """What a room refuses: a sentence for people, and the status of HTTP."""


@dataclass
class Person:
    """One phone."""

    number: int
    browser: frozenset[str]  # as the server knows it
    name: str = ""
    best: float = 0.0  # the most variance that a painting of this person explains
    features: tuple[int, ...] = ()  # of it
    last: tuple[int, ...] = ()  # those painted last
    guesses: dict[int, float] = field(default_factory=dict)  # by chapter
    times: deque[float] = field(default_factory=lambda: deque(maxlen=PER_SECOND))


class Room:
    """One game that a class plays: at most k features, one proven upper bound."""

    def __init__(self, cov: Callable[[], nnspca.Covariance], board: dict[str, Any], lower: float, upper: float):
        self.code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        self.owner = secrets.token_urlsafe(16)
        self.board = board  # what the browser draws and says: title, noun, n, k, scene
        self.solver = {**board.pop("solver"), "percent": rounded.ratio(lower, upper), "share": min(lower / upper, 1.0)}
        self.revealed = self.closed = False
        self.answers: Sequence[float] = board.pop("answers")  # of the questions of chapters 1, 2, …
        self.asked, self.answered = 0, False  # the chapter whose question is asked, and whether its answer is shown
        self.browser: frozenset[str] = frozenset()  # its owner's
        self.cov, self._upper = cov, upper  # asked for at each attempt, from what all share
        self._people: dict[str, Person] = {}  # by token
        self._removed: dict[str, Person] = {}
        self._arrivals: defaultdict[str, deque[float]] = defaultdict(lambda: deque(maxlen=JOINS))  # by address
        # of each attempt: its share of the upper bound, whose it is, its variance, and when it was
        self._points: deque[tuple[float, int, float, str]] = deque(maxlen=MOST_POINTS)
        self._count, self._lock, self._ends = 0, threading.Lock(), time.monotonic() + LASTS
        self.stay()

    @property
    def is_over(self) -> bool:
        """Whether its time is over, or everyone gone."""
        return time.monotonic() > min(self._ends, self._seen + IDLE)

    def stay(self) -> None:
        """Note that someone is there."""
        self._seen = time.monotonic()

    def _check_open(self) -> None:
        if self.closed:
            raise RoomError("This room is closed.", 404)
        self.stay()

    def join(self, who: str, name: str, address: str = "", browser: frozenset[str] = frozenset()) -> dict[str, Any]:
        """Let a person in, or in again; return their token and what they painted last."""
        self._check_open()
        with self._lock:
            if _known(self._removed, who, browser):
                raise RoomError("The person who opened the room has taken you out of it.", 403)
            who = _known(self._people, who, browser) or self._new(address, browser)
            person = self._people[who]
            person.name = sanitize.line(name, NAME) or person.name
        return {"who": who, "name": person.name, "features": person.last, **self._standing(person)}

    def _standing(self, person: Person) -> dict[str, Any]:
        """Return a phone's number, its best, and its place among all that have painted."""
        better = sum(other.best > person.best for other in self._people.values())
        painters = sum(other.best > 0 for other in self._people.values())
        place = {"place": better + 1, "painters": painters} if person.best else {}
        return {"number": person.number, "best": self._percent(person.best), **place}

    def _new(self, address: str, browser: frozenset[str]) -> str:
        if len(self._people) >= MOST_PEOPLE:
            raise RoomError(f"The room is full: it holds {MOST_PEOPLE} people.", 409)
        arrivals, now = self._arrivals[address], time.monotonic()
        if len(arrivals) == JOINS and now - arrivals[0] < WITHIN:
            raise RoomError("Many are joining: wait a moment.", 429)
        arrivals.append(now)
        who = secrets.token_urlsafe(12)
        self._people[who] = Person(len(self._people) + len(self._removed) + 1, browser)
        return who

    def remove(self, owner: str, number: Any) -> dict[str, Any]:
        """Take someone out, with all attempts; that browser does not come in again."""
        self._check_owner(owner)
        with self._lock:
            gone = {who: person for who, person in self._people.items() if person.number == number}
            self._removed |= gone
            self._people = {who: person for who, person in self._people.items() if who not in gone}
            self._points = deque((point for point in self._points if point[1] != number), maxlen=MOST_POINTS)
        return {}

    def attempt(self, who: str, features: Any) -> dict[str, Any]:
        """Weigh a painting; the variance is computed here, whatever the phone says."""
        person = self._person(who)
        n, k = self.board["n"], self.board["k"]
        fits = isinstance(features, list) and all(type(i) is int and 0 <= i < n for i in features)
        if not fits or not len(set(features)) == len(features) <= k:
            raise RoomError(f"An attempt is up to {k} different numbers from 0 to {n - 1}.", 400)
        value = variance(self.cov(), features)
        with self._lock:
            person.last = tuple(features)
            if features:
                at = datetime.now().isoformat(" ", "seconds")
                self._points.append((min(value / self._upper, 1.0), person.number, value, at))
                self._count += 1
            if value > person.best:
                person.best, person.features = value, tuple(features)
        return {"percent": self._percent(value), **self._standing(person), "revealed": self.revealed}

    def _person(self, who: str) -> Person:
        """Return who asks, who does not ask too often."""
        self._check_open()
        person = self._people.get(who)
        if person is None:
            raise RoomError("You are not in this room: load the page again.", 403)
        with self._lock:
            now = time.monotonic()
            if len(person.times) == PER_SECOND and now - person.times[0] < 1.0:
                raise RoomError(f"{PER_SECOND} attempts a second are counted: wait a moment.", 429)
            person.times.append(now)
        return person

    def guess(self, who: str, value: Any) -> dict[str, Any]:
        """Take a person's guess at the answer of the question that is asked; it counts until the answer is shown."""
        person = self._person(who)
        if not isinstance(value, int | float) or not abs(value) < LARGEST_GUESS or not self.asked or self.answered:
            raise RoomError("This question is not asked now, or its answer is shown.", 400)
        person.guesses[self.asked] = float(value)
        return {}

    def ask(self, owner: str, chapter: Any, answered: Any) -> dict[str, Any]:
        """Ask everyone a chapter's question, or show its answer; that of 0, the game, is the solver's component."""
        self._check_owner(owner)
        if type(chapter) is not int or not 0 <= chapter <= len(self.answers):
            raise RoomError(f"A chapter is a number from 0 to {len(self.answers)}.", 400)
        self.asked, self.answered = chapter, bool(chapter and answered)
        self.revealed |= bool(answered) and not chapter
        return {}

    def now(self) -> dict[str, Any]:
        """Return what is asked, and its answer once it is shown: phones look every few seconds."""
        self._check_open()
        return self._question

    @property
    def _question(self) -> dict[str, Any]:
        return {"asked": self.asked, "answer": self.answers[self.asked - 1] if self.answered else None}

    def news(self, since: int, owner: str = "") -> dict[str, Any]:
        """Return what a wall draws: attempts after the first ``since``, and the drawings once they are revealed.

        The owner gets those of every person, and is noted as present.
        """
        owns = secrets.compare_digest(self.owner.encode(), owner.encode())
        if owns:
            self.stay()
        elif self.closed:
            raise RoomError("This room is closed.", 404)
        with self._lock:
            new = min(max(self._count - since, 0), len(self._points))
            points = list(self._points)[len(self._points) - new :] if new else []
            ranked = sorted(self._people.values(), key=lambda person: -person.best)[:BEST]
            leaders = [
                {"number": person.number, "name": person.name, "percent": self._percent(person.best)}
                | ({"features": person.features} if self.revealed else {})
                for person in ranked
                if person.best > 0
            ]
            all_people = self._people.values()
            return {
                "count": self._count,
                "people": len(all_people),
                "everyone": [{"number": one.number, "name": one.name} for one in all_people] if owns else None,
                "points": [(round(share, 6), number) for share, number, *_ in points],
                "leaders": leaders,
                **self._question,
                "guesses": [one.guesses[self.asked] for one in all_people if self.asked in one.guesses],
                "closed": self.closed,
                "solver": self.solver if self.revealed else None,
            }

    def _check_owner(self, owner: str) -> None:
        if not secrets.compare_digest(self.owner.encode(), owner.encode()):
            raise RoomError("The person who opened the room does this.", 403)

    def close(self, owner: str) -> dict[str, Any]:
        """End the game; its results stay for the owner."""
        self._check_owner(owner)
        self.closed = True
        return {}

    def results(self, owner: str) -> dict[str, Any]:
        """Return every attempt and guess as rows, and the best painting of each person."""
        self._check_owner(owner)
        self.stay()
        with self._lock:
            people = sorted(self._people.values(), key=lambda one: -one.best)
            names = {one.number: one.name for one in people}
            made: list[tuple[Any, ...]] = []
            made += [(names[number], number, "painting", value, share, at) for share, number, value, at in self._points]
            for one in people:
                made += [(one.name, one.number, f"guess, chapter {at}", g, "", "") for at, g in one.guesses.items()]
            kept = [(one.number, one.name, one.features, self._percent(one.best)) for one in people if one.best]
        rows = [dict(zip(RESULT, row, strict=True)) for row in made]
        paintings = [dict(zip(("number", "name", "features", "percent"), one, strict=True)) for one in kept]
        return {"csv": table_csv(rows).decode("utf-8") if rows else "", "paintings": paintings}

    def _percent(self, value: float) -> str:
        """Return a share of the upper bound, rounded down: at least so much of the optimum."""
        return rounded.ratio(value, self._upper) if value else ""


def _known(people: dict[str, Person], who: str, browser: frozenset[str]) -> str | None:
    """Return the token of someone who comes again: the same, or that of the same browser."""
    same = (token for token, person in people.items() if person.browser & browser)
    return who if who in people else next(same, None)


def variance(cov: nnspca.Covariance, features: Sequence[int]) -> float:
    """Return the variance of nonnegative loadings on these features: the best of them, or the best found.

    Where the first eigenvector of their block has one sign it is the best; else a search finds what is attained.
    """
    if not features:
        return 0.0
    few = cov.restrict(sorted(features))
    x = few.eigenpairs(1)[1][:, 0]
    found = few.variance(x) if (x >= 0).all() else nnspca.solve(few, len(x), "em", restarts=STARTS).variance
    return max(found, float(few.diagonal.max()))


class Rooms:
    """The rooms of a server."""

    def __init__(self) -> None:
        self._rooms: dict[str, Room] = {}
        self._lock = threading.Lock()

    def open(self, *arguments: Any) -> Room:
        """Open a room; RoomError where there are too many."""
        with self._lock:
            self._rooms = {code: room for code, room in self._rooms.items() if not room.is_over}
            if len(self._rooms) >= MOST_ROOMS:
                raise RoomError(f"This server has {MOST_ROOMS} rooms open: close one first, or wait.", 409)
            room = Room(*arguments)
            self._rooms[room.code] = room
        return room

    def drop(self, code: str) -> None:
        """Let go of a room at once, with its data."""
        self._rooms.pop(code, None)

    def of(self, browser: frozenset[str], code: str) -> list[Room]:
        """Return the rooms that a browser has opened, or that have this code: an open one first, and it stays."""
        mine = [room for room in self._rooms.values() if not room.is_over]
        mine = [room for room in mine if room.code == code or room.browser & browser]
        for room in mine:
            room.stay()
        return sorted(mine, key=lambda room: room.closed)

    def find(self, code: str) -> Room:
        """Return an open room; RoomError where there is none."""
        room = self._rooms.get(code.upper())
        if room is None or room.is_over:
            raise RoomError("There is no such room, or it is over: check the letters.", 404)
        return room


ROOMS = Rooms()
