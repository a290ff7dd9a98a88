"""Features that must be in or out: brute force on small problems, certificates of what is left, and the checkers."""

import dataclasses
import io
import itertools
import json

import numpy as np
import pytest

import nnspca
from nnspca import check, check_more
from nnspca.bounds import branch
from nnspca.certificates.derivations import derive
from nnspca.certificates.proofs import CarriedProof
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from tests import oracle
from tests.test_check import checkable, npy, npz
from tests.test_check_more import checked

ABLE = [name for name, info in nnspca.METHODS.items() if info.includes]
BOTH = pytest.mark.parametrize("nonnegative", [True, False])


def samples(seed, m=12, n=7):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((m, n)) * rng.choice([0.3, 1.0, 3.0], n)


def covariance(X, seed):
    """As samples, or as the matrix: with what a checker is given."""
    if seed % 2:
        return nnspca.Covariance.from_data(X, standardize=False), X
    Y = X - X.mean(axis=0)
    return nnspca.Covariance.from_matrix(A := Y.T @ Y / len(X)), A


def exact_optimum(A, k, nonnegative, include=(), exclude=()):
    """The largest x'Ax over all supports that hold ``include`` and none of ``exclude``, as an exact fraction."""
    A = np.asarray(A)
    rest = [i for i in range(len(A)) if i not in include and i not in exclude]
    points = []
    for others in itertools.combinations(rest, min(k - len(include), len(rest))):
        S = sorted([*include, *others])
        B = A[np.ix_(S, S)]
        if B.any():
            points.append(oracle.exact_variance(B, oracle.optimum(B, len(S), nonnegative)[1]))
    return max(points)


def choices(seed, n=7):
    """k, and features to include and exclude, in any proportion."""
    rng = np.random.default_rng(100 + seed)
    k, order = int(rng.integers(1, n)), rng.permutation(n).tolist()
    a = int(rng.integers(0, k + 1))
    b = int(rng.integers(0, n - k + 1)) if a else 1
    return k, sorted(order[:a]), sorted(order[a : a + min(b, n - k)])


def forged(certificate, **claims):
    """The file with other claims in its text."""
    arrays = dict(np.load(io.BytesIO(certificate)))
    content = json.loads(str(arrays["certificate"]))
    content["certificate"] |= claims
    arrays["certificate"] = np.array(json.dumps(content))
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


# ---------------------------------------------------------------------- against brute force


@BOTH
@pytest.mark.parametrize("seed", range(12))
def test_solvers_and_certificates_of_restricted_problems(seed, nonnegative):
    k, include, exclude = choices(seed)
    cov, data = covariance(samples(seed), seed)
    best = exact_optimum(cov.matrix, k, nonnegative, include, exclude)
    for method in ABLE:
        part = nnspca.solve(cov, k, method, nonnegative=nonnegative, include=include, exclude=exclude)
        assert part.loadings.shape == (7,)
        assert not part.loadings[exclude].any()
        assert len({*part.support.tolist(), *include}) <= k
        assert not nonnegative or (part.loadings >= 0).all()
        assert part.variance <= best * (1 + 1e-12)
        assert method == "greedy" or part.variance >= best * (1 - 1e-9)
        assert abs(cov.variance(part.loadings) - part.variance) <= 1e-12 * cov.trace
    cert = nnspca.certify(cov, k, nonnegative=nonnegative, include=include, exclude=exclude)
    assert (cert.include, cert.exclude) == (tuple(include), tuple(exclude))
    for bound in cert.bounds:
        if bound.deterministic:
            assert oracle.allows(bound.value, best), bound
    assert cert.lower <= best * (1 + 1e-12)
    assert cert.ratio > 0.9999
    nnspca.verify(cert, cov)
    certificate, table = npz(cert, cov), npy(data)
    loaded = nnspca.load_certificate(certificate)
    assert loaded == cert
    nnspca.verify(loaded, cov)
    lower, upper = checked(npz(checkable(cert, cov, more=True), cov), table)
    assert lower <= best * (1 + 1e-12)
    assert oracle.allows(float(upper), best)
    asked = {"nonnegative": nonnegative, "include": include, "exclude": exclude}
    swept = nnspca.sweep(cov, [k], methods=("best",), **asked).certificates[k]
    assert (swept.include, swept.exclude) == (cert.include, cert.exclude)
    assert swept.lower <= best * (1 + 1e-12) and oracle.allows(swept.upper, best)
    single = nnspca.decompose(cov, 1, k, **asked)
    assert (single.include, single.exclude) == (cert.include, cert.exclude)


