"""Links: those that were handed out keep opening what they opened, and no value of one breaks a page."""

from dataclasses import fields
from urllib.parse import parse_qs, urlencode

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from nnspca.view.compare import choices as compare
from nnspca.view.compare.race import choices as race
from nnspca.view.explore import choices as explore
from nnspca.view.link import old_links, state
from nnspca.view.parts import choices as parts
from tests.pages.conftest import ROOT, jobs
from tests.pages.test_assets import ask

pytestmark = pytest.mark.usefixtures("short_proofs")

# Links that were handed out, by the page's name of that time ("" for app.py itself), with the state that a page's own
# link is opened over, and what each opens today.
OLD = [
    (
        "",
        {},
        "data=digits&scale=standardised&sign=any+sign&k=9&d=2&seed=5&method=em&em.restarts=3&bounds=true"
        "&certificate=true&take=true&live=true",
        {"data": "digits", "scale": "standardised", "sign": "any sign", "k": 9, "d": 2, "seed": 5}
        | {"method": "em", "em.restarts": 3, "proof": True, "proof_view": "certificate"}
        | {"more": True, "more_view": "downloads"},
    ),
    ("", {}, "live=false&ghost=true", {"data": "lfw-faces", "k": 40}),
    (
        "",
        {},
        "live=false&method=epsilon-net&epsilon-net.epsilon=0.05&epsilon-net.max_samples=2000",
        {"method": "epsilon-net", "epsilon-net.epsilon": 0.05, "epsilon-net.max_samples": 2000},
    ),
    (
        "explore",
        {"data": "pitprops", "k": 4},
        "method=thresholding&bounds=true&closer=true",
        {"method": "thresholding", "bounds": True, "proof": True, "proof_view": "bounds"},
    ),
    ("explore", {"data": "pitprops", "k": 4}, "given=true", {"more": True, "more_view": "data"}),
    (
        "explore",
        {"data": "pitprops", "k": 4},
        "need=true&within=0.2",
        {"proof": True, "proof_view": "indispensable", "within": 0.2},
    ),
    (
        "variance",
        {"data": "pitprops"},
        "methods=best&methods=thresholding&ks=2%2C+5&log=false&paper_band=true&bounds=true&point=5+%C2%B7+thresholding"
        "&patience=7&take=true",
        {"methods": ["best", "thresholding"], "ks": "2, 5", "log": False, "paper_band": True, "bounds": True}
        | {"k": 5, "method": "thresholding", "patience": 7, "more": True, "proof": True, "proof_view": "bounds"},
    ),
    (
        "variance",
        {"data": "digits", "k": 9},
        "ks=2%2C+5&which=true&folds=3",
        {"methods": ["best", "em"], "ks": "2, 5", "more": True, "more_view": "which k", "folds": 3},
    ),
    (
        "samples",
        {"data": "lrs", "k": 4},
        "picked=b0_2500_100_9999&marked=1-3_7&why=90&second=any+feature&method=em&em.restarts=3&take=true",
        {"samples": True, "second": "any feature", "method": "em", "em.restarts": 3, "more": True},
    ),
    (
        "parts",
        {"data": "digits", "k": 40},
        "r=3&apart=quasi-orthogonal&with=em&angle=80&angles=em&rebuild=true&from=em&sample=5&used=2&along=2&take=true",
        {"r": 3, "apart": "quasi-orthogonal", "with": ["em"], "angle": 80.0, "angles": "em", "use": True}
        | {"use_view": "samples", "from": "em", "sample": 5, "used": 2, "along": 2},
    ),
    (
        "parts",
        {"data": "pitprops", "k": 4},
        "r=2&apart=joint&with=coordinate-descent&alpha=10.0&beta=0.03",
        {"r": 2, "apart": "joint", "with": ["coordinate-descent"], "match": False, "alpha": 10.0, "beta": 0.03},
    ),
    (
        "parts",
        {"data": "pitprops", "k": 4},
        "r=2&apart=joint&with=coordinate-descent&match=true&alpha=0.3",
        {"match": True, "alpha": 0.3},
    ),
    ("parts", {"data": "pitprops", "k": 4}, "r=2&proofs=true", {"r": 2, "proven": True}),
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
        "race",
        {"data": "pitprops", "k": 4},
        "racers=em&racers=best&limit=2&who=em&mark=1&take=true",
        {"what": "solvers", "racers": ["em", "best"], "limit": 2, "who": "em", "take": True},
    ),
    (
        "experiments",
        {},
        "paper=Zass+%26+Shashua+2006&zass2006=Fig.+4%3A+Finding+faces+by+ten+features&on=bundled+stand-in&form=full",
        {"paper": "Zass & Shashua 2006", "zass2006": "Fig. 4: Finding faces by ten features"}
        | {"on": "bundled stand-in", "form": "full"},
    ),
    ("data", {"data": "pitprops"}, "", {"data": "pitprops"}),
    ("learn", {}, "step=11&at=3_1_2&sheet=true", {"sheet": True}),
    ("learn", {}, "board=digits&painted=AAgMDh4eGAA&best=AAgMDh4eGAA", {}),
]


