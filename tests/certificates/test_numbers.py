"""What the judge takes for a number: forged values of every kind are refused before anything is computed from them."""

import dataclasses
import math

import numpy as np
import pytest

import nnspca
from nnspca.certificates import file
from nnspca.certificates import proofs as kinds
from nnspca.certificates.derivations import DERIVATIONS, derive
from nnspca.certificates.numbers import UpperBound, array, at_most, feature_indices, real, whole
from nnspca.certificates.proofs import BoxProof, PairProof, ScaleProof
from nnspca.covariance.problem import Problem
from nnspca.numerics.halves import Halves
from nnspca.result import Bound

NAN, INF = math.nan, math.inf
replace = dataclasses.replace


def claimed(cov, k, proof, value):
    """A certificate that claims ``value`` by this proof, beside an honest point."""
    cert = nnspca.certify(cov, k)
    poor = nnspca.Component(np.eye(cov.n_features)[0], float(cov.diagonal[0]), "hand", k)
    false = Bound("forged", value, ingredients=proof)
    return replace(cert, component=poor, lower=poor.variance, upper=value, bounds=(*cert.bounds, false))


@pytest.fixture
def cov():
    return nnspca.Covariance.from_matrix(0.4 * np.ones((5, 5)) + 0.6 * np.eye(5))


@pytest.mark.parametrize("weight", [1.7e308, 1e308, 1e200, 5e-324, 1e-320, 1e-310, 1e-200])
def test_weights_that_overflow_or_underflow_prove_nothing(cov, weight):
    """0 · inf is no number, and any bound verified; 0.4 · 5e-324 is 0, and 1.0001 was proven where 2.6 is feasible."""
    with pytest.raises(nnspca.CertificateError, match="weights must be"):
        nnspca.verify(claimed(cov, 5, ScaleProof(np.full(5, weight)), 1.0001), cov)


def test_weights_within_their_range_prove_what_they_prove(cov):
    for weight in (1e-50, 1.0, 1e50):
        assert derive(ScaleProof(np.full(5, weight)), Problem(cov, 5)) == pytest.approx(2.6)


def test_shares_whose_product_overflows_or_vanishes_do_not_cover_a_pair(cov):
    L = cov.matrix * 1.0
    tail = 1e-9
    for low, high in ((0.0, 1e308), (0.0, 1e149), (5e-324, 1e149), (1e-170, 1e-170), (1e-320, 1e-320)):
        M = np.triu(np.full((5, 5), high), 1) + np.tril(np.full((5, 5), low), -1)
        with pytest.raises(nnspca.CertificateError):
            nnspca.verify(claimed(cov, 5, PairProof(L, M, tail), 1.0001), cov)


def test_limits_whose_quotients_vanish_do_not_level_a_row(cov):
    inside = PairProof(cov.matrix[:1, :1] * 1.0, np.zeros((1, 1)), 1e-9)
    for limit in (5e-324, 1e-308, 1e-150, 1e150, 1e308):
        with pytest.raises(nnspca.CertificateError):
            nnspca.verify(
                claimed(cov, 5, replace(inside, features=np.array([0]), limits=np.array([limit])), 1.0001), cov
            )


def test_a_upper_bound_that_met_no_number_is_infinite():
    for values in (NAN, [1.0, NAN], [NAN, INF], INF):
        most = UpperBound()
        most.cover(5.0)
        most.cover(np.array(values))
        most.cover(2.0)
        assert most.value == INF
    assert UpperBound().value == -INF


@pytest.mark.parametrize(
    ("value", "limit", "holds"),
    [(1.0, 1.0, True), (2.0, 1.0, False), (NAN, 1.0, False), (1.0, NAN, False), (1.0, INF, False), (-INF, 0.0, True)],
)
def test_a_comparison_with_what_is_no_finite_number_fails(value, limit, holds):
    assert at_most(value, limit) is holds


@pytest.mark.parametrize(
    "value", [NAN, INF, -INF, 1e151, 10**400, 2**53 + 1, True, 1j, "1", None, np.array(1.0), np.longdouble(1) / 3]
)
def test_what_is_not_exactly_a_double_in_range_is_no_number(value):
    with pytest.raises(nnspca.CertificateError, match="not a number from"):
        real(value, "it")


@pytest.mark.parametrize("value", [0, 3.0, 5, NAN, True, "2", None, 10**400, np.float64(2)])
def test_what_is_not_whole_and_in_range_is_no_whole_number(value):
    with pytest.raises(nnspca.CertificateError, match="not a whole number from 1 to 4"):
        whole(value, "it", 1, 4)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [1.0, 2.0],
        np.array([1.0, NAN]),
        np.array([1.0, 1e200]),
        np.array([1.0, 2.0], dtype=complex),
        np.array([1.0, 2.0], dtype=object),
        np.array(["1", "2"]),
        np.array([True, False]),
        np.array([1.0, 2.0], dtype=np.longdouble),
        np.ones(3),
        np.ones((2, 1)),
        np.array(1.0),
    ],
)
def test_what_is_not_real_and_of_the_shape_is_no_array(value):
    if isinstance(value, np.ndarray) and value.dtype == np.float64 and value.dtype.itemsize > 8:
        pytest.skip("long doubles are doubles here")
    with pytest.raises(nnspca.CertificateError):
        array(value, "it", (2,))


class Shifting(np.ndarray):
    """An array that answers otherwise than it is."""

    def __array_finalize__(self, other):
        self.answers = True

    def __gt__(self, other):
        return np.ones(self.shape, dtype=bool)


def test_an_array_of_a_class_of_its_own_is_read_as_what_it_holds(cov):
    weights = np.zeros(5).view(Shifting)
    assert type(array(weights, "it", (5,))) is np.ndarray
    with pytest.raises(nnspca.CertificateError, match="weights must be"):
        nnspca.verify(claimed(cov, 5, ScaleProof(weights), 1.0001), cov)


@pytest.mark.parametrize(
    "value", [[1, 0], [0, 0], [-1, 2], [0, 5], [], np.array([2**63], np.uint64), np.array([3, 1], np.uint64)]
)
def test_features_out_of_order_or_range_are_no_features(value):
    with pytest.raises(nnspca.CertificateError, match="different features from 0 to 4"):
        feature_indices(value if isinstance(value, np.ndarray) else np.array(value, dtype=np.int64), "it", 5)


def test_every_type_of_proof_can_be_derived_and_saved():
    proofs = {value for value in vars(kinds).values() if dataclasses.is_dataclass(value)}
    assert set(DERIVATIONS) | {BoxProof} == proofs  # boxes are ingredients of an elimination
    assert set(file.PROOFS.values()) == proofs | {Halves}
