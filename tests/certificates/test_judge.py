"""The judge lets every honest certificate pass, and no false one: whatever it accepts is true by brute force."""

import dataclasses
import math

import numpy as np
import pytest

import nnspca
from nnspca.certificates import judge, pairs
from nnspca.certificates.derivations import derive
from nnspca.certificates.proofs import EigenvalueProof, PairProof, TreeProof
from nnspca.covariance import samples as making
from nnspca.covariance.factor import DenseFactor
from nnspca.covariance.problem import Problem
from nnspca.result import Bound
from nnspca.studies import paper_bound
from tests import budgets

NAN, INF = math.nan, math.inf
replace = dataclasses.replace


@pytest.fixture(scope="module")
def cov():
    rng = np.random.default_rng(3)
    return nnspca.Covariance.from_data(rng.standard_normal((30, 7)) @ rng.standard_normal((7, 7)))


@pytest.fixture(scope="module")
def cert(cov):
    with pytest.MonkeyPatch.context() as patch:
        budgets.small(patch, pair_steps=30)
        return nnspca.certify(cov, 3)


def rejected(cert, cov):
    with pytest.raises(nnspca.CertificateError) as caught:
        nnspca.verify(cert, cov)
    return str(caught.value)


def altered(bound, **changes):
    """A bound, changed; changes of the proof go to its ingredients."""
    of_bound = {key: changes.pop(key) for key in ("value", "deterministic", "ingredients") if key in changes}
    if changes:
        of_bound["ingredients"] = replace(bound.ingredients, **changes)
    return replace(bound, **of_bound)


def with_bound(cert, name, **changes):
    """One bound, changed, beside the first eigenvalue."""
    bounds = [altered(b, **changes) if b.name == name else b for b in cert.bounds if b.name in (name, "eigenvalue")]
    upper = min((b.value for b in bounds if b.deterministic), default=cert.upper)
    return replace(cert, bounds=tuple(bounds), upper=upper)


# cases are parted only where all else leaves a gap: tests/bounds/test_branch.py; sweeps take over:
# tests/bounds/test_carried.py; features are eliminated only where they are too many for all else:
# tests/bounds/test_elimination.py
ELSEWHERE = ("branch", "larger-k", "smaller-k", "elimination")
PROVEN = [name for name in nnspca.BOUNDS if name not in ELSEWHERE]


def test_the_honest_certificate_passes_and_holds_every_bound(cert, cov):
    nnspca.verify(cert, cov)
    assert {b.name for b in cert.bounds if b.deterministic} == set(PROVEN)


# ---------------------------------------------------------------------- the two numbers


FIELDS = [
    *({"upper": value} for value in (NAN, INF, -INF, 0.0, -1.0, None, "much")),
    *({"lower": value} for value in (NAN, INF, -INF, 0.0, None, 1e9)),
    *({"leading": value} for value in (NAN, INF, 0.0, None)),
    *({"k": value} for value in (0, 8, -1, 2, 4, 7, 2.5, True, NAN, None, "3")),
    *({"nonnegative": value} for value in (None, 0, 1, "no", NAN, False)),
    *({"effort": value} for value in (None, "lazy", "")),
    {"stopped": "no"},
    *({"seconds": value} for value in (-1.0, NAN)),
    {"component": None},
]


def test_a_field_that_is_not_what_was_proven_is_refused(cert, cov):
    for claim in FIELDS:
        rejected(replace(cert, **claim), cov)


@pytest.mark.parametrize("share", [1e-6, 1e-9, 1e-13])
def test_an_upper_bound_lowered_by_any_share_is_refused(cert, cov, share):
    assert "below the least proven one" in rejected(replace(cert, upper=cert.upper * (1 - share)), cov)


@pytest.mark.parametrize("share", [1e-6, -1e-6, 1e-8])
def test_a_lower_bound_moved_off_the_component_is_refused(cert, cov, share):
    assert "the component attains" in rejected(replace(cert, lower=cert.lower * (1 + share)), cov)


def test_a_leading_eigenvalue_lowered_by_a_millionth_is_refused(cert, cov):
    assert "largest eigenvalue" in rejected(replace(cert, leading=cert.leading * (1 - 1e-6)), cov)


