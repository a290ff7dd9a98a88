"""PARTS_BOUNDS: the registry of bounds on several parts, with their attempts, arguments and types of proof."""

from __future__ import annotations

from nnspca.bounds.bound import Attempt, BoundInfo
from nnspca.bounds.parts import branch, dual, plain, working
from nnspca.bounds.parts.plan import PartsContext, PartsPlan
from nnspca.certificates.proofs import CarriedProof, EachProof, EigenvalueProof, PairProof, TreeProof, VariancesProof

PARTS_BOUNDS: dict[str, BoundInfo[PartsPlan, PartsContext]] = {
    info.name: info
    for info in (
        BoundInfo(
            "eigenvalues",
            "Largest eigenvalues",
            "r orthogonal directions, sparse or not, have at most the variance of the r leading eigenvectors.",
            (EigenvalueProof,),
            attempts=(Attempt(5, plain.fan_by_plan, counts_for_gap=True),),
        ),
        BoundInfo(
            "variances",
            "Largest variances",
            "The total variance of the parts is at most the sum of the rk largest variances of single features.",
            (VariancesProof,),
            attempts=(Attempt(2, plain.variances_by_plan, counts_for_gap=True),),
        ),
        BoundInfo(
            "each",
            "Each at its best",
            "No part has more variance than the best single component.",
            (EachProof,),
            attempts=(Attempt(60, plain.each_by_plan, counts_for_gap=True),),
        ),
        BoundInfo(
            "joint-dual",
            "Joint dual",
            "Each pair of features splits its covariance between its two rows; a price on each feature accounts for "
            "its use in one part only.",
            (PairProof,),
            attempts=(
                Attempt(6, dual.by_plan, counts_for_gap=True, expected=dual.expected),
                Attempt(33, working.by_plan, counts_for_gap=True, expected=working.expected),
            ),
        ),
        BoundInfo(
            "joint-branch",
            "Joint branch and bound",
            "All choices of parts are split into cases according to which features share a part; each case has its own "
            "bound.",
            (TreeProof,),
            attempts=(Attempt(90, branch.by_plan, above="optimal", counts_for_gap=True),),
        ),
        BoundInfo(
            "larger-k",
            "Carried from a larger k",
            "More features allow at least as much variance: a bound at a larger k holds at a smaller one.",
            (CarriedProof,),
        ),
    )
}
