"""The parts page's panels: the parts over the mean, the band along their number, and comparisons on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st

import nnspca
from nnspca.components.matching import paired
from nnspca.datasets import Dataset
from nnspca.result import Components, Stability, sentences, suggestions
from nnspca.view import words
from nnspca.view.figures import band
from nnspca.view.figures.style import Figure
from nnspca.view.jobs import runs
from nnspca.view.jobs.job import Job
from nnspca.view.link.state import State
from nnspca.view.link.widgets import choose
from nnspca.view.parts import face, run, together
from nnspca.view.parts.choices import IN_TURN, KEYS, TOGETHER, Choices, title_of
from nnspca.view.parts.figures import several
from nnspca.view.parts.figures.over_mean import over_mean
from nnspca.view.results import known
from nnspca.view.results.ledger import Known
from nnspca.view.sources import store
from nnspca.view.ui import charts, scene

RIGHT = 89.95  # degrees from which an angle counts as a right one
PAGE = 860  # pixels a page has for its columns, about
KNOWN = "best known"


def whole(parts: Components, data: Dataset) -> Figure:
    """Show the parts in colours over the mean of the data; return them as a figure to download."""
    left, parts = len(parts.parts), worth_drawing(parts)
    left -= len(parts.parts)
    title = f"{len(parts.parts)} {'part' if len(parts.parts) == 1 else 'parts'}"
    figure = _over_mean(parts.loadings, parts, data, title)
    if (parts.loadings >= 0).all():
        face.show(parts, data)
    else:
        charts.figure(figure, "parts-whole")
        st.caption("Click a part in the list to hide it, double-click to see it alone.")
    if left:
        st.caption(
            f"{'One more part adds' if left == 1 else f'{left} more parts each add'} less than 1 % to the variance of "
            "those before: not drawn."
        )
    return figure


def suggested(
    parts: Components | None, data: Dataset, now: State, stability: Stability | None
) -> suggestions.Suggestion | None:
    """Return a suggested number of parts, if there is reason for one; ``stability`` is their stability, where known."""
    return None if parts is None else suggestions.parts(parts.parts, store.covariance(data, now).features, stability)


def worth_drawing(parts: Components) -> Components:
    """Return the parts without the last ones that add less than 1 % each."""
    worth = np.flatnonzero(~sentences.is_small(parts.variances))
    count = int(worth[-1]) + 1 if len(worth) else 1
    return replace(parts, parts=parts.parts[:count], cumulative_variance=parts.cumulative_variance[:count])


def _over_mean(loadings: np.ndarray, parts: Components, data: Dataset, title: str) -> Figure:
    """Draw columns over the mean, each in the colour of its place; the legend says what each part explains."""
    labels = [f"part {r + 1}: {words.percent(share, 1)}" for r, share in enumerate(parts.variances / parts.total)]
    return over_mean(loadings, scene.drawn(data), charts.palette(), labels=labels, title=title)


def along(
    results: Mapping[str, Components], rows: Mapping[int, Known], job: Job, choice: Choices, total: float
) -> Figure:
    """Draw the variance explained against the number of parts, with the band in which the optimum lies."""
    shown = [row for row in rows.values() if row.components]
    curves: dict[str, dict[int, float]] = {KNOWN: {row.at: row.lower / total for row in shown}}
    lead = dict(job.arrived).get(choice.lead)
    count = len(results[choice.lead].parts) if choice.lead in results else choice.r
    if lead is not None and (not choice.best or any(row.stored for row in shown)):
        curves["live" if choice.best else title_of(choice.lead, choice)] = {
            len(lead.parts): float(lead.variances.sum()) / total
        }
    figure = band.figure(
        known.band_of(shown, total),
        curves,
        charts.palette(),
        title="Variance explained against the number of parts",
        unit="share of the total variance (%)",
        along="number of parts",
        what="number of parts",
        chosen=(count, KNOWN),
    )
    charts.figure(figure, "parts-band", first=True)
    return figure


def fill_band(rows: Mapping[int, Known], data: Dataset, now: State, choice: Choices) -> None:
    """Prove the smaller numbers of parts where nothing is known of them yet, and show the run."""
    key = together.curve_key(data, now, choice.r)
    job = runs.only_job("parts-curve", key)
    missing = [r for r in range(1, choice.r) if not (rows[r].bounded and rows[r].proven)]
    if job is None and missing:
        job = runs.start("parts-curve", key, together.curve(data, now, missing))
    if job is not None:
        proven_count = sum(row.bounded and row.proven for row in rows.values())
        if runs.follow("parts-curve", job, "Stopped. The points found so far are drawn.") and proven_count < sum(
            row.bounded and row.proven for row in known.parts_along(data, now, rows).values()
        ):
            st.rerun()  # it ended after the figure was drawn


def compared(results: Mapping[str, Components], data: Dataset, choice: Choices) -> dict[str, Figure]:
    """Show what other ways find: features that moved, the parts of each other solver, numbers, curves, angles."""
    figures: dict[str, Figure] = {}
    if choice.compares and IN_TURN in results and choice.lead in results:
        st.markdown("**Features that changed parts** when found together instead of one after the other")
        figures |= moved(results, data, choice)
    if len(results) > 1:
        st.dataframe(
            [_row(way, parts, choice) for way, parts in results.items()],
            hide_index=True,
            alt="One row for each way of finding parts.",
        )
        if notes := [f"{title_of(way, choice)}: {parts.note}" for way, parts in results.items() if parts.note]:
            st.caption("  \n".join(notes))
    figures |= _others(results, data, choice)
    return figures | comparison(results, choice)


def _row(way: str, parts: Components, choice: Choices) -> dict[str, str]:
    low, high = int(parts.cardinalities.min()), int(parts.cardinalities.max())
    return {
        "How found": title_of(way, choice),
        "Kept apart": nnspca.DEFLATIONS[parts.deflation].title,
        "Parts": str(len(parts.parts)),
        "Features per part": f"{high:,}" if low == high else f"{low:,} to {high:,}",
        "Total variance explained": words.percent(parts.cumulative_variance[-1] / parts.total, 1),
        "Overlap": words.fixed(parts.overlap, 2),
        "Time": words.seconds(parts.seconds) if parts.seconds else "stored",
    }


def moved(results: Mapping[str, Components], data: Dataset, choice: Choices) -> dict[str, Figure]:
    """Show which features are in another part, or newly in one, once the parts are found jointly."""
    lead, greedy = results[choice.lead], results[IN_TURN]
    before, after = hands(greedy, lead)
    was, is_ = before.any(axis=1), after.any(axis=1)
    if not (was | is_).any():
        st.markdown("None: parts found one after the other have the same features.")
        return {}
    st.markdown(
        f"Of {data.n_features:,} features **{(was & is_).sum():,}** moved to another part, **{(is_ & ~was).sum():,}** "
        f"joined one and **{(was & ~is_).sum():,}** left theirs. {gained(lead, greedy)}"
    )
    figures: dict[str, Figure] = {}
    both, noun = ((IN_TURN, before), (choice.lead, after)), scene.noun(data)
    for column, (way, loadings) in zip(st.columns(2, gap="medium"), both, strict=True):
        labels = [
            f"part {r + 1}: {count:,} {noun.removesuffix('s') if count == 1 else noun}"
            for r, count in enumerate(np.count_nonzero(loadings, axis=0))
        ]
        with column:
            figures[f"moved-{way}"] = over_mean(
                loadings, scene.drawn(data), charts.palette(), labels=labels, title=title_of(way, choice)
            )
            charts.figure(figures[f"moved-{way}"], f"moved-{way}")
    return figures


def hands(earlier: Components, later: Components) -> tuple[np.ndarray, np.ndarray]:
    """Match the parts that share the most features; return their loadings (n, r), zero where nothing changed hands."""
    r = max(len(earlier.parts), len(later.parts))
    first, second = earlier.padded(r).T, later.padded(r).T
    matched = np.empty_like(first)
    matched[:, paired(first, second)] = first
    stays = ((matched != 0) & (second != 0)).any(axis=1) & ((matched != 0) == (second != 0)).all(axis=1)
    return np.where(stays[:, None], 0.0, matched), np.where(stays[:, None], 0.0, second)


def gained(lead: Components, greedy: Components) -> str:
    """Say what finding the parts jointly has brought."""
    both, each = float(lead.variances.sum()), float(greedy.variances.sum())
    more = both / each - 1 if each else 0.0
    if more < 1e-6:
        return "Found one after the other, the parts explain as much."
    gain = words.percent(more, 1) if more >= 1e-3 else "less than 0.1 %"
    return f"Found together, the parts explain **{gain}** more variance than found one after the other."


def _others(results: Mapping[str, Components], data: Dataset, choice: Choices) -> dict[str, Figure]:
    """Draw the parts of the other solvers, each in the colour of the page's part that shares most features with it."""
    others = {way: parts for way, parts in results.items() if way not in (choice.lead, IN_TURN)}
    figures: dict[str, Figure] = {}
    if not others:
        return figures
    shown = choose(KEYS["shown"], "Parts shown", usual=choice.r, high=choice.r) if choice.r > 1 else 1
    columns = st.columns(len(others), gap="medium")
    for column, (way, parts) in zip(columns, others.items(), strict=True):
        with column:
            matched = _matched(parts, results[choice.lead]) if choice.lead in results else parts
            figures[way] = _picture(matched, shown, data, title_of(way, choice), PAGE // len(columns))
            charts.figure(figures[way], f"parts-{way}")
    return figures


def _picture(parts: Components, shown: int, data: Dataset, title: str, width: int) -> Figure:
    """Draw the first parts in colours over the mean; images that overlap as tiles."""
    loadings = parts.loadings
    if data.image_shape is None or (np.count_nonzero(loadings, axis=1) <= 1).all():
        return _over_mean(np.where(np.arange(loadings.shape[1]) < shown, loadings, 0.0), parts, data, title)
    nonnegative, look = bool((loadings >= 0).all()), charts.palette()
    return several.tiles(loadings[:, :shown], data.image_shape, look, nonnegative=nonnegative, title=title, width=width)


def _matched(parts: Components, to: Components) -> Components:
    """Return parts in the order of those they share the most features with, where there are as many."""
    if len(parts.parts) != len(to.parts):
        return parts
    order = np.argsort(paired(parts.loadings, to.loadings))
    return Components(
        tuple(parts.parts[c] for c in order), parts.cumulative_variance, parts.total, parts.method, parts.deflation
    )


def comparison(results: Mapping[str, Components], choice: Choices) -> dict[str, Figure]:
    """Show what the first parts explain together, and the angles between parts where they share anything."""
    figures: dict[str, Figure] = {}
    requested = KEYS["angles"].key in st.query_params
    leaning = {way: p for way, p in results.items() if len(p.parts) > 1 and (requested or _leans(p))}
    curves, angles = st.columns([1.2, 1], gap="large") if leaning else (st.container(), None)
    if len([way for way in results if way != IN_TURN]) > 1:
        with curves:
            figures["together"] = explained(results, choice, "together")
    if angles is not None:
        with angles:
            way = choose(
                KEYS["angles"],
                "Angles between the parts of",
                options=list(leaning),
                format_func=lambda name: title_of(name, choice),
                horizontal=True,
            )
            title = "90°: no overlap; 0°: equal parts"
            figures["angles"] = several.angles(leaning[way].angles, charts.palette(), title=title)
            charts.figure(figures["angles"], "angles-drawn")
    return figures


def explained(results: Mapping[str, Components], choice: Choices, key: str = "explained") -> Figure:
    """Draw the share of the total variance that the first parts explain together, one line for each way."""
    lines = {title_of(way, choice): p.cumulative_variance / p.total for way, p in results.items()}
    figure = several.together(lines, charts.palette())
    charts.figure(figure, key)
    st.caption("Overlap is counted once: this is the variance of the space that the parts span.")
    return figure


def _leans(parts: Components) -> bool:
    """Tell whether some two parts are not orthogonal."""
    apart = parts.angles[~np.eye(len(parts.parts), dtype=bool)]
    return bool((apart < RIGHT).any())


def each_alone(results: Mapping[str, Components], data: Dataset, now: State, choice: Choices, *, done: bool) -> None:
    """Prove each part alone, and say what is proven of it."""
    provable = [way for way, parts in results.items() if run.provable(parts)]
    if not provable:
        st.markdown("No upper bound is proven for parts that a solver finds all at once, or that may share features.")
        return
    if not done:
        st.markdown("Each part is proven once the run has ended.")
        return
    job = run.prove(results, data, now, choice)
    runs.follow("parts-proof", job)
    left = (
        "on the features that the other parts leave free"
        if results[provable[0]].deflation == TOGETHER
        else "on the variance that the earlier parts leave"
    )
    for r, cert in enumerate(job.arrived):
        st.markdown(
            f"Part {r + 1}: **{words.proven_share(cert.ratio)}** {left} "
            f"({nnspca.BOUNDS[cert.winner.name].title.lower()})."
        )