def opened(old, given, link):
    """Open an old link as the server does: where the page it names has moved, at the place it stands today."""
    page, query = old_links.rewritten(f"/{old}", link) or (old, link)
    alone = bool(old)  # app.py draws the sidebar
    shown = AppTest.from_file(
        str(ROOT / (f"pages/{page or 'explore'}.py" if alone else "pages/main.py")), default_timeout=60
    )
    said = parse_qs(query, keep_blank_values=True)
    for key, value in given.items():
        shown.session_state[key] = value
    for key, values in said.items():
        if alone and key in state.SHARED:  # what the sidebar reads of a link
            shown.session_state[key] = state.SHARED[key].read(values)[0]
        shown.query_params[key] = values[0] if len(values) == 1 else values
    try:
        shown.run()
        below = ("proof", "more", "samples", "round", "angles", "take", "proven", "use", "others")
        if said.keys() & set(below):
            for job in jobs(shown):  # these controls stand below what a run brings
                assert job.wait(60), job.progress
            shown.run()
    finally:
        for job in jobs(shown, path=True):
            job.stop()
    assert not shown.exception, shown.exception
    return shown


@pytest.mark.parametrize(("old", "given", "link", "shown"), OLD, ids=[f"{old}?{link}" for old, _, link, _ in OLD])
def test_a_link_that_was_handed_out_opens_what_it_opened(old, given, link, shown):
    page = opened(old, given, link)
    assert {key: page.session_state[key] for key in shown} == shown
    assert not [note.value for note in page.info if "cannot be used" in note.value or "is ignored" in note.value]


# The keys that pages had before they became seven, beside the sidebar's.
OPTIONS = tuple(key for key in state.keys_of("explore") if "." in key)
BEFORE = {
    "": ("method", *OPTIONS, "bounds", "ghost", "closer", "need", "within", "given", "certificate", "take"),
    "samples": ("method", *OPTIONS, "second", "picked", "marked", "why", "take"),
    "variance": (
        *("methods", "ks", "log", "bounds", "ghost", "paper_band", "patience", "point", "which", "folds"),
        *("certificate", "take"),
    ),
    "race": ("racers", "limit", "who", "mark", "take"),
    "experiments": ("paper", *(key for key in state.keys_of("papers") if key[-4:].isdigit()), "on", "form", "tables"),
}
SAID = {"point": "5 · em", "ks": "2,5", "why": "3", "picked": "r1-8", "marked": "1-3", "mark": "1", "who": "em"}


def text_for(entry):
    """Return something that a key of the table may say; of a fold or a switch of before, that it is open or on."""
    if entry is None or entry.kind in ("switch", "fold"):
        return "true"
    return str((entry.default or entry.options)[0] if entry.kind == "several" else entry.default)


@pytest.mark.parametrize("old", BEFORE)
def test_every_key_of_the_old_table_opens_todays_place(old):
    """In the page's new place each key is known, or says what a known one says; a fold that was open is open."""
    for key in (*BEFORE[old], *state.SHARED, "live", "present", "slide"):
        entry = next((entry for entry in state.TABLE if entry.key == key), None)
        said = urlencode({key: SAID.get(key) or text_for(entry)})
        page, query = old_links.rewritten(f"/{old}", said) or (old, said)
        known = state.keys_of(page or "explore") | state.SHARED
        told = parse_qs(query, keep_blank_values=True)
        assert told.keys() <= known.keys(), (key, told)
        assert key in told or key not in known, key
        assert key in ("live", "ghost") or told != parse_qs((old_links.rewritten(f"/{old}", "live=true") or "")[1]), key
        for name, texts in told.items():
            assert name in ("data", "who", "mark") or known[name].read(texts)[1], (name, texts)


@pytest.mark.parametrize("base", ["", "/deep/below"])
def test_a_moved_page_is_redirected_and_what_is_no_page_is_left_alone(base):
    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    moved = old_links.OldLinks(app)
    for old, new in (("variance", ""), ("samples", ""), ("race", "compare"), ("experiments", "papers")):
        status, headers, _ = ask(moved, f"{base}/{old}?k=3", accept="text/html")
        assert status == 307
        assert headers["location"].partition("?")[0] == f"./{new}"
        assert "k=3" in headers["location"]
    assert ask(moved, f"{base}/?k=3", accept="text/html")[0] == 200
    assert ask(moved, f"{base}/variance?k=3", accept="application/json")[0] == 200
    assert ask(moved, f"{base}/variance?k=3", method="HEAD", accept="text/html")[0] == 200


HOSTILE = ["inf", "-inf", "nan", "1e309", "-1e309", "1e300", "9" * 400, "", "٤٠", "٤٠.٥", "0x10", "1_0", "-1", "0.5"]
HOSTILE += ["\x00", "<b>"]
# Each link of a page is opened in a turn of its own, in which the keys say something else.
PAGES = {
    "explore": [
        "method=em&samples=true",
        "method=best&proof=true&proof_view=bounds&bounds=true&paper_band=true",
        "method=epsilon-net&more=true&more_view=which+k",
    ],
    "parts": ["apart=joint&with=coordinate-descent", "apart=quasi-orthogonal&rebuild=true", ""],
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
