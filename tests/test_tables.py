"""Tables that a person might bring: the choices made on reading, and a first sentence that is no artefact."""

import functools
from pathlib import Path

import anndata
import numpy as np
import pytest

import nnspca
from nnspca.result.component import WEAK, correlation
from nnspca.view.link.state import default_k
from tests.tables import TABLES

LARGE = 100  # features from which a proof takes seconds, and says nothing that the smaller ones do not


@functools.cache
def opened(name):
    """Return the data as the app has them in use, and what was noticed."""
    table = TABLES[name]
    data = nnspca.datasets.read(table.make(), table.filename, label=table.label, missing=table.missing)
    seen = nnspca.datasets.inspect(data)
    return (nnspca.datasets.leave_out(data, seen.left_out) if seen.left_out else data), seen


@functools.cache
def found(name):
    """Return the covariance of a table as it opens, and its first component of the usual k."""
    data, seen = opened(name)
    cov = nnspca.Covariance.from_dataset(data, standardize=seen.standardise)
    quick = {"restarts": 4, "leaders": 2} if data.n_features >= LARGE else {}
    return cov, nnspca.solve(cov, default_k(data.n_features), **quick)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_opens_with_the_choice_and_the_sentence_that_a_statistician_would_sign(name):
    table = TABLES[name]
    data, seen = opened(name)
    assert seen.standardise == table.standardised
    assert {c.name for c in data.columns if c.role in ("left out", "time") and c.kind != "text"} == {*table.left_out}
    cov, part = found(name)
    said = part.summary()
    assert said.startswith(f"{table.says}: one number made of these ")
    scaled = " (standardised)." if table.standardised else " features."
    assert f"{scaled} One feature has " in said
    share = float(said.partition(" carries ")[2].partition(" %")[0])
    assert 100 * part.variance / cov.trace - share * 0.01 <= share <= 100 * part.variance / cov.trace
    if data.n_features < LARGE:
        cert = nnspca.certify(cov, part.k, component=part)
        assert cert.summary().startswith(f"{said} At least ") and cert.summary().endswith("% (proven).")
        assert cert.ratio > 0.999


@pytest.mark.parametrize("name", TABLES)
def test_the_first_finding_is_no_artefact(name):
    """No column alone, no column in a larger unit, no copy of a column: several that go together in the data given."""
    (data, _), (_, part) = opened(name), found(name)
    assert part.cardinality >= 2 and (part.loadings**2).max() < 0.95
    assert correlation(part) >= WEAK
    among = data.features(part.support)
    related = np.corrcoef(np.asarray(among), rowvar=False)
    assert (np.abs(related[~np.eye(len(related), dtype=bool)]) < 1 - 1e-9).all()
    scores = nnspca.scores(data.X, part)
    assert all(np.corrcoef(scores, column)[0, 1] > 0 for column in np.asarray(among).T)


def test_without_standardising_the_dominant_column_is_warned_of():
    data, seen = opened("people")
    with pytest.warns(UserWarning, match="'income' alone holds 9"):
        nnspca.Covariance.from_dataset(data)
    with pytest.warns(UserWarning, match="give standardize=True, or standardize=False"):
        nnspca.Covariance.from_data(data.X)
    nnspca.Covariance.from_data(data.X, standardize=False)
    assert seen.note("dominant") is not None


def annotated(X, **options):
    return nnspca.anndata.components(anndata.AnnData(X), 1, 2, **options)


FOUND_BY = {
    "fit": lambda X, **options: nnspca.NonnegativeSparsePCA(1, n_nonzero=2, **options).fit(X),
    "partial_fit": lambda X, **options: nnspca.NonnegativeSparsePCA(1, n_nonzero=2, **options).partial_fit(X).parts_,
    "chunks": lambda X, **options: nnspca.Covariance.from_data(lambda: iter(np.split(X, [20])), **options),
    "bootstrap": lambda X, **options: nnspca.bootstrap(X, 2, resamples=1, **options),
    "cross_validate": lambda X, **options: nnspca.cross_validate(X, 2, folds=2, **options),
    "anndata": annotated,
}


@pytest.mark.parametrize("call", FOUND_BY.values(), ids=FOUND_BY)
def test_whatever_is_made_of_samples_warns_of_a_dominant_column_once(call):
    X = opened("people")[0].X
    with pytest.warns(UserWarning, match="alone holds 9") as warned:
        call(X)
    assert [Path(w.filename) for w in warned] == [Path(__file__)], "it is about the line that called"
    call(X, standardize=False)
    call(X, standardize=True)
