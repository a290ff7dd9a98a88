"""Whatever is given by mistake, the error says what it was and what is allowed, and is one of ours."""

import io
import re
import traceback
from dataclasses import replace

import numpy as np
import pandas
import pytest
import scipy.sparse

import nnspca
from nnspca import NonnegativeSparsePCA, datasets
from tests import budgets
from tests.certificates.test_judge import CLAIMS as SAID
from tests.holders import Holder

X = np.random.default_rng(0).standard_normal((20, 4))
COV = nnspca.Covariance.from_data(X)
PART = nnspca.solve(COV, 2)
CERT = nnspca.certify(COV, 2)

TABLE = b"a,b\n1,2\n3,5\n4,0\n"
MASKED = np.ma.masked_array([1.0, 2.0, 3.0, 4.0], mask=[0, 1, 0, 0])


class Unspeakable:
    """Something that cannot say what it is."""

    def __repr__(self):
        raise RuntimeError("no words")


TAKE_A_COVARIANCE = {
    "solve": lambda cov, **more: nnspca.solve(cov, 2, **more),
    "certify": lambda cov, **more: nnspca.certify(cov, 2, **more),
    "certify beside a component": lambda cov, **more: nnspca.certify(cov, 2, component=PART, **more),
    "certify_parts": lambda cov, **more: nnspca.certify_parts(cov, 2, 2, **more),
    "decompose": lambda cov, **more: nnspca.decompose(cov, 2, 2, **more),
    "necessity": lambda cov, **more: nnspca.necessity(cov, 2, **more),
    "sweep": lambda cov, **more: nnspca.sweep(cov, [2], **more),
    "sweep_parts": lambda cov, **more: nnspca.sweep_parts(cov, 2, 2, **more),
}
MEASURE = {
    "deflate": lambda cov: nnspca.deflate(cov, PART.loadings[:, None]),
    "contribution": lambda cov: nnspca.contribution(cov, PART, 0),
}


@pytest.mark.parametrize("name", TAKE_A_COVARIANCE | MEASURE)
@pytest.mark.parametrize("given", [X, X.tolist(), scipy.sparse.csr_array(X), pandas.DataFrame(X), PART, None])
def test_data_in_place_of_a_covariance_are_refused_with_the_way_to_make_one(name, given):
    with pytest.raises(TypeError, match=r"cov is .*; give a Covariance: Covariance.from_data\(X\) .*from_matrix\(A\)"):
        (TAKE_A_COVARIANCE | MEASURE)[name](given)


