"""One problem, one number: what all pages say of a problem, folds, charts, race and live runs included, is the same."""

import json
import re

import pytest

from nnspca import datasets
from nnspca.result import rounded
from nnspca.result.rounded import proven_share
from nnspca.studies import STUDIES
from nnspca.view.compare import sets
from nnspca.view.learn import boards
from nnspca.view.link import state
from nnspca.view.link.state import AS_IS
from tests.benchmarks import certificates
from tests.pages.conftest import PATIENCE, jobs, played, redrawn, said_at, settle, subject, texts, traces

SHARE = re.compile(r"at least ([\d.]+)\s%\sof the optimum|(proven optimal)", re.I)
EXPLAINED = re.compile(r"explains? ([\d.]+)\s% of the total variance")
MOST = re.compile(r"proven maximum is ([\d.]+)\s%")
pytestmark = pytest.mark.usefixtures("short_proofs")
PAPERS = {"asteris2014-fig4": "cbcl-faces", "asteris2014-fig5": "leukemia", "asteris2014-fig6": "lrs"}
BOARDS = {("lfw-faces", 40), ("digits", 16)}
OPENINGS = {*BOARDS, ("pitprops", 4), ("synthetic-spiked", 30)}
PROBLEMS = [
    *[("lfw-faces", k, "standardised") for k in (8, 33, 40)],
    *[("digits", k, "as is") for k in (2, 9, 16)],
    *[("pitprops", k, "as is") for k in (4, 6)],
    *[("synthetic-spiked", k, "as is") for k in (10, 30)],
]


def shares(said):
    """The proven shares of the optimum that are stated; sentences of live runs and of a looser certificate aside."""
    lines = [line.replace("*", "") for line in said.splitlines() if "live" not in line.lower()]
    return {share or "optimal" for share, optimal in SHARE.findall("\n".join(lines))}


def cards(page):
    """The cards of data sets, by name."""
    sent = [element.proto.json or element.proto.mixed.json for element in page.get("bidi_component")]
    return {card["name"]: card for card in json.loads(next(text for text in sent if '"cards"' in text))["cards"]}


@pytest.mark.parametrize(("name", "k", "scale"), PROBLEMS)
def test_a_component_has_the_same_numbers_on_every_page(open_page, name, k, scale):
    problem = {"data": name, "k": k, "scale": scale}
    page = open_page("pages/explore.py", **problem)
    first = said_at(page, k)
    page.button(key="start-explore").click().run()
    page.session_state["proof"] = True
    page = settle(page)
    assert said_at(page, k) == first or shares(said_at(page, k)) == {"optimal"}  # a live run changes nothing for worse
    shown = played(page)
    raced = open_page("pages/compare.py", **problem, what="solvers", racers=["best"], seed=1)
    said = {
        "explore": said_at(page, k),
        "its folds": "\n".join(line for line in texts(page).splitlines() if "What was proven" not in line),
        "parts": texts(open_page("pages/parts.py", **problem, r=1)),
        "race": texts(settle(raced.button(key="start-race").click().run())),
    }
    if (name, k) in OPENINGS:
        stored = open_page("pages/compare.py", **problem)
        assert not jobs(stored)
        said["stored race"] = texts(stored)
    card = cards(open_page("pages/data.py"))[name]
    if f"k = {k}:" in card["foot"]:
        said["card"] = card["foot"]
    if (name, k) in BOARDS:
        proven = boards.proven(name)
        said["learn"] = proven_share(proven.lower, proven.upper)
    stated = {where: shares(words) for where, words in said.items()}
    (share,) = stated["explore"]
    assert all(found <= {share} for found in stated.values()), stated
    assert all(stated[where] for where in said if where not in ("its folds",)), stated
    for pattern in (EXPLAINED, MOST):
        found = {where: set(pattern.findall(said[where])) for where in ("explore", "parts")}
        assert len(set.union(*found.values())) <= 1, found
    at, band = shown["ks"].index(k), shown["band"]
    ring = band["optimal"][band["ks"].index(k)]
    assert ring == (share == "optimal") == (shown["gaps"][at] <= rounded.OPTIMAL)
    known = subject(name, k=k, scale=scale).known_at()
    assert bool(shown["closed"]) == any(band["optimal"])
    assert (known.carried is None) == shown["proven"][at] and f"({known.source})" in said["explore"]
    other = "digits" if name != "digits" else "pitprops"
    beside = traces(open_page("pages/compare.py", what=state.SETS, vs=[name, other], **problem), "together")
    (gaps,) = [dict(t["customdata"]) for t in beside if t.get("name") == sets.labels()[name] and t.get("yaxis") == "y2"]
    if (gap := gaps.get(k)) is not None:
        assert ring == (gap == "proven optimal")
        assert ring or float(gap.split()[-2]) >= 100 * shown["gaps"][at] - 1e-4


@pytest.mark.parametrize(("study", "name"), PAPERS.items())
def test_what_papers_say_is_proven_is_what_explore_says(open_page, study, name):
    if name not in {info.name for info in datasets.available() if info.local}:
        pytest.skip(f"{name} is not on this machine")
    shown = STUDIES[study]
    page = open_page("pages/papers.py", paper=shown.source.short, **{shown.paper: f"{shown.figure}: {shown.title}"})
    about = subject(name)
    (marks,) = [trace for trace in traces(page, f"{study}-variance") if trace.get("name") == "upper bound, proven"]
    known = about.known_along(marks["x"])
    uppers = [100 * known[k].upper / about.cov.eigenpairs(1)[0][0] for k in marks["x"]]
    assert all(
        0 <= float(said.split()[0]) - upper <= 0.1 for said, upper in zip(marks["customdata"], uppers, strict=True)
    )
    for k in marks["x"]:
        explored = open_page("pages/explore.py", data=name, k=k, scale=AS_IS)
        for job in jobs(explored):  # which finds more while the page is drawn
            job.stop()
            assert job.wait(PATIENCE)
        said, best = said_at(redrawn(explored), k), about.known_at(k)
        assert shares(said) == shares(proven_share(best.lower, best.upper))


@pytest.mark.parametrize("file", [certificates.README, certificates.PAGE], ids=["README", "benchmarks"])
def test_documents_have_the_numbers_of_the_ledger(file):
    """If not: ``python -m tests.benchmarks.certificates --stored`` writes them."""
    text = file.read_text(encoding="utf-8")
    assert certificates.with_stored(text) == text
