"""Links: those that were handed out keep opening what they opened, and no value of one breaks a page.

A key says one thing on every page, and what a person chooses is in the address by its name.
"""

import json
import logging
from collections import defaultdict
from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

import nnspca
from nnspca.result import rounded
from nnspca.view.explore import choices
from nnspca.view.link import state
from tests.pages.conftest import PATIENCE, ROOT, alone, played, redrawn, said_at, says, settle, subject, texts
from tests.pages.test_sanitize import LURES, alive

pytestmark = pytest.mark.usefixtures("short_proofs")

DATA = [info.name for info in nnspca.datasets.available()]


@pytest.fixture(scope="module", autouse=True)
def lesson():
    """Chapter 8 shows a proof that short ones have not: it is made, and kept, before they are short."""
    redrawn(AppTest.from_file(str(ROOT / "pages/learn.py"), default_timeout=PATIENCE))


# Links that are handed out, with the state that a page's own link is opened over.
DIGITS, PITPROPS = {"data": "digits", "k": 5}, {"data": "pitprops", "k": 4}
LINKS = [
    ("main", {}, "data=digits&scale=standardised&sign=any+sign&k=9&d=2&seed=5&method=em&em.restarts=3&proof=true"),
    ("main", {}, "method=epsilon-net&epsilon-net.epsilon=0.05&epsilon-net.max_samples=2000"),
    ("explore", PITPROPS, "method=thresholding&methods=best&methods=thresholding&ks=2%2C+5&proof=true"),
    ("explore", {"data": "lrs", "k": 4}, "samples=true&why=90&method=em"),
    ("parts", DIGITS, "r=3&apart=quasi-orthogonal&with=em&angle=80&use=true&from=em&sample=5&used=2"),
    ("parts", PITPROPS, "r=2&apart=joint&with=coordinate-descent&alpha=10.0"),
    ("parts", PITPROPS, "r=2&proven=true"),
    ("spannogram", {}, "curves=random&dimensions=2%3A+a+circle&n=9&top=3&phi=1.25&speed=0.5"),
    ("spannogram", DIGITS, "curves=data+set"),
    ("spannogram", DIGITS, "curves=data+set&dimensions=3%3A+a+sphere&cells=true&round=1"),
    ("compare", {}, "what=data+sets&vs=pitprops&vs=digits&take=true"),
    ("compare", PITPROPS, "racers=em&racers=best&take=true"),
    ("papers", {}, "paper=Zass+%26+Shashua+2006&zass2006=Fig.+4%3A+Finding+faces+by+ten+features"),
    ("learn", {}, "step=8&at=3_1_2"),
    ("learn", {}, "board=digits&painted=AAgMDh4eGAA&best=AAgMDh4eGAA"),
]
IN_THE_BROWSER = {entry.key for entry in state.TABLE if entry.by_browser} | {"angle"}


@pytest.mark.parametrize(("name", "given", "link"), LINKS, ids=[f"{name}?{link}" for name, _, link in LINKS])
def test_a_link_opens_what_it_says(open_page, name, given, link):
    said = parse_qs(link)
    page = open_page(f"pages/{name}.py", said, **given)
    if said.keys() & {"proof", "more", "samples", "round", "take", "proven", "use", "others"}:
        settle(page)  # these controls stand below what a run brings
    entries = state.SHARED | state.keys_of("explore" if name == "main" else name)
    options = {"from": ["em"], "data": DATA, "vs": DATA}
    for key in said.keys() & entries.keys() - IN_THE_BROWSER:
        value, whole = entries[key].read(said[key], options=options.get(key))
        memory = page.session_state["session"].memory
        held = page.session_state[key] if key in page.session_state else memory[entries[key].pages, key]
        assert whole and held in (value, list(value) if isinstance(value, tuple) else value), key
    for key in said.keys() - entries.keys():  # an option of a solver
        assert page.session_state[key] == float(said[key][0])
    assert not page.session_state["session"].notes and not [note for note in page.info if "ignored" in note.value]


def test_a_name_that_nothing_has_is_told_as_ignored_and_known_ones_are_not(open_page):
    page = open_page(data="pitprops", k=4, vs="digits", ghost="true", flavour="red", embed="true")
    assert [page.session_state[key] for key in ("data", "k")] == ["pitprops", 4]
    (note,) = [note.value for note in page.info if "ghost" in note.value]
    assert "flavour" in note and "embed" not in note and "vs" not in note


HOSTILE = ["inf", "-inf", "nan", "1e309", "-1e309", "1e300", "9" * 400, "", "٤٠", "٤٠.٥", "0x10", "1_0", "-1", "0.5"]
HOSTILE += ["\x00", LURES[0], LURES[2], LURES[6]]
# Each link of a page is opened in a turn of its own, in which the keys say something else.
PAGES = {
    "main": ["method=em&samples=true", "proof=true", "more=true"],
    "explore": ["method=em&samples=true", "method=best&proof=true", "method=epsilon-net&more=true&hold=true"],
    "parts": ["apart=joint&with=coordinate-descent", "apart=quasi-orthogonal&use=true", ""],
    "spannogram": ["curves=random", "curves=data+set", "dimensions=3%3A+a+sphere"],
    "compare": ["what=data+sets", ""],
    "papers": ["paper=Sigg+%26+Buhmann+2008", ""],
    "data": ["", ""],
    "learn": ["", ""],
}


