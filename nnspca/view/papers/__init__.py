"""The experiments page: the figures of the papers, run again."""
