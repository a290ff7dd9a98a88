"""Several parts, joint masses, eigenvalues of samples, checked exactly; and no checker is kept busy long."""

import copy
import shutil
import time
from fractions import Fraction

import numpy as np
import pytest

import nnspca
from nnspca import check, check_more
from nnspca.bounds import branch, core, masses, pair_scaled, plain
from nnspca.bounds.cases import Elimination
from nnspca.bounds.selection import cumulative_masses
from nnspca.certificates.exact import checker_section, needs_second_checker
from nnspca.control.progress import Monitor
from nnspca.covariance import samples
from nnspca.covariance.problem import Problem
from tests import oracle
from tests.test_check import as_lists, npy, npz, packed, run, tampered, told, with_one_bound

QUIET = Monitor()


def checked(content, data, billions=20):
    return check.check(content, data, lambda line: None, billions, check_more.Checker)


def accepted(cert, cov, X):
    """Whether the file of a certificate is accepted, and if so with numbers that say what the certificate says."""
    lower, upper = checked(npz(cert, cov), npy(X))
    assert abs(lower - Fraction(cert.lower)) <= lower / 10**9
    assert upper == Fraction(cert.upper)
    assert needs_second_checker(cert, cov) == beyond_the_first(npz(cert, cov), npy(X))
    return True


def beyond_the_first(content, data):
    """Whether check.py alone cannot tell."""
    try:
        check.check(content, data, lambda line: None)
    except check.Refused as error:
        assert error.args[1] == 2
        return True
    return False


@pytest.mark.parametrize("nonnegative", [True, False])
def test_a_bound_along_the_first_eigenvector_is_accepted_on_either_side(pitprops, genes, nonnegative):
    for (X, cov), ks, kind in (((pitprops.matrix, pitprops), (2, 6, 13), "joint"), (genes, (3, 200), "samples")):
        for k in ks:
            cert = nnspca.certify(cov, k, nonnegative=nonnegative, should_stop=lambda: True)
            alone = with_one_bound(cert, plain.along_leading(Problem(cov, k, nonnegative)))
            assert checker_section(alone, cov, {})[0]["proof"]["kind"] == kind
            assert accepted(alone, cov, X)


def test_parts_of_many_features_are_accepted(genes):
    X, cov = genes
    cert = nnspca.certify_parts(cov, 2, 3, should_stop=lambda: True)
    rows = np.zeros((2, cov.n_features))  # fewer parts may have been found
    rows[: len(cert.parts)] = [part.loadings for part in cert.parts]
    order = np.argsort(-cov.diagonal)
    budgets = {"budget": 0.01, "goal": cert.lower, "monitor": QUIET, "read": cov.n_features}
    made = list(core.bounds(Problem(cov, 3, True), rows, order, np.sqrt(cov.diagonal), 2 * cov.trace, **budgets))[-1:]
    assert made
    single = plain.largest_eigenvalue(Problem(cov, 3, True))
    for bound in (*made, plain.largest_eigenvalues(cov, 2), plain.each(single, 2)):
        assert accepted(with_one_bound(cert, bound), cov, X), bound.name


def test_the_samples_eigenvalue_takes_no_help_from_pairs(genes):
    """Pairs of samples would bound sparse vectors of samples, which says nothing of features."""
    X, cov = genes
    cert = nnspca.certify(cov, 4)
    bound = plain.largest_eigenvalue(Problem(cov, 4, True))
    content = as_lists(told(npz(with_one_bound(cert, bound), cov)))
    m = len(X)
    forged = content["check"]["proof"]
    assert forged["kind"] == "samples"
    gram = (X - X.mean(0)) @ (X - X.mean(0)).T / m
    forged |= {"L": gram.tolist(), "M": np.zeros((m, m)).tolist(), "t": 1e-3}
    content["check"]["upper"] = content["certificate"]["upper"] = cert.lower
    with pytest.raises(check.Refused):
        checked(packed(content), npy(X))


# --- what is not honest


def with_boxes(problem, x):
    """An elimination of the features that vary least, some of them weighed beside each other."""
    low = masses.attained(problem.cov, x)
    held = masses.by_variance(problem.cov, low)
    before, masses.WIDEST = masses.WIDEST, 4
    try:
        beside = masses.beside_each_other(problem, low, held, QUIET)
    finally:
        masses.WIDEST = before
    held[beside.proof.features] = beside.masses
    lost = cumulative_masses(np.sort(held[3:])[::-1])
    return Elimination(problem, x, low, np.arange(3), lost, 1.0, beside.proof).bound()