WRONG = {
    "signs of fit": (lambda: NonnegativeSparsePCA(nonnegative=1).fit(X), "nonnegative=1 .*give True or False"),
    "scale of fit": (lambda: NonnegativeSparsePCA(standardize=1).fit(X), "standardize=1 .*give True or False"),
    "scale of data": (lambda: nnspca.Covariance.from_data(X, 0), "standardize=0 .*give True or False"),
    "certify of a sweep of parts": (lambda: nnspca.sweep_parts(COV, 2, 2, certify=[]), r"certify=\[\] .*or None"),
    "effort": (lambda: nnspca.certify(COV, 2, effort=[]), r"effort=\[\] .*'live', 'thorough'"),
    "within one": (lambda: nnspca.necessity(COV, 2, 1), "within=1 .*a share of at least 0 and below 1"),
    "certify of sweep": (lambda: nnspca.sweep(COV, [2], certify=True), "certify=True .*'live', 'thorough' or None"),
    "certify of decompose": (lambda: nnspca.decompose(COV, 2, 2, certify=["live"]), r"certify=\['live'\] .*or None"),
    "method": (lambda: nnspca.solve(COV, 2, ["best"]), r"method=\['best'\] .*'best', 'spannogram'"),
    "method of sweep": (lambda: nnspca.sweep(COV, [2], methods=[["em"]]), r"method=\['em'\] .*'best', 'spannogram'"),
    "methods of sweep": (lambda: nnspca.sweep(COV, [2], methods=5), "methods=5 .*give names: 'best', 'spannogram'"),
    "deflation": (lambda: nnspca.decompose(COV, 2, 2, deflation=[]), r"deflation=\[\] .*'disjoint', "),
    "no whole k to sweep": (lambda: nnspca.sweep(COV, 2.5), "k=2.5 .*whole number from 1 to 4"),
    "a name to sweep": (lambda: nnspca.sweep(COV, "24"), "k='24' is not allowed; give a whole number, or several"),
    "k": (lambda: nnspca.solve(COV, np.array([1, 2])), r"k=an ndarray of shape \(2,\) .*whole number from 1 to 4"),
    "number of components": (lambda: nnspca.decompose(COV, "2", 2), "n_components='2' .*whole number from 1 to 4"),
    "angle": (lambda: nnspca.decompose(COV, 2, 2, min_angle=[]), r"min_angle=\[\] .*degrees from 0 to 90"),
    "starts": (lambda: nnspca.decompose(COV, 2, 2, starts=0.5), "starts=0.5 .*whole number from 0 to 10000"),
    "start": (lambda: nnspca.solve(COV, 2, start="x"), r"start is 'x'; give finite points of shape \(4,\)"),
    "start of em": (lambda: nnspca.solve(COV, 1, "em", start=np.eye(4)[0]), "only 'best' begins at given points"),
    "sign of a method": (lambda: nnspca.solve(COV, 1, "pca"), "'pca' .*nonnegative=True; give nonnegative=False"),
    "neighbour of other data": (lambda: nnspca.certify(COV.restrict([0, 1]), 1, warm_start=CERT), "this covariance"),
    "start at nothing": (lambda: nnspca.solve(COV, 2, start=np.zeros(4)), "none of them 0"),
    "loadings": (lambda: nnspca.deflate(COV, [[1.0], [0.0, 1.0]]), r"loadings=.*finite columns of shape \(4, r\)"),
    "effort of necessity": (lambda: nnspca.necessity(COV, 2, effort="a"), "effort='a' .*'live', 'thorough'"),
    "negative random state": (lambda: NonnegativeSparsePCA(random_state=-3).fit(X), "random_state=-3 .*of at least 0"),
    "huge k": (lambda: nnspca.solve(COV, 10**5000), "k=a huge whole number .*from 1 to 4"),
    "no dimensions for k": (lambda: nnspca.sweep(COV, np.array(2.0)), r"k=array\(2\.\) .*whole number from 1 to 4"),
    "a short point": (lambda: COV.variance(np.ones(3)), r"x have shape \(3,\); give .* of shape \(4,\) or \(r, 4\)"),
    "a masked point": (lambda: COV.variance(np.ma.masked_array(np.ones(4), [1, 0, 0, 0])), "x=.* masked"),
    "a complex point": (lambda: COV.apply(np.ones(4) * 1j), r"x=an ndarray .*give real numbers of shape \(4,\)"),
    "a feature that is none": (lambda: COV.restrict([0, 4]), r"features=\[0, 4\] .*whole numbers from 0 to 3"),
    "a short mask of features": (lambda: COV.restrict([True, False]), r"features=.*mask of 4"),
    "no feature": (lambda: COV.restrict([]), r"features=\[\] .*at least one"),
    "header": (lambda: datasets.read(TABLE, "t.csv", header="no"), "header='no' .*give"),
    "negatives of load": (
        lambda: datasets.load("lfw-faces", with_negatives="no"),
        "with_negatives='no' .*True or False",
    ),
    "seed of made-up data": (lambda: datasets.spiked(seed="a"), "seed='a' .*whole number of at least 0"),
    "samples of made-up data": (lambda: datasets.spiked(2.5), "n_samples=2.5 .*whole number of at least 2"),
    "noise of made-up data": (lambda: datasets.spiked(noise=np.nan), "noise=nan .*not negative"),
    "variances of made-up data": (lambda: datasets.spiked(variances=("a", 1, 2)), "variances.*must be positive"),
    "a part of made-up data": (lambda: datasets.spiked(cardinalities=3), "cardinalities=3 .*whole numbers"),
    "masked start in a holder": (lambda: nnspca.solve(COV, 2, start=Holder(MASKED)), "start is .*; give finite"),
    "names of samples": (lambda: nnspca.datasets.read(b"1,2", "a.csv", samples=X), "(?s)samples=.*'rows', 'columns'"),
    "kind of a file": (
        lambda: nnspca.datasets.read(b"1,2", "a.csv", kind="faces"),
        "kind='faces' .*'table', 'covariance' or None",
    ),
    "name of a data set": (lambda: nnspca.datasets.load([]), r"no data set is called \[\]; there are: "),
    "what cannot be shown": (lambda: nnspca.solve(COV, Unspeakable()), "k=a Unspeakable .*whole number from 1 to 4"),
    "another argument as an option": (
        lambda: NonnegativeSparsePCA(options={"k": 2}).fit(X),
        r"options=\{'k': 2\} .*'k' is no option of the method",
    ),
    "path that is none": (lambda: nnspca.save_certificate(CERT, "a\0b", COV), "cannot be written to: .*embedded null"),
    "no k to sweep": (lambda: nnspca.sweep(COV, []), r"at least one k and one method; got k=\[\]"),
    "no method to sweep": (lambda: nnspca.sweep(COV, [1], methods=()), "at least one k and one method"),
    "one of several k": (lambda: nnspca.sweep(COV, [2, 10]), "k=10 is not allowed"),
    "no number of parts": (lambda: nnspca.sweep_parts(COV, [], 3), "at least one"),
    "several k for parts": (lambda: nnspca.sweep_parts(COV, 2, [3]), "k="),
    "k of parts": (lambda: nnspca.sweep_parts(COV, 2, 99), "k=99"),
    "a feature beyond the last": (lambda: nnspca.contribution(COV, PART, 7), "feature=7 .* from 0 to 3"),
    "a feature without a name": (lambda: nnspca.contribution(COV, PART, "0"), "feature='0'"),
    "a component of other features": (lambda: nnspca.contribution(COV.restrict([0, 1]), PART, 0), "component"),
    "features to list": (lambda: nnspca.solve_all(nnspca.Covariance.from_matrix(np.eye(401)), 2), "at most 400"),
    "k of folds": (lambda: nnspca.cross_validate(X, [0]), "k=0 is not allowed; give a whole number from 1 to 4"),
    "no k of folds": (lambda: nnspca.cross_validate(X, []), r"k=\[\] and n_components=\[1\] are not allowed"),
    "two lists": (lambda: nnspca.cross_validate(X, [2, 3], n_components=[1, 2]), r"\[2, 3\] and n_components=\[1, 2\]"),
    "a name to folds": (lambda: nnspca.cross_validate(X, "3"), "k='3' is not allowed; give a whole number, or several"),
    "folds": (lambda: nnspca.cross_validate(X, [2], folds=1), "folds=1 .*give a whole number from 2 to 20"),
    "components of folds": (lambda: nnspca.cross_validate(X, [2], n_components=5), "n_components=5 is not allowed"),
    "option of folds": (lambda: nnspca.cross_validate(X, [2], certify="live"), "no option certify=.*its options: "),
    "components of resamples": (lambda: nnspca.bootstrap(X, 3, n_components=0), "n_components=0 .* from 1 to 4"),
    "resamples": (lambda: nnspca.bootstrap(X, 3, resamples=0), "resamples=0 is not allowed"),
    "threshold": (lambda: nnspca.bootstrap(X, 3, threshold=1.5), "threshold=1.5 is not allowed"),
    "method of resamples": (lambda: nnspca.bootstrap(X, 3, method="magic"), "method='magic' is not known"),
    "seed of resamples": (lambda: nnspca.bootstrap(X, 3, seed=-1), "seed=-1 is not allowed"),
    "k of resamples": (lambda: nnspca.bootstrap(X, 99), "k=99 is not allowed"),
    "features that vary most": (lambda: nnspca.most_variable(X, 0), "n_features=0 is not allowed"),
    "method of a file": (
        lambda: nnspca.save_certificate(replace(CERT, component=replace(PART, method="Magic!")), io.BytesIO()),
        "method=.Magic!. is no name: small letters, digits and hyphens",
    ),
}
NO_SUCH_THING = {
    "file name": (lambda: datasets.read(TABLE, 5), "filename=5 .*give the name of the file"),
    "name of data": (lambda: datasets.read(TABLE, "t.csv", name=X), "name is an ndarray .*give a str: what to call"),
    "data in place of a file": (lambda: datasets.read(X), r"path_or_bytes=an ndarray .*Covariance.from_data\(X\)"),
    "progress of load": (lambda: datasets.load("pitprops", on_progress=5), "on_progress=5 .*give a function"),
    "stop of load": (lambda: datasets.load("pitprops", should_stop="x"), "should_stop='x' .*give a function"),
    "component": (lambda: nnspca.certify(COV, 2, component=PART.loadings), r"component is an ndarray of shape \(4,\)"),
    "component of necessity": (lambda: nnspca.necessity(COV, 2, component=5), "component is 5; give a Component"),
    "warm start": (lambda: nnspca.certify(COV, 2, warm_start=PART), r"warm_start is Component: .*; give a Certificate"),
    "warm start of parts": (lambda: nnspca.certify_parts(COV, 2, 2, warm_start=CERT), "give a PartsCertificate"),
    "parts": (lambda: nnspca.certify_parts(COV, 2, 2, parts=5), "parts=5 .*give the result of nnspca.decompose"),
    "loadings as parts": (lambda: nnspca.certify_parts(COV, 2, 2, parts=[PART.loadings]), "a part is an ndarray"),
    "points of parts told": (lambda: nnspca.sweep_parts(COV, 2, 2, on_point=1), "on_point=1 .*give a function"),
    "points told": (lambda: nnspca.sweep(COV, [2], on_point=1), "on_point=1 .*give a function, or None"),
    "component to ask about": (lambda: nnspca.contribution(COV, PART.loadings, 0), "component is"),
    "executor of resamples": (lambda: nnspca.bootstrap(X, 3, executor=3), "executor=3 .*Executor, a dask"),
    "executor": (lambda: nnspca.sweep(COV, [2], executor=2), "executor=2 .*give a concurrent.futures.Executor"),
    "component to save": (lambda: nnspca.save_certificate(PART, io.BytesIO()), r"cert is Component.*give a Certific"),
    "text to save to": (
        lambda: nnspca.save_certificate(CERT, io.StringIO()),
        "give a path, or a file open for writing",
    ),
    "data as a form": (lambda: nnspca.Covariance(X), r"use Covariance.from_data\(X\) or .from_matrix"),
    "data set": (lambda: nnspca.Covariance.from_dataset(None), "dataset is None; give a Dataset"),
    "options": (lambda: NonnegativeSparsePCA(options="x").fit(X), "options='x' .*give a dict from option names"),
    "names of options": (lambda: NonnegativeSparsePCA(options={1: 2}).fit(X), r"options=\{1: 2\} .*give a dict"),
}


