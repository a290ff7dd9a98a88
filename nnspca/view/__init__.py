"""The app: a room for each page, one for what surrounds them, and the rooms that pages share.

Only this package, ``pages/`` and ``app.py`` know that Streamlit exists.
"""
