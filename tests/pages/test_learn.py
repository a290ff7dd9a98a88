"""The lesson's words and numbers: each told by the library, none flattering, all addresses true."""

import json
import math
import re
from itertools import combinations

import numpy as np
import pytest

import nnspca
from nnspca.result.rounded import RAISED, proven_share
from nnspca.spannogram import curves
from nnspca.view.learn import boards, chapters
from nnspca.view.learn.__main__ import page
from nnspca.view.learn.chapters import CHAPTERS
from nnspca.view.link import canvas, state
from tests import lesson, oracle

PLAIN = {raised: plain for plain, raised in RAISED.items()}


def is_said(value, words, digits=1):
    """Whether words begin with a value, rounded down."""
    return 0 <= value - float(words.split()[0]) < 10**-digits


def is_power(value, raised):
    """Whether a raised exponent is that of the largest power of ten not above a value."""
    return 10 ** int(raised.translate(PLAIN)) <= value < 10 ** (int(raised.translate(PLAIN)) + 1)


def test_every_chapter_has_a_name_one_idea_one_figure_one_question_and_no_gap_in_its_words():
    whole = chapters.content(("faces", "digits"))
    drawn = set(
        re.findall(r"FIGURES\.(\w+) = ", "".join((chapters.BROWSER / name).read_text() for name in chapters.FIGURES))
    )
    assert [step["figure"] for step in CHAPTERS] == list(whole["figures"])
    assert drawn == set(whole["figures"])
    assert len({step["name"] for step in whole["steps"]}) == len(CHAPTERS)
    for step in whole["steps"]:
        words = " ".join([step["idea"], step["question"], step["answer"], *(meaning for _, meaning in step["symbols"])])
        assert not re.search(r"\{[a-z]+\}|None|nan", words), words
        assert step["question"].endswith("?")
        assert words.count("**") % 2 == 0
        if asked := step.get("predict"):
            answer = whole["figures"][step["figure"]]["answer"]
            assert not re.search(r"\{[a-z]+\}", asked["ask"])
            assert asked.get("low", 0) <= answer <= asked.get("high", len(asked.get("options", ())) - 1), asked
    alone = page()
    assert all(re.search(rf"\b{what}\b", alone) for what in ("FIGURES", "Lesson", "digits")) and "://" not in alone
    assert state.keys_of("learn")["step"].high == len(CHAPTERS) - 1


@pytest.mark.parametrize("step", CHAPTERS, ids=lambda step: step["figure"])
def test_the_way_deeper_leads_to_a_page_that_takes_what_the_link_says(step):
    lesson.assert_known(step["deeper"][1].format(**boards.facts("faces")))


def test_the_page_tells_what_of_a_link_is_no_use(open_page):
    page = open_page("pages/learn.py", {"step": "99", "board": "cats"})
    assert page.title[0].value == "Learn"
    assert {"step", "board"} <= {key for _, key in page.session_state["session"].notes}


def test_a_board_that_the_ledger_does_not_know_is_solved_once(monkeypatch):
    monkeypatch.setattr(boards, "problem", lambda name: ("other", False, True))
    asked, certify = [], nnspca.certify
    monkeypatch.setattr(nnspca, "certify", lambda cov, k: asked.append(k) or certify(cov, k))
    boards.solve_board.clear()
    first, again = boards.proven("digits"), boards.proven("digits")
    boards.solve_board.clear()
    assert asked == [16]
    assert (first.lower, first.upper) == (again.lower, again.upper)
    assert 0 < first.lower <= first.upper


def test_what_travels_to_the_browser_is_the_covariance():
    for board in ("faces", "digits"):
        name = boards.BOARDS[board]
        Z, cov, some = boards.samples(name), boards.opening_covariance(name), np.arange(0, 64, 7)
        np.testing.assert_allclose((Z.T @ Z)[np.ix_(some, some)], cov.block(some, some), rtol=1e-9, atol=1e-9)
        sent = boards.payload(board)
        assert ("samples" in sent) == (Z.shape[0] < Z.shape[1])
        assert sent["k"] == boards.board_k(name)
    assert set(boards.at_hand()) >= {"faces", "digits"}
    assert len(json.dumps(chapters.content(tuple(boards.at_hand())))) < 700_000  # small enough for a class


