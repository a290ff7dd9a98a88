"""Learn: try to beat a proof, then see in eight chapters how it works."""

import streamlit as st

from nnspca.view.learn import stage, web
from nnspca.view.link import state

now = state.current()
st.title("Learn")
stage.check_link()
stage.show()
web.offer(now.data)
