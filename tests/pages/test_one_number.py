"""One problem, one number: what all pages say of a problem, once their runs have ended, is the same."""

import json
import re

import pytest

from nnspca.view.learn import boards
from nnspca.view.say import proven_share
from tests.pages.conftest import played, settle, texts

SHARE = re.compile(r"at least ([\d.]+)\s%\sof the optimum|(proven optimal)", re.I)
pytestmark = pytest.mark.usefixtures("short_proofs")
PROBLEMS = [("lfw-faces", 40, "lfw-faces"), ("digits", 16, "digits")]


def shares(said):
    """The proven shares of the optimum that are stated; sentences of live runs aside."""
    lines = [line.replace("*", "") for line in said.splitlines() if "live" not in line.lower()]
    return {share or "optimal" for share, optimal in SHARE.findall("\n".join(lines))}


def sent(page):
    """All that the components of our own were sent, as text."""
    return [element.proto.json or element.proto.mixed.json for element in page.get("bidi_component")]


@pytest.mark.parametrize(("name", "k", "board"), PROBLEMS)
def test_a_component_has_one_proven_share_on_every_page(open_page, name, k, board):
    problem = {"data": name, "k": k}

    def explore():
        shown = played(settle(open_page("pages/explore.py", **problem)))
        return shown["says"][shown["ks"].index(k)]

    cards = json.loads(next(text for text in sent(open_page("pages/data.py")) if '"cards"' in text))["cards"]
    race = {"what": "solvers", "racers": ["best"], "limit": 1}
    proven = boards.proven(board)
    said = {
        "explore": explore(),
        "card": next(json.dumps(card) for card in cards if card["name"] == name),
        "compare": texts(settle(open_page("pages/compare.py", **problem, **race))),
        "parts": texts(settle(open_page("pages/parts.py", **problem, r=1))),
        "learn": proven_share(proven.lower / proven.upper),
        "explore again": explore(),
    }
    found = {page: shares(words) for page, words in said.items()}
    assert all(len(stated) == 1 for stated in found.values()), found
    assert len(set.union(*found.values())) == 1, found
