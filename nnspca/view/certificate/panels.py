"""A certificate, opened: what was proven and why it holds, how to check it, and a page to print."""

from __future__ import annotations

import html
import io
import platform
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from string import Template

import numpy as np
import streamlit as st

import nnspca
from nnspca import check, check_more
from nnspca.bounds.registry import BOUNDS, PARTS_BOUNDS
from nnspca.certificates.exact import needs_second_checker
from nnspca.datasets import Dataset
from nnspca.result import Bound, Certificate, Component, PartsCertificate, Progress, rounded, wording
from nnspca.view import sanitize, say, tasks
from nnspca.view.certificate import proofs
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known
from nnspca.view.link import widgets
from nnspca.view.link.state import State
from nnspca.view.session import Content
from nnspca.view.sources import catalogue
from nnspca.view.subject import Subject
from nnspca.view.tasks import Button, Task
from nnspca.view.ui import charts, component, downloads

Proof = Certificate | PartsCertificate


def why(bound: Bound) -> str:
    """Say why a bound is true."""
    return BOUNDS[bound.name].argument if bound.name in BOUNDS else PARTS_BOUNDS[bound.name].summary


def claim(proven: Proof | Known, subject: Subject) -> str:
    """Say what a certificate proves, or what is known of one component, with its numbers, upper bounds rounded up."""
    (lower, upper), n = (proven.lower, proven.upper), subject.data.n_features
    k = proven.at if isinstance(proven, Known) else proven.k
    closed = rounded.optimal(lower, upper)
    best = (
        "so it is **proven optimal**, to 1 part in 10,000."
        if closed
        else f"which is **{rounded.proven_share(lower, upper)}**; the gap is at most {rounded.gap(lower, upper)}."
    )
    shown = rounded.percent(upper / subject.total, rounded.digits(lower, upper, subject.total), up=True)
    most = "" if closed else f", which is {shown} of the total variance"  # it would differ from what is found
    found, bound = rounded.pair(lower, upper)
    if not isinstance(proven, PartsCertificate):
        whole = f"Consider every vector of {n:,} loadings that is {kind_of(proven.component, k)}. None has a variance"
    else:
        r, signs = proven.n_components, "nonnegative " if proven.nonnegative else ""
        shared = " that share no feature" if r > 1 else ""
        parts = wording.counted(r, "part")
        whole = (
            f"Take any {parts} of {n:,} features{shared}, each with at most {k:,} {signs}loadings. Together none have"
        )
    return f"{whole} above **{bound}**{most}. The best found has **{found}**, {best}"


def kind_of(component: Component, k: int) -> str:
    """Say what “such a component” means here.

    >>> import numpy as np
    >>> kind_of(Component(np.array([1.0]), 1.0, "best", k=3), 3)
    'a unit vector with at most 3 nonzero loadings, all nonnegative'
    """
    sign = ", all nonnegative" if component.nonnegative else ", of either sign"
    return f"a unit vector with at most {wording.plural(k, 'nonzero loading')}{sign}"


PAGE = Path(__file__).with_name("sheet.html")


def sheet(
    what: str,
    verdict: str,
    layers: Sequence[component.Layer],
    subject: Subject,
    method: str,
    numbers: Sequence[Sequence[str]],
    certificate: str,
    code: str,
    more: str = "",
) -> str:
    """Return a web page that needs nothing else, and can be printed.

    What stands between ** in ``verdict`` and ``certificate`` is bold; ``more`` is HTML. The ``layers`` are drawn over
    the mean sample where the data's terms let it be passed on, else over plain grey.
    """
    data = subject.data
    info = catalogue.infos().get(data.name)
    free = info is not None and (info.bundled or data.name in catalogue.uploaded())
    versions = f"nnspca {nnspca.__version__}, numpy {np.__version__}, Python {platform.python_version()}"
    return Template(PAGE.read_text(encoding="utf-8")).substitute(
        title=html.escape(f"{what}: {sanitize.line(data.title or data.name)}"),
        verdict=_bold(verdict),
        picture=component.page(layers, data, component.backdrop(data) if free else None),
        data=html.escape(_about(subject)),
        method=html.escape(f"{method} Made with {versions}."),
        numbers="".join(
            "<tr>"
            + "".join(
                f"<td><b>{html.escape(cell)}</b></td>" if at else f"<td>{html.escape(cell)}</td>"
                for at, cell in enumerate(row)
            )
            + "</tr>"
            for row in numbers
        ),
        certificate=_bold(certificate),
        code=html.escape(code),
        more=more,
    )


