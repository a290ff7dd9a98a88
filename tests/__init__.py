"""The tests; ``python -m tests`` runs all of them, style and types included."""
