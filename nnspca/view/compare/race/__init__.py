"""The race page: several solvers and a proof on one clock."""