# ---------------------------------------------------------------------- the setting


def test_other_data_are_refused(cert, cov):
    other = nnspca.Covariance.from_matrix(cov.matrix * (1 + 1e-12))
    assert "fingerprints differ" in rejected(cert, other)


def test_a_forged_fingerprint_does_not_help(cert, cov):
    other = nnspca.Covariance.from_matrix(cov.matrix + np.eye(7) * cov.trace)
    rejected(replace(cert, fingerprint=other.fingerprint), other)


def test_the_sign_flag_cannot_be_turned_over(cert, cov):
    signed = nnspca.certify(cov, 3, nonnegative=False)
    nnspca.verify(signed, cov)
    rejected(replace(signed, nonnegative=True), cov)


@pytest.mark.parametrize("where", [0, 3])
@pytest.mark.parametrize("value", [NAN, INF, -0.1])
def test_changed_loadings_are_refused(cert, cov, where, value):
    loadings = cert.component.loadings.copy()
    loadings[np.argsort(-loadings)[where]] = value
    rejected(replace(cert, component=replace(cert.component, loadings=loadings)), cov)


@pytest.mark.parametrize("change", [lambda x: x * 1.001, lambda x: x[:-1], lambda x: np.roll(x, 1), lambda x: x * 0])
def test_a_component_that_is_another_is_refused(cert, cov, change):
    loadings = change(cert.component.loadings)
    rejected(replace(cert, component=replace(cert.component, loadings=loadings)), cov)


CLAIMS = [
    {"variance": 1e-3},
    {"variance": NAN},
    {"k": 4},
    {"k": 3.0},
    {"nonnegative": False},
    {"nonnegative": 1},
    {"method": None},
    {"method": ""},
    {"note": 1},
    {"note": "\ud800"},
    {"seconds": NAN},
    {"stopped": 0},
    {"history": [1.0]},
    {"history": (NAN,)},
    {"history": ((1.0,),)},
    {"options": None},
    {"options": [("restarts", 3)]},
    {"options": {3: "restarts"}},
    {"options": {"restarts": {"a": 1}}},
    {"options": {"tol": NAN}},
]


@pytest.mark.parametrize("claim", CLAIMS, ids=str)
def test_a_component_that_says_of_itself_what_is_not_so_is_refused(cert, cov, claim):
    rejected(replace(cert, component=replace(cert.component, **claim)), cov)


@pytest.mark.parametrize("share", [1e-3, 1e-6, 1e-8])
def test_a_component_of_another_variance_than_it_claims_is_refused(cert, cov, share):
    part = replace(cert.component, variance=cert.component.variance * (1 + share))
    assert "as its variance has it" in rejected(replace(cert, component=part), cov)


def test_complex_loadings_are_refused_without_a_warning(cert, cov):
    part = replace(cert.component, loadings=cert.component.loadings + 0.5j)
    assert "dtype complex128" in rejected(replace(cert, component=part), cov)
    assert "dtype object" in rejected(
        replace(cert, component=replace(cert.component, loadings=cert.component.loadings.astype(object))), cov
    )


def agreeing(kind):
    """Let a class say that it is NumPy's own, and yes to every comparison."""
    for compare in ("__eq__", "__le__", "__ge__", "__lt__", "__gt__"):
        setattr(kind, compare, lambda self, other: True)
    kind.__module__, kind.__hash__ = "numpy", kind.__base__.__hash__
    return kind


@agreeing
class Two(np.float64):
    """Reads as one number and holds another."""

    def __float__(self):
        return 1e3


@agreeing
class Whole(np.int64):
    """The same of a whole number."""

    def __int__(self):
        return 3


def test_swapped_arguments_are_told_so(cert, cov):
    with pytest.raises(TypeError, match=r"call verify\(cert, cov\)"):
        nnspca.verify(cov, cert)


@pytest.mark.parametrize("given", [None, np.eye(7), "certificate.npz", 3], ids=["none", "array", "path", "number"])
def test_what_is_no_certificate_is_told_so(cov, given):
    with pytest.raises(TypeError, match="give a Certificate, as certify returns it"):
        nnspca.verify(given, cov)


