"""Results read as sentences and tables, draw themselves, and are equal where they say the same."""

import dataclasses
import inspect
import pickle
import re
import sys

import numpy as np
import pandas
import polars
import pytest
from matplotlib.figure import Figure as Sheet

import nnspca
from nnspca.components import DeflationInfo
from nnspca.result import Stability, SweepPoint
from nnspca.solvers.registry import MethodInfo

RNG = np.random.default_rng(0)
X = pandas.DataFrame(RNG.normal(size=(40, 8)) @ RNG.normal(size=(8, 8)), columns=[f"gene {c}" for c in "abcdefgh"])
COV = nnspca.Covariance.from_data(X, standardize=True)
FACES = nnspca.Covariance.from_data(nnspca.datasets.load("lfw-faces"))


PART = nnspca.solve(COV, 3)
RESULTS = {
    "component": lambda: PART,
    "components": lambda: nnspca.decompose(COV, 3, 2, deflation="together", certify="live"),
    "certificate": lambda: nnspca.certify(COV, 3, component=PART),
    "parts certificate": lambda: nnspca.certify_parts(COV, 2, 2),
    "sweep": lambda: nnspca.sweep(COV, [1, 2, 3]),
    "parts sweep": lambda: nnspca.sweep_parts(COV, [1, 2], 2),
    "necessity": lambda: nnspca.necessity(COV, 3),
    "stability": lambda: nnspca.bootstrap(X, 3, n_components=2, resamples=5),
    "cross-validation": lambda: nnspca.cross_validate(X, [1, 2, 3]),
    "judgement": lambda: nnspca.certify_loadings(COV, np.linalg.eigh(np.cov(X.T))[1]),
    "ranking": lambda: nnspca.solve_all(COV, 3, within=0.2),
    "ranking, stopped": lambda: nnspca.solve_all(COV, 3, within=0.2, should_stop=lambda: True),
    "contribution": lambda: nnspca.contribution(COV, PART, 0),
    "of faces": lambda: nnspca.certify(FACES, 10),
    "any sign": lambda: nnspca.solve(COV, 3, nonnegative=False),
    "of a matrix": lambda: nnspca.solve(nnspca.Covariance.from_matrix(np.diag([3.0, 2.0])), 1),
    "stopped": lambda: nnspca.solve(COV, 3, should_stop=lambda: True),
}
WHAT = list(RESULTS)


class Results(dict):
    """Each made when it is first asked for."""

    def __missing__(self, name):
        self[name] = RESULTS[name]()
        return self[name]


@pytest.fixture(scope="module")
def results():
    return Results()


@pytest.mark.parametrize("what", WHAT)
def test_a_result_reads_in_six_lines_and_in_sentences_is_a_table_and_draws_itself(results, what):
    result = results[what]
    assert 1 <= len(repr(result).splitlines()) <= 6
    assert len(repr(result)) < 800
    summary = result.summary()
    assert summary.endswith(".") and "\n" not in summary and "nan" not in summary
    assert summary[:20] in result._repr_html_()
    table = result.to_frame()
    assert isinstance(table, pandas.DataFrame) and len(table)
    figure, ax = result.plot(), Sheet().add_subplot()
    assert figure.data and figure.to_json()
    assert result.plot(ax=ax) is ax and ax.has_data()
    ax.figure.draw_without_rendering()


def test_what_was_found_in_polars_is_told_in_polars():
    table = polars.DataFrame(dict(X))
    part = nnspca.solve(nnspca.Covariance.from_data(table, standardize=True), 3)
    told, plain = part.to_frame(), PART.to_frame()
    assert told.columns == ["feature", "loading", "weight", "place"]
    assert told["feature"].to_list() == plain.index.tolist() and told["place"].to_list() == plain["place"].tolist()
    fitted = nnspca.NonnegativeSparsePCA(2, 3).fit(table)
    resampled = nnspca.bootstrap(table, 3, resamples=2), nnspca.cross_validate(table, [1, 2])
    assert all(
        isinstance(each.to_frame(), polars.DataFrame) for each in (fitted.parts_, fitted.certificate_, *resampled)
    )


@pytest.mark.parametrize("what", WHAT)
def test_a_result_survives_pickling_and_equals_what_it_was(results, what):
    result = results[what]
    again = pickle.loads(pickle.dumps(result))
    assert again is not result and again == result and hash(again) == hash(result)
    assert dataclasses.replace(result, **{"seconds": 99.0} if hasattr(result, "seconds") else {}) == result
    assert result != "something else"
    features = getattr(result, "features", None)
    if features is not None:
        assert again.features is not None
        assert pickle.loads(pickle.dumps(result)).features is again.features  # held once in a process


