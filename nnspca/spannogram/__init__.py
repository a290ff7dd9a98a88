"""Rank-d nonnegative sparse PCA: the low-dimensional problem that the papers' solvers and bounds rest on."""
