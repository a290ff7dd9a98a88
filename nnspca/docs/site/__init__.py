"""Builds the site: gathers pages, runs examples, writes the reference, and calls Sphinx."""
