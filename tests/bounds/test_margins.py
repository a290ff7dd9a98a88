"""Wherever a bound allows for rounding, a larger allowance makes it larger: no sign is wrong and none is lost.

Real allowances are so small that a bound without one would still pass every comparison with an optimum. Here each
call of :mod:`nnspca.numerics.rounding` and of ``Held.room`` in the sources of the bounds, and each place where
one that is held as a number is read (:data:`HELD_AS_NUMBERS`), is enlarged alone, all others left as they are, and the
functions around it are asked again.
"""

import ast
import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.bounds import (
    balanced,
    branch,
    carried,
    companions,
    core,
    eigenvalues,
    levelled,
    masses,
    pair_scaled,
    plain,
    selection,
    shrunk,
)
from nnspca.bounds.cases import Elimination
from nnspca.control.progress import Monitor
from nnspca.covariance import factor
from nnspca.covariance.factor import DenseFactor, SparseFactor
from nnspca.covariance.held import Held
from nnspca.covariance.problem import Problem
from nnspca.covariance.provenance import Provenance
from nnspca.numerics import rounding

BOUNDS = Path(nnspca.__file__).parent / "bounds"
ENLARGED = 2.0**-16  # for EPS, at the one place: some thousandths of the value, for the terms there are
RNG = np.random.default_rng(0)
K, N = 3, 7
X = (RNG.standard_normal((12, N)) + RNG.standard_normal((12, 1))) * np.linspace(2, 1, N)
HELD = nnspca.Covariance.from_data(X)
DATA = nnspca.Covariance(DenseFactor.of_data(X, False), Provenance(representation_error=HELD.representation_error))
APART = scipy.sparse.csr_array(np.eye(12, N) * np.linspace(2, 1, N))  # no product of two features is stored
SPARSE = nnspca.Covariance(SparseFactor.of_data(APART, False))
A = HELD.matrix
GIVEN = nnspca.Covariance.from_matrix(A)  # of no samples that anyone knows: semidefinite up to rounding
L, M = A - 0.3 * np.diag(A.diagonal()), np.abs(A)
V = HELD.eigenpairs(2)[1] * np.array([1.0, 0.5])
PRICES = np.full(N, 0.05)
S = np.arange(4)
MONITOR = Monitor()


HELD_AS_NUMBERS = {"drift": Held, "error_elsewhere": Held, "reading": core.Outside}