@pytest.mark.parametrize(
    ("name", "turn", "link"), [(name, turn, link) for name, links in PAGES.items() for turn, link in enumerate(links)]
)
def test_no_value_of_a_link_breaks_a_page_comes_alive_or_logs_an_error(open_page, name, turn, link, caplog):
    """Every key at once says something it may not say, each turn something else."""
    own = [key for page in state.PAGES for key in state.keys_of(page)] if name == "main" else state.keys_of(name)
    said = parse_qs(link)
    wrong = [key for key in dict.fromkeys([*state.SHARED, *own]) if key not in said]
    said |= {key: HOSTILE[(at + turn * 5) % len(HOSTILE)] for at, key in enumerate(wrong)}
    page = open_page(f"pages/{name}.py", said, **({} if name == "main" else {"data": "pitprops", "k": 4}))
    if name == "main":
        assert says(page.info, page.session_state["session"].lost)
    else:
        settle(page)
    assert not alive(page)
    assert not [told for told in caplog.records if told.levelno >= logging.ERROR]


@pytest.mark.parametrize(
    "link",
    [
        {"seed": "inf", "scale": "", "best.leaders": "inf", "proof": "nan", "k": "inf"},
        {"k": "9" * 400, "method": "magic", "sign": "upside down", "why": "900"},
        {"k": "٤", "method": "em", "em.restarts": "-4"},
    ],
)
def test_a_note_says_the_value_given_those_allowed_and_the_one_shown_on_a_page_that_works(open_page, link):
    page = settle(open_page(data="pitprops", **link))
    told = [note for _, note in page.session_state["session"].notes.values()] + [info.value for info in page.info]
    for value in set(link.values()) - {"em"}:
        assert any(f"“{value[:60]}" in note for note in told), (value, told)
    k = played(page)["k"]
    assert any("13" in note and str(k) in note for note in told)  # pitprops has 13 features
    best = subject("pitprops", k=k).known_at()
    assert best.bounded and rounded.proven_share(best.lower, best.upper) in said_at(page, k)


@pytest.mark.parametrize(
    ("text", "words"),
    [("1, two", "“two” is not a whole number"), ("5, 14", "outside 1 to 13"), ("9-3", "outside 1 to 13")],
)
def test_an_unusable_list_of_k_says_what_is_wrong_in_words_that_can_be_written(open_page, text, words):
    page = open_page("pages/explore.py", data="pitprops", k=4, ks=text)
    assert words in texts(page)
    assert {2, 4, 13} <= set(played(settle(page, path=True))["ks"])
    for strange in ("1, \ud800", "\udfff5", "\u202e9", "9" * 500):
        with pytest.raises(ValueError, match=r"is not a whole number or a range|outside 1 to 9") as raised:
            choices.read_ks(strange, 9)
        assert len(str(raised.value).encode()) < 200


@pytest.mark.parametrize("data", ["pitprops", "cbcl-faces"])
def test_a_note_is_told_once_though_the_page_ends_early_for_data_that_are_not_here(data, open_page, nothing_fetched):
    page = open_page(data=data, k="inf")
    assert len([note.value for note in page.info if "“inf”" in note.value]) == 1


CHOSEN = """
import streamlit as st
from nnspca.view.link import state, widgets
data = widgets.choose(state.SHARED["data"], "Data", options=["lfw-faces", "digits"], format_func=str.upper)
solvers = widgets.choose(state.keys_of("parts")["with"], "Solvers", options=["best", "em"], format_func=str.upper)
widgets.choose(state.SHARED["k"], "k", usual=4, high=13)
st.json([data, *solvers])
widgets.notes()
"""


def written(page):
    """What the page has last written into its address."""
    return page.session_state["session"].written


def test_a_link_names_an_option_by_its_value_and_a_choice_is_written_by_it_and_the_usual_one_not_at_all():
    page = alone(CHOSEN, {"data": "digits", "with": ["em", "best"]})
    assert json.loads(page.json[0].value) == ["digits", "em", "best"]
    for nothing in ("DIGITS", "nix"):
        (note,) = [note.value for note in alone(CHOSEN, {"data": nothing}).info]
        assert all(name in note for name in (nothing, "LFW-FACES", "DIGITS"))
    page = alone(CHOSEN)
    assert not written(page)
    page.selectbox(key="data").set_value("digits").run()
    page.multiselect(key="with").set_value(["em"]).run()
    assert written(page) == {"data": ["digits"], "with": ["em"]}
    page.selectbox(key="data").set_value("lfw-faces").run()
    page.multiselect(key="with").set_value(["best"]).run()
    assert not written(page)


NOTED = """
import streamlit as st
from nnspca.view.frame import sidebar
from nnspca.view.link import state, widgets
sidebar.sidebar(st.session_state["page"])
if st.session_state["page"] == "explore":
    options = state.methods_for(True, 625 if state.of_sidebar().data == "lfw-faces" else 13)
    widgets.choose(state.keys_of("explore")["method"], "Solver", options=options)
widgets.notes()
"""


