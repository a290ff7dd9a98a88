"""Learn: try to beat a proof, then see in eight chapters how it works."""

import streamlit as st

from nnspca.view.learn import stage
from nnspca.view.link import state, widgets

state.current()
st.title("Learn")
stage.check()
stage.show()
with widgets.expander(
    stage.KEYS["sheet"], "Teacher's sheet: what to ask, what goes wrong", ":material/school:"
) as fold:
    if fold.open:
        stage.sheet()
