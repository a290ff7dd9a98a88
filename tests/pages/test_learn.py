"""The lesson's words and numbers: each told by the library, none flattering, all addresses true."""

import json
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

import nnspca
from nnspca.spannogram import curves
from nnspca.view.learn import boards, stage
from nnspca.view.learn.words import STEPS
from nnspca.view.ledger import opened_as, records
from nnspca.view.link import canvas, state
from tests.pages.conftest import ROOT

BROWSER = Path(stage.BROWSER)


@pytest.fixture(scope="module")
def lesson():
    return stage.content(("faces", "digits"))


def test_every_chapter_has_a_name_one_idea_one_figure_one_question_and_no_gap_in_its_words(lesson):
    drawn = set(re.findall(r"FIGURES\.(\w+) = ", "".join((BROWSER / name).read_text() for name in stage.FIGURES)))
    assert [step.figure for step in STEPS] == list(lesson["figures"])
    assert drawn == set(lesson["figures"])
    assert len({step["name"] for step in lesson["steps"]}) == len(STEPS)
    for step in lesson["steps"]:
        said = " ".join([step["idea"], step["question"], step["answer"], *(meaning for _, meaning in step["symbols"])])
        assert not re.search(r"\{[a-z]+\}|None|nan", said), said
        assert step["question"].endswith("?")
        assert said.count("**") % 2 == 0
    assert state.keys_of("learn")["step"].high == len(STEPS) - 1


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.figure)
def test_the_way_deeper_leads_to_a_page_that_takes_what_the_link_says(step):
    address = urlsplit(step.deeper[1])
    page = address.path.removeprefix("./") or "explore"
    assert (ROOT / "pages" / f"{page}.py").exists()
    for key, values in parse_qs(address.query, strict_parsing=bool(address.query)).items():
        entry = (state.SHARED | state.keys_of(page))[key]
        names = [info.name for info in nnspca.datasets.available()] if key in ("data", "vs") else None
        assert entry.read(values, options=names)[1], (key, values)


def test_the_page_tells_what_of_a_link_is_no_use(open_page):
    page = open_page("pages/learn.py", {"step": "99", "board": "cats"})
    assert page.title[0].value == "Learn"
    notes = "".join(note for _, note in page.session_state["session"].notes.values())
    assert "“99” cannot be used here (a whole number from 0 to 8); showing 0." in notes
    assert "“cats” cannot be used here (faces, digits, spectra)" in notes


@pytest.mark.parametrize("board", ["faces", "digits"])
def test_the_bundled_answer_of_a_board_is_feasible_and_its_bound_above_whatever_is_found(board):
    name = boards.BOARDS[board]
    known, data, cov = boards.proven(name), nnspca.datasets.load(name), boards.covariance(name)
    assert records()[opened_as(name)].content_hash == data.content_hash
    x = np.zeros(cov.n_features)
    x[list(known.support)] = known.loadings
    assert (x >= 0).all()
    assert np.count_nonzero(x) <= boards.usual_k(name)
    assert np.linalg.norm(x) == pytest.approx(1, abs=1e-12)
    assert known.lower == pytest.approx(cov.variance(x), rel=1e-12)
    assert known.lower <= known.upper <= known.whole * (1 + 1e-9)
    for method, seed in (("best", 7), ("em", 1), ("thresholding", 0), ("greedy", 0)):
        assert nnspca.solve(cov, boards.usual_k(name), method, seed=seed).variance <= known.upper


def test_a_board_that_the_ledger_does_not_know_is_solved_once(monkeypatch):
    monkeypatch.setattr(boards, "problem", lambda name: ("other", False, True))
    asked, certify = [], nnspca.certify
    monkeypatch.setattr(nnspca, "certify", lambda cov, k: asked.append(k) or certify(cov, k))
    boards._compute.clear()
    first, again = boards.proven("digits"), boards.proven("digits")
    boards._compute.clear()
    assert asked == [16]
    assert (first.lower, first.upper) == (again.lower, again.upper)
    assert 0 < first.lower <= first.upper


