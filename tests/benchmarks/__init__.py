"""Benchmarks: each is run by hand, ``python -m tests.benchmarks.NAME``, and prints ratios; nothing is asserted."""
