"""The app: a room for each page, one for what surrounds them, and what pages share (session, figures, certificate).

Only this package, ``pages/`` and ``app.py`` know that Streamlit exists.
"""