@pytest.mark.parametrize("elsewhere", ["explore", "data"])
def test_a_notice_about_k_or_a_solver_goes_with_the_data_that_caused_it(elsewhere):
    page = alone(NOTED, {"data": "lfw-faces", "k": "9000", "method": "exact"}, page="explore")
    told = page.session_state["session"].notes
    assert {key for _, key in told} == {"k", "method"}
    assert says(page.info, "9000") and says(page.info, "exact")
    page.session_state["page"] = elsewhere
    assert says(redrawn(page).info, "9000")
    page.selectbox(key="data").set_value("pitprops").run()
    assert not redrawn(page).info and not told


def taken(entries, texts):
    """Whose reader makes something of a text, and of which."""
    asked = [(entry, text) for entry in entries for text in texts if entry.read([text]) != (None, False)]
    return [f"{'+'.join(entry.pages) or 'all'}.{entry.key} takes {text!a}" for entry, text in asked]


def test_every_number_of_a_link_has_an_end_and_no_key_takes_half_a_character_or_a_control():
    """Or the widget, whose ends Streamlit counts in doubles, would end the page."""
    numbers = [entry for entry in state.TABLE if entry.kind in ("whole", "number")]
    assert not taken(numbers, ["1e308", "-1e308", "1e300", "9" * 17, str(2**53), "1e18", str(2**64)])
    assert not taken(state.TABLE, ["\ud800", "5\udfff", "a\ud800b", "1\x00", "\x1b[31m"])


def test_the_default_of_every_key_is_one_of_the_values_it_allows():
    for entry in state.TABLE:
        if entry.default is not None and (entry.kind not in ("one", "several") or entry.options):
            texts = list(entry.default) if entry.kind == "several" else [str(entry.default)]
            assert entry.read(texts) == (entry.default, True), entry


def test_pages_that_share_a_key_mean_the_same_kind_of_thing_by_it_and_each_knows_it_once():
    """A visit to one page left its switch for another, which found “False” where a paper's name should be."""
    meant = defaultdict(set)
    for entry in state.TABLE:
        meant[entry.key].add((entry.kind, entry.widget, str(entry.options)))
    assert not {key: kinds for key, kinds in meant.items() if len(kinds) > 1}
    for page in state.PAGES:
        keys = [entry.key for entry in state.TABLE if page in entry.pages or not entry.pages]
        assert len(keys) == len(set(keys)), page


COUNTING = [
    ("explore", "", set(state.SHARED)),
    ("parts", "", set(state.SHARED)),
    ("spannogram", state.FOUR, {"sign"}),
    ("spannogram", state.RANDOM, {"sign", "seed"}),
    ("spannogram", state.DATA, {"data", "prep", "scale", "sign", "k"}),
    ("compare", state.SETS, {"sign", "seed"}),
    ("compare", state.SOLVERS, set(state.SHARED)),
    ("papers", "", {"seed"}),
    ("learn", "", set()),
    ("data", "", {"data", "prep", "scale"}),
]
ALONE = """
import streamlit as st
from nnspca.view.frame import sidebar
from nnspca.view.link import state, widgets
counting = sidebar.sidebar(st.session_state["page"])
widgets.notes()  # draws a k that no page has drawn
st.session_state["_seen"] = counting, state.of_sidebar()
"""


def drawn(page) -> set[str]:
    """Return the keys of the sidebar's widgets."""
    bar = page.sidebar
    kinds = (bar.selectbox, bar.multiselect, bar.radio, bar.number_input, bar.toggle)
    return {widget.key for kind in kinds for widget in kind}


@pytest.mark.parametrize(("name", "said", "counting"), COUNTING)
def test_a_page_shows_the_choices_that_count_on_it(name, said, counting):
    page = alone(ALONE, {state.CHOICES[name]: said} if said else {}, page=name)
    assert drawn(page) == counting == page.session_state["_seen"][0]


def test_every_choice_counts_somewhere():
    shown = [state.keys_used(page, choice) for page, choice, _ in COUNTING]
    assert set().union(*shown) == set(state.SHARED)
    places = {place for entry in state.SHARED.values() for place in entry.counts}
    assert places == {f"{page} of {choice}" if choice else page for page, choice, keys in COUNTING if keys}


@pytest.mark.parametrize("first", ["explore", "papers"])
def test_what_is_hidden_keeps_what_it_or_the_link_said(first):
    page = alone(ALONE, {"data": "pitprops", "k": "7", "seed": "5"}, page=first)
    for other in ("papers", "data", "compare"):
        page.session_state["page"] = other
        now = redrawn(page).session_state["_seen"][1]
        assert (now.data, now.k, now.seed) == ("pitprops", 7, 5)
    page.session_state["page"] = "explore"
    assert redrawn(page).sidebar.number_input(key="k").value == 7
    assert page.session_state["session"].written["k"] == ["7"]
    assert page.sidebar.selectbox(key="data").value == "pitprops"