ANYWHERE = [
    *(({"nonnegative": wrong}, f"nonnegative={wrong!r} .*give True or False") for wrong in (1, 0, 0.0, "no")),
    *(
        ({"seed": wrong}, rf"seed={re.escape(repr(wrong))} .*whole number of at least 0")
        for wrong in ("a", -1, 1.5, [1])
    ),
    ({"should_stop": 5}, "should_stop=5 .*give a function, or None"),
    ({"on_progress": "print"}, "on_progress='print' .*give a function, or None"),
]


@pytest.mark.parametrize("name", TAKE_A_COVARIANCE)
def test_signs_seeds_and_functions_are_asked_for_alike_by_every_call(name):
    for given, says in ANYWHERE:
        with pytest.raises((ValueError, TypeError), match=says) as raised:
            TAKE_A_COVARIANCE[name](COV, **given)
        assert_ours(raised)


@pytest.mark.parametrize("what", WRONG | NO_SUCH_THING)
def test_a_value_or_a_kind_that_is_not_allowed_is_refused_with_what_is(what):
    call, says = (WRONG | NO_SUCH_THING)[what]
    with pytest.raises(ValueError if what in WRONG else TypeError, match=says) as raised:
        call()
    assert_ours(raised)


def assert_ours(raised):
    """The error is raised where arguments are checked, not where something broke."""
    line = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert "nnspca" in line.filename
    assert line.line.startswith("raise ")


