"""Proofs that are out of shape: each is refused for what is wrong with it, whatever else of it is sound."""

from dataclasses import replace

import numpy as np
import pytest

import nnspca
from nnspca.certificates import eigenvalues
from nnspca.certificates.derivations import derive
from nnspca.certificates.proofs import (
    BoxProof,
    CarriedProof,
    EigenvalueProof,
    EliminationProof,
    PairProof,
    ScaleProof,
    SeriesProof,
    TreeProof,
    VariancesProof,
)
from nnspca.covariance.problem import Problem

N, K = 5, 2
A = np.eye(N) + 0.5
COV = nnspca.Covariance.from_matrix(A)
PROBLEM = Problem(COV, K, True)
L = A - np.diag(A.diagonal())
PAIRS = PairProof(A, np.abs(A), 1e-9)
SERIES = SeriesProof(L, np.abs(L), (2, 1), (2.0, 2.0))
BOXES = BoxProof(np.arange(4), np.ones((1, 4)))
POINT = {"support": np.array([0, 1]), "loadings": np.sqrt([0.5, 0.5])}
FEW = EliminationProof(np.arange(4), cardinalities=(2,), proofs=(ScaleProof(np.ones(4)),), light=0.1, **POINT)
WORKING = replace(
    PAIRS, L=A[:4, :4], M=np.abs(A[:4, :4]) - np.diag(np.diag(A[:4, :4])), features=np.arange(4), limits=np.ones(4)
)
PARTED = TreeProof(np.array([[0, 1], [-1, -1], [-1, -1]]), (PAIRS, PAIRS))

MALFORMED = {
    "M_ij M_ji is below the square": replace(SERIES, M=np.abs(L) * 0.99),
    "a positive limit": replace(WORKING, limits=np.zeros(4)),
    "the limits": replace(WORKING, limits=np.ones(3)),
    "the working set": replace(WORKING, features=np.array([0, 1, 2, 2])),
    "the features kept": replace(FEW, features=np.array([3, 2, 1, 0])),
    "the support of the point": replace(FEW, support=np.array([0, N])),
    "the point is not feasible": replace(FEW, loadings=-POINT["loadings"]),
    "the mass from which rows are read": replace(FEW, light=np.nan),
    "the features of the boxes": replace(FEW, boxes=replace(BOXES, features=np.array([0, 1, 2, N]))),
    "the prices of weight": replace(FEW, boxes=replace(BOXES, prices=np.ones((1, 3)))),
    "taken over twice": CarriedProof(2, CarriedProof(2, VariancesProof())),
    "the series proves nothing for 2 features": replace(SERIES, cardinalities=(1,), tails=(2.0,)),
    "as many cardinalities as tails": replace(SERIES, tails=(2.0,)),
    "of a series do not fall": replace(SERIES, cardinalities=(2, 2)),
    "the diagonal of L is not zero": replace(SERIES, L=A),
    "must be tuples": TreeProof((-1,), [PAIRS]),
    "a tree of 2 cases does not fit 1 proofs": TreeProof((-1, -1), (PAIRS,)),
    "split at twice on one path": TreeProof((0, 0, -1, -1, -1), (PAIRS,) * 3),
    "already decided is split again": TreeProof((*range(N), *[-1] * 6), (PAIRS,) * 6),
    "a case has no proof": TreeProof((-1,), (VariancesProof(),)),
    "ends too early": TreeProof((0,), (PAIRS,)),
    "a list of pairs of features": TreeProof(np.array([[0, N]]), ()),
    "a tree of pairs of 1 nodes does not fit 0 proofs": TreeProof(np.array([[-1, -1]]), ()),
    "or splits at no feature of the data's": replace(PARTED, splits=np.array([[0, -1], [-1, -1], [-1, -1]])),
    "already decided upon, are split at": replace(PARTED, splits=np.array([[0, 0], [-1, -1], [-1, -1]])),
    "the boxes are a tuple": replace(FEW, boxes=()),
    "the boxes have 2 features": replace(FEW, boxes=replace(BOXES, features=np.arange(2))),
    "the prices must be of 1 to": replace(FEW, boxes=replace(BOXES, prices=np.zeros((1, 4)))),
    "must be tuples, and not empty": replace(FEW, proofs=[]),
    "there are 1 cases and 2 cardinalities": replace(FEW, cardinalities=(2, 1)),
    "more than numbers of features outside": replace(FEW, cardinalities=(2,) * 4, proofs=FEW.proofs * 4),
    "a series begins at 2 features": replace(
        FEW, cardinalities=(1,), proofs=(SeriesProof(L[:4, :4], np.abs(L[:4, :4]), (2, 1), (2.0, 2.0)),)
    ),
}


@pytest.mark.parametrize("said", MALFORMED)
def test_a_proof_out_of_shape_is_refused_for_what_is_wrong(said):
    with pytest.raises(nnspca.CertificateError, match=said):
        derive(MALFORMED[said], PROBLEM, 1)


def test_a_tree_of_features_proves_nothing_of_several_parts():
    with pytest.raises(nnspca.CertificateError, match="nothing about several parts"):
        derive(TreeProof((-1,), (PAIRS,)), PROBLEM, 2)


def test_a_factorisation_that_ends_proves_the_rest_and_one_that_fails_proves_nothing(monkeypatch):
    monkeypatch.setattr(eigenvalues, "DENSE_EIGEN", 1)
    assert derive(EigenvalueProof(np.zeros((N, 0)), 3.6), PROBLEM, 1) >= 1 + N / 2
    with pytest.raises(nnspca.CertificateError, match="the rest of A exceeds"):
        derive(EigenvalueProof(np.zeros((N, 0)), 3.4), PROBLEM, 1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"include": [0]}, "are a list, not a tuple"),
        ({"exclude": (2, 1)}, "not in order, each once"),
        ({"include": (0,), "exclude": (0,)}, "do not fit k = 2"),
        ({"k": 1, "include": (0, 1)}, "do not fit k = 1"),
    ],
)
def test_features_of_a_certificate_that_do_not_fit_are_refused(changed, said):
    with pytest.raises(nnspca.CertificateError, match=said):
        nnspca.verify(replace(nnspca.certify(COV, K), **changed), COV)


@pytest.mark.parametrize("parts", [[], (), "abc"])
def test_parts_that_are_no_tuple_of_parts_are_refused(parts):
    with pytest.raises(nnspca.CertificateError, match="a tuple of 1 to 2 is allowed"):
        nnspca.verify(replace(nnspca.certify_parts(COV, 2, K), parts=parts), COV)