def test_the_same_question_has_an_equal_answer_and_another_a_different_one():
    assert nnspca.solve(COV, 3) == nnspca.solve(COV, 3)
    assert nnspca.certify(COV, 3) == nnspca.certify(COV, 3)
    assert nnspca.solve(COV, 3) != nnspca.solve(COV, 2)
    cert = nnspca.certify(COV, 3)
    assert dataclasses.replace(cert, upper=cert.upper * 2) != cert
    assert nnspca.solve(COV, 3) in [nnspca.solve(COV, 2), nnspca.solve(COV, 3)]


def test_what_is_proven_is_never_said_to_be_more_than_it_is():
    part = nnspca.Component(np.array([0.6, 0.8]), 2.0, "best", 2)
    cases = (2.0, "0 %", "100 %"), (2.0 * (1 + 1e-15), "0.01 %", "99.99 %"), (2.5, "20.0 %", "80.0 %")
    for upper, gap, ratio in cases:
        bound = nnspca.Bound("rows", upper)
        cert = nnspca.Certificate(2, True, 2.0, upper, part, (bound,), 9.0, "print")
        assert f"At least {ratio} of the optimum" in cert.summary() and f"gap at most {gap} (proven)" in cert.summary()
        assert f"at least {ratio} of the optimum" in repr(cert)


def test_several_components_are_sized_indexed_and_iterated():
    parts = nnspca.decompose(COV, 3, [3, 2, 1])
    assert len(parts) == 3
    assert [part.cardinality for part in parts] == [3, 2, 1]
    assert parts[0] is parts.parts[0] and parts[-1] == parts.parts[2] and parts[:2] == parts.parts[:2]
    with pytest.raises(IndexError):
        parts[3]


def test_tables_hold_the_numbers_of_the_results(results):
    part, parts, cert = results["component"], results["components"], results["certificate"]
    table = part.to_frame()
    assert list(table.index) == [X.columns[i] for i in table["place"]]
    assert np.allclose(table["loading"], part.loadings[table["place"]]) and np.isclose(table["weight"].sum(), 1.0)
    assert (np.diff(table["loading"]) <= 0).all()
    long = parts.to_frame()
    assert list(long["component"].unique()) == [1, 2, 3] and len(long) == parts.cardinalities.sum()
    assert cert.to_frame()["value"][cert.winner.name] == cert.upper
    assert cert.to_frame()["proven"].iloc[0]
    assert list(results["necessity"].to_frame().index) == list(X.columns)
    assert set(results["stability"].to_frame()["feature"]) <= set(X.columns)
    assert results["sweep"].to_frame().equals(pandas.DataFrame(results["sweep"].to_records()))


def test_pixels_are_told_by_where_they_lie(results):
    said = results["of faces"].summary()
    assert re.match(
        r"Ten pixels, \w+( of them)? at the \w+ \w+.*, rise together: one number made of these ten carries ", said
    )


def test_wavelengths_are_told_as_a_stretch_and_drawn_along_their_axis():
    data = nnspca.datasets.load("lrs")
    parts = nnspca.decompose(nnspca.Covariance.from_data(data), 2, 5)
    assert parts[0].summary().startswith(f"Five features at {data.axis.name} ")
    assert f" {data.axis.unit} rise together: one number made of these five carries " in parts[0].summary()
    for figure, count in ((parts.plot(), 2), (parts[0].plot(), 1)):
        assert len(figure.data) == count
        assert np.array_equal(figure.data[0].x, data.axis.values[parts[0].support])


def test_names_are_escaped_in_a_notebook():
    cov = nnspca.Covariance.from_data(RNG.normal(size=(9, 2)), names=["<b>", "a&b"])
    html = nnspca.decompose(cov, 2, 1)._repr_html_()
    assert "<b>" not in html and "&lt;b&gt;" in html and "a&amp;b" in html


def test_what_a_figure_needs_is_said_where_it_is_missing(monkeypatch, results):
    for name in [name for name in sys.modules if name == "nnspca.figures"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    with pytest.raises(ImportError, match="a figure needs Plotly: pip install plotly"):
        results["component"].plot()


def test_an_axis_names_every_k_only_where_these_are_few():
    few, far = (nnspca.sweep(FACES, ks, certify=None).plot().layout.xaxis.dtick for ks in ([1, 2, 5], [1, 2, 90]))
    assert (few, far) == (1, None)


@pytest.mark.parametrize(
    "kind", [nnspca.Component, nnspca.Certificate, Stability, SweepPoint, MethodInfo, DeflationInfo]
)
def test_help_shows_what_stands_beside_every_field(kind):
    shown = inspect.getdoc(kind)
    for field in dataclasses.fields(kind):
        assert f"\n{field.name} : " in shown
    assert "Examples" in shown
    assert "    Shape (n,). Unit Euclidean norm. Nonnegative exactly when" in inspect.getdoc(nnspca.Component)