def sites():
    """Each (file, line, name) of an allowance in the bounds: where it is called, or read."""
    for path in sorted(BOUNDS.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
            named = node.func if called else node
            if not isinstance(named, ast.Attribute):
                continue
            of = named.value.id if isinstance(named.value, ast.Name) else ""
            read = named.attr in HELD_AS_NUMBERS and isinstance(named.ctx, ast.Load)
            if read or (called and (of == "rounding" or named.attr == "room")):
                yield path.relative_to(BOUNDS).as_posix(), node.lineno, named.attr


def held_elsewhere(monkeypatch, file, line, name):
    """Let an allowance that is held as a number be large where one line reads it."""

    own = vars(HELD_AS_NUMBERS[name]).get(name)

    def read(held):
        caller = sys._getframe(1)
        here = caller.f_lineno == line and Path(caller.f_code.co_filename) == BOUNDS / file
        value = held.__dict__[name] if own is None else own.fget(held)
        return value + 1e-3 if here else value

    plainly = property(read, lambda held, value: held.__dict__.update({name: value}))
    monkeypatch.setattr(HELD_AS_NUMBERS[name], name, plainly, raising=False)


def enlarge(monkeypatch, site):
    """Make the allowance at one place large; the calls it makes, and those everywhere else, stay as they are."""
    file, line, name = site
    if name in HELD_AS_NUMBERS:
        held_elsewhere(monkeypatch, file, line, name)
        return
    owner = Held if name == "room" else rounding
    plainly = getattr(owner, name)

    def at_its_place(*given, **named):
        caller = sys._getframe(1)
        if caller.f_lineno != line or Path(caller.f_code.co_filename) != BOUNDS / file:
            return plainly(*given, **named)
        if name == "room":
            return 1e-3 * given[0].diagonal.sum()
        if name == "single_underflow":
            return 1e-3
        before, rounding.EPS = rounding.EPS, ENLARGED
        try:
            return plainly(*given, **named)
        finally:
            rounding.EPS = before

    monkeypatch.setattr(owner, name, at_its_place)


def without_cholesky(make):
    """What is made where no factorisation runs to its end."""

    def made():
        before, eigenvalues.positive_by_cholesky = eigenvalues.positive_by_cholesky, lambda M: None
        try:
            return make()
        finally:
            eigenvalues.positive_by_cholesky = before

    return made


def without_residual():
    """λ₁ where the matrix is too large to factorise."""
    before, eigenvalues.LARGEST = eigenvalues.LARGEST, 0
    try:
        return plain.largest_eigenvalue(Problem(HELD, K)).value
    finally:
        eigenvalues.LARGEST = before


def outside():
    """The rows outside the first four features."""
    return core.Outside(Problem(DATA, K), MONITOR, N, np.ones(N))


def costs():
    """What they cost, with limits that hardly count and with limits that do."""
    rows = np.arange(4, N)
    weighted = core.Outside(Problem(DATA, K), MONITOR, N, np.linspace(1.0, 2.0, N))
    return np.concatenate([o.sums(rows, S, np.full(4, size)) for o in (outside(), weighted) for size in (0.2, 5.0)])


def not_negligible():
    """How many rows must be read at a level which all of them just stay below, but for rounding."""
    rows, limits = np.arange(4, N), np.full(4, 5.0)
    levels = np.array([float(least) for least in LEVELS])
    return np.array([(~outside().negligible(rows, S, limits, level)).sum() for level in levels])


def least_levels():
    """For each row outside the least level, to the last bit, at which it is negligible."""
    rows, limits = np.arange(4, N), np.full(4, 5.0)
    for place in range(len(rows)):
        low, high = 0.0, 1e6
        for _ in range(200):
            middle = (low + high) / 2
            negligible = outside().negligible(rows, S, limits, middle)[place]
            low, high = (low, middle) if negligible else (middle, high)
        yield high


LEVELS = list(least_levels())


def on_the_set(level):
    """The bound of the core set at multipliers that level nothing."""
    part = core.part_of(DATA, S)
    value, proof = pair_scaled.proof_of(Problem(part, K), L[np.ix_(S, S)], M[np.ix_(S, S)])
    made, *_ = core.extended(outside(), S, max(value, level), proof, 1, 1e3, 0.0, 1, 0.0)
    assert made is not None
    return made.value


def parts_on_the_set():
    """The same for two parts."""
    part = core.part_of(DATA, S)
    value, proof = pair_scaled.proof_of(Problem(part, K), L[np.ix_(S, S)], M[np.ix_(S, S)], PRICES[S], r=2)
    made, *_ = core.extended(outside(), S, value, proof, 2, 1e3, 0.0, 1, 0.0)
    assert made is not None
    return made.value


def eliminated():
    """An elimination of some features, with masses by hand."""
    x = np.eye(N)[0]
    low, lost = masses.attained(DATA, x), np.array([0.0, 0.1, 0.2])
    return Elimination(Problem(DATA, K), x, low, S, lost, row_skip_threshold=0.05)


def beside_each_other():
    """What all features hold beside each other, and what the largest hold where others are outside."""
    problem = Problem(DATA, K)
    held = masses.by_variance(DATA, 20.0)
    found = [masses.beside_each_other(problem, 20.0, held, MONITOR).masses]
    before, masses.WIDEST = masses.WIDEST, K + 1
    try:
        found.append(masses.beside_each_other(problem, 20.0, held, MONITOR).masses)
    finally:
        masses.WIDEST = before
    return np.concatenate(found)


def rows_stopped(seek):
    """What the reach of rows comes to that were not read, as the search was stopped before."""
    return lambda: seek(Problem(DATA, K), Monitor(lambda: True))


def of_a_few_shares(ask):
    """What is asked where not all shares of a row are stored."""

    def asked():
        with pytest.MonkeyPatch.context() as patch:
            for place, name, value in ((levelled, "ON_ALL", 2), (levelled, "TILE", (N, N)), (factor, "AT_A_TIME", 1)):
                patch.setattr(place, name, value)
            return ask()

    return asked


def of_rows(data, features):
    """The bound by the rows of some features."""
    rows = levelled.StoredRows(Problem(data, K, False), features, np.ones(len(features)), MONITOR)
    return rows.bound(np.linspace(1, 2, N))


def whole_rows():
    """The bounds by rows that are read whole at each step."""
    problem, tiles = Problem(DATA, K), levelled._Tiles(DATA, np.arange(N), 1.0)
    return [value for value, _ in levelled._level_whole_rows(problem, tiles, np.ones(N), MONITOR, 0.0)][:1]


ALL_ROWS = [
    of_a_few_shares(whole_rows),
    lambda: of_rows(DATA, np.arange(N)),
    of_a_few_shares(lambda: of_rows(DATA, np.arange(N))),
    of_a_few_shares(lambda: of_rows(SPARSE, np.arange(N))),
    rows_stopped(lambda problem, monitor: levelled.StoredRows(problem, S, np.ones(4), monitor).bound(np.ones(N))),
]


def shrunk_rows():
    """The least bound by rows of shrunk eigenvalues, whatever they promise."""
    problem, x = Problem(DATA, K), np.full(N, N**-0.5)
    rows = balanced.balanced_rows(problem, monitor=MONITOR)
    rows = dataclasses.replace(rows, value=0.999 * levelled.cost_limits(problem, rows.ingredients.weights).max())
    before, shrunk.WORTH = shrunk.WORTH, -1e9
    try:
        return min((bound.value for bound in shrunk.of_factor(problem, x, rows, MONITOR)), default=np.inf)
    finally:
        shrunk.WORTH = before


def certified(cov):
    """The bounds of a certificate of a poor point, by name: for a module that nothing below asks."""
    poor = nnspca.Component(np.eye(N)[0], cov.diagonal[0], "given", K)
    made = {bound.name: bound.value for bound in nnspca.certify(cov, K, component=poor).bounds}
    return [made[name] for name in sorted(made)]


ASKED = {
    "shrunk.py": [shrunk_rows],
    "balanced.py": [lambda: balanced.balanced_rows(Problem(HELD, K), monitor=MONITOR).value],
    "companions.py": [
        lambda: companions.Companions(Problem(DATA, K)).norms(S),
        lambda: companions.Companions(Problem(SPARSE, K, False)).norms(S),
    ],
    "levelled.py": ALL_ROWS,
    "carried.py": [lambda: carried.at_larger(3.0, 2, 5, 0.5), lambda: -carried.least_variance(DATA)],
    "branch.py": [lambda: branch._of_known_support(HELD)[0]],
    "eigenvalues.py": [
        lambda: eigenvalues.of_matrix(A),
        without_cholesky(lambda: eigenvalues.of_matrix(A)),
        lambda: eigenvalues.positive_by_cholesky(A),
        lambda: eigenvalues.residual(HELD, V),
        lambda: eigenvalues.residual(DATA, V),
        lambda: eigenvalues.residual(HELD, V[:, :0]),
        lambda: eigenvalues.residual(DATA, V[:, :0]),
    ],
    "cases.py": [lambda: eliminated().upper_bounds()[0], lambda: -eliminated().bound().ingredients.light],
    "selection.py": [lambda: selection.cumulative_masses(np.full(3, 0.01))],
    "masses.py": [
        lambda: -masses.attained(DATA, np.eye(N)[0]),
        lambda: masses.by_variance(DATA, 20.0),
        lambda: masses.by_rows(Problem(DATA, K), 20.0, S),
        beside_each_other,
    ],
    "pair_scaled.py": [
        lambda: pair_scaled.proof_of(Problem(HELD, K), L, M, PRICES, r=2)[0],
        lambda: pair_scaled.tail_and_directions(A, 2, 0.0)[0],
        lambda: pair_scaled.proof_of(Problem(HELD, K), L, M)[0],
        lambda: pair_scaled.Series(Problem(HELD, K), pair_scaled.proof_of(Problem(HELD, K), L, M)[1]).proven(K)[0],
    ],
    "plain.py": [
        lambda: plain.largest_eigenvalues(HELD, 2).value,
        lambda: plain.variances(Problem(HELD, K), 2).value,
        lambda: plain.variances(Problem(GIVEN, K), 2).value,
        lambda: plain.each(plain.largest_eigenvalue(Problem(HELD, K)), 2).value,
        lambda: plain.largest_variances(DATA, K),
        without_residual,
        lambda: plain.along_leading(Problem(HELD, K)).value,
    ],
    "core.py": [
        lambda: core.part_of(DATA, S).representation_error,
        lambda: on_the_set(0.0),
        parts_on_the_set,
        costs,
        not_negligible,
    ],
}


@pytest.mark.parametrize("site", sorted(set(sites())), ids=lambda site: f"{site[0]}-{site[1]}-{site[2]}")
def test_a_larger_allowance_makes_a_larger_bound(site, monkeypatch):
    makers = ASKED.get(site[0], [lambda: certified(HELD), lambda: certified(DATA)])
    bare = [np.array(make(), dtype=float) for make in makers]
    enlarge(monkeypatch, site)
    larger = [np.array(make(), dtype=float) for make in makers]
    for one, other in zip(bare, larger, strict=True):
        assert (other >= one).all()
    assert any((other > one).any() for one, other in zip(bare, larger, strict=True)), "nothing here asks for it"


def test_a_case_taken_over_has_room_for_what_another_machine_sees():
    """Room so large that nothing taken over can be lower than what was proven before."""
    whole, block = eliminated(), np.ix_(S, S)
    value, proof = pair_scaled.proof_of(Problem(whole.part, K), L[block], M[block])
    whole.cases[0].value, whole.cases[0].proof = value + whole.error, proof
    whole._keep(0, proof)
    whole._open(1)
    before = {first: case.value for first, case in whole.cases.items()}
    assert set(before) == {0, 1}
    assert whole.cases[1].source == 0
    whole.error = 1e3
    whole._transfer(1)
    less = whole.without(S[:1], whole.x, whole.monitor)
    for cases_of in (whole, less):
        assert {first: case.value for first, case in cases_of.cases.items()} == before
