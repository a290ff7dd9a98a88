"""The stand-alone checker: it takes every honest proof, and no dishonest one; it needs nothing but Python."""

import ast
import copy
import dataclasses
import functools
import io
import json
import pickle
import shutil
import subprocess
import sys
import tracemalloc
import zipfile
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import nnspca
from nnspca import check, check_more
from nnspca.bounds import branch, core, elimination
from nnspca.bounds.selection import Limits
from nnspca.certificates.exact import VERSION, needs_second_checker
from nnspca.control.progress import Monitor
from nnspca.covariance.problem import Problem
from tests import oracle

SOURCE = Path(check.__file__)
QUIET = Monitor()
KINDS = ("pairs", "cases", "few", "boxed", "joint", "groups", "each", "samples")


def npy(X):
    file = io.BytesIO()
    np.save(file, X)
    return file.getvalue()


def npz(cert, cov):
    file = io.BytesIO()
    nnspca.save_certificate(cert, file, cov)
    return file.getvalue()


def checked(content, data):
    return check.check(content, data, say=lambda line: None)


def with_one_bound(cert, bound):
    return dataclasses.replace(cert, bounds=(bound,), upper=bound.value)


def accepted(cert, cov, X):
    """Whether the file of a certificate is accepted, and if so with numbers that say what the certificate says."""
    lower, upper = checked(npz(cert, cov), npy(X))
    assert abs(lower - Fraction(cert.lower)) <= lower / 10**9
    assert upper == Fraction(cert.upper)
    assert not needs_second_checker(cert, cov)
    return True


def checkable(cert, cov, more=False):
    """The certificate with those bounds that check.py knows by the type of their proof, or check_more.py with it."""
    every = (with_one_bound(cert, bound) for bound in cert.bounds if bound.ingredients.for_checkers)
    bounds = tuple(one.winner for one in every if more or not needs_second_checker(one, cov))
    return dataclasses.replace(cert, bounds=bounds, upper=min(bound.value for bound in bounds))


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("k", [1, 2, 6, 13])
def test_every_bound_of_a_certificate_is_accepted_but_those_whose_proof_says_otherwise(pitprops, k, nonnegative):
    cert = nnspca.certify(pitprops, k, nonnegative=nonnegative)
    known = checkable(cert, pitprops).bounds
    for bound in cert.bounds:
        alone = with_one_bound(cert, bound)
        if bound in known:
            assert accepted(alone, pitprops, pitprops.matrix)
            continue
        said = "no way to check a proof by 'joint' is known here" if bound.ingredients.for_checkers else "no proof"
        with pytest.raises(check.Refused, match=said) as error:
            checked(npz(alone, pitprops), npy(pitprops.matrix))
        assert error.value.args[1] == 2


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("shape", [(30, 7), (4, 9)])
def test_data_are_centred_and_standardised_as_the_certificate_has_them(shape, standardize):
    X = np.random.default_rng(shape[0]).standard_normal(shape) * np.geomspace(1, 1e-6, shape[1]) + 1e3
    X[:, -1] = 5.0
    cov = nnspca.Covariance.from_data(X, standardize=standardize)
    for k in (1, 3, shape[1]):
        cert = checkable(nnspca.certify(cov, k), cov)
        value, _ = oracle.optimum(cov.matrix, k)
        lower, upper = checked(npz(cert, cov), npy(np.asfortranarray(X)))
        assert float(lower) <= value * (1 + 1e-9)
        assert value * (1 - 1e-9) <= float(upper) == cert.upper


def test_the_eigenvalue_of_two_features_is_accepted_where_rounding_in_the_covariance_is_all_that_counts():
    rng = np.random.default_rng(7)
    for _ in range(60):
        X = rng.standard_normal((20, 2))
        cov = nnspca.Covariance.from_data(X)
        cert = nnspca.certify(cov, 2, nonnegative=False)
        assert accepted(with_one_bound(cert, cert.bound("eigenvalue")), cov, X)


