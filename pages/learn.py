"""Learn: try to beat a proof, then see in eight chapters how it works."""

import streamlit as st

from nnspca.view.learn import chapters, web
from nnspca.view.link import state

now = state.of_sidebar()
st.title("Learn")
chapters.show()
web.room_button(now.data)