def test_signs_and_whole_numbers_may_be_numpys_and_arrays_of_no_dimensions():
    assert nnspca.certify(COV, 2, nonnegative=np.True_).nonnegative is True
    cert = nnspca.certify(COV, 2, nonnegative=np.bool_(False))
    assert cert.nonnegative is False
    nnspca.verify(cert, COV)
    assert nnspca.decompose(COV, 1, np.int64(2), nonnegative=np.False_).nonnegative is False
    assert nnspca.sweep(COV, range(1, 3), nonnegative=np.True_, certify=None).nonnegative is True
    two = np.array(2)
    assert nnspca.solve(COV, two).k == 2
    assert nnspca.certify(COV, two, seed=np.array(0)).upper == CERT.upper
    assert nnspca.solve(COV, 2, "em", restarts=two, tol=np.array(1e-3)).options["restarts"] == 2
    parts = nnspca.decompose(COV, two, two, deflation="quasi-orthogonal", min_angle=np.array(80.0))
    assert [part.k for part in parts.parts] == [2, 2]
    assert {p.n_components for p in nnspca.sweep_parts(COV, two, two, certify=None).points} == {2}
    assert {p.k for p in nnspca.sweep(COV, [two, np.array(3)], certify=None).points} == {2, 3}
    assert len(COV.eigenpairs(two)[0]) == 2
    fitted = NonnegativeSparsePCA(np.array(1), two, random_state=np.array(3), nonnegative=np.array(True)).fit(X)
    assert fitted.n_components_ == 1
    assert type(nnspca.solve(COV, two).k) is int


