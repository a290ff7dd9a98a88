"""Figures of the spannogram page."""
