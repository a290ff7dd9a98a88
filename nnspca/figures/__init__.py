"""Figures of results for notebooks and web pages; they take arrays, names and colours."""
