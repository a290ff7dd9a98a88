"""The tests; ``python -m tests`` runs them, style and types included."""