def _bold(words: str) -> str:
    """Return words as HTML; what stands between ** is bold."""
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(words))


def _about(subject: Subject) -> str:
    """Say which data, how they were prepared, and whom to thank."""
    data = subject.data
    scaled = ", each feature divided by its standard deviation" if subject.standardise else ""
    text = f"{data.title or data.name}: {say.as_read(data)}{scaled}. {data.citation}"
    return sanitize.line(f"{text.strip()} Terms: {data.terms}" if data.terms else text.strip())


MORE = "The checker for this kind of proof is `check_more.py`; it needs `check.py` in the same folder."


def opened(certificate: Proof, known: Known, subject: Subject) -> None:
    """Open the certificate: its claim, the bound that gave it, all the others, a second route, and the file."""
    won = certificate.winner
    if known.upper < certificate.upper:
        gaps = [f"a gap of at most {rounded.gap(one.lower, one.upper)}" for one in (certificate, known)]
        source = f" ({known.source})" if known.source else ""
        if gaps[0] != gaps[1]:
            st.caption(f"This certificate was made live: it has {gaps[0]}. The answer above has {gaps[1]}{source}.")
    st.markdown(f"**What was proven.** {claim(certificate, subject)}")
    st.markdown(f"**The lowest upper bound: {say.title(won.name).lower()}.** {won.detail}")
    st.markdown(f"**Why it holds.** {why(won)}")
    if isinstance(certificate, Certificate) and (more := certificate.ahead()):
        st.caption(more.partition(" time_limit=")[0])
    st.markdown("**Every upper bound that was tried**, lowest first.")
    ranked = sorted(certificate.bounds, key=lambda b: b.value)
    st.dataframe(
        [_row(b, certificate, subject.total) for b in ranked],
        hide_index=True,
        alt="Every upper bound that was tried, lowest first: " + ", ".join(say.title(b.name) for b in ranked) + ".",
    )
    with st.popover("Why the others hold", icon=":material/school:"):
        for bound in ranked:
            if bound is not won:
                st.markdown(f"**{say.title(bound.name)}.** {why(bound)}")
    check_and_files(certificate, subject)


LIVE = (
    "Takes some seconds where a live proof is as good, and up to some minutes where the stored one is of a longer run."
)


def kept(known: Known, subject: Subject) -> None:
    """Say what is stored of a proof whose file does not come with the package, and offer to make it here."""
    st.markdown(f"**What is stored.** {claim(known, subject)}")
    st.markdown(
        f"A thorough run has proven this for version {nnspca.__version__} of the package, and `nnspca.verify` has "
        "checked it. The package has the numbers, and not the certificate, which may take some megabytes."
    )
    job = tasks.offer(proofs.proving(subject), Button("Prove this number here", LIVE, ":material/verified:"))
    if job is not None:
        tasks.follow_to_end(job, "Stopped before as much was proven. The stored proof is the lower bound.")


def _row(bound: Bound, certificate: Proof, total: float) -> dict[str, str]:
    wins, shown = bound is certificate.winner, rounded.digits(certificate.lower, certificate.upper, total)
    return {
        "Upper bound": say.title(bound.name) + (" ← lowest proven" if wins else ""),
        "% of the total variance": rounded.fixed(100 * bound.value / total, shown, up=True),
        "Best found ÷ upper bound": rounded.ratio(certificate.lower, bound.value),
        "Time": rounded.seconds(bound.seconds) if bound.seconds else "not timed",
    }