@pytest.mark.parametrize("nonnegative", [True, False])
def test_what_is_proven_of_many_features_without_forming_their_covariance_is_accepted(genes, nonnegative):
    X, cov = genes
    cert = nnspca.certify(cov, 4, nonnegative=nonnegative)
    problem = Problem(cov, 4, nonnegative)
    x, least, order, scales = cert.component.loadings, cert.leading, np.argsort(-cov.diagonal), np.sqrt(cov.diagonal)
    budgets = {"goal": cert.lower, "monitor": QUIET}
    made = [
        cert.bound("balanced-rows"),
        *list(core.bounds(problem, x, order, scales, least, budget=0.06, read=problem.n, **budgets))[-1:],
        *list(elimination.eliminate(problem, x, least, Limits(60, 1e-3), elimination.Budget(0.02), **budgets))[-1:],
    ]
    assert [bound.name for bound in made] == ["balanced-rows", "pair-scaled", "elimination"]
    for bound in made:
        assert accepted(with_one_bound(cert, bound), cov, X), bound.name


def test_elimination_on_a_matrix_needs_that_it_is_semidefinite_and_proves_it():
    rng = np.random.default_rng(8)
    Z = rng.standard_normal((40, 30)) * np.geomspace(1, 1e-4, 30)
    A = Z.T @ Z
    cov = nnspca.Covariance.from_matrix(A)
    cert = nnspca.certify(cov, 2)
    problem, x, least = Problem(cov, 2, True), cert.component.loadings, cert.bound("eigenvalue").value * 2
    budget = elimination.Budget(0.2)
    made = list(elimination.eliminate(problem, x, least, Limits(20, 0.5), budget, goal=cert.lower, monitor=QUIET))
    alone = with_one_bound(cert, made[-1])
    assert accepted(alone, cov, A)
    content = as_lists(told(npz(alone, cov)))
    least = content["check"]["proof"]["least"]
    least["t"] = -float(np.trace(A))  # as if A were far from singular
    with pytest.raises(check.Refused, match="an eigenvalue exceeds"):
        checked(packed(content), npy(A))


def test_a_upper_bound_that_cannot_be_written_is_beyond_the_checker_which_says_what_is_proven():
    X = np.random.default_rng(1).standard_normal((25, 7))
    cov = nnspca.Covariance.from_data(X)
    cert = nnspca.certify(cov, 3)
    paper = dataclasses.replace(cert.bound("eigenvalue"), name="paper", value=cert.upper * 0.999, ingredients=None)
    lower = dataclasses.replace(cert, bounds=(*cert.bounds, paper), upper=paper.value)
    with pytest.raises(check.Refused, match=r"is proven, its .* is beyond this checker") as error:
        checked(npz(lower, cov), npy(X))
    assert error.value.args[1] == 2


def test_a_file_without_a_proof_for_it_and_one_of_several_parts_are_beyond_the_checker(pitprops):
    plain, several = io.BytesIO(), io.BytesIO()
    with pytest.warns(UserWarning, match="cov"):
        nnspca.save_certificate(nnspca.certify(pitprops, 2), plain)
    nnspca.save_certificate(nnspca.certify_parts(pitprops, 2, 2), several, pitprops)
    for file, said in ((plain, "carries no proof"), (several, r"several parts, which check_more\.py checks")):
        with pytest.raises(check.Refused, match=said) as error:
            checked(file.getvalue(), npy(pitprops.matrix))
        assert error.value.args[1] == 2


def test_a_file_is_only_written_for_the_covariance_that_the_certificate_names(pitprops):
    with pytest.raises(ValueError, match="not the covariance"):
        npz(nnspca.certify(pitprops, 2), nnspca.Covariance.from_matrix(np.eye(13)))


# --- what is not honest


def told(content):
    """What a certificate says, every witness in its place, to be changed at will."""
    check.LEFT[0] = 20 * 10**9
    return check.read_certificate(content)


