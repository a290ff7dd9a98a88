"""Rank-d nonnegative sparse PCA: the low-dimensional problem behind the papers' solvers and several bounds."""
