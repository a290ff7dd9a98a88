"""Whatever is given by mistake, the error says what it was and what is allowed, and is one of ours."""

import traceback

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca import NonnegativeSparsePCA

X = np.random.default_rng(0).standard_normal((20, 4))
COV = nnspca.Covariance.from_data(X)
PART = nnspca.solve(COV, 2)
CERT = nnspca.certify(COV, 2)

TAKE_A_COVARIANCE = {
    "solve": lambda cov: nnspca.solve(cov, 2),
    "certify": lambda cov: nnspca.certify(cov, 2),
    "certify_parts": lambda cov: nnspca.certify_parts(cov, 2, 2),
    "decompose": lambda cov: nnspca.decompose(cov, 2, 2),
    "sweep": lambda cov: nnspca.sweep(cov, [2]),
    "sweep_parts": lambda cov: nnspca.sweep_parts(cov, 2, 2),
    "deflate": lambda cov: nnspca.deflate(cov, PART.loadings[:, None]),
}


@pytest.mark.parametrize("name", TAKE_A_COVARIANCE)
@pytest.mark.parametrize("given", [X, X.tolist(), scipy.sparse.csr_array(X), PART, None])
def test_data_in_place_of_a_covariance_are_refused_with_the_way_to_make_one(name, given):
    with pytest.raises(TypeError, match=r"cov is .*; give a Covariance: Covariance.from_data\(X\) .*from_matrix\(A\)"):
        TAKE_A_COVARIANCE[name](given)


@pytest.mark.parametrize("name", TAKE_A_COVARIANCE)
def test_a_table_in_place_of_a_covariance_is_named_by_its_shape(name):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match=r"cov is a DataFrame of shape \(20, 4\)"):
        TAKE_A_COVARIANCE[name](pandas.DataFrame(X))