@pytest.mark.parametrize("board", ["faces", "digits", "spectra"])
def test_the_game_says_of_each_board_its_own_choices_and_what_row_sums_and_the_best_proof_prove(board):
    name, facts, words = boards.BOARDS[board], boards.facts(board), chapters.chapter(CHAPTERS[0], boards.facts(board))
    cov, best, k = boards.opening_covariance(name), boards.proven(name), boards.board_k(name)
    assert (facts["n"], facts["k"]) == (cov.n_features, k)
    assert boards.payload(board)["upper"] == best.upper
    assert proven_share(best.lower / best.upper) == facts["share"]
    assert is_power(math.comb(cov.n_features, k), facts["power"])
    assert f"data={name}&k={k}&" in words["deeper"][1]
    assert all(str(facts[key]) in words["question"] for key in ("n", "k", "power", "noun"))
    shares = np.maximum(cov.matrix, 0) - np.diag(cov.diagonal)
    weights = np.abs(cov.eigenpairs(1)[1][:, 0]) + 1e-6
    some = lesson.checked(cov.matrix, shares * weights / weights[:, None], math.inf, k)
    assert some["signs"] and some["products"]
    assert best.upper * (1 - 1e-9) <= boards.row_sums(name) <= some["most"]
    assert is_said(100 * best.lower / boards.row_sums(name), facts["rows"])


def test_what_chapters_1_to_3_say_of_faces_holds_of_their_loadings_and_of_the_choices():
    cov, k, best = boards.opening_covariance(chapters.FACES), 40, boards.proven(chapters.FACES)
    values, vectors = chapters.leading()
    facts, told = chapters.pca()["facts"], chapters.ghosts()["facts"]
    np.testing.assert_allclose(cov.variance(vectors.T), values, rtol=1e-9)
    assert canvas.pack(vectors.T, "f4") == chapters.pca()["vectors"]
    assert (vectors != 0).all()  # PCA's components load on every pixel
    minus = (np.minimum(vectors, 0) ** 2).sum(axis=0)
    assert minus[0] < 1e-3 and (minus[1:] > 0.2).all()  # all but the first mix signs
    heavy = np.argsort(-np.abs(vectors[:, 0]))[:k]
    block, cut = cov.block(heavy, heavy), vectors[heavy, 0] / np.linalg.norm(vectors[heavy, 0])
    assert is_said(100 * cut @ block @ cut / values[0], facts["cut"])
    assert is_said(100 * best.lower / values[0], facts["ours"])
    assert np.linalg.eigvalsh(block)[-1] < best.lower  # whatever the loadings on PCA's largest, the solver's have more
    nmf, ours = boards.nmf_and_best()
    for name, rows in (("pca", vectors.T), ("nmf", nmf)):
        used = np.mean([(np.abs(rows[:, i]) > 0.05 * np.abs(rows).max(axis=1)).sum() for i in range(cov.n_features)])
        assert is_said(used, told[name])
    assert (
        ((nmf > 0).mean(axis=1) > 0.5).all()
        and (ours >= 0).all()
        and (np.count_nonzero(ours, axis=1) <= told["k"]).all()
    )
    assert ((ours > 0).sum(axis=0) <= 1).all()  # parts share no pixel
    facts, ways = chapters.counting(625, 40)["facts"], math.comb(625, 40)
    assert is_power(ways, facts["power"]) and is_power(ways / (10**9 * 86400 * 365.25), facts["years_power"])


def test_the_board_of_faces_is_standardised_and_its_best_pixels_are_one_patch():
    """Exercise 1 of the guide for teachers."""
    np.testing.assert_allclose(boards.opening_covariance(chapters.FACES).diagonal, 1, rtol=1e-12)
    columns, left = chapters.image_shape()["columns"], set(boards.proven(chapters.FACES).component.support)
    patch = [left.pop()]
    for i in patch:
        near = {i - columns, i + columns, *({i - 1} if i % columns else ()), *({i + 1} if (i + 1) % columns else ())}
        patch += near & left
        left -= near
    assert not left


def test_the_cloud_of_chapter_4_agrees_with_a_fine_search():
    A = np.cov(np.array(chapters.CLOUD).T, bias=True)
    turn = np.linspace(0, 2 * np.pi, 8001)
    along = (np.stack([np.cos(turn), np.sin(turn)]) * (A @ np.stack([np.cos(turn), np.sin(turn)]))).sum(axis=0)
    facts = chapters.cloud()["facts"]
    assert float(facts["pca"]) == pytest.approx(along.max(), abs=0.01)
    assert float(facts["ours"]) == pytest.approx(along[:2001].max(), abs=0.01)
    assert along[:2001].max() == pytest.approx(A.diagonal().max())  # one feature alone
    assert float(facts["covariance"].replace("−", "-")) == pytest.approx(A[0, 1], abs=0.01) and A[0, 1] < 0


