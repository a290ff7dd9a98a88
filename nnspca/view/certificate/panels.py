"""The certificate, opened: what was proven, why it is true, how to check it, and how to prove more."""

from __future__ import annotations

import io
import shlex
from pathlib import Path

import numpy as np
import streamlit as st

import nnspca
from nnspca import check, check_more
from nnspca.certificates.exact.written import needs_second_checker
from nnspca.datasets import Dataset
from nnspca.result import Bound, Certificate, PartsCertificate, Progress
from nnspca.view import tasks, words
from nnspca.view.certificate import claims, proofs
from nnspca.view.jobs.job import Job
from nnspca.view.link import guide
from nnspca.view.link.state import State
from nnspca.view.session import Content
from nnspca.view.sources import store
from nnspca.view.tasks import Button, Task
from nnspca.view.ui import charts, downloads

MORE = "The checker for this kind of proof is `check_more.py`; it needs `check.py` in the same folder."
STOPPED = "Stopped. Every upper bound proven so far is kept."
STOP = "for as long as it falls. Stop at any time: the results so far are kept."
ABOUT = f"Searches for a better component, then lowers the upper bound, {STOP}"
TIGHTEN = Button("Tighten the proof", f"Lowers the upper bound, {STOP}", ":material/compress:")


def opened(certificate: Certificate, data: Dataset, now: State) -> None:
    """Open the certificate: its claim, the bound that gave it, all the others, a second route, and the file."""
    won, n = certificate.winner, data.n_features
    st.markdown(f"**What was proven.** {claims.claim(certificate, n)}")
    st.markdown(f"**The lowest upper bound: {words.title(won.name).lower()}.** {won.detail}")
    st.markdown(f"**Why it holds.** {claims.why(won)}")
    st.markdown("**Every upper bound that was tried**, lowest first.")
    ranked = sorted(certificate.bounds, key=lambda b: b.value)
    st.dataframe(
        [_row(b, certificate) for b in ranked],
        hide_index=True,
        alt="Every upper bound that was tried, lowest first: " + ", ".join(words.title(b.name) for b in ranked) + ".",
    )
    with st.popover("Why the others hold", icon=":material/school:"):
        for bound in ranked:
            if bound is not won:
                st.markdown(f"**{words.title(bound.name)}.** {claims.why(bound)}")
    check_and_files(certificate, data, now)


def _row(bound: Bound, certificate: Certificate) -> dict[str, str]:
    wins = bound is certificate.winner
    return {
        "Upper bound": words.title(bound.name) + (" ← lowest proven" if wins else ""),
        "% of λ₁": words.at_most(100 * bound.value / certificate.leading, 2),
        "Best found ÷ upper bound": words.percent(min(certificate.lower / bound.value, 1.0), 2),
        "Time": words.seconds(bound.seconds) if bound.seconds else "not timed",
    }


def check_and_files(certificate: Certificate | PartsCertificate, data: Dataset, now: State) -> None:
    """Offer a check by the library's second route, the certificate as a file, and what checks that elsewhere."""
    k = certificate.k
    if isinstance(certificate, PartsCertificate):
        key, stem, found = "parts", f"{data.name}-r{certificate.n_components}-k{k}", "the parts' variances"
        same, bounded = "variances", f"set of {certificate.n_components} parts with at most {k} features each"
    else:
        key, stem, found = "explore", f"{data.name}-k{k}", "one variance"
        same, bounded = "variance", f"component with at most {k} features"
    about = certificate.fingerprint, k, certificate.nonnegative, certificate.lower, certificate.upper
    cov = store.covariance(data, now)

    def work(job: Job) -> bool:
        proven = sum(bound.deterministic for bound in certificate.bounds)
        job.report(Progress(0.0, f"Deriving {proven} upper bounds and {found} again"))
        try:
            nnspca.verify(certificate, cov)
        except nnspca.CertificateError as error:
            raise ValueError(f"The second route does not confirm this certificate: {error}") from error
        return True

    says = guide.explained("verify", "Recomputes every variance and every upper bound with separate code.")
    button = Button("Check it by a second route", says, ":material/verified:")
    job = tasks.offer(Task(f"verify-{key}", about, lambda: work), button)
    if job is not None:
        tasks.follow(job, "Stopped before the check was complete.")
        if job.done and job.result:
            st.success(f"Confirmed: the second route finds the same {same} and the same upper bounds.")
    _files(certificate, data, now, f"{stem}-certificate", bounded, key)


def _files(
    certificate: Certificate | PartsCertificate, data: Dataset, now: State, stem: str, bounded: str, key: str
) -> None:
    """Offer a certificate as a file, and all that checks it: a script, the checker that needs no library, its data."""
    cov = store.covariance(data, now)
    code, more = verifier_code(now, f"{stem}.npz", bounded), needs_second_checker(certificate, cov)
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
        "**Verify without our library.** `check.py` is one file of under 300 lines that needs nothing but Python: it "
        "reads the certificate and the data as plain numbers, computes the variance and the upper bound again in exact "
        f"arithmetic, and prints the proof in three lines.{f' {MORE}' if more else ''}"
    )
    command = ["python", "check_more.py" if more else "check.py", f"{stem}.npz", f"{data.name}.npy"]
    st.code(shlex.join(command), language="bash", wrap_lines=True)


def fallen(fall: proofs.Fall) -> None:
    """Say what a longer proof has brought."""
    st.success(claims.fallen(fall.before, fall.after, fall.seconds), icon=":material/trending_down:")


def certificate_npz(certificate: Certificate | PartsCertificate, cov: nnspca.Covariance | None = None) -> bytes:
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
