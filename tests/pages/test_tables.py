"""Tables brought to the app: its choices and its first sentence, within one screen and without a control.

Of those of ``tests/test_tables.py`` those about which something is asked, or from which something is left out.
"""

import numpy as np
import pytest

import nnspca
from nnspca.view.data import units
from nnspca.view.link.state import STANDARDISED, default_k
from tests.pages.conftest import brought, files_of, said_at, sent, settle, texts
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


RNG = np.random.default_rng(0)
CHOICES = {
    "units": (np.c_[RNG.normal(size=(40, 1)) + RNG.normal(size=(40, 3)) / 2, 900 * RNG.normal(size=(40, 2))], "units?"),
    "counts": (1 + RNG.poisson(3 * RNG.gamma(1, 9, (30, 1)), (30, 5)), "Counts as they are?"),
    "signs": (RNG.normal(size=(40, 1)) * [1, 1, -1, -1] + RNG.normal(size=(40, 4)) / 3, "opposite directions?"),
}


@pytest.mark.parametrize("name", CHOICES)
def test_each_answer_is_there_and_a_press_takes_it(name, open_page, short_proofs):
    X, title = CHOICES[name]
    lines = [",".join("abcdefgh"[: X.shape[1]]), *(",".join(map(str, row)) for row in X.tolist())]
    page = settle(brought(open_page("pages/data.py"), (f"{name}.csv", "\n".join(lines).encode())))
    (heading,) = [head.value for head in page.subheader if head.value.endswith(title)]
    place = [head.value for head in page.subheader].index(heading)
    takes = [button for button in page.button if str(button.key).startswith(f"take-units-{place}-")]
    assert len(takes) == (3 if name == "counts" else 2) and sum(button.disabled for button in takes) == 1
    assert "carries" in texts(page)
    other = next(button for button in takes if not button.disabled)
    settle(settle(other.click().run()))
    again = page.button(key=other.key)
    assert again.disabled and again.label == "In use"
    (question,) = [question for question in units.QUESTIONS if question.title == heading]
    said = {key: page.session_state[key] for key in next(iter(question.answers.values()))}
    assert said in [{key: list(v) if key == "prep" else v for key, v in a.items()} for a in question.answers.values()]


def test_hellinger_keeps_what_belongs_to_the_samples():
    data = nnspca.datasets.hellinger(nnspca.datasets.read(b"day,a,b,c\nd1,1,2,5\nd2,2,3,5\nd3,4,3,1\n", "counts.csv"))
    assert data.sample_names == ("d1", "d2", "d3")
    np.testing.assert_allclose((data.X**2).sum(axis=1), 1)
