"""What goes home of a component or of several parts: tables, lists, the certificate, a page to print, the code."""

from __future__ import annotations

import html
import math
import platform
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template

import numpy as np

import nnspca
from nnspca.certificates.file import FORMAT
from nnspca.result import Components, rounded, sentences
from nnspca.view import chance, sanitize, say, sheet
from nnspca.view.certificate import panels
from nnspca.view.ledger import Known
from nnspca.view.session import Content
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from nnspca.view.ui import component, downloads

PAGE = Path(__file__).with_name("report.html")
NONE = "A certificate is of components that keep to k and the signs, and of parts that share no feature."


@dataclass(frozen=True, eq=False)
class Answer:
    """An answer of a page: parts of one or several solvers, and what is said of the first solver's."""

    results: Mapping[str, Components]  # by solver
    subject: Subject
    verdict: str  # what the page says
    method: str  # how they were found
    code: str  # Python that finds them again
    known: Known | None = None  # what the ledger has of them
    prove: Callable[[], panels.Proof] | None = None  # makes their certificate, or finds it made

    @property
    def parts(self) -> Components:
        """The first solver's."""
        return next(iter(self.results.values()))


def offer(stem: str, answer: Answer, more: Mapping[str, Content]) -> None:
    """Show what can be said beside an answer, and offer it as files, with ``more`` of the page's own."""
    subject = answer.subject
    loadings = {way: parts.loadings for way, parts in answer.results.items()}
    beside = sheet.Sheet(answer.parts, subject)
    sheet.section(beside)
    held: dict[str, Content] = {
        "report.html": lambda: report(answer),
        "loadings.csv": lambda: downloads.loadings(loadings, subject.data),
        "beside-pca.csv": lambda: downloads.table_csv(beside.loadings),
    }
    if beside.groups:
        held["groups.csv"] = lambda: downloads.table_csv(beside.groups)
    if subject.data.kind != "covariance":
        held["scores.csv"] = lambda: downloads.scores(loadings, subject)
    if prove := answer.prove:
        held |= {"certificate.npz": lambda: panels.certificate_npz(prove(), subject), **panels.CHECKERS}
    downloads.offer(stem, {**held, **more}, answer.code)


def rows(results: Mapping[str, Components]) -> list[dict[str, object]]:
    """Return one row for each part of each solver."""
    return [
        {
            "solver": parts.method,
            "deflation": parts.deflation,
            "part": r + 1,
            "features": part.cardinality,
            "variance": part.variance,
            "together": float(parts.cumulative_variance[r]),
            "together_share": float(parts.cumulative_variance[r] / parts.total),
        }
        for parts in results.values()
        for r, part in enumerate(parts.parts)
    ]


def report(answer: Answer) -> str:
    """Return parts as a web page that needs nothing else and prints on one sheet."""
    parts, subject, proof = answer.parts, answer.subject, answer.prove and answer.prove()
    data, many, noun = subject.data, len(parts.parts), component.noun(subject.data)
    what, words = f"{parts.parts[0].cardinality} of {data.n_features:,} {noun}", ""
    if many > 1:
        what = f"{many} parts of at most {subject.k:,} {noun}"
        described = [replace(part, features=subject.cov.features) for part in parts.parts]
        is_more = [each.is_more for each in chance.parts_at(subject, many)]
        words = sentences.listing(described, parts.total, is_more)
    claim = NONE if proof is None else f"{panels.claim(proof, subject)} {_checked(proof, subject)}"
    scaled = ", each feature divided by its standard deviation" if subject.standardise else ""
    about = f"{data.title or data.name}: {say.as_read(data)}{scaled}. {data.citation}".strip()
    method = (
        f"{answer.method} {nnspca.METHODS[parts.method].summary} At most {subject.k:,} features, "
        f"{'nonnegative loadings' if subject.nonnegative else 'loadings of either sign'}, seed {subject.seed}. "
        f"Made with nnspca {nnspca.__version__} (certificate files of format {FORMAT}), numpy {np.__version__}, Python "
        f"{platform.python_version()}."
    )
    info = catalogue.infos().get(data.name)
    may_show = info is not None and (info.bundled or data.name in catalogue.uploaded())  # else over plain grey
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=html.escape(f"{what}: {sanitize.line(data.title or data.name)}"),
        verdict=_bold(f"{answer.verdict} {sanitize.line(words).replace('**', '* *')}"),  # a name turns no text bold
        picture=component.page(
            component.of(parts, data, _digits(answer)), data, component.backdrop(data) if may_show else None
        ),
        data=html.escape(sanitize.line(f"{about} Terms: {data.terms}" if data.terms else about)),
        method=html.escape(method),
        numbers="".join(
            f"<tr><td>{html.escape(row)}</td>{''.join(f'<td><b>{html.escape(cell)}</b></td>' for cell in cells)}</tr>"
            for row, *cells in _numbers(answer)
        ),
        certificate=_bold(claim),
        code=html.escape(answer.code),
        more=sheet.on_paper(sheet.Sheet(parts, subject)),
    )


def _bold(words: str) -> str:
    """Return words as HTML; what stands between ** is bold."""
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(words))


def _checked(certificate: panels.Proof, subject: Subject) -> str:
    """Check a certificate by the second route; say so, why it holds, and what checks the file beside a report."""
    nnspca.verify(certificate, subject.cov)
    file = "certificate.npz"
    if not subject.data.is_sparse:
        file += f", which {panels.command(file, certificate, subject)} checks without the library"
    why = panels.why(certificate.winner.name)
    return f"{why} nnspca.verify has derived both numbers again. Beside this page: {file}."


def _digits(answer: Answer) -> int:
    """Return the decimals of the shares: as many as the page's headline has."""
    upper = math.inf if answer.known is None else answer.known.upper
    return rounded.digits(float(answer.parts.cumulative_variance[-1]), upper, answer.parts.total)


def _numbers(answer: Answer) -> list[tuple[str, ...]]:
    parts, known, digits = answer.parts, answer.known, _digits(answer)
    listed: list[tuple[str, ...]] = [("", "features", "variance", "share of the total variance", "cumulative share")]
    listed += [
        (
            f"Part {r + 1}",
            f"{part.cardinality:,}",
            rounded.number(part.variance, down=True, telling=rounded.TELLING),
            rounded.percent(part.variance / parts.total, digits),
            rounded.percent(parts.cumulative_variance[r] / parts.total, digits),
        )
        for r, part in enumerate(parts.parts)
    ]
    if known is not None and math.isfinite(known.upper):
        most = rounded.percent(known.upper / parts.total, digits, up=True)
        bound = rounded.number(known.upper, up=True, telling=rounded.TELLING)
        listed.append(("Upper bound (proven)", "", bound, "", most))
        listed.append(("Proven share of the optimum", "", "", "", rounded.ratio(known.lower, known.upper)))
    if len(parts.parts) > 1:
        listed.append(("Overlap", rounded.fixed(parts.overlap, 2), "", "", ""))
    return listed