# ---------------------------------------------------------------------- the bounds


def test_a_probable_bound_called_proven_is_refused(cert, cov):
    paper = replace(paper_bound(cov, 3), deterministic=True, probability=1.0)
    assert "carries nothing" in rejected(replace(cert, bounds=(*cert.bounds, paper)), cov)


@pytest.mark.parametrize("name", PROVEN)
@pytest.mark.parametrize("value", [NAN, INF, -INF, 0.0])
def test_a_bound_whose_value_is_no_proven_number_is_refused(cert, cov, name, value):
    rejected(with_bound(cert, name, value=value), cov)


@pytest.mark.parametrize("name", PROVEN)
def test_a_bound_lowered_by_a_millionth_is_refused(cert, cov, name):
    lowered = with_bound(cert, name, value=cert.bound(name).value * (1 - 1e-6))
    assert f"bound '{name}' claims" in rejected(lowered, cov)


@pytest.mark.parametrize("name", PROVEN)
@pytest.mark.parametrize("ingredients", [None, {}, "rows", TreeProof((), ())])
def test_a_bound_without_its_ingredients_is_refused(cert, cov, name, ingredients):
    rejected(with_bound(cert, name, ingredients=ingredients), cov)


def lowered(cert, name, part, share):
    """Lower one claim and the bound with it, as a forger would."""
    bound = cert.bound(name)
    by = share * bound.value
    return with_bound(cert, name, value=bound.value - by, **{part: getattr(bound.ingredients, part) - by})


def test_an_eigenvalue_lowered_by_a_billionth_is_refused(cert, cov):
    assert "the rest of A exceeds" in rejected(lowered(cert, "eigenvalue", "tail", 1e-9), cov)


def test_a_changed_low_rank_part_is_refused(cert, cov):
    name = "leading-direction"
    V = cert.bound(name).ingredients.V
    rejected(with_bound(cert, name, V=V * 0.99), cov)
    rejected(with_bound(cert, name, V=V * 1.01), cov)
    for changed in (V[:, :-1], V[:-1], V[:, 0], V * 0, V * NAN):
        rejected(with_bound(cert, name, V=changed), cov)


def test_shares_of_a_pair_that_do_not_cover_it_are_refused(cert, cov):
    bound = cert.bound("pair-scaled")
    L, M = bound.ingredients.L, bound.ingredients.M
    i, j = np.unravel_index(np.where(np.eye(7), -np.inf, L).argmax(), L.shape)
    for value in (0.0, M[i, j] * (1 - 1e-6), -M[i, j], NAN, INF):
        spoiled = M.copy()
        spoiled[i, j] = value
        rejected(with_bound(cert, "pair-scaled", M=spoiled), cov)
    onto_diagonal, crooked = M.copy(), L.copy()
    onto_diagonal[0, 0] = 1.0
    crooked[i, j] *= 1 + 1e-9
    for changes in ({"M": onto_diagonal}, {"M": M * 0}, {"M": None}, {"L": crooked}, {"L": L[:, :-1]}, {"tail": NAN}):
        rejected(with_bound(cert, "pair-scaled", **changes), cov)


@pytest.mark.parametrize("share", [0.1, 1e-3, 1e-6, 1e-9])
def test_what_the_pairs_leave_cannot_be_lowered(cert, cov, share):
    assert "exceeds the claimed" in rejected(lowered(cert, "pair-scaled", "tail", share), cov)


# ---------------------------------------------------------------------- what is held as a factor


@pytest.fixture
def thin(monkeypatch):
    """Two samples in the plane of one direction: rank one, held as a factor."""
    monkeypatch.setattr(making, "DENSE_FEATURES", 1)
    y = np.random.default_rng(5).random(40) + 0.5
    return nnspca.Covariance.from_data(np.vstack([y, -y]))


