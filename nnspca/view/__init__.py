"""The app's own rooms: what a link carries, the widgets, the caches, the live runs and the figures.

Only this package, ``pages/`` and ``app.py`` know that Streamlit exists.
"""
