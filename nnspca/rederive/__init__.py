"""The judge's rooms: one module for each kind of ingredients; none knows how they were made."""