@pytest.mark.parametrize("share", [1e-3, 1e-5, 1e-7, 1e-9])
@pytest.mark.parametrize("factor", [1e-5, 1e-4, 1e-3, 1e-2, 0.2])
def test_a_tiny_rest_does_not_hide_a_shortened_direction(thin, share, factor):
    """τI − YY' + PK⁻¹P' cancels to nothing where τ is tiny: no sign of it can be trusted."""
    cert = nnspca.certify(thin, 40)
    values, vectors = thin.eigenpairs(1)
    V = vectors * np.sqrt(values * (1 - share))
    tail = factor * share * thin.trace
    inner = float(values[0]) * (1 - share) * (1 + 1e-12)
    false = Bound("leading-direction", (tail + inner) * (1 + 1e-15), ingredients=EigenvalueProof(V, tail))
    x = np.eye(40)[0]
    poor = replace(cert.component, loadings=x, variance=thin.variance(x))
    forged = replace(cert, bounds=(*cert.bounds, false), upper=false.value, component=poor, lower=poor.variance)
    assert "the rest of A exceeds" in rejected(forged, thin)


def test_a_negative_rest_is_refused_where_nothing_is_negative():
    y = np.random.default_rng(5).random(40) + 0.5
    cov = nnspca.Covariance(DenseFactor(y[None].copy()))
    u = y / np.linalg.norm(y)
    for tail in (-1e-3, -1e-9, 0.0):
        V = (u * np.sqrt(y @ y + tail))[:, None]
        inner = float((V[:, 0] @ V[:, 0]) * (1 + 1e-9))
        proof = EigenvalueProof(V, tail)
        e = np.eye(40)[0]
        part = nnspca.Component(e, float(y[0] ** 2), "hand", 40)
        cert = nnspca.Certificate(
            40,
            True,
            float(y[0] ** 2),
            tail + inner,
            part,
            (Bound("leading-direction", tail + inner, ingredients=proof),),
            tail + inner,
            cov.fingerprint,
        )
        assert "the rest of A exceeds" in rejected(cert, cov)


# ---------------------------------------------------------------------- whatever passes is true


def forged_parts():
    """Proofs of two parts of two features of 0.4·11' + 0.6·I, which hold 2.8: each would claim less if it were let."""
    n = 5
    A, nothing = 0.4 + 0.6 * np.eye(n), np.zeros((n, n))
    wraps = np.diag(np.full(n, 16)).astype(np.int8)  # its squares are 0 in eight bits
    prices = np.ma.masked_array(np.full(n, 0.5), np.arange(n) > 1)
    unseen = np.ma.masked_array(16.0 * np.eye(n), np.eye(n, dtype=bool))
    honest = np.zeros((n, 1))
    yield "squares that wrap", PairProof(nothing, nothing, 0.0, np.zeros(n), wraps)
    yield "a hidden low-rank part", PairProof(nothing, nothing, 0.0, np.zeros(n), unseen)
    yield "hidden prices", PairProof(A, 1.001 * (A - np.eye(n)), 1e-9, prices, honest)
    half = np.float32(1.4 * (1 + 1e-9))  # 1.4 in single precision, and what is left of it in double
    yield "a tail of half the digits", PairProof(nothing, nothing, half, np.zeros(n), honest)


@pytest.mark.parametrize(("what", "proof"), list(forged_parts()), ids=lambda value: value if type(value) is str else "")
def test_what_was_checked_of_parts_is_what_is_added_up(what, proof):
    cov = nnspca.Covariance.from_matrix(0.4 + 0.6 * np.eye(5))
    tree = TreeProof(np.array([[-1, -1]]), (proof,))
    working = replace(proof, features=np.arange(5), limits=np.full(5, 1e-6))
    for forged in (proof, tree, working):
        try:
            value = derive(forged, Problem(cov, 2), 2)
        except nnspca.CertificateError:
            continue
        assert value >= 2.8
        assert math.isfinite(value)


# ---------------------------------------------------------------------- what a second reader found


class Twice(tuple):
    """A tuple that shows its reader other things than it holds."""

    def __iter__(self):
        return iter(self[:1])


