"""The folds of the Explore page: why these features, the proof, downloads and code, other samples."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import isfinite

import numpy as np
import streamlit as st

import nnspca
from nnspca.result import Component, CrossValidation, SweepPoint, rounded, sentences
from nnspca.solvers.registry import METHODS
from nnspca.view import cache, chance, export, running, stability
from nnspca.view.certificate import panels, proofs
from nnspca.view.explore import figures, samples
from nnspca.view.explore.choices import KEYS, POINTS, Choices, thinned
from nnspca.view.explore.view import View, sentence_at
from nnspca.view.figures import band, style
from nnspca.view.figures.style import Figure
from nnspca.view.jobs import Job
from nnspca.view.link.state import last_value
from nnspca.view.link.widgets import Suggestion, choose
from nnspca.view.running import Task
from nnspca.view.session import Content
from nnspca.view.ui import charts, downloads

MOST_TRIED = 12  # values of k that are tried
STOPPED = "Stopped. The results so far are shown."


def proof(_: Component, view: View) -> None:
    """Say what is proven, and open the certificate."""
    final, known = proofs.certificate_at(view, view.k), view.known[view.k]
    as_good = final is not None and (final.upper <= known.upper or rounded.optimal(final.lower, final.upper))
    if known.found and known.bounded:
        st.markdown(f"**What was proven.** {panels.claim(known, view)}")
    if known.stored and not as_good:
        panels.kept_proof(known, view)
    elif final is None:
        st.info("The proof is being made. It is shown here once it is complete.", icon=":material/hourglass_empty:")
    else:
        panels.certificate_details(final, known, view)


def figure(view: View) -> Figure:
    """Return the band as a figure to take home."""
    return band.figure(
        view.band,
        view.curves,
        charts.palette(),
        title="Variance explained against k",
        unit="share of the total variance (%)",
        along="k, nonzero loadings allowed (log scale)",
        log=True,
    )


def holds(part: Component, view: View) -> None:
    """Say what other samples would give: each k on held-out ones, and how often each feature returns."""
    m, said = view.data.X.shape[0], st.container()
    st.markdown(
        "More features never explain less of **these** samples, but may of new ones: a share of the samples is held "
        "out, and the component found on the others is measured on it, an estimate with an error, **not a proof**."
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        folds = choose(
            KEYS["folds"],
            "Folds",
            usual=_usual_folds(m),
            options=[f for f in KEYS["folds"].options if f <= max(m, 2)],
            help="Into how many groups the samples are split at random; each group is held out once.",
            width=260,
        )
        task = _hold_out(view, folds)
        about = "Takes as long as the curve, once for each fold. Stop at any time: the results so far are shown."
        job = running.offer(task, running.compute_button(about, ":material/content_cut:"))
    result = running.answer(task, job, STOPPED)
    if result is None or result.best_k is None:
        said.markdown(samples.sampling_error(part, view))
    else:
        said.markdown(summary(result, view.k))
        _draw(result, view, folds)
    st.divider()
    if METHODS[part.method].feasible:
        stability.panel(view.only(part), view)
    else:
        st.markdown("Stability is estimated only for components with at most k loadings of the allowed signs.")


def suggestion(view: View) -> Suggestion | None:
    """Suggest k by held-out samples where they were asked, else by the curve; none that is no more than chance."""
    held_out: CrossValidation | None = None
    if view.data.kind != "covariance":
        folds = last_value(KEYS["folds"]) or _usual_folds(view.data.X.shape[0])
        held_out = cache.results().get(_hold_out(view, folds).key)
    found = suggested_k([(k, row.lower, row.upper) for k, row in view.known.items() if row.found], held_out)
    by_chance = None if found is None else chance.chance_at(view, found.value)
    return None if by_chance is not None and found is not None and chance.first(by_chance, found.value) else found


def suggested_k(
    curve: Iterable[tuple[int, float, float]], held_out: CrossValidation | None = None
) -> Suggestion | None:
    """Suggest the k that held-out samples ask for; where none were asked, that from which the curve flattens.

    ``curve`` has rows of k, the variance found and an upper bound. Between two such k, the variance
    is interpolated geometrically. None if no k can be suggested.

    >>> suggested_k((k, v, v) for k, v in ((1, 1.0), (2, 1.9), (3, 2.2), (4, 2.21), (5, 2.22)))
    Suggestion(value=3, why='Suggested: at k = 3 one more feature adds less than 1 % (proven).')
    >>> suggested_k([(1, 1.0, 1.0), (2, 1.9, 2.0)])
    """
    if held_out is not None and not held_out.stopped:
        k = held_out.suggested_k
        why = f"Suggested: k = {k} explains about as much of held-out samples as any (an estimate)."
        return None if k is None else Suggestion(k, why)
    for (k, lower, _), (next_k, variance, upper) in pairwise(sorted(row for row in curve if row[1] > 0)):
        if (variance / lower) ** (1 / (next_k - k)) - 1 < sentences.MINOR_SHARE:
            proven = isfinite(upper) and Fraction(upper) < Fraction(101, 100) * Fraction(lower)
            how = "proven" if proven else "for the components found, not proven"
            return Suggestion(k, f"Suggested: at k = {k:,} one more feature adds less than 1 % ({how}).")
    return None


def _solver(choice: Choices) -> str:
    """Return the first solver of the chart whose components keep to the constraints."""
    return next((name for name in choice.methods if METHODS[name].feasible), choice.methods[0])


def _usual_folds(m: int) -> int:
    return min(KEYS["folds"].default, max(folds for folds in KEYS["folds"].options if folds <= max(m, 2)))


def _hold_out(view: View, folds: int) -> Task:
    """Return the task of measuring each k on held-out samples."""
    ks, solver = tuple(sorted({*thinned(view.choice.ks, MOST_TRIED), view.k})), _solver(view.choice)
    key = view.key_of("held-out", view.seed, ks, solver, folds)
    return view.task("which", key, nnspca.cross_validate, ks, folds=folds, method=solver, on_point=_look)


def _look(job: Job, result: CrossValidation) -> None:
    """Publish whenever a k is known for every fold."""
    whole = int(np.isfinite(result.fitted).all(axis=0).sum())
    if len(job.results) < whole < len(result.k):
        job.publish(result)


def _draw(result: CrossValidation, view: View, folds: int) -> None:
    """Draw what each k keeps."""
    solver = _solver(view.choice)
    charts.figure(figures.held_out(result, charts.palette()), "held-out")
    st.caption(
        f"{METHODS[solver].title}, {folds} folds. “Share”: how much of the held-out samples' squared distance from the "
        "training mean the component explains. The bars are one standard error of the mean over the folds. Shuffled "
        "columns explain what each feature does alone: 1/n on average."
    )
    call = (
        f"found = nnspca.cross_validate(data, {list(result.k)}, folds={folds}, method={solver!r},\n"
        f"                              standardize={view.standardise}, nonnegative={view.nonnegative}, "
        f"seed={view.seed})\n"
        "print(found.suggested_k, found.best_k, found.mean, found.error)"
    )
    st.dataframe(result.to_records(), hide_index=True, alt="One row for each k: its share of each part of the samples.")
    st.code("\n".join([*downloads.data_lines(view.now), call]), language="python", wrap_lines=True)


def summary(result: CrossValidation, shown: int) -> str:
    """Say which k the samples ask for, and what the component of the k that is ``shown`` explains of held-out ones."""
    k = result.suggested_k
    said = [f"### Suggested k: {'none' if k is None else k} (probable, not proven)", result.summary()]
    at = result.k.index(shown) if shown in result.k else None
    if at is not None and np.isfinite(result.interval[at]):
        of = result.mean, result.fitted_mean, result.apart_mean
        share, of_these, chance = (rounded.percent(each[at], 2) for each in of)
        said.append(
            f"Of held-out samples, a component of k = {shown:,} explains {share} (± "
            f"{rounded.fixed(100 * result.interval[at], 2, up=True)} %, 95 % interval, an estimate), of those that it "
            f"was found on {of_these}; shuffled columns give {chance}."
        )
    if result.best_k == result.k[-1]:
        said.append("The share still rises at the largest k tried.")
    return "\n\n".join(said)


def all_files(part: Component, view: View) -> None:
    """Offer everything as files: the component, the curves, the run on one page; and the code."""
    feasible = nnspca.METHODS[part.method].feasible
    known = replace(view.known[view.k], lower=part.variance) if feasible else None
    answer = export.Answer(
        {part.method: view.only(part)},
        view,
        verdict=f"{sentence_at(view, view.k)} {view.context(view.k)}",
        method=f"{nnspca.METHODS[part.method].title}.",
        code=_code(view),
        known=known,
        prove=functools.partial(proofs.made, view) if feasible else None,
    )
    more: dict[str, Content] = {
        "curves.csv": lambda: downloads.table_csv(curve_records(view)),
        "band.html": lambda: style.figure_page(figure(view)),
    }
    export.export_panel(f"{view.data.name}-k{part.k}-{part.method}", answer, more)


def curve_records(view: View) -> list[dict[str, object]]:
    """Return one row for each k and solver: variance, upper bound, and the proven share of the optimum."""
    curves = {"best found": {k: row.component for k, row in view.known.items() if row.found}} | dict(view.others)
    records, leading = [], float(view.cov.eigenpairs(1)[0][0])
    for name, points in curves.items():
        for k, part in sorted(points.items()):
            row, ends = view.known.get(k), dict[str, float | None](lower=None, upper=None, ratio=None)
            if row is not None and np.isfinite(row.upper):
                ends = {"lower": row.lower, "upper": row.upper, "ratio": part.variance / row.upper}
            records.append(nnspca.Sweep((SweepPoint(k, name, part),), leading).to_records()[0] | ends)
    return records


def _code(view: View) -> str:
    """Return the Python that finds this component, its certificate and the curves again."""
    setting = f"nonnegative={view.nonnegative}"
    method, arguments = view.choice.method, "".join(f", {name}={value!r}" for name, value in view.choice.options)
    return "\n".join(
        [
            *downloads.data_lines(view.now),
            f"part = nnspca.solve(cov, {view.k}, {method!r}, {setting}, seed={view.seed}{arguments})",
            f"cert = nnspca.certify(cov, {view.k}, {setting}, component=part)",
            "nnspca.verify(cert, cov)  # raises unless a second route agrees",
            "print(part.support, part.variance, part.variance / cert.upper)",
            f"scores = nnspca.scores(data.X, part.loadings, mean='own', standardize={view.standardise})",
            "",
            f"curve = nnspca.sweep(cov, {list(thinned(view.choice.ks, POINTS))}, methods={view.choice.methods!r},",
            f"                     {setting}, certify='live', seed={view.seed})",
            "for row in curve.to_records():",
            "    print(row)",
        ]
    )
