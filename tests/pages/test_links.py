"""Links: those that were handed out keep opening what they opened, and no value of one breaks a page."""

from dataclasses import fields
from urllib.parse import parse_qs

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from nnspca.view.compare import race
from nnspca.view.compare import sets as compare
from nnspca.view.explore import choices as explore
from nnspca.view.link import state
from nnspca.view.parts import choices as parts
from tests.pages.conftest import ROOT, jobs

pytestmark = pytest.mark.usefixtures("short_proofs")

# Links that are handed out, by the page's name ("" for the whole app), with the state that a page's own link is opened
# over, and what each opens.
LINKS = [
    (
        "",
        {},
        "data=digits&scale=standardised&sign=any+sign&k=9&d=2&seed=5&method=em&em.restarts=3&proof=true&more=true",
        {"data": "digits", "scale": "standardised", "sign": "any sign", "k": 9, "d": 2, "seed": 5}
        | {"method": "em", "em.restarts": 3, "proof": True, "proof_view": "certificate"}
        | {"more": True, "more_view": "downloads"},
    ),
    (
        "",
        {},
        "method=epsilon-net&epsilon-net.epsilon=0.05&epsilon-net.max_samples=2000",
        {"method": "epsilon-net", "epsilon-net.epsilon": 0.05, "epsilon-net.max_samples": 2000},
    ),
    (
        "explore",
        {"data": "pitprops", "k": 4},
        "method=thresholding&bounds=true&proof=true&proof_view=bounds",
        {"method": "thresholding", "bounds": True, "proof": True, "proof_view": "bounds"},
    ),
    (
        "explore",
        {"data": "pitprops", "k": 5},
        "methods=best&methods=thresholding&ks=2%2C+5&log=false&proof=true&proof_view=bounds&paper_band=true&patience=7",
        {"methods": ["best", "thresholding"], "ks": "2, 5", "log": False, "paper_band": True, "patience": 7},
    ),
    (
        "explore",
        {"data": "lrs", "k": 4},
        "samples=true&why=90&second=any+feature&method=em",
        {"samples": True, "second": "any feature", "method": "em"},
    ),
    (
        "parts",
        {"data": "digits", "k": 40},
        "r=3&apart=quasi-orthogonal&with=em&angle=80&use=true&from=em&sample=5&used=2&along=2",
        {"r": 3, "apart": "quasi-orthogonal", "with": ["em"], "angle": 80.0, "use": True}
        | {"use_view": "samples", "from": "em", "sample": 5, "used": 2, "along": 2},
    ),
    (
        "parts",
        {"data": "pitprops", "k": 4},
        "r=2&apart=joint&with=coordinate-descent&alpha=10.0",
        {"r": 2, "apart": "joint", "with": ["coordinate-descent"], "alpha": 10.0},
    ),
    ("parts", {"data": "pitprops", "k": 4}, "r=2&proven=true", {"r": 2, "proven": True}),
    (
        "spannogram",
        {},
        "curves=random&dimensions=2%3A+a+circle&n=9&top=3&phi=1.25&speed=0.5",
        {"curves": "random", "dimensions": "2: a circle", "n": 9, "top": 3},
    ),
    (
        "spannogram",
        {"data": "digits", "k": 5},
        "curves=data+set&a=2&b=4&m=20",
        {"curves": "data set", "a": 2, "b": 4, "m": 20},
    ),
    (
        "spannogram",
        {"data": "digits", "k": 5},
        "curves=data+set&dimensions=3%3A+a+sphere&a=2&b=3&c=5&m=12&colour=top+set&flat=true&round=1",
        {"dimensions": "3: a sphere", "a": 2, "b": 3, "c": 5, "m": 12},
    ),
    (
        "compare",
        {},
        "vs=pitprops&vs=digits&by=em&by=best&fine=few&scales=as+is&panels=true&take=true",
        {
            "vs": ["pitprops", "digits"],
            "by": ["em", "best"],
            "fine": "few",
            "scales": "as is",
            "panels": True,
            "take": True,
        },
    ),
    (
        "compare",
        {"data": "pitprops", "k": 4},
        "what=solvers&racers=em&racers=best&limit=2&take=true",
        {"what": "solvers", "racers": ["em", "best"], "limit": 2, "take": True},
    ),
    (
        "papers",
        {},
        "paper=Zass+%26+Shashua+2006&zass2006=Fig.+4%3A+Finding+faces+by+ten+features&on=bundled+stand-in&form=full",
        {"paper": "Zass & Shashua 2006", "zass2006": "Fig. 4: Finding faces by ten features"}
        | {"on": "bundled stand-in", "form": "full"},
    ),
    ("data", {"data": "pitprops"}, "", {"data": "pitprops"}),
    ("learn", {}, "step=11&at=3_1_2&sheet=true", {"sheet": True}),
    ("learn", {}, "board=digits&painted=AAgMDh4eGAA&best=AAgMDh4eGAA", {}),
]


