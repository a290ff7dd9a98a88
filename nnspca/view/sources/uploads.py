"""Files of a visitor's own: read as a job, kept for one visit within a limit, and warned of."""

from __future__ import annotations

import gc
import weakref
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

import nnspca
from nnspca.datasets import Dataset, FilePreview, Inspection, Note, ReadingStopped
from nnspca.datasets.catalogue import catalogue_name
from nnspca.errors import DataError
from nnspca.result import Progress
from nnspca.view import cache, ledger, running, sanitize, session
from nnspca.view.cache import nbytes
from nnspca.view.desk import UNSEEN, Desk, DeskReading, NamedFile
from nnspca.view.jobs import Job, Work
from nnspca.view.link import state, widgets
from nnspca.view.running import Task
from nnspca.view.session import Session
from nnspca.view.sources import preparation, sandbox
from nnspca.view.sources.hosted import MOST_FEATURES

YOURS = "{} (yours)"  # what a file is called that has the name of a data set of the catalogue
OWN, ALL = 400 * 2**20, 1024 * 2**20  # bytes of files and data that one visit keeps, and all visits together


def put_on_desk(files: Sequence[NamedFile]) -> Desk:
    """Lay files on the desk, in place of what lay there."""
    called = own_name(*files[0]) if len(files) == 1 else None
    session.current().desk = desk = Desk(tuple(files), called=called, reading=reading_in_link(called or files[0][0]))
    return desk


def reading_in_link(name: str) -> DeskReading:
    """Return how the link says that a file of this name is read: of another file it says nothing."""
    lost, texts = session.current().lost, state.value_in_link("reading")
    return DeskReading.of_text(texts[-1]) if texts and lost and name.startswith(lost) else DeskReading()


def follow_reading(desk: Desk) -> bool:
    """Read what lies on the desk as it is wanted; return whether that has ended, and draw how far it is where not."""
    if desk.tried == desk.reading:
        return True
    task = Task("read", (desk, desk.reading), _work(desk))
    job = running.join_or_begin(task)
    if not running.follow(job, "Stopped. Nothing of the file was kept."):
        return False
    if job.stopped or job.result is None:
        label, icon = "Read it again", ":material/replay:"
        st.button(label, icon=icon, key="read-again", on_click=running.begin, args=(task, True))
        return False
    note_reading(desk, job.result)
    return True


def own_name(filename: str, content: bytes = b"") -> str | None:
    """Return what to call a file that is named like a data set of the catalogue, or is its file; None for any other.

    >>> own_name("lfw-faces.csv"), own_name("genes.csv")
    ('lfw-faces (yours)', None)
    """
    stem = filename.rpartition("/")[2].partition(".")[0]
    if stem in {info.name for info in nnspca.datasets.available()}:
        return YOURS.format(stem)
    return stem if catalogue_name(content) else None


@dataclass(frozen=True, eq=False)
class Read:
    """What reading has given."""

    seen: FilePreview  # its ``data`` are what pages use
    inspected: Inspection = UNSEEN
    left_out: tuple[str, ...] = ()


def _work(desk: Desk) -> Work:
    """Return the work of reading; a file that cannot be read is an answer too."""
    reading, called, shared = desk.reading, desk.called, cache.shared()
    twice = [name for name, count in Counter(name for name, _ in desk.files).items() if count > 1]

    def work(job: Job) -> Read | None:
        with job.uninterruptible():
            try:
                if twice:
                    raise DataError(f"of {len(desk.files)} files two are called {twice[0]!r:.100}: rename one of them.")
                return outcome(job)
            except ReadingStopped:
                return None
            except DataError as problem:
                return Read(FilePreview(problem=str(problem), error=problem))

    def outcome(job: Job) -> Read | None:
        job.report(Progress(0.0, "Reading the file"))
        if desk.path is not None:  # of the server's owner: it may take all the memory and time there are
            seen = nnspca.datasets.preview(desk.path, name=called, **reading.arguments)
        else:
            seen = sandbox.preview(dict(desk.files), job.should_stop, name=called, **reading.arguments)
        if seen.data is None:
            return Read(seen)
        data = seen.data
        inspected = nnspca.datasets.inspect(data)
        kept, names = {name for name, role in reading.columns.items() if role == "feature"}, data.feature_names
        spare = [names[i] for i in inspected.left_out if names[i] not in kept]
        seen_of = [(note, tuple(names[i] for i in note.features)) for note in inspected.notes]
        told = [(note, of) for note, of in seen_of if note.choice != "leave out" or kept.isdisjoint(of)]
        data = replace(
            nnspca.datasets.leave_out(data, spare),
            notes=(*data.notes, *(Note(note.says, of, topic="columns") for note, of in told)),
        )
        job.report(Progress(0.9, "Preparing the covariance"))
        if not job.should_stop():  # here, where Stop is heard meanwhile: the page that draws it next hears nothing
            shared.get(*preparation.covariance_task(data, False, reading.repair))
        seen = replace(seen, data=data, columns=data.columns)
        return None if job.should_stop() else Read(seen, inspected, tuple(spare))

    return work