@pytest.fixture(scope="module")
def files(genes):
    """Small certificates of every kind that is checked here alone: what each says, its data, and its optimum."""
    made = []
    rng = np.random.default_rng(4)
    X = rng.standard_normal((6, 5)) * np.geomspace(1, 0.2, 5)
    cov = nnspca.Covariance.from_data(X)
    for nonnegative in (True, False):
        cert, problem = nnspca.certify(cov, 2, nonnegative=nonnegative), Problem(cov, 2, nonnegative)
        exact = oracle.optimum(cov.matrix, 2, nonnegative)[0]
        bounds = [plain.along_leading(problem), with_boxes(problem, cert.component.loadings)]
        made += [(with_one_bound(cert, bound), exact) for bound in bounds]
        parts = nnspca.certify_parts(cov, 2, 2, nonnegative=nonnegative)
        rows = np.array([part.loadings for part in parts.parts])
        joint = list(pair_scaled.dual_bounds(problem, rows, steps=60, goal=0.0, monitor=QUIET))[-1:]
        tree = branch.branch_and_bound(problem, rows, goal=0.0, monitor=QUIET.within(0.17))
        several = [*joint, *list(tree)[-1:], plain.largest_eigenvalues(cov, 2), plain.each(cert.bound("eigenvalue"), 2)]
        exact = oracle.optima_of_parts(cov.matrix, 2, 2, nonnegative)[-1][0]
        made += [(with_one_bound(parts, bound), exact) for bound in several]
    files = [(as_lists(told(npz(cert, cov))), X, exact) for cert, exact in made]
    kinds = {content["check"]["proof"]["kind"] for content, _, _ in files}
    assert kinds == {"joint", "groups", "each", "boxed"}
    return files


@pytest.mark.slow
def test_thousands_of_tampered_certificates_claim_no_less_than_the_truth(files, monkeypatch):
    """Numbers of the proof are changed at random, some at a time; half of the files claim less than the truth."""
    tampered(files, checked, 12, monkeypatch)


def test_a_claim_beyond_what_is_proven_is_refused(files):
    for content, X, _ in files:
        lower, _ = checked(packed(content), npy(X))
        below = copy.deepcopy(content)
        below["check"]["upper"] = below["certificate"]["upper"] = float(lower) * (1 + 1e-12)
        if content["check"]["upper"] > float(lower) * (1 + 1e-6):
            with pytest.raises(check.Refused, match="is claimed"):
                checked(packed(below), npy(X))


# --- work


def test_the_work_is_known_before_any_is_begun(files):
    """A file of many nodes, each of some work, is refused at once; a third argument allows more."""
    content, X, _ = files[0]
    heavy = copy.deepcopy(content)
    leaf = {"kind": "pairs", "n": 62}
    heavy["check"]["proof"] = {"kind": "cases", "k": 2, "splits": [], "leaves": [leaf] * 3000}
    file, started = packed(heavy), time.process_time()
    with pytest.raises(check.Refused, match="more work than is allowed; a third argument") as error:
        checked(file, npy(X), billions=0.1)
    assert error.value.args[1] == 2
    with pytest.raises(StopIteration):  # no split, and so no leaf: it ends at once
        checked(file, npy(X), billions=10)
    assert time.process_time() - started < 5


FEW = {"kind": "few", "k": 200, "T": [0], "support": [0], "loadings": [1.0], "light": 1.0, "cases": []}
CHAIN = {"splits": list(range(400)) + [-1] * 401, "leaves": []}


@pytest.mark.parametrize("inner, billions", [(CHAIN, 0.02), ({"splits": [-1] * 9, "leaves": [FEW] * 9}, 0.0072)])
def test_cases_and_eliminations_without_an_eigenvalue_are_paid_for(inner, billions):
    """A chain of splits at ever more features, and masses of features whose rows are not read, take few letters."""
    X = np.random.default_rng(1).standard_normal((20, 420))
    cov = nnspca.Covariance.from_data(X)  # which takes 0.00706 to form
    content = as_lists(told(npz(nnspca.certify(cov, 3, should_stop=lambda: True), cov)))
    content["check"]["proof"] = {"kind": "cases", "k": 200} | inner
    content["certificate"]["k"] = 200
    with pytest.raises(check.Refused, match="more work than is allowed"):
        checked(packed(content), npy(X), billions)


def test_rows_that_have_to_be_read_are_paid_for(genes):
    X, cov = genes
    cert = nnspca.certify(cov, 4)
    file = npz(with_one_bound(cert, cert.bound("balanced-rows")), cov)
    assert checked(file, npy(X))
    with pytest.raises(check.Refused, match="more work than is allowed"):
        checked(file, npy(X), billions=1e-5)