def opened(name, given, link):
    """Open a link; of the whole app where the page has no name."""
    shown = AppTest.from_file(str(ROOT / "pages" / f"{name or 'main'}.py"), default_timeout=60)
    said = parse_qs(link, keep_blank_values=True)
    for key, value in given.items():
        shown.session_state[key] = value
    for key, values in said.items():
        shown.query_params[key] = values[0] if len(values) == 1 else values
    try:
        shown.run()
        below = ("proof", "more", "samples", "round", "take", "proven", "use", "others")
        if said.keys() & set(below):
            for job in jobs(shown):  # these controls stand below what a run brings
                assert job.wait(60), job.progress
            shown.run()
    finally:
        for job in jobs(shown, path=True):
            job.stop()
    assert not shown.exception, shown.exception
    return shown


@pytest.mark.parametrize(
    ("name", "given", "link", "shown"), LINKS, ids=[f"{name}?{link}" for name, _, link, _ in LINKS]
)
def test_a_link_opens_what_it_says(name, given, link, shown):
    page = opened(name, given, link)
    assert {key: page.session_state[key] for key in shown} == shown
    assert not [note.value for note in page.info if "cannot be used" in note.value or "is ignored" in note.value]


def test_a_key_of_an_earlier_version_is_named_and_ignored():
    page = opened("", {}, "data=pitprops&k=4&present=true&ghost=true")
    assert [page.session_state[key] for key in ("data", "k")] == ["pitprops", 4]
    assert any("“present”, “ghost”" in note.value and "is ignored" in note.value for note in page.info)


HOSTILE = ["inf", "-inf", "nan", "1e309", "-1e309", "1e300", "9" * 400, "", "٤٠", "٤٠.٥", "0x10", "1_0", "-1", "0.5"]
HOSTILE += ["\x00", "<b>"]
# Each link of a page is opened in a turn of its own, in which the keys say something else.
PAGES = {
    "explore": [
        "method=em&samples=true",
        "method=best&proof=true&proof_view=bounds&bounds=true&paper_band=true",
        "method=epsilon-net&more=true&more_view=which+k",
    ],
    "parts": ["apart=joint&with=coordinate-descent", "apart=quasi-orthogonal&use=true", ""],
    "spannogram": ["curves=random", "curves=data+set", "dimensions=3%3A+a+sphere"],
    "compare": ["", "what=solvers"],
    "papers": ["paper=Sigg+%26+Buhmann+2008", ""],
    "data": ["", ""],
    "learn": ["sheet=true", ""],
}


def hostile(link, keys, turn):
    """The parameters of a link with something that each of these keys may not say, each turn something else."""
    said = {key: values[0] if len(values) == 1 else values for key, values in parse_qs(link).items()}
    wrong = [key for key in dict.fromkeys(keys) if key not in said]
    return said | {key: HOSTILE[(at + turn * 5) % len(HOSTILE)] for at, key in enumerate(wrong)}


@pytest.mark.parametrize(("turn", "link"), list(enumerate(PAGES["explore"])))
def test_no_value_of_a_link_breaks_the_app(link, turn):
    """Every key of every page at once says something it may not say."""
    keys = [*state.SHARED, *(key for page in PAGES for key in state.keys_of(page))]
    shown = AppTest.from_file(str(ROOT / "pages" / "main.py"), default_timeout=60)
    shown.query_params.update(hostile(link, keys, turn))
    shown.run()
    for job in jobs(shown, path=True):
        job.stop()
    assert not shown.exception, shown.exception
    assert any("Data set: “" in note.value and "cannot be used here" in note.value for note in shown.info)


@pytest.mark.parametrize(
    ("page", "turn", "link"), [(page, turn, link) for page, links in PAGES.items() for turn, link in enumerate(links)]
)
def test_no_value_of_a_link_breaks_a_page(page, link, turn):
    """Every key at once says something it may not say, each turn something else."""
    shown = AppTest.from_file(str(ROOT / "pages" / f"{page}.py"), default_timeout=60)
    shown.session_state["data"], shown.session_state["k"] = "pitprops", 4
    shown.query_params.update(hostile(link, [*state.SHARED, *state.keys_of(page)], turn))
    try:
        shown.run()
        for job in jobs(shown):
            job.wait(60)
        shown.run()
    finally:
        for job in jobs(shown, path=True):
            job.stop()
    assert not shown.exception, shown.exception


