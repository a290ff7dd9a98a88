"""Learn: try to beat a proof, then see in eight chapters how it works."""

import streamlit as st

from nnspca.view.learn import stage, web
from nnspca.view.link import state, widgets

now = state.current()
st.title("Learn")
stage.check()
stage.show()
web.offer(now.data)
with widgets.expander(
    stage.KEYS["sheet"], "Teacher's sheet: what to ask, what goes wrong", ":material/school:"
) as fold:
    if fold.open:
        stage.sheet()
