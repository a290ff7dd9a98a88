"""A certificate, opened: what was proven and why it holds, and how to check it."""

from __future__ import annotations

import io
import shlex
from pathlib import Path

import numpy as np
import streamlit as st

import nnspca
from nnspca import check, check_more
from nnspca.bounds.plan import PLANS
from nnspca.bounds.registry import BOUNDS, PARTS_BOUNDS
from nnspca.certificates.exact import needs_second_checker
from nnspca.datasets import Dataset
from nnspca.result import Bound, Certificate, PartsCertificate, Progress, rounded, wording
from nnspca.view import running, say, stored
from nnspca.view.certificate import proofs
from nnspca.view.jobs import Job
from nnspca.view.ledger import Known
from nnspca.view.running import Button, Task
from nnspca.view.session import Content
from nnspca.view.subject import Subject
from nnspca.view.ui import charts, downloads

AnyCertificate = Certificate | PartsCertificate
CHECKERS: dict[str, Content] = {
    f"{at.stem}.py": at.read_bytes for at in (Path(check.__file__), Path(check_more.__file__))
}


def why_true(name: str) -> str:
    """Say why a bound is true, by its name."""
    return BOUNDS[name].argument if name in BOUNDS else PARTS_BOUNDS[name].summary


def claim(proven: AnyCertificate | Known, subject: Subject) -> str:
    """Say what a certificate proves, or what is known of one component, with its numbers, upper bounds rounded up."""
    (lower, upper), n = (proven.lower, proven.upper), subject.data.n_features
    k = proven.at if isinstance(proven, Known) else proven.k
    if rounded.optimal(lower, upper):
        most, best = "", "so it is **proven optimal**, to 1 part in 10,000."
    else:
        shown = rounded.percent(upper / subject.total, rounded.decimals(lower, upper, subject.total), up=True)
        most = f", which is {shown} of the total variance"
        best = f"which is **{rounded.proven_share(lower, upper)}**; the gap is at most {rounded.gap(lower, upper)}."
    found, bound = rounded.pair(lower, upper)
    if not isinstance(proven, PartsCertificate):
        signs = "all nonnegative" if proven.component.nonnegative else "of either sign"
        many = f"{wording.plural(k, 'nonzero loading')}, {signs}"
        whole = (
            f"Consider every vector of {n:,} loadings that is a unit vector with at most {many}. None has a variance"
        )
    else:
        r, signs = proven.n_components, "nonnegative " if proven.nonnegative else ""
        parts = f"{wording.counted(r, 'part')} of {n:,} features{' that share no feature' if r > 1 else ''}"
        whole = f"Take any {parts}, each with at most {k:,} {signs}loadings. Together none have"
    return f"{whole} above **{bound}**{most}. The best found has **{found}**, {best}"


def certificate_details(certificate: AnyCertificate, known: Known, subject: Subject) -> None:
    """Open the certificate: the bound that gave it, all the others, a second route, and the file."""
    won = certificate.winner
    gaps = [f"a gap of at most {rounded.gap(one.lower, one.upper)}" for one in (certificate, known)]
    if known.upper < certificate.upper and gaps[0] != gaps[1]:
        source = f" ({known.source})" if known.source else ""
        st.caption(f"This certificate was made live: it has {gaps[0]}. The answer above has {gaps[1]}{source}.")
    st.markdown(f"**The lowest upper bound: {say.title(won.name).lower()}.** {won.detail}")
    st.markdown(f"**Why it holds.** {why_true(won.name)}")
    if isinstance(certificate, Certificate) and (more := certificate.ahead(code=False)):
        st.caption(more)
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
                st.markdown(f"**{say.title(bound.name)}.** {why_true(bound.name)}")
    check_and_files(certificate, subject)


def kept_proof(known: Known, subject: Subject) -> None:
    """Say how a proof whose file does not come with the package was made, and offer to make it here."""
    made, live, thorough = stored.problems()[subject.problem].made(known.at), PLANS["live"], PLANS["thorough"]
    longer = f", or up to {rounded.seconds(thorough.relaxation + thorough.trees)} if the stored proof took longer"
    lasts = f"about {rounded.seconds(made.seconds or live.seconds)}{'' if made.seconds else longer}"
    run = f" by a {made.effort} run" if made.effort else ""
    by = f" Its lowest upper bound: {say.title(made.bound).lower()}. {why_true(made.bound)}" if made.bound else ""
    st.markdown(
        f"It was proven on {made.day}{run}, and `nnspca.verify` has checked it.{by} The package has the numbers, not "
        f"the certificate. Proving it here takes {lasts}; it ends once as much is proven."
    )
    button = Button("Prove this number here", f"Takes {lasts}. Stop at any time.", ":material/verified:")
    job = running.offer(proofs.proof_task(subject), button)
    if job is not None:
        running.follow_to_end(job, "Stopped before as much was proven. The stored proof is the lower bound.")