def packed(content):
    """A file of it."""
    arrays = {}

    def put(value):
        if isinstance(value, dict):
            return {name: put(v) for name, v in value.items()}
        if isinstance(value, list | tuple) and len(value) and not isinstance(value[0], dict):
            arrays[f"a{len(arrays)}"] = np.array(value)
            return {"witness": f"a{len(arrays) - 1}.npy"}
        return [put(v) for v in value] if isinstance(value, list) else value

    return zipped(json.dumps(put(content)), **arrays)


def places(value, path=()):
    """Where every number of the proof lies."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from places(inner, (*path, name))
    elif isinstance(value, list | tuple):
        for i, inner in enumerate(value):
            yield from places(inner, (*path, i))
    elif isinstance(value, int | float):
        yield path


def as_lists(value):
    if isinstance(value, dict):
        return {name: as_lists(v) for name, v in value.items()}
    return [as_lists(v) for v in value] if isinstance(value, list | tuple) else value


def changed(rng, value):
    """Another number, near or far."""
    if isinstance(value, int):
        return value + int(rng.choice([-1, 1, 2, -(2**40), 2**57, -value]))
    return [
        value * (1 + rng.normal() * 10.0 ** -rng.integers(0, 9)), -value, 0.0, value * 1e-9, value * 1e9,
        float("nan"), float("inf"), value - 1.0,
    ][rng.integers(8)]  # fmt: skip


@pytest.fixture(scope="module")
def files(genes):
    """Small certificates of every kind: what each says, its data, and its optimum or what is attained."""
    made = []
    rng = np.random.default_rng(2)
    for number, nonnegative in enumerate((True, False) * 2):
        X = rng.standard_normal((6 if number < 2 else 3, 5)) * np.geomspace(1, 0.05, 5)
        cov = nnspca.Covariance.from_data(X, standardize=number == 3)
        cert = nnspca.certify(cov, 2, nonnegative=nonnegative)
        exact = oracle.optimum(cov.matrix, 2, nonnegative)[0]
        problem = Problem(cov, 2, nonnegative)
        x = cert.component.loadings
        trees = branch.branch_and_bound(problem, x, goal=cert.lower * 0.9, monitor=QUIET.within(0.2))
        few = elimination.eliminate(problem, x, 1e9, Limits(4, 5.0), elimination.Budget(0.02), goal=0.0, monitor=QUIET)
        cert = dataclasses.replace(cert, bounds=(*cert.bounds, *list(trees)[-1:], *list(few)[-1:]))
        each = (with_one_bound(cert, bound) for bound in checkable(cert, cov).bounds)
        made += [(as_lists(told(npz(one, cov))), X, exact) for one in each]
    kinds = {content["check"]["proof"]["kind"] for content, _, _ in made}
    assert kinds == {"pairs", "cases", "few"}
    return made


TAMPERED = 2000  # of each file in turn


def tampered(files, checked, seed, monkeypatch):
    """Hold thousands of tampered certificates against the truth, by a checker."""
    rng = np.random.default_rng(seed)
    parsed = [
        (pickle.dumps(content), list(places(content["check"]["proof"])), X.tolist(), exact)
        for content, X, exact in files
    ]
    held = {}
    monkeypatch.setattr(check, "read_certificate", lambda content: held["certificate"])
    monkeypatch.setattr(check, "read_array", lambda content: held["data"])
    covariance = check.covariance
    exactly = functools.cache(lambda at, reading: covariance(parsed[at][2], reading))  # the data are left alone
    monkeypatch.setattr(check, "covariance", lambda data, reading: exactly(held["at"], reading))
    survived = 0
    for trial in range(TAMPERED):
        content, where, data, exact = parsed[trial % len(parsed)]
        forged = pickle.loads(content)  # a copy, in a tenth of the time that a deep one takes
        for _ in range(int(rng.integers(1, 4))):
            path = where[rng.integers(len(where))]
            owner = forged["check"]["proof"]
            for step in path[:-1]:
                owner = owner[step]
            owner[path[-1]] = changed(rng, owner[path[-1]])
        if trial % 2:
            below = exact * (1 - 10.0 ** -rng.integers(1, 10))
            forged["check"]["upper"] = forged["certificate"]["upper"] = below
        held.update(certificate=forged, data=data, at=trial % len(parsed))
        try:
            lower, upper = checked(b"", b"")
        except Exception as error:  # what main() refuses in the same way
            assert not isinstance(error, AssertionError)
            continue
        survived += 1
        assert not trial % 2, (trial, forged)
        assert exact <= float(upper) * (1 + 1e-12)
        assert float(lower) <= exact * (1 + 1e-9)
    assert survived > 100, "a test in which all is refused would not tell a sound checker from a broken one"


@pytest.mark.slow
def test_thousands_of_tampered_certificates_claim_no_less_than_the_truth(files, monkeypatch):
    """Numbers of the proof are changed at random, more and more of them; half of the files claim less than the truth.

    What is still accepted (a proof has some room) claims a bound not below the optimum: none of those that do pass.
    """
    tampered(files, checked, 11, monkeypatch)


def test_a_claim_beyond_what_is_proven_is_refused_whichever_number_makes_it(files):
    for content, X, _ in files:
        data, claim, given = npy(X), content["certificate"], content["check"]
        checker = check.Checker(claim["nonnegative"], lambda line: None)
        proven = checker.upper_bound(given["proof"], 2, check.covariance(X.tolist(), given["reading"]))
        for name, number in (("upper", float(proven) * (1 - 1e-13)), ("lower", claim["lower"] * (1 + 1e-6))):
            forged = copy.deepcopy(content)
            forged["certificate"][name] = number
            if name == "upper":
                forged["check"]["upper"] = number
            with pytest.raises(check.Refused, match=r"is claimed|does not attain"):
                checked(packed(forged), data)
        forged = copy.deepcopy(content)
        forged["check"]["loadings"] = [1.0, 1.0, 1.0, 1.0, 1.0]
        with pytest.raises(check.Refused, match="nonzeros"):
            checked(packed(forged), data)


def test_no_certificate_is_accepted_whose_own_upper_bound_is_below_what_is_proven(files):
    content, X, _ = files[0]
    forged = copy.deepcopy(content)
    forged["certificate"]["upper"] *= 1 - 9e-10
    with pytest.raises(check.Refused, match="beyond this checker") as error:
        checked(packed(forged), npy(X))
    assert error.value.args[1] == 2


def zipped(text, **arrays):
    file = io.BytesIO()
    np.savez_compressed(file, certificate=np.array(text), **arrays)
    return file.getvalue()


def test_a_small_file_takes_little_memory_whatever_it_says():
    """An array that is named again and again, one of bytes that would each become a number, a size that is a lie."""
    zeros = np.zeros(10**5)
    with pytest.raises(KeyError):
        told(zipped(json.dumps([{"witness": "a.npy"}] * 2), a=zeros))
    with pytest.raises(check.Refused, match="plain numbers"):
        told(zipped('{"witness": "a.npy"}', a=zeros.astype("i1")))
    file = bytearray(zipped('{"witness": "a.npy"}', a=np.zeros(10**7)))
    entry = file.index(b"a.npy", file.index(b"PK\x01\x02")) - 46
    file[entry + 24 : entry + 28] = (1000).to_bytes(4, "little")  # the size when unpacked
    tracemalloc.start()
    with pytest.raises(zipfile.BadZipFile):
        told(bytes(file))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**7


# --- one file, and Python


@pytest.fixture(scope="module")
def alone(tmp_path_factory, pitprops):
    """A folder with nothing but the checker, a certificate and its data."""
    folder = tmp_path_factory.mktemp("stranger")
    shutil.copy(SOURCE, folder / "check.py")
    np.save(folder / "data.npy", pitprops.matrix)
    (folder / "certificate.npz").write_bytes(npz(checkable(nnspca.certify(pitprops, 5), pitprops), pitprops))
    return folder


def run(folder, *arguments):
    command = [sys.executable, "-I", "-S", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=60)


def test_the_lone_file_accepts_with_the_standard_library_alone_and_shows_the_proof(alone):
    assert run(alone, "-c", "import numpy").returncode != 0
    done = run(alone, "check.py", "certificate.npz", "data.npy")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line[:3] for line in lines[-4:]] == ["1. ", "2. ", "3. ", "ACC"]
    assert "ratio 0.9999" in lines[-2]


@pytest.mark.parametrize("reading", ["centred", "standardised", "matrix"])
def test_the_last_line_of_a_proof_says_how_the_data_were_read(tmp_path, reading):
    """What a file of a square table stands for is the certificate's choice, and so has to be said."""
    X = np.random.default_rng(0).normal(size=(6, 6))
    X = X @ X.T
    matrix = nnspca.Covariance.from_matrix
    cov = matrix(X) if reading == "matrix" else nnspca.Covariance.from_data(X, standardize=reading == "standardised")
    nnspca.save_certificate(nnspca.certify(cov, k=2), tmp_path / "certificate.npz", cov)
    np.save(tmp_path / "data.npy", X)
    done = run(tmp_path, str(SOURCE), "certificate.npz", "data.npy")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-2].endswith(f"data read as {reading}")


