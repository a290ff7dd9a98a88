"""Figures of results, for a notebook or a page of its own: they know arrays, names and colours, and no result."""
