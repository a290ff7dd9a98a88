"""Figures of the studies."""