OWN = np.array([0.6, 0.0, 0.8, 0.0])
CLAIMS = [
    {"loadings": OWN.tolist()},
    {"loadings": np.ma.masked_array(OWN, mask=[0, 1, 0, 0])},
    {"loadings": OWN + 0j},
    {"loadings": OWN.astype(object)},
    {"loadings": OWN.astype(np.longdouble)},
    {"loadings": OWN[:3]},
    {"loadings": OWN * 1.01},
    {"loadings": OWN * [1, 0, -1, 0]},
    {"loadings": OWN * [1, 0, np.nan, 0]},
    {"loadings": np.array([1, 0, 0, 0])},
    {"loadings": np.array([1, 0, 0, 0], dtype=np.float32)},
    {"variance": np.ones(3)},
    {"k": np.ones(3)},
    *SAID,
]


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: f"{next(iter(claim))}-{next(iter(claim.values()))!r:.20}")
@pytest.mark.parametrize("nonnegative", [True, False])
def test_no_component_is_certified_that_the_judge_would_refuse(claim, nonnegative, monkeypatch):
    budgets.quick(monkeypatch)
    budgets.brief(monkeypatch)  # what is refused does not hang on how tight a bound is
    part = nnspca.Component(**{"loadings": OWN, "variance": 1.0, "method": "given", "k": 2} | claim)
    for certify in (
        lambda: nnspca.certify(COV, 2, component=part, nonnegative=nonnegative),
        lambda: nnspca.certify_parts(COV, 1, 2, [part], nonnegative=nonnegative),
    ):
        try:
            cert = certify()
        except ValueError as refused:
            assert "component" in str(refused) or "part 1" in str(refused)
        else:
            nnspca.verify(cert, COV)


def test_parts_are_certified_as_what_they_are_here():
    parts = nnspca.decompose(COV, 2, 1)
    cert = nnspca.certify_parts(COV, 2, 2, parts, nonnegative=False)
    assert [(part.k, part.nonnegative) for part in cert.parts] == [(2, False), (2, False)]
    nnspca.verify(cert, COV)
