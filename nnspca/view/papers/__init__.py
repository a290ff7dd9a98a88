"""The papers page: the figures of the papers, run again."""