def test_what_travels_to_the_browser_is_the_covariance():
    for board in ("faces", "digits"):
        name = boards.BOARDS[board]
        Z, cov, some = boards.samples(name), boards.covariance(name), np.arange(0, 64, 7)
        np.testing.assert_allclose((Z.T @ Z)[np.ix_(some, some)], cov.block(some, some), rtol=1e-9, atol=1e-9)
        sent = boards.payload(board)
        assert ("samples" in sent) == (Z.shape[0] < Z.shape[1])
        assert sent["k"] == boards.usual_k(name)
    assert set(boards.at_hand()) >= {"faces", "digits"}
    assert len(json.dumps(stage.content(tuple(boards.at_hand())))) < 700_000, "small enough for a class"


def test_every_bound_of_the_matrix_holds_for_every_pair_and_the_last_is_reached():
    told = stage.matrix()
    A, M = np.array(told["A"]), np.array(told["M"])
    assert np.linalg.eigvalsh(A).min() > 0
    pairs = [max(np.linalg.eigvalsh(A[np.ix_(p, p)])[-1] if A[p[0], p[1]] > 0 else A[p[0], p[0]], A[p[1], p[1]])
             for p in map(list, combinations(range(4), 2))]  # fmt: skip
    assert told["optimum"] == pytest.approx(max(pairs), rel=1e-12) == pytest.approx(7)
    facts = {key: float(value) for key, value in told["facts"].items()}
    assert all(facts[key] >= max(pairs) - 1e-9 for key in ("leading", "rows", "split", "shared"))
    assert facts["rows"] > facts["leading"] > facts["split"] > facts["shared"] == facts["optimum"] == 7
    assert all(M[i, j] * M[j, i] >= max(A[i, j], 0) ** 2 for i, j in combinations(range(4), 2))
    assert all(A[i, i] + M[i].max() <= 7 for i in range(4))


def test_the_cloud_agrees_with_a_fine_search():
    points = np.array(stage.CLOUD)
    A = np.cov(points.T, bias=True)
    quarter = np.linspace(0, np.pi / 2, 2001)
    c = np.stack([np.cos(quarter), np.sin(quarter)])
    facts = stage.cloud()["facts"]
    assert float(facts["ours"]) == pytest.approx(np.einsum("it,ij,jt->t", c, A, c).max(), abs=0.01)
    assert facts["mixes"]


def test_the_curves_of_the_lesson_hold_their_optimum_and_their_counts():
    told = stage.rank_two()
    V, k = np.array(told["V"]), told["k"]
    best = max(curves.optimum(V[list(some)], k).value for size in (1, 2) for some in combinations(range(len(V)), size))
    assert told["optimum"][1] == pytest.approx(best, rel=1e-9)
    assert told["facts"]["candidates"] < told["facts"]["supports"]


def test_a_result_of_a_board_reaches_every_chapter_through_one_door(monkeypatch):
    """Redirecting ``boards.proven`` changes each number that the lesson shows of them."""
    best, first = boards.proven(stage.FACES), stage.leading()[0][0]
    other = replace(best, lower=0.2 * first, upper=0.25 * first)
    monkeypatch.setattr(boards, "proven", lambda name: other)
    assert stage.pca()["facts"]["ours"] == "20.0 %"
    assert stage.paint(["faces"])["facts"]["share"] == "80.0 %"
    board = boards.payload("faces")
    assert (board["solver"]["variance"], board["upper"]) == (other.lower, other.upper)


def test_the_faces_of_pca_are_its_eigenvectors_and_keep_what_is_said_and_our_parts_share_no_pixel():
    told, cov = stage.pca(), boards.covariance(stage.FACES)
    values, vectors = stage.leading()
    np.testing.assert_allclose(cov.variance(vectors.T), values, rtol=1e-9)
    x = np.zeros(cov.n_features)
    heavy = np.argsort(-np.abs(vectors[:, 0]))[:40]
    x[heavy] = vectors[heavy, 0]
    kept = cov.variance(x / np.linalg.norm(x)) / values[0]
    assert float(told["facts"]["cut"].split()[0]) == pytest.approx(100 * kept, abs=0.1)
    assert kept * values[0] < boards.proven(stage.FACES).lower
    assert canvas.pack(vectors.T, "f4") == told["vectors"]
    found = boards.parts()[1]
    assert len(found) == 6 and (found >= 0).all()
    assert ((found > 0).sum(axis=0) <= 1).all(), "parts share no pixel"
    assert (np.count_nonzero(found, axis=1) <= 40).all()