def check_and_files(certificate: Proof, subject: Subject) -> None:
    """Offer a check by the library's second route, the certificate as a file, and what checks that elsewhere."""
    k = certificate.k
    ratio = f"ratio-{rounded.floor(certificate.ratio, 4):g}"
    if isinstance(certificate, PartsCertificate):
        key, stem, found = "parts", f"{subject.data.name}-r{certificate.n_components}-k{k}", "the parts' variances"
        same, bounded = "variances", f"set of {certificate.n_components} parts with at most {k} features each"
    else:
        key, stem, found = "explore", f"{subject.data.name}-k{k}", "one variance"
        same, bounded = "variance", f"component with at most {k} features"
    about = certificate.fingerprint, k, certificate.nonnegative, certificate.lower, certificate.upper
    cov = subject.cov

    def work(job: Job) -> bool:
        proven = sum(bound.deterministic for bound in certificate.bounds)
        job.report(Progress(0.0, f"Deriving {proven} upper bounds and {found} again"))
        try:
            nnspca.verify(certificate, cov)
        except nnspca.CertificateError as error:
            raise ValueError(f"The second route does not confirm this certificate: {error}") from error
        return True

    says = widgets.explained("verify", "Recomputes every variance and every upper bound with separate code.")
    button = Button("Check it by a second route", says, ":material/verified:")
    job = tasks.offer(Task(f"verify-{key}", about, work), button)
    if job is not None:
        tasks.follow(job, "Stopped before the check was complete.")
        if job.done and job.result:
            st.success(f"Confirmed: the second route finds the same {same} and the same upper bounds.")
    _files(certificate, subject, f"{stem}-{ratio}-certificate", bounded, key)


def _files(certificate: Proof, subject: Subject, stem: str, bounded: str, key: str) -> None:
    """Offer a certificate as a file, and all that checks it: a script, the checker that needs no library, its data."""
    data = subject.data
    cov = subject.cov
    code, more = verifier_code(subject.now, f"{stem}.npz", bounded), needs_second_checker(certificate, cov)
    held: dict[str, Content] = {
        f"{stem}.npz": lambda: certificate_npz(certificate, cov),
        "verify.py": code,
        "check.py": lambda: Path(check.__file__).read_bytes(),
        **({"check_more.py": lambda: Path(check_more.__file__).read_bytes()} if more else {}),
        **({} if data.is_sparse else {f"{data.name}.npy": lambda: data_npy(data, cov)}),
    }
    with st.container(horizontal=True):
        about = "What was found, every upper bound, and all that is needed to derive them again."
        charts.download("Certificate (NPZ)", held[f"{stem}.npz"], f"cert-{key}", f"{stem}.npz", about)
        label = "All that checks it (ZIP)"
        charts.download(label, lambda: downloads.zipped(held), f"checks-{key}", f"{stem}.zip", ", ".join(held))
    st.markdown("**Verify it elsewhere.** `verify.py` needs nnspca, and your data file if you uploaded one:")
    st.code(code, language="python", wrap_lines=True)
    if data.is_sparse:
        st.caption("The checker without our library reads dense data only; these data are sparse.")
        return
    st.markdown(
        "**Verify without our library.** `check.py` is one file of under 350 lines that needs nothing but Python: it "
        "reads the certificate and the data as plain numbers, computes the variance and the upper bound again in exact "
        f"arithmetic, and prints the proof in three lines.{f' {MORE}' if more else ''}"
    )
    command = ["python", "check_more.py" if more else "check.py", f"{stem}.npz", f"{data.name}.npy"]
    st.code(shlex.join(command), language="bash", wrap_lines=True)


def certificate_npz(certificate: Proof, cov: nnspca.Covariance) -> bytes:
    """Return a certificate with all its ingredients, as ``nnspca.load_certificate`` reads it."""
    out = io.BytesIO()
    nnspca.save_certificate(certificate, out, cov)
    return out.getvalue()


def data_npy(data: Dataset, cov: nnspca.Covariance) -> bytes:
    """Return what ``check.py`` reads the covariance from: the data as they are, or the matrix held."""
    out = io.BytesIO()
    np.save(out, cov.entries if cov.stands_for == "matrix" else data.X, allow_pickle=False)
    return out.getvalue()


def verifier_code(now: State, file_name: str, bounded: str) -> str:
    """Return the Python that checks a downloaded certificate and prints its two numbers: no ``bounded`` has more."""
    return "\n".join(
        [
            *downloads.data_lines(now),
            f"cert = nnspca.load_certificate({file_name!r})",
            "nnspca.verify(cert, cov)  # raises nnspca.CertificateError unless a second route agrees",
            'print(f"found and checked: {cert.lower:.9g}")',
            f'print(f"no {bounded} has more than: {{cert.upper:.9g}}")',
            "",
        ]
    )
