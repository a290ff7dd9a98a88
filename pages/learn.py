"""The lesson: try to beat a proof, then see in sixteen chapters how it works."""

import streamlit as st

from nnspca.view.learn import choices, sheet, stage
from nnspca.view.link import state, widgets

state.current()
st.title("Learn")
choices.check()
stage.show()
with widgets.expander(
    choices.KEYS["sheet"], "Teacher's sheet: what to ask, what goes wrong", ":material/school:"
) as fold:
    if fold.open:
        sheet.draw()
