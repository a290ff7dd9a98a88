"""Where an answer hangs on a choice about the numbers, both answers stand side by side, and one press takes one."""

import numpy as np
import pytest

import nnspca
from nnspca.view.data import units
from tests.pages.conftest import brought, settle, texts

RNG = np.random.default_rng(0)
TABLES = {
    "units": (np.c_[RNG.normal(size=(40, 1)) + RNG.normal(size=(40, 3)) / 2, 900 * RNG.normal(size=(40, 2))], "units?"),
    "counts": (1 + RNG.poisson(3 * RNG.gamma(1, 9, (30, 1)), (30, 5)), "Counts as they are?"),
    "signs": (RNG.normal(size=(40, 1)) * [1, 1, -1, -1] + RNG.normal(size=(40, 4)) / 3, "opposite directions?"),
}


@pytest.mark.parametrize("name", TABLES)
def test_each_answer_is_there_and_a_press_takes_it(name, open_page, short_proofs):
    X, title = TABLES[name]
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
