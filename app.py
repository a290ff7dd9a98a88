"""nnspca in a browser: the server. What a visitor sees is drawn by ``pages/main.py``."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from nnspca.view.frame import server, uploading

HERE = Path(__file__).parent
MAIN = HERE / "pages" / "main.py"  # beside app.py, Streamlit would run the pages by itself on a server's first visit

# Streamlit leaves compressing its scripts to a proxy; where there is none, a visit weighs four times as much.
ours = [Middleware(GZipMiddleware, compresslevel=6), *server.served(HERE)]
ours += [Middleware(uploading.UploadMiddleware), Middleware(server.PageMiddleware)]
app = st.App(MAIN, routes=server.routes(), middleware=ours)