def _row(bound: Bound, certificate: AnyCertificate, total: float) -> dict[str, str]:
    wins, shown = bound is certificate.winner, rounded.decimals(certificate.lower, certificate.upper, total)
    return {
        "Upper bound": say.title(bound.name) + (" ← lowest proven" if wins else ""),
        "% of the total variance": rounded.fixed(100 * bound.value / total, shown, up=True),
        "Best found ÷ upper bound": rounded.ratio(certificate.lower, bound.value),
        "Time": rounded.seconds(bound.seconds) if bound.seconds else "not timed",
    }


def command(file: str, certificate: AnyCertificate, subject: Subject) -> str:
    """Return the command that checks a certificate's file without the library."""
    checker = "check_more.py" if needs_second_checker(certificate, subject.cov) else "check.py"
    return shlex.join(["python", checker, file, f"{subject.data.name}.npy"])


def check_and_files(certificate: AnyCertificate, subject: Subject) -> None:
    """Offer a check by the library's second route, the certificate as a file, and what checks that elsewhere."""
    r = certificate.n_components if isinstance(certificate, PartsCertificate) else 0
    key, name = ("parts", f"{subject.data.name}-r{r}") if r else ("explore", subject.data.name)
    about = certificate.fingerprint, certificate.k, certificate.nonnegative, certificate.lower, certificate.upper

    def work(job: Job) -> bool:
        job.report(Progress(0.0, "Deriving every variance and every upper bound again"))
        nnspca.verify(certificate, subject.cov)
        return True

    says = "Recomputes every variance and every upper bound with separate code."
    button = Button("Check it by a second route", says, ":material/verified:")
    job = running.offer(Task(f"verify-{key}", about, work), button)
    if job is not None:
        running.follow(job, "Stopped before the check was complete.")
        if job.done and job.result:
            st.success("Confirmed: the second route finds the same variances and the same upper bounds.")
    name += f"-k{certificate.k}-ratio-{rounded.floor(certificate.ratio, 4):g}-certificate"
    _files(certificate, subject, name, key)


def _files(certificate: AnyCertificate, subject: Subject, stem: str, key: str) -> None:
    """Offer a certificate as a file, and all that checks it: a script, the checker that needs no library, its data."""
    data, cov, more = subject.data, subject.cov, needs_second_checker(certificate, subject.cov)
    code = downloads.program("certificate", subject.now, file=repr(f"{stem}.npz"))
    held: dict[str, Content] = {
        f"{stem}.npz": lambda: certificate_npz(certificate, subject),
        "verify.py": f"{code}\n",
        **{name: checker for name, checker in CHECKERS.items() if more or name == "check.py"},
        **({} if data.is_sparse else {f"{data.name}.npy": lambda: data_npy(data, cov)}),
    }
    with st.container(horizontal=True):
        about = "What was found, every upper bound, and all that is needed to derive them again."
        charts.download_button("Certificate (NPZ)", held[f"{stem}.npz"], f"cert-{key}", f"{stem}.npz", about)
        label = "All that checks it (ZIP)"
        charts.download_button(label, lambda: downloads.zipped(held), f"checks-{key}", f"{stem}.zip", ", ".join(held))
    st.markdown("**Verify it elsewhere.** `verify.py` needs nnspca, and your data file if you uploaded one:")
    st.code(code, language="python", wrap_lines=True)
    if data.is_sparse:
        st.caption("The checker without our library reads dense data only; these data are sparse.")
        return
    st.markdown(
        "**Verify without our library.** `check.py` is one file of under 350 lines that needs nothing but Python: it "
        "reads the certificate and the data as plain numbers, computes the variance and the upper bound again in exact "
        f"arithmetic, and prints the proof in three lines.{' `check_more.py` checks this kind.' if more else ''}"
    )
    st.code(command(f"{stem}.npz", certificate, subject), language="bash", wrap_lines=True)


def certificate_npz(certificate: AnyCertificate, subject: Subject) -> bytes:
    """Return a certificate with all its ingredients, as ``nnspca.load_certificate`` reads it."""
    if (held := proofs.stored_file(certificate, subject)) is not None:
        return held
    out = io.BytesIO()
    nnspca.save_certificate(certificate, out, subject.cov)
    return out.getvalue()


def data_npy(data: Dataset, cov: nnspca.Covariance) -> bytes:
    """Return what ``check.py`` reads the covariance from: the data as they are, or the matrix held."""
    out = io.BytesIO()
    np.save(out, cov.held.entries if cov.held.stands_for == "matrix" else data.X, allow_pickle=False)
    return out.getvalue()
