"""The documents, and the static site made of them: ``python -m nnspca.docs build [folder]``."""