WRONG = {
    "signs of solve": (lambda: nnspca.solve(COV, 2, nonnegative=1), "nonnegative=1 .*give True or False"),
    "signs of certify": (lambda: nnspca.certify(COV, 2, nonnegative=0), "nonnegative=0 .*give True or False"),
    "signs of parts": (lambda: nnspca.certify_parts(COV, 2, 2, nonnegative=0), "nonnegative=0 .*give True or False"),
    "signs of decompose": (lambda: nnspca.decompose(COV, 2, 2, nonnegative="no"), "nonnegative='no' .*give True or"),
    "signs of sweep": (lambda: nnspca.sweep(COV, [2], nonnegative=0.0), "nonnegative=0.0 .*give True or False"),
    "signs of fit": (lambda: NonnegativeSparsePCA(nonnegative=1).fit(X), "nonnegative=1 .*give True or False"),
    "scale of fit": (lambda: NonnegativeSparsePCA(standardize=1).fit(X), "standardize=1 .*give True or False"),
    "scale of data": (lambda: nnspca.Covariance.from_data(X, 0), "standardize=0 .*give True or False"),
    "seed of solve": (lambda: nnspca.solve(COV, 2, seed="a"), "seed='a' .*whole number of at least 0"),
    "seed of certify": (lambda: nnspca.certify(COV, 2, seed="a"), "seed='a' .*whole number of at least 0"),
    "seed beside a component": (lambda: nnspca.certify(COV, 2, component=PART, seed=-1), "seed=-1 .*at least 0"),
    "seed of parts": (lambda: nnspca.certify_parts(COV, 2, 2, seed=[1]), r"seed=\[1\] .*whole number"),
    "seed of decompose": (lambda: nnspca.decompose(COV, 2, 2, seed=1.5), "seed=1.5 .*whole number of at least 0"),
    "seed of sweep": (lambda: nnspca.sweep(COV, [2], seed="a"), "seed='a' .*whole number of at least 0"),
    "signs of a sweep of parts": (lambda: nnspca.sweep_parts(COV, 2, 2, nonnegative=1), "nonnegative=1 .*give True"),
    "seed of a sweep of parts": (lambda: nnspca.sweep_parts(COV, 2, 2, seed="a"), "seed='a' .*whole number"),
    "certify of a sweep of parts": (lambda: nnspca.sweep_parts(COV, 2, 2, certify=[]), r"certify=\[\] .*or None"),
    "effort": (lambda: nnspca.certify(COV, 2, effort=[]), r"effort=\[\] .*'live', 'thorough'"),
    "effort of parts": (lambda: nnspca.certify_parts(COV, 2, 2, effort={}), r"effort=\{\} .*'live', 'thorough'"),
    "certify of sweep": (lambda: nnspca.sweep(COV, [2], certify=True), "certify=True .*'live', 'thorough' or None"),
    "certify of decompose": (lambda: nnspca.decompose(COV, 2, 2, certify=["live"]), r"certify=\['live'\] .*or None"),
    "method": (lambda: nnspca.solve(COV, 2, ["best"]), r"method=\['best'\] .*'best', 'spannogram'"),
    "method of decompose": (lambda: nnspca.decompose(COV, 2, 2, None), "method=None .*'best', 'spannogram'"),
    "method of sweep": (lambda: nnspca.sweep(COV, [2], methods=[["em"]]), r"method=\['em'\] .*'best', 'spannogram'"),
    "methods of sweep": (lambda: nnspca.sweep(COV, [2], methods=5), "methods=5 .*give names: 'best', 'spannogram'"),
    "deflation": (lambda: nnspca.decompose(COV, 2, 2, deflation=[]), r"deflation=\[\] .*'disjoint', "),
    "deflation of deflate": (lambda: nnspca.deflate(COV, PART.loadings[:, None], {}), r"deflation=\{\} .*'disjoint'"),
    "one k to sweep": (lambda: nnspca.sweep(COV, 2), "ks=2 .*give several whole numbers from 1 to 4"),
    "a name to sweep": (lambda: nnspca.sweep(COV, "24"), "k='2' .*whole number from 1 to 4"),
    "k": (lambda: nnspca.solve(COV, np.array([1, 2])), r"k=an ndarray of shape \(2,\) .*whole number from 1 to 4"),
    "number of components": (lambda: nnspca.decompose(COV, "2", 2), "n_components='2' .*whole number from 1 to 4"),
    "angle": (lambda: nnspca.decompose(COV, 2, 2, min_angle=[]), r"min_angle=\[\] .*degrees from 0 to 90"),
    "starts": (lambda: nnspca.decompose(COV, 2, 2, starts=0.5), "starts=0.5 .*whole number from 0 to 10000"),
    "start": (lambda: nnspca.solve(COV, 2, start="x"), r"start is 'x'; give finite points of shape \(4,\)"),
    "start of ragged rows": (lambda: nnspca.solve(COV, 2, start=[[1, 2], [3]]), r"start is \[\[1, 2\], \[3\]\]; give"),
    "start at nothing": (lambda: nnspca.solve(COV, 2, start=np.zeros(4)), "none of them 0"),
    "loadings": (lambda: nnspca.deflate(COV, [[1.0], [0.0, 1.0]]), r"loadings=.*finite columns of shape \(4, r\)"),
    "names as loadings": (lambda: nnspca.deflate(COV, "ab"), r"loadings='ab' .*finite columns of shape \(4, r\)"),
    "joint": (
        lambda: NonnegativeSparsePCA(deflation="joint").fit(X),
        "'best' finds one component at a time; give another deflation than 'joint', or method='coordinate-descent'",
    ),
}
NO_SUCH_THING = {
    "component": (lambda: nnspca.certify(COV, 2, component=PART.loadings), r"component is an ndarray of shape \(4,\)"),
    "near": (lambda: nnspca.certify(COV, 2, near=1), "near is 1; give a Certificate: one that nnspca.certify gave"),
    "warm start": (lambda: nnspca.certify(COV, 2, warm_start=PART), r"warm_start is Component\(.*; give a Certificate"),
    "warm start of parts": (lambda: nnspca.certify_parts(COV, 2, 2, warm_start=CERT), "give a PartsCertificate"),
    "parts": (lambda: nnspca.certify_parts(COV, 2, 2, parts=5), "parts=5 .*give what nnspca.decompose gave"),
    "loadings as parts": (lambda: nnspca.certify_parts(COV, 2, 2, parts=[PART.loadings]), "a part is an ndarray"),
    "stop of solve": (lambda: nnspca.solve(COV, 2, should_stop=5), "should_stop=5 .*give a function, or None"),
    "stop of certify": (lambda: nnspca.certify(COV, 2, should_stop=5), "should_stop=5 .*give a function, or None"),
    "stop of parts": (lambda: nnspca.certify_parts(COV, 2, 2, should_stop=5), "should_stop=5 .*give a function"),
    "stop of decompose": (lambda: nnspca.decompose(COV, 2, 2, should_stop=5), "should_stop=5 .*give a function"),
    "stop of sweep": (lambda: nnspca.sweep(COV, [2], should_stop=5), "should_stop=5 .*give a function, or None"),
    "progress": (lambda: nnspca.solve(COV, 2, on_progress="print"), "on_progress='print' .*give a function, or None"),
    "parts told": (lambda: nnspca.decompose(COV, 2, 2, on_part=[]), r"on_part=\[\] .*give a function, or None"),
    "points of parts told": (lambda: nnspca.sweep_parts(COV, 2, 2, on_point=1), "on_point=1 .*give a function"),
    "points told": (lambda: nnspca.sweep(COV, [2], on_point=1), "on_point=1 .*give a function, or None"),
    "executor": (lambda: nnspca.sweep(COV, [2], executor=2), "executor=2 .*give a concurrent.futures.Executor"),
    "options": (lambda: NonnegativeSparsePCA(options="x").fit(X), "options='x' .*give a dict from option names"),
    "names of options": (lambda: NonnegativeSparsePCA(options={1: 2}).fit(X), r"options=\{1: 2\} .*give a dict"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_value_that_is_not_allowed_is_refused_with_those_that_are(what):
    call, says = WRONG[what]
    with pytest.raises(ValueError, match=says) as raised:
        call()
    assert_ours(raised)


@pytest.mark.parametrize("what", NO_SUCH_THING)
def test_a_thing_of_another_kind_is_refused_with_the_kind_it_should_be(what):
    call, says = NO_SUCH_THING[what]
    with pytest.raises(TypeError, match=says) as raised:
        call()
    assert_ours(raised)


def assert_ours(raised):
    """The error is raised where arguments are checked, not where something broke."""
    line = traceback.extract_tb(raised.value.__traceback__)[-1]
    assert "nnspca" in line.filename
    assert line.line.startswith("raise ")


def test_signs_may_be_numpys():
    assert nnspca.certify(COV, 2, nonnegative=np.True_).nonnegative is True
    cert = nnspca.certify(COV, 2, nonnegative=np.bool_(False))
    assert cert.nonnegative is False
    nnspca.verify(cert, COV)
    assert nnspca.decompose(COV, 1, np.int64(2), nonnegative=np.False_).nonnegative is False
    assert nnspca.sweep(COV, range(1, 3), nonnegative=np.True_, certify=None).nonnegative is True
