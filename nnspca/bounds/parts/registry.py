"""PARTS_BOUNDS: the one list of bounds on several parts together, with the words a reader sees."""

from __future__ import annotations

from nnspca.bounds.registry import BoundInfo
from nnspca.certificates.proofs import (
    EachProof,
    EntryProof,
    FanProof,
    LargerProof,
    PartsProof,
    PartsTreeProof,
    PartsWorkingProof,
)

PARTS_BOUNDS: dict[str, BoundInfo] = {
    info.name: info
    for info in (
        BoundInfo(
            "eigenvalues",
            "Largest eigenvalues",
            "No directions at right angles, sparse or not, have more variance than as many leading eigenvectors.",
            (FanProof,),
        ),
        BoundInfo(
            "variances",
            "Largest variances",
            "All features in use hold at most the largest variances together.",
            (EntryProof,),
        ),
        BoundInfo(
            "each",
            "Each at its best",
            "No part can have more than the best that one part could have alone.",
            (EachProof,),
        ),
        BoundInfo(
            "joint-dual",
            "Joint dual",
            "Each pair of features shares its co-variance between its two rows, and each feature has a price, as it "
            "serves one part only.",
            (PartsProof, PartsWorkingProof),
        ),
        BoundInfo(
            "joint-branch",
            "Joint branch and bound",
            "Every choice of parts falls into one of a few cases, by which features share a part; each has its "
            "ceiling.",
            (PartsTreeProof,),
        ),
        BoundInfo(
            "larger-k",
            "Taken over from a larger k",
            "Parts that may use more features can do no worse: a ceiling at a larger k holds at a smaller one.",
            (LargerProof,),
        ),
    )
}