@BOTH
def test_branching_uses_the_places_of_what_is_included(nonnegative):
    """The optimum with a feature of little variance lies below the optimum without it, and so does the bound."""
    cov, data = covariance(samples(11), 11)
    worst = int(cov.diagonal.argmin())
    free = nnspca.certify(cov, 3, nonnegative=nonnegative)
    cert = nnspca.certify(cov, 3, nonnegative=nonnegative, include=[worst])
    assert cert.upper < free.lower
    nnspca.verify(cert, cov)
    claim = dataclasses.replace(cert, include=())
    with pytest.raises(nnspca.CertificateError):
        nnspca.verify(claim, cov)
    certificate, table = npz(cert, cov), npy(data)
    checked(certificate, table)
    with pytest.raises(check.Refused):
        checked(forged(certificate, include=[]), table)


def test_other_proofs_do_not_count_what_is_included():
    """A bound taken over from fewer features holds in the mean over their choices, which need not hold the included."""
    cov, _ = covariance(samples(5), 5)
    problem = Problem(cov, 3, include=(int(cov.diagonal.argmin()),))
    two = Problem(cov, 2, include=problem.include)
    x = nnspca.solve(cov, 2, include=problem.include).loadings
    (bound, *_) = list(branch.branch_and_bound(two, x, goal=0.0, monitor=Monitor().within(2.0)))[-1:]
    taken_over = CarriedProof(2, bound.ingredients)
    plain = Problem(cov, 3)
    try:
        value = derive(taken_over, problem)
    except nnspca.CertificateError:
        return  # nothing is proven without the places
    assert value >= float(exact_optimum(cov.matrix, 3, True)) * (1 - 1e-12)
    assert value == derive(taken_over, plain)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_without_restrictions_nothing_changes(nonnegative):
    cov, _ = covariance(samples(1), 1)
    plain, same = (
        nnspca.certify(cov, 3, nonnegative=nonnegative, **given) for given in ({}, {"include": [], "exclude": ()})
    )
    assert plain == same
    assert nnspca.solve(cov, 3, nonnegative=nonnegative) == nnspca.solve(cov, 3, nonnegative=nonnegative, exclude=[])


# ---------------------------------------------------------------------- claims that do not hold


def test_a_component_that_breaks_the_restriction_is_no_lower_bound():
    cov, data = covariance(samples(7), 7)
    free = nnspca.solve(cov, 3)
    inside, outside = free.support.tolist(), np.flatnonzero(free.loadings == 0).tolist()
    with pytest.raises(ValueError, match="excluded"):
        nnspca.certify(cov, 3, component=free, exclude=inside[:1])
    with pytest.raises(ValueError, match="beside those included"):
        nnspca.certify(cov, 3, component=free, include=outside[:1])
    for given in ({"exclude": tuple(inside[:1])}, {"include": tuple(outside[:1])}):
        cert = nnspca.certify(cov, 3, **given)
        wrong = dataclasses.replace(cert, component=free, lower=free.variance, upper=cert.upper + free.variance)
        with pytest.raises(nnspca.CertificateError):
            nnspca.verify(wrong, cov)
        with pytest.raises(check.Refused):
            checked(npz(wrong, cov), npy(data))


def test_claims_of_other_restrictions_are_refused():
    cov, data = covariance(samples(9), 9)
    cert = nnspca.certify(cov, 3, include=[1], exclude=[4])
    certificate, table = npz(cert, cov), npy(data)
    checked(certificate, table)
    for include, exclude in (
        ((1,), ()),
        ((1,), (2, 4)),
        ((4,), (4,)),
        ((0, 1, 2, 3), (4,)),
        ((9,), (4,)),
        ((1, 1), (4,)),
    ):
        with pytest.raises(nnspca.CertificateError):
            nnspca.verify(dataclasses.replace(cert, include=include, exclude=exclude), cov)
    for value in ([1], (True,), (1.0,), (-1,), None):
        with pytest.raises(nnspca.CertificateError):
            nnspca.verify(dataclasses.replace(cert, include=value), cov)
    for claims in (
        {"exclude": []},
        {"include": [4]},
        {"include": [0, 1, 2, 3]},
        {"include": [99]},
        {"exclude": [1, 4]},
    ):
        with pytest.raises((check.Refused, LookupError, ValueError)):
            checked(forged(certificate, **claims), table)
    with pytest.raises(ValueError, match="includes and excludes the same"):
        nnspca.certify(cov, 3, warm_start=cert)
    assert nnspca.certify(cov, 3, include=[1], exclude=[4], warm_start=cert).upper >= cert.lower


def test_what_the_checker_prints_names_the_restriction():
    cov, data = covariance(samples(9), 9)
    lines = []
    file = npz(nnspca.certify(cov, 3, include=[1], exclude=[4]), cov)
    check.check(file, npy(data), lines.append, 20, check_more.Checker)
    assert any("[1] among them" in line and "outside 6 features" in line for line in lines)


# ---------------------------------------------------------------------- arguments