def test_only_plain_numbers_arrays_tuples_and_certificates_are_read():
    cov = nnspca.Covariance.from_matrix(0.4 * np.ones((5, 5)) + 0.6 * np.eye(5))
    cert, several = nnspca.certify(cov, 5), nnspca.certify_parts(cov, 2, 2)
    forged = [
        *(dataclasses.replace(cert, **{name: Two(1e-3)}) for name in ("upper", "leading", "lower")),
        dataclasses.replace(cert, k=Whole(5)),
        dataclasses.replace(cert, component=dataclasses.replace(cert.component, variance=Two(1e9))),
        dataclasses.replace(cert, bounds=Twice(cert.bounds)),
        dataclasses.replace(several, parts=Twice(several.parts)),
        dataclasses.replace(
            cert, component=dataclasses.replace(cert.component, loadings=np.ma.array(cert.component.loadings))
        ),
    ]
    for each in forged:
        with pytest.raises(nnspca.CertificateError):
            nnspca.verify(each, cov)
    lying = type("Lying", (nnspca.Certificate,), {"ratio": 7.0})
    with pytest.raises(TypeError, match="give a Certificate"):
        nnspca.verify(lying(**{f.name: getattr(cert, f.name) for f in dataclasses.fields(cert)}), cov)


def test_what_is_not_proven_is_not_said_to_hold_with_certainty_nor_wins():
    cov = nnspca.Covariance.from_matrix(0.4 * np.ones((5, 5)) + 0.6 * np.eye(5))
    several = nnspca.certify_parts(cov, 2, 2)
    beside = dataclasses.replace(
        several.bounds[0], name="joint-dual", value=0.5, deterministic=False, probability=1.0, ingredients=None
    )
    forged = dataclasses.replace(several, bounds=(*several.bounds, beside))
    assert forged.winner.value == several.winner.value
    with pytest.raises(nnspca.CertificateError, match="certainty"):
        nnspca.verify(forged, cov)


def test_what_only_says_that_it_is_an_array_proves_nothing():
    class Liar:
        __class__ = property(lambda self: np.ndarray)

        def __init__(self, *answers):
            self.answers = list(answers)

        def __array__(self, dtype=None, copy=None):
            return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    cov = nnspca.Covariance.from_matrix(np.ones((4, 4)) + np.eye(4))
    cert = nnspca.certify(cov, k=1)
    proof = EigenvalueProof(Liar(np.ones((4, 1)), np.zeros((4, 1))), 1.0001)
    forged = Bound(name="liar", value=2.001, ingredients=proof)
    with pytest.raises(nnspca.CertificateError):
        nnspca.verify(dataclasses.replace(cert, bounds=(*cert.bounds, forged), leading=2.001), cov)


def working(monkeypatch, module, name):
    """Count the calls of a function that does the work."""
    calls = []
    inner = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given, **named: calls.append(1) or inner(*given, **named))
    return calls


def test_more_bounds_than_any_certificate_holds_are_refused_before_the_work(cert, cov, monkeypatch):
    calls = working(monkeypatch, judge, "derive")
    again = cert.bounds[0]
    assert "1,009 bounds" in rejected(replace(cert, bounds=(*cert.bounds, *[again] * (1009 - len(cert.bounds)))), cov)
    assert not calls


def test_a_tree_of_pairs_that_costs_more_than_its_proofs_hold_is_refused_before_it_is_walked(cov, monkeypatch):
    calls = working(monkeypatch, pairs, "pair_bound")
    several = nnspca.certify_parts(cov, 2, 1)
    n = cov.n_features
    leaf = PairProof(np.zeros((n, n)), np.zeros((n, n)), cov.trace, np.zeros(n), np.zeros((n, 0)))
    long = np.zeros((10**7, 2), dtype=np.int8)
    long[-1] = -1
    for splits, leaves in ((long, (leaf,)), (np.array([[0, 1], [-1, -1]]), (leaf, leaf)), (long[-1:], ())):
        false = Bound("forged", 4 * cov.trace, ingredients=TreeProof(splits, leaves))
        with pytest.raises(nnspca.CertificateError, match=r"nodes does not fit [012] proofs"):
            nnspca.verify(replace(several, bounds=(*several.bounds, false)), cov)
    assert not calls