@pytest.mark.parametrize(
    ("key", "text", "said"),
    [
        ("k", "inf", "“inf” cannot be used here (1 to 13: pitprops has 13 features); showing 4."),
        ("k", "9" * 400, f"“{'9' * 60} …” cannot be used here"),
        ("k", "٤", "“٤” cannot be used here"),
        ("seed", "inf", "“inf” cannot be used here (a whole number from 0 to 2,147,483,647); showing 0."),
        ("log", "perhaps", "Logarithmic k: “perhaps” cannot be used here (true or false); showing True."),
        ("scale", "", "“” cannot be used here (as is, standardised); showing “as is”."),
        ("best.leaders", "inf", "“inf” cannot be used here (a whole number from 1 to 50); showing 4."),
        ("proof", "nan", "“nan” cannot be used here (true or false); showing False."),
    ],
)
def test_a_note_says_the_value_given_those_allowed_and_the_one_shown(open_page, key, text, said):
    shown = open_page(**({"data": "pitprops"} | {key: text}))
    for job in jobs(shown):
        job.wait(60)
    shown.run()
    assert any(said in note.value for note in shown.info), [note.value for note in shown.info]


WORDS = some.text(some.characters(exclude_categories=["Cs"]))  # without a look at how each is encoded, which takes long


@given(some.sampled_from(state.TABLE), some.lists(WORDS | some.sampled_from(HOSTILE), max_size=4))
def test_reading_a_key_always_ends_in_a_value_of_its_kind_or_in_none(entry, texts):
    value, whole = entry.read(texts)
    if value is None:
        assert not whole or (entry.default is None and not "".join(texts[-1:]))
    elif entry.kind in ("whole", "number"):
        assert isinstance(value, int if entry.kind == "whole" else float)
        assert abs(value) < 2**53
        assert (entry.low or -np.inf) <= value <= (np.inf if entry.high is None else entry.high)
    elif entry.kind in ("switch", "fold"):
        assert isinstance(value, bool)
    elif entry.kind == "one":
        assert value in entry.options
    elif entry.kind == "several":
        assert set(value) <= set(entry.options)


def taken(entries, texts):
    """Whose reader makes something of a text, and of which."""
    assert entries
    asked = [(entry, text) for entry in entries for text in texts]
    return [
        f"{'+'.join(entry.pages) or 'all'}.{entry.key} takes {text!a}"
        for entry, text in asked
        if entry.read([text]) != (None, False)
    ]


def test_every_number_of_a_link_has_an_end():
    """Or the widget, whose ends Streamlit counts in doubles, would end the page."""
    numbers = [entry for entry in state.TABLE if entry.kind in ("whole", "number")]
    assert not taken(numbers, ["1e308", "-1e308", "1e300", "9" * 17, str(2**53), "1e18", str(2**64)])


def test_no_key_takes_half_a_character_or_a_control():
    assert not taken(state.TABLE, ["\ud800", "5\udfff", "a\ud800b", "1\x00", "\x1b[31m"])


def test_a_list_of_k_with_half_a_character_is_told_in_words_that_can_be_written():
    for text in ("1, \ud800", "\udfff5", "\u202e9", "9" * 500):
        with pytest.raises(ValueError, match=r"is not a whole number or a range|outside 1 to 9") as raised:
            explore.read_ks(text, 9)
        assert len(str(raised.value).encode()) < 200


def test_the_default_of_every_key_is_one_of_the_values_it_allows():
    wrong = []
    for entry in state.TABLE:
        if entry.default is None or (entry.kind in ("one", "several") and not entry.options):
            continue
        texts = list(entry.default) if entry.kind == "several" else [str(entry.default)]
        if entry.read(texts) != (entry.default, True):
            wrong.append(f"{'+'.join(entry.pages) or 'all'}.{entry.key} = {entry.default!r}")
    assert not wrong


@pytest.mark.parametrize(
    ("page", "choices"),
    [
        ("explore", explore.Choices),
        ("parts", parts.Choices),
        ("compare", race.Choices),
        ("compare", compare.Choices),
    ],
)
def test_choices_have_the_names_of_the_links_keys(page, choices):
    names = {field.name.rstrip("_") for field in fields(choices)}
    assert names - {"solver"} <= set(state.keys_of(page))  # a solver is a choice with its own options
    assert {field.name for field in fields(state.State) if field.init} == set(state.SHARED)


@pytest.mark.parametrize("page", list(PAGES))
def test_a_page_opens_without_a_link(page):
    opened(page, {"data": "pitprops", "k": 4}, "")


def test_each_page_knows_a_key_once():
    for page in PAGES:
        keys = [entry.key for entry in state.TABLE if page in entry.pages or not entry.pages]
        assert len(keys) == len(set(keys)), page