def test_the_status_tells_what_fails_from_what_cannot_be_told(alone, pitprops):
    np.save(alone / "other.npy", pitprops.matrix + np.eye(13))
    with pytest.warns(UserWarning, match="cov"):
        nnspca.save_certificate(nnspca.certify(pitprops, 5), alone / "plain.npz")
    (alone / "damaged.npz").write_bytes((alone / "certificate.npz").read_bytes()[:-100])
    assert check.main([str(alone / "certificate.npz"), str(alone / "data.npy")]) == 0
    assert check.main([str(alone / "certificate.npz"), str(alone / "other.npy")]) == 1
    assert check.main([str(alone / "damaged.npz"), str(alone / "data.npy")]) == 1
    assert check.main([str(alone / "plain.npz"), str(alone / "data.npy")]) == 2
    assert check.main([str(alone / "absent.npz"), str(alone / "data.npy")]) == 2
    assert check.main([str(alone / "certificate.npz"), str(alone / "absent.npy")]) == 2
    assert check.main([]) == 2
    for limit, status in (("20", 0), ("1", 0), ("abc", 2), ("-1", 2), ("nan", 2), ("", 2)):
        assert check.main([str(alone / "certificate.npz"), str(alone / "data.npy"), limit]) == status, limit


@pytest.mark.parametrize("kind", [np.float16, np.longdouble, object])
def test_data_in_numbers_it_does_not_read_are_no_falsehood(alone, pitprops, kind, capsys):
    np.save(alone / "strange.npy", pitprops.matrix.astype(kind))
    assert check.main([str(alone / "certificate.npz"), str(alone / "strange.npy")]) == 2
    assert "CANNOT CHECK" in capsys.readouterr().out


