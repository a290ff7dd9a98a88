"""What all pages share: page config, navigation and the sidebar; then the page that was asked for."""

from pathlib import Path

import streamlit as st

import nnspca
from nnspca.view import machines, sanitize, session
from nnspca.view.frame import server, sidebar
from nnspca.view.link import widgets
from nnspca.view.sources import uploads

HERE = Path(__file__).parents[1]

st.set_page_config(page_title="nnspca", page_icon=str(HERE / "assets" / "icon.png"), layout="wide")
session.enter()
st.logo(str(HERE / "assets" / "logo.png"), icon_image=str(HERE / "assets" / "icon.png"), size="large")
page = st.navigation(
    [
        st.Page(HERE / "pages" / "explore.py", title="Explore", icon=":material/search_insights:", default=True),
        st.Page(HERE / "pages" / "parts.py", title="Parts", icon=":material/grid_view:"),
        st.Page(HERE / "pages" / "spannogram.py", title="Spannogram", icon=":material/waves:"),
        st.Page(HERE / "pages" / "learn.py", title="Learn", icon=":material/school:"),
        st.Page(HERE / "pages" / "compare.py", title="Compare", icon=":material/compare:"),
        st.Page(HERE / "pages" / "papers.py", title="Papers", icon=":material/article:"),
        st.Page(HERE / "pages" / "data.py", title="Data", icon=":material/database:"),
    ]
)
counting = sidebar.sidebar(page.url_path or "explore")
with st.sidebar:
    machines.start_processes()
    server.link_to_documents(HERE)
body = st.container()
sidebar.bar(counting)
with body:
    session.current().notes_place = st.container(key="notes")  # once they are all known
    if page.url_path != "data":
        uploads.warn_unused()
    try:
        page.run()
    except nnspca.DataError as problem:  # whatever a page computes, what is wrong with the data is told here
        st.error(sanitize.plain(str(problem)), icon=":material/error:")
    widgets.notes()
