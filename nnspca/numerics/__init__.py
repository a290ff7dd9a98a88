"""Numerics of solvers and bounds: rounding allowances, exact doubles, and projections."""
