"""Links: those that were handed out keep opening what they opened, and no value of one breaks a page."""

from urllib.parse import parse_qs

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import ROOT, jobs

# Links as the app writes them, with what each opens; a page's own link is opened over the state beside it.
OLD = [
    (
        "app.py",
        {},
        "data=digits&scale=standardised&sign=any+sign&k=9&d=2&seed=5&method=em&em.restarts=3&bounds=true"
        "&certificate=true&take=true&live=true",
        {"data": "digits", "scale": "standardised", "sign": "any sign", "k": 9, "d": 2, "seed": 5, "live": True}
        | {"method": "em", "em.restarts": 3, "bounds": True, "certificate": True, "take": True},
    ),
    ("app.py", {}, "live=false&ghost=true", {"live": False, "data": "lfw-faces", "k": 40}),
    (
        "app.py",
        {},
        "live=false&method=epsilon-net&epsilon-net.epsilon=0.05&epsilon-net.max_samples=2000",
        {"method": "epsilon-net", "epsilon-net.epsilon": 0.05, "epsilon-net.max_samples": 2000},
    ),
    (
        "pages/explore.py",
        {"data": "pitprops", "k": 4},
        "method=thresholding&bounds=true&certificate=true",
        {"method": "thresholding", "bounds": True, "certificate": True},
    ),
    (
        "pages/variance.py",
        {"data": "pitprops"},
        "methods=best&methods=thresholding&ks=2%2C+5&log=false&paper=true&bounds=true&point=5+%C2%B7+best&patience=7"
        "&certificate=true&take=true",
        {"methods": ["best", "thresholding"], "ks": "2, 5", "log": False, "paper": True, "bounds": True}
        | {"point": "5 · best", "patience": 7, "certificate": True, "take": True},
    ),
    (
        "pages/parts.py",
        {"data": "digits", "k": 8},
        "r=3&apart=quasi-orthogonal&with=em&angle=80&angles=em&rebuild=true&from=em&sample=5&used=2&along=2&take=true",
        {"r": 3, "apart": "quasi-orthogonal", "with": ["em"], "angle": 80.0, "angles": "em", "rebuild": True}
        | {"from": "em", "sample": 5, "used": 2, "along": 2, "take": True},
    ),
    (
        "pages/parts.py",
        {"data": "pitprops", "k": 4},
        "r=2&apart=joint&with=coordinate-descent&alpha=10.0&beta=0.03",
        {"r": 2, "apart": "joint", "with": ["coordinate-descent"], "match": False, "alpha": 10.0, "beta": 0.03},
    ),
    (
        "pages/parts.py",
        {"data": "pitprops", "k": 4},
        "r=2&apart=joint&with=coordinate-descent&match=true&alpha=0.3",
        {"match": True, "alpha": 0.3},
    ),
    ("pages/parts.py", {"data": "pitprops", "k": 4}, "r=2&proofs=true", {"r": 2, "proofs": True}),
    (
        "pages/spannogram.py",
        {},
        "curves=random&dimensions=2%3A+a+circle&n=9&top=3&both=false&phi=1.25&speed=0.5",
        {"curves": "random", "dimensions": "2: a circle", "n": 9, "top": 3, "both": False},
    ),
    (
        "pages/spannogram.py",
        {"data": "digits", "k": 5},
        "curves=data+set&a=2&b=4&m=20",
        {"curves": "data set", "a": 2, "b": 4, "m": 20},
    ),
    (
        "pages/spannogram.py",
        {"data": "digits", "k": 5},
        "curves=data+set&dimensions=3%3A+a+sphere&a=2&b=3&c=5&m=12&colour=top+set&flat=true&round=1",
        {"dimensions": "3: a sphere", "a": 2, "b": 3, "c": 5, "m": 12, "colour": "top set", "flat": True, "round": 1},
    ),
    (
        "pages/compare.py",
        {},
        "vs=pitprops&vs=digits&by=em&by=best&fine=few&take=true",
        {"vs": ["pitprops", "digits"], "by": ["em", "best"], "fine": "few", "take": True},
    ),
    (
        "pages/experiments.py",
        {},
        "paper=Zass+%26+Shashua+2006&zass2006=Fig.+4%3A+Finding+faces+by+ten+features&on=bundled+stand-in&form=full",
        {"paper": "Zass & Shashua 2006", "zass2006": "Fig. 4: Finding faces by ten features"}
        | {"on": "bundled stand-in", "form": "full"},
    ),
    ("pages/data.py", {"data": "pitprops"}, "", {"data": "pitprops"}),
]


def opened(path, state, link):
    page = AppTest.from_file(str(ROOT / path), default_timeout=60)
    for key, value in state.items():
        page.session_state[key] = value
    for key, values in parse_qs(link, keep_blank_values=True).items():
        page.query_params[key] = values[0] if len(values) == 1 else values
    try:
        page.run()
        if "rebuild=" in link or "round=" in link or "angles=" in link or "proofs=" in link or "take=" in link:
            for job in jobs(page):  # these controls stand below what a run brings
                assert job.wait(60), job.progress
            page.run()
    finally:
        for job in jobs(page):
            job.stop()
    assert not page.exception, page.exception
    return page


@pytest.mark.parametrize(("path", "state", "link", "shown"), OLD, ids=[f"{path}?{link}" for path, _, link, _ in OLD])
def test_a_link_that_was_handed_out_opens_what_it_opened(path, state, link, shown):
    page = opened(path, state, link)
    assert {key: page.session_state[key] for key in shown} == shown
    assert not [note.value for note in page.info if "cannot be used" in note.value]