def test_python_dash_m_runs_it_too(alone):
    command = [sys.executable, "-m", "nnspca.check", str(alone / "certificate.npz"), str(alone / "data.npy")]
    done = subprocess.run(command, cwd=SOURCE.parents[1], capture_output=True, text=True, encoding="utf-8", timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_file_that_unpacks_to_too_much_or_holds_objects_is_not_read(monkeypatch):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.npy", bytes(10_001))
    monkeypatch.setattr(check, "MOST", 10_000)
    with pytest.raises(check.Refused, match="too large"):
        check.read_certificate(file.getvalue())
    with pytest.raises(check.Refused, match="plain numbers"):
        check.read_array(npy(np.array([{}], dtype=object)))


@pytest.mark.parametrize(("module", "neighbours"), [(check, set()), (check_more, {"check"})])
def test_the_checkers_import_the_standard_library_alone(module, neighbours):
    for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or "check"] if isinstance(node, ast.ImportFrom) else []
        assert {name.partition(".")[0] for name in names} <= {*sys.stdlib_module_names, *neighbours}


def test_the_format_is_written_down():
    text = (SOURCE.parent / "certificates" / "CERTIFICATE.md").read_text(encoding="utf-8")
    assert all(f"### `{kind}`" in text for kind in KINDS)
    assert f"| `version` | {VERSION} |" in text
