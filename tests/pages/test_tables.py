"""Tables brought to the app: its choices and its first sentence, within one screen and without a control.

Of those of ``tests/test_tables.py`` those about which something is asked, or from which something is left out.
"""

import pytest

from nnspca.view.link.state import STANDARDISED, default_k
from tests.pages.conftest import brought, files_of, said_at, sent, settle
from tests.tables import TABLES

pytestmark = pytest.mark.usefixtures("short_proofs", "read_here")

ASKED = ("digits", "gapminder", "people", "school")


@pytest.mark.parametrize("name", ASKED)
def test_a_table_that_is_dropped_is_answered_in_words(open_page, name):
    table = TABLES[name]
    page = brought(open_page("pages/data.py"), (table.filename, table.make()))
    if table.missing != "refuse":
        settle(page.selectbox(key="desk-missing").set_value(table.missing).run())
    (box,) = page.success
    (data,) = page.session_state["session"].uploads.values()
    assert (page.session_state["scale"] == STANDARDISED) == table.standardised and page.session_state[
        "scale"
    ] in box.value
    assert not set(table.left_out) & set(data.feature_names)
    k = default_k(data.n_features)
    shown = settle(open_page("pages/explore.py", data=data.name, k=k, ks=str(k), **files_of(page)))
    said = said_at(shown, k)
    assert said.startswith(table.says.split(",")[0].split(" and ")[0])
    assert f"{k} of {data.n_features} " in said and not shown.warning


def test_samples_and_features_are_called_by_their_names_and_a_feature_is_asked_about_by_its_own(open_page):
    table = TABLES["people"]
    kept = files_of(brought(open_page("pages/data.py"), (table.filename, table.make())))
    shown = settle(
        open_page("pages/explore.py", {"why": 5}, data="people", k=3, ks="3", samples=True, these=True, **kept)
    )
    highest = next(frame.value for frame in shown.dataframe if "name" in frame.value)
    assert highest["name"].str.match(r"Person \d{3}").all()
    listed = next(frame.value for frame in shown.dataframe if "loading" in frame.value)
    assert list(listed["feature"][:3]) == ["income", "rent", "spend"] and "coffee" in set(listed["feature"])
    why = sent(shown, "play")["why"]
    assert why["feature"] == 4 and "height_cm" in why["asks"]