def note_reading(desk: Desk, read: Read) -> None:
    """Note what reading has given; data that no page could use are left out, with the reason."""
    desk.tried, desk.seen, desk.problem = desk.reading, read.seen, str(read.seen.error or "")
    data = read.seen.data
    if data is None:
        return
    here = session.current()
    here.brought[data.name] = data.content_hash
    here.at_end["files"] = release_of(here)
    try:
        keep_data(data, desk)
    except DataError as problem:
        desk.problem = f"{data.title}: {problem}."
        return
    desk.read, desk.data, desk.inspected, desk.left_out = desk.reading, data, read.inspected, read.left_out
    here.desks[data.name] = desk
    lost, here.lost = here.lost, ""
    _held().add(desk)
    if desk.opened != data.n_features:  # other features: every page opens them anew
        desk.opened = data.n_features
        asked = state.of_sidebar()
        linked = data.name == (lost if desk.path is None else asked.data) and asked.k != state.default_k(MOST_FEATURES)
        here.to_open = data.name, data.n_features, asked.k if linked else None
        st.rerun()


def keep_data(data: Dataset, desk: Desk) -> nnspca.Covariance:
    """Make room for data that lie on a desk, once their covariance is known to be one; return that.

    Raises nnspca.DataError: when no page could use it: an indefinite matrix, or numbers too small or too large to
    square.
    """
    here = session.current()
    more = nbytes(data) + desk.size
    own = {name: _weight(other) for name, other in here.desks.items() if other is not desk and name != data.name}
    away = []
    while own and sum(own.values()) + more > OWN:
        away.append(next(iter(own)))
        del own[away[-1]]
    if _others() + sum(own.values()) + more > ALL:
        gc.collect()  # sessions that have ended lie in cycles
    if desk.path is None and (others := _others()) + sum(own.values()) + more > ALL:
        raise DataError(
            f"visitors' files take {others >> 20:,} MB of this server's memory already, and at most "
            f"{ALL >> 20:,} MB are kept: try again later, or upload fewer rows or columns"
        )
    cov = preparation.covariance_for(data, standardise=False, repair=desk.reading.repair)
    here.put_away = [*(name for name in here.put_away if name not in (data.name, *away)), *away]
    for name in away:
        here.desks.pop(name).clear()
    return cov


def _weight(desk: Desk) -> int:
    return nbytes(desk.data) + desk.size


@st.cache_resource(show_spinner=False)
def _held() -> weakref.WeakSet[Desk]:
    """Return what lies on all visitors' desks."""
    return weakref.WeakSet()


def _others() -> int:
    own = session.current().desks.values()
    return sum(_weight(desk) for desk in list(_held()) if desk not in own)


def release_of(visit: Session) -> Callable[[], None]:
    """Return what lets go of a visit's files and of all that was computed of them, in whichever thread."""
    shared, results, book, brought = cache.shared(), cache.results(), ledger.shared(), visit.brought

    def forget() -> None:
        made = shared.forget(set(brought))
        results.forget(set(brought))
        book.forget({*brought.values(), *(thing.content_hash for thing in made if isinstance(thing, Dataset))})
        for desk in (*visit.desks.values(), visit.desk):
            if desk is not None:
                desk.clear()  # what is drawn of it may be held for longer
        visit.desks.clear()
        visit.desk = None
        visit.jobs.clear()
        st.cache_data.clear()  # directions of the spannogram
        del made
        gc.collect()  # what runs and sessions hold is in cycles

    return forget


def norm_of_change(desk: Desk) -> tuple[float, float]:
    """Return how far a matrix was moved to be a covariance, and its size, both as norms."""
    assert desk.data is not None
    cov = preparation.covariance_for(desk.data, standardise=False, repair=True)
    return float(cov.held.moved), float(np.linalg.norm(desk.data.X))


def ask_again() -> bool:
    """Ask for the file that the link names, where it is not open; return whether it is asked for."""
    here = session.current()
    if asked := bool(here.lost and here.desk is None):
        lost = sanitize.plain(here.lost, sanitize.NAME)
        st.info(
            f"No data set **{lost}** is open: if it is a file of yours, choose it again, as a reload forgets files."
        )
    return asked


def warn_unused() -> None:
    """Warn of a file that is not in use: the page shows other data."""
    desk = session.current().desk
    if ask_again():
        widgets.page_link("data.py", "Choose the file on the Data page →", ":material/upload_file:")
    if desk is not None and desk.data is None and desk.problem:
        title = sanitize.plain(desk.title, sanitize.NAME)
        st.warning(f"Your file **{title}** is not in use: the page shows other data.", icon=":material/error:")
        widgets.page_link("data.py", "See what is wrong with it, and what mends it →", ":material/database:")
