"""Ledger of results: the best component and the lowest upper bound known of each problem, stored and live."""