def test_long_numbers_count_for_more():
    """Data over six hundred orders of magnitude make whole numbers of thousands of bits."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 40))
    spent = []
    for scale in (1.0, 1e-290):
        X[0] *= scale
        check.LEFT[0] = 10**12
        check.covariance(X.tolist(), "centred")
        spent.append(10**12 - check.LEFT[0])
    assert spent[1] > 100 * spent[0]


def test_whole_numbers_that_fill_the_memory_are_not_made(monkeypatch):
    monkeypatch.setattr(check, "MOST", 10_000)
    with pytest.raises(check.Refused, match="bits for each of its numbers") as error:
        check.grid([[1.0, 1e-300]] * 200, 2)
    assert error.value.args[1] == 2
    assert check.grid([[1.0, 0.5]] * 200, 2)[1] == 1


# --- two files, and Python


def test_the_two_files_accept_with_the_standard_library_alone(tmp_path, pitprops):
    for module in (check, check_more):
        shutil.copy(module.__file__, tmp_path)
    np.save(tmp_path / "data.npy", pitprops.matrix)
    (tmp_path / "parts.npz").write_bytes(npz(nnspca.certify_parts(pitprops, 2, 3), pitprops))
    command = "import sys; sys.path.insert(0, '.'); import runpy; runpy.run_path('check_more.py', run_name='__main__')"
    done = run(tmp_path, "-c", command, "parts.npz", "data.npy")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1] == "ACCEPTED"
    alone = run(tmp_path, "check.py", "parts.npz", "data.npy")
    assert alone.returncode == 2
    assert "check_more.py" in alone.stdout
    allowed = run(tmp_path, "check.py", "parts.npz", "data.npy", "0")
    assert allowed.returncode == 2
    assert "more work" in allowed.stdout


def test_upper_bounds_near_the_identity_are_rounded_up_to_what_is_proven_exactly():
    """Of a sum of two numbers the last bit counts, where all else of the matrix is exact."""
    rng = np.random.default_rng(0)
    for number in range(16):
        n = int(rng.integers(3, 7))
        E = rng.standard_normal((n, n))
        cov = nnspca.Covariance.from_matrix(np.eye(n) + 10.0 ** rng.uniform(-12, -4) * (E + E.T) / 2)
        k, nonnegative = int(rng.integers(1, n + 1)), bool(number % 2)
        problem, cert = Problem(cov, k, nonnegative), nnspca.certify(cov, k, nonnegative=nonnegative)
        checked(npz(cert, cov), npy(cov.matrix))
        bound = plain.along_leading(problem)
        checked(npz(with_one_bound(cert, bound), cov), npy(cov.matrix))


@pytest.mark.parametrize("nonnegative", [True, False])
def test_the_largest_variances_are_accepted_of_parts_and_of_a_matrix_that_is_indefinite_by_rounding(
    pitprops, nonnegative
):
    A = pitprops.matrix
    u = np.ones(5) / np.sqrt(5)
    for matrix, r, k in ((A, 2, 3), (A, 3, 5), (np.outer(u, u) - 9e-9 * (np.eye(5) - np.outer(u, u)), 2, 2)):
        held = nnspca.Covariance.from_matrix(matrix)
        cert = nnspca.certify_parts(held, r, k, nonnegative=nonnegative)
        assert accepted(with_one_bound(cert, plain.variances(Problem(held, k, nonnegative), r)), held, matrix)


def test_the_largest_variances_leave_room_for_what_proves_a_matrix_semidefinite():
    rng = np.random.default_rng(0)
    for _ in range(20):
        n = int(rng.integers(3, 7))
        Z, s = rng.standard_normal((n, n)), 10.0 ** rng.uniform(-8, 0, n)
        cov = nnspca.Covariance.from_matrix(Z.T @ Z * np.outer(s, s))
        cert = nnspca.certify_parts(cov, 2, 2)
        checked(npz(with_one_bound(cert, cert.bound("variances")), cov), npy(cov.matrix))


def test_samples_that_are_read_as_a_matrix_are_proven_semidefinite():
    """Weighted samples, a restriction and a deflation stand in the file as the matrix they come to."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 6))
    weighted = nnspca.Covariance.from_data(X, sample_weight=rng.random(20))
    part = nnspca.solve(weighted, 2)
    for cov in (weighted, weighted.restrict(range(5)), nnspca.deflate(weighted, part.loadings[:, None], "schur")):
        assert accepted(nnspca.certify_parts(cov, 3, cov.n_features), cov, cov.matrix)


def test_an_eigenvalue_of_few_directions_and_many_samples_leaves_room_for_its_factor(monkeypatch):
    monkeypatch.setattr(samples, "forms_entries", lambda m, n: False)
    rng = np.random.default_rng(5)
    for _ in range(20):
        m, n = int(rng.integers(8, 16)), int(rng.integers(3, 6))
        X = np.outer(rng.standard_normal(m), rng.standard_normal(n))
        cov = nnspca.Covariance.from_data(X, standardize=False)
        cert = nnspca.certify(cov, n, should_stop=lambda: True)
        assert accepted(with_one_bound(cert, cert.bound("eigenvalue")), cov, X)
