"""PARTS_BOUNDS: the registry of bounds on several parts, with their types of proof."""

from __future__ import annotations

from nnspca.bounds.bound import BoundInfo
from nnspca.certificates.proofs import CarriedProof, EachProof, EigenvalueProof, PairProof, TreeProof, VariancesProof

PARTS_BOUNDS: dict[str, BoundInfo] = {
    info.name: info
    for info in (
        BoundInfo(
            "eigenvalues",
            "Largest eigenvalues",
            "r orthogonal directions, sparse or not, have at most the variance of the r leading eigenvectors.",
            (EigenvalueProof,),
        ),
        BoundInfo(
            "variances",
            "Largest variances",
            "The total variance of the parts is at most the sum of the rk largest variances of single features.",
            (VariancesProof,),
        ),
        BoundInfo(
            "each",
            "Each at its best",
            "No part has more variance than the best single component.",
            (EachProof,),
        ),
        BoundInfo(
            "joint-dual",
            "Joint dual",
            "Each pair of features splits its covariance between its two rows; a price on each feature accounts for "
            "its use in one part only.",
            (PairProof,),
        ),
        BoundInfo(
            "joint-branch",
            "Joint branch and bound",
            "All choices of parts are split into cases according to which features share a part; each case has its own "
            "bound.",
            (TreeProof,),
        ),
        BoundInfo(
            "larger-k",
            "Carried from a larger k",
            "More features allow at least as much variance: a bound at a larger k holds at a smaller one.",
            (CarriedProof,),
        ),
    )
}