@pytest.mark.parametrize("act", [nnspca.solve, nnspca.certify])
@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"include": [0, 1, 2]}, "3 features, more than k=2"),
        ({"include": [0], "exclude": [0, 1]}, "share feature 0"),
        ({"exclude": [0, 1, 2, 3]}, "all 4 features"),
        ({"exclude": [0, 1, 2]}, "k=2 is not allowed; give 1, as exclude leaves 1"),
        ({"exclude": [-1]}, "whole numbers from 0 to 3"),
        ({"include": [1, 1]}, "names feature 1 twice"),
        ({"include": ["e"]}, "include='e' is not known"),
        ({"exclude": "e"}, "exclude='e' is not known"),
        ({"exclude": [1, 2]}, "no variance"),
    ],
)
def test_errors_say_what_was_given_and_what_is_allowed(act, given, why):
    X = np.array([[0.0, 1.0, 2.0, 5.0], [0.0, 3.0, 1.0, 5.0], [0.0, 2.0, 7.0, 5.0]])
    cov = nnspca.Covariance.from_data(X, standardize=False, names=["a", "b", "c", "d"])
    with pytest.raises(ValueError, match=why):
        act(cov, 2, **given)


def test_names_masks_and_places_are_the_same():
    cov = nnspca.Covariance.from_data(samples(2, n=4), standardize=False, names=["a", "b", "c", "d"])
    given = (["a", "c"], [2, 0], np.array([0, 2]), np.array([True, False, True, False]))
    parts = [nnspca.solve(cov, 2, exclude=exclude) for exclude in given]
    assert all(part == parts[0] for part in parts)
    assert nnspca.solve(cov, 2, include="a") == nnspca.solve(cov, 2, include=0)
    cert = nnspca.certify(cov, 2, include="a", exclude=["c"])
    assert (cert.include, cert.exclude) == ((0,), (2,))
    assert "a included, c excluded" in cert.proven()
    assert "a included, c excluded" in repr(cert)


def test_methods_without_include_name_those_that_have_it():
    cov, _ = covariance(samples(2), 2)
    for method, info in nnspca.METHODS.items():
        if not info.includes:
            with pytest.raises(ValueError, match="'best', 'greedy', 'exact'"):
                nnspca.solve(cov, 3, method, nonnegative=info.signs[0], include=[1])
        part = nnspca.solve(cov, 3, method, nonnegative=info.signs[0], exclude=[1, 5])
        assert not part.loadings[[1, 5]].any()


# ---------------------------------------------------------------------- degenerate problems


@BOTH
@pytest.mark.parametrize(
    "A",
    [
        np.eye(5),
        np.ones((5, 5)),
        np.diag([0.0, 0.0, 1.0, 1.0, 2.0]),
        np.kron(np.diag([1.0, 0.0]), np.ones((3, 3)))[:5, :5],
        np.array([[2.0, -1.0, -1.0], [-1.0, 2.0, -1.0], [-1.0, -1.0, 2.0]]) * 1e-130,
        np.diag([1e130, 1.0, 1e-130]),
    ],
    ids=["ties", "equal rows", "zero variance", "zero block", "opposed", "scales"],
)
def test_degenerate_matrices(A, nonnegative):
    cov, n = nnspca.Covariance.from_matrix(A), len(A)
    for k, include, exclude in (
        (2, [0], []),
        (2, [1], [0]),
        (n, [0], []),
        (1, [n - 2], []),
        (n - 1, [0, 1], []),
        (1, [], [n - 1]),
    ):
        left = include if len(include) == k else [i for i in range(n) if i not in exclude]
        if not cov.diagonal[left].any():
            continue
        best = exact_optimum(cov.matrix, k, nonnegative, include, exclude)
        for method in ABLE:
            part = nnspca.solve(cov, k, method, nonnegative=nonnegative, include=include, exclude=exclude)
            assert len({*part.support.tolist(), *include}) <= k
            assert method == "greedy" or abs(part.variance - float(best)) <= 1e-9 * float(best)
        cert = nnspca.certify(cov, k, nonnegative=nonnegative, include=include, exclude=exclude)
        assert oracle.allows(cert.upper, best)
        nnspca.verify(cert, cov)


def test_a_stopped_call_keeps_the_restriction():
    cov, _ = covariance(samples(4, m=30, n=40), 1)
    shown = []
    part = nnspca.solve(cov, 6, include=[3, 8], exclude=[0, 1], should_stop=lambda: True)
    nnspca.solve(cov, 6, include=[3, 8], exclude=[0, 1], on_found=lambda x, v: shown.append(x))
    for x in (part.loadings, *shown):
        assert not x[[0, 1]].any()
        assert len({*np.flatnonzero(x).tolist(), 3, 8}) <= 6
    assert part.stopped
    assert len(shown) > 3
    cert = nnspca.certify(cov, 6, include=[3, 8], exclude=[0, 1], should_stop=lambda: True)
    assert cert.stopped
    nnspca.verify(cert, cov)
