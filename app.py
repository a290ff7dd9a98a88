"""nnspca in a browser: the server. What a visitor sees is drawn by ``pages/main.py``."""

from pathlib import Path

import streamlit as st
from starlette.middleware import Middleware

from nnspca.view.frame import server, uploading
from nnspca.view.learn import web

HERE = Path(__file__).parent
MAIN = HERE / "pages" / "main.py"  # beside app.py, Streamlit would run the pages by itself on a server's first visit

ours = [*server.documents_route(HERE), Middleware(uploading.UploadMiddleware), Middleware(server.AssetMiddleware)]
app = st.App(MAIN, routes=[*server.routes(), *web.routes()], middleware=ours)
