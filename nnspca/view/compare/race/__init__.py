"""Solvers on one clock: the race."""