def turned(V, k):
    """Every angle of a whole turn at which two curves meet or one is zero, and the set of the k highest after each."""
    rows = [*V, *(a - b for a, b in combinations(V, 2))]
    at = np.sort([(np.arctan2(-b, a) + turn) % (2 * np.pi) for a, b in rows for turn in (0, np.pi)])
    middle = (at + np.append(at[1:], at[0] + 2 * np.pi)) / 2
    curves = np.stack([np.sin(middle), np.cos(middle)], axis=1) @ V.T
    return at, [frozenset(i for i in np.argsort(-row)[:k] if row[i] > 0) for row in curves]


@pytest.mark.parametrize("told", [chapters.rank_two, chapters.changes], ids=["chapter 5", "chapter 6"])
def test_crossings_changes_and_sets_of_a_whole_turn_are_those_counted_one_by_one(told):
    told = told()
    facts, k = told["facts"], told["k"]
    V = np.array(told["V"])[: told.get("n")]
    angles, sets = turned(V, k)
    assert len(angles) == len(V) * (len(V) + 1)
    assert facts["candidates"] == len(set(sets) - {frozenset()})
    assert int(str(facts["supports"]).replace(",", "")) == sum(math.comb(len(V), size) for size in range(1, k + 1))
    if "crossings" in facts:
        assert int(facts["crossings"].replace(",", "")) == len(angles)
        assert facts["changes"] == sum(one != other for one, other in zip(sets, [sets[-1], *sets], strict=False))
    if "best" in facts:
        best = max(curves.optimum(V[list(some)], k).value for some in combinations(range(len(V)), k))
        assert told["optimum"][1] == pytest.approx(best, rel=1e-9) and is_said(best, facts["best"], 2)


def test_the_bounds_of_chapter_7_hold_for_every_feasible_x_and_the_last_two_for_no_others():
    told = chapters.matrix()
    A, k, pair = np.array(told["A"]), told["k"], nnspca.solve(nnspca.Covariance.from_matrix(told["A"]), 2, "exact")
    assert np.linalg.eigvalsh(A).min() > 0
    facts = {key: float(told["facts"][key]) for key in ("leading", "rows", "split", "shared", "optimum")}
    assert max(oracle.optimum(A, k)[0], pair.variance) == pytest.approx(7) == facts["optimum"] == facts["shared"]
    assert facts["rows"] > facts["leading"] > facts["split"] > facts["shared"]
    x = np.linalg.eigh(A)[1][:, -1]
    assert facts["split"] < x @ A @ x <= facts["leading"] < x @ A @ x + 0.01  # bounds 3 and 4 are for few nonzeros
    assert facts["rows"] == (A.diagonal() + np.maximum(A - np.diag(A.diagonal()), 0).max(axis=1)).max()
    excess = np.linalg.eigvalsh(np.maximum(A - chapters.CUT, 0))[-1]
    assert facts["split"] == pytest.approx(excess + chapters.CUT * k, abs=0.01)


def test_the_certificates_of_chapter_8_pass_their_three_tests():
    told, small = chapters.check(), chapters.small_face()
    A, M, k = np.array(told["A"]), np.array(told["M"]), told["k"]
    assert all(lesson.checked(A, M, 7.0, k).values())
    faces = boards.facts("faces")
    assert [told["facts"][key] for key in ("faces", "pixels", "others", "share")] == [625, 40, 39, faces["rows"]]
    L, M, X = np.array(small["L"]), np.array(small["M"]), nnspca.datasets.load("lfw-faces").X.reshape(-1, 5, 5, 5, 5)
    assert all(lesson.checked(L, M, small["claim"], small["k"]).values()) and (L == L.T).all()
    A = np.corrcoef(X.mean(axis=(2, 4)).reshape(-1, 25).T)
    assert np.linalg.eigvalsh(L / 100 - A)[0] > 1e-6  # what a computer checks
    some = np.array(list(combinations(range(25), small["k"])))
    best = np.linalg.eigvalsh(A[some[:, :, None], some[:, None, :]])[:, -1].max()
    assert small["lower"] <= 100 * best <= small["claim"]
    assert is_said(100 * 100 * best / small["claim"], told["facts"]["reach"])
