"""The data page."""
