"""METHODS: the registry of solvers that pages, documentation and tests read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from nnspca.result.display import with_fields
from nnspca.solvers.best import best
from nnspca.solvers.coordinate_descent import coordinate_descent
from nnspca.solvers.coordinate_descent import joint as coordinate_descent_joint
from nnspca.solvers.dspca import dspca
from nnspca.solvers.elastic_net import elastic_net
from nnspca.solvers.em import em
from nnspca.solvers.exact import exact
from nnspca.solvers.greedy import greedy
from nnspca.solvers.low_rank import enumeration, epsilon_net, spannogram
from nnspca.solvers.method import MethodInfo, OptionInfo
from nnspca.solvers.nmf import joint as nmf_joint
from nnspca.solvers.nmf import nmf
from nnspca.solvers.pca import pca, pca_joint, thresholding
from nnspca.solvers.scotlass import scotlass

with_fields(MethodInfo, OptionInfo)

__all__ = ["METHODS", "MethodInfo", "OptionInfo"]

RANK = OptionInfo("rank", int, 3, "How many leading eigenvectors the search works with.", 1, 8)
RENORMALISE = OptionInfo("renormalise", bool, True, "Make the loadings optimal for the chosen features.")

METHODS: dict[Any, MethodInfo] = {
    info.name: info
    for info in (
        MethodInfo(
            "best",
            "Multistart (default)",
            "Tries many starts, climbs from each, then swaps features while that helps.",
            "this library",
            (True, False),
            (
                OptionInfo("restarts", int, 16, "Random starts of each kind.", 1, 200),
                OptionInfo("leaders", int, 4, "How many of the best points are polished by swaps.", 1, 50),
            ),
            best,
            includes=True,
        ),
        MethodInfo(
            "spannogram",
            "Spannogram (exact rank d)",
            "Keeps the d strongest directions of the data and solves what is left exactly.",
            "Asteris et al. 2014, Alg. 1; 2011 without the sign constraint",
            (True, False),
            (
                RANK,
                OptionInfo("polish", bool, False, "Improve the rank-d optimum on the full data by swaps."),
            ),
            spannogram,
        ),
        MethodInfo(
            "enumeration",
            "Enumeration (every vertex)",
            "Tries every support that can be the best in the d strongest directions. For small n.",
            "Asteris et al. 2014, Alg. 1 and 2; Asteris et al. 2011 without the sign constraint",
            (True, False),
            (OptionInfo("rank", int, 2, "How many leading eigenvectors the search works with.", 1, 6),),
            enumeration,
        ),
        MethodInfo(
            "epsilon-net",
            "ε-net (sampled rank d)",
            "Tries thousands of random directions of the d strongest ones and keeps the best.",
            "Asteris et al. 2014, Alg. 3",
            (True, False),
            (
                RANK,
                OptionInfo("epsilon", float, 0.1, "Share of the rank-d optimum that may be missed.", 0.01, 0.9),
                OptionInfo(
                    "max_samples",
                    int,
                    20_000,
                    "Largest number of directions to try, even if the theorem needs more.",
                    1,
                    10**7,
                ),
            ),
            epsilon_net,
        ),
        MethodInfo(
            "em",
            "EM",
            "Alternates between projecting the data and re-estimating the loadings.",
            "Sigg & Buhmann 2008, Alg. 2",
            (True, False),
            (
                OptionInfo("restarts", int, 10, "Random starts (one is enough without the sign constraint).", 1, 1000),
                RENORMALISE,
                OptionInfo("max_iter", int, 500, "Largest number of steps of one run.", 1, 100_000),
                OptionInfo("tol", float, 1e-10, "A run stops when its direction changes by less than this.", 0.0, 0.1),
            ),
            em,
        ),
        MethodInfo(
            "coordinate-descent",
            "NSPCA (coordinate descent)",
            "Sets one loading at a time; two prices keep components apart and sparse. Honours sign and k.",
            "Zass & Shashua 2006; k by bisection as in Asteris et al. 2014",
            (True,),
            (
                OptionInfo("alpha", float, 1.0, "Price of overlap, relative to the largest eigenvalue.", 1e-4, 1e6),
                OptionInfo(
                    "beta", float, 0.01, "Price of a loading, relative to it; used if k is not matched.", 0.0, 4.0
                ),
                OptionInfo("match_k", bool, True, "Find the price of a loading at which k features remain."),
                OptionInfo("restarts", int, 2, "Random starts.", 1, 100),
                # In a joint run α affects every loading: columns that overlap would become equal if each
                # were made optimal by itself.
                replace(RENORMALISE, alone=True),
                OptionInfo("max_iter", int, 60, "Largest number of sweeps of one run.", 1, 10_000),
                OptionInfo("tol", float, 1e-5, "A run stops when it gains less than this share.", 0.0, 0.1),
            ),
            coordinate_descent,
            joint=coordinate_descent_joint,
        ),
        MethodInfo(
            "greedy",
            "Greedy (PathSPCA)",
            "Adds one feature after another: that of largest covariance with the component so far. Honours sign and k.",
            "d'Aspremont et al. 2008 (path); Moghaddam et al. 2006 (full)",
            (True, False),
            (
                OptionInfo(
                    "criterion",
                    str,
                    "path",
                    "How the next feature is chosen: by its covariance with the component, or by trying them all.",
                    choices=("path", "full"),
                ),
            ),
            greedy,
            includes=True,
        ),
        MethodInfo(
            "elastic-net",
            "SPCA (elastic net)",
            "Regresses the leading scores on a few features (scikit-learn). Honours sign and k.",
            "Zou, Hastie & Tibshirani 2006",
            (True, False),
            (
                OptionInfo("ridge", float, 0.01, "Ridge penalty, relative to the mean variance.", 1e-6, 100.0),
                OptionInfo("rounds", int, 10, "Largest number of regressions.", 1, 200),
                RENORMALISE,
            ),
            elastic_net,
        ),
        MethodInfo(
            "thresholding",
            "Thresholded PCA",
            "Cuts the leading eigenvector to its k largest loadings.",
            "Cadima & Jolliffe 1995",
            (True, False),
            (RENORMALISE,),
            thresholding,
        ),
        MethodInfo(
            "scotlass",
            "SCoTLASS",
            "Limits the sum of the loadings instead of their number. Honours sign and k. For few features.",
            "Jolliffe, Trendafilov & Uddin 2003",
            (True, False),
            (OptionInfo("restarts", int, 4, "Starts: the leading eigenvector and random ones.", 1, 100), RENORMALISE),
            scotlass,
            max_features=600,
        ),
        MethodInfo(
            "dspca",
            "DSPCA",
            "Relaxes the problem to a semidefinite one and rounds. Honours sign and k. For few features.",
            "d'Aspremont et al. 2007",
            (True, False),
            (RENORMALISE,),
            dspca,
            max_features=150,
        ),
        MethodInfo(
            "nmf",
            "NMF",
            "Parts that add up to the positive part of the covariance (scikit-learn), cut to k. Not a maximiser.",
            "Lee & Seung 1999",
            (True,),
            (OptionInfo("max_iter", int, 200, "Largest number of steps.", 1, 10_000),),
            nmf,
            joint=nmf_joint,
        ),
        MethodInfo(
            "exact",
            "Exact (branch and bound)",
            "The optimum itself, by trying every case that could hold it. For a few dozen features at most.",
            "this library; Moghaddam et al. 2006 without the sign constraint",
            (True, False),
            (),
            exact,
            includes=True,
            max_features=24,
        ),
        MethodInfo(
            "pca",
            "PCA",
            "The leading eigenvector: no sign constraint, no sparsity. No component has more variance.",
            "Pearson 1901",
            (False,),
            (),
            pca,
            feasible=False,
            joint=pca_joint,
        ),
    )
}
