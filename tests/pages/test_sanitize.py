"""Words that others wrote, in a file or a link, show as they were written and do nothing."""

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as some

import nnspca
from nnspca.view import sanitize
from nnspca.view.figures import style
from nnspca.view.link import state
from tests.pages.conftest import owner, raced, settle, texts

# Each would become something in Markdown, or in the little HTML that figures read.
LURES = (
    "![p](http://evil.example/p.png)",
    "[sign in](http://evil.example)",
    "<a href='http://evil.example'>here</a>",
    "http://evil.example/x",
    "www.evil.example",
    "evil@evil.example",
    ":material/bolt: :red[evil] :smile:",
    "**evil** _evil_ ~~evil~~ `evil`",
    "$\\frac{e}{v}$ &lt;b&gt; \\",
    "<img src=x onerror=alert(1)><br>%{y}<extra>evil</extra>",
    "# evil\n- evil\n1. evil",
    "right \u202eto left\u2066 \x00\x1b[31m",
    "evil" * 200,
)
LIVE = (
    *("](", "![", "<a", "<img", "<br>", "http://evil", "www.evil", "evil@evil", ":material/bolt", ":red[", ":smile:"),
    *("**evil", "_evil", "~evil", "$\\frac", "&lt;", "\u202e", "\u2066", "\x00", "\x1b", "evil" * 60),
)
CODE = re.compile(r"(?<![\\`])(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)


def live(markdown):
    """Return what of the lures would come alive: what stands neither escaped nor in code."""
    bare = re.sub(r"\\[!-/:-@[-`{-~]", "", CODE.sub("", markdown))
    return [lure for lure in LIVE if lure in bare]


@pytest.mark.parametrize("lure", LURES[:-2])
def test_each_lure_is_one_that_comes_alive(lure):
    assert live(lure) or lure.startswith("#")


@pytest.mark.parametrize("lure", LURES)
def test_no_lure_comes_alive_in_markdown_or_in_a_figure(lure):
    assert not live(sanitize.plain(lure))
    assert not re.search(r"<|%\{|\$|&(?!amp;|lt;|gt;|#3[67];)", sanitize.figure_text(lure))
    assert len(sanitize.figure_text(lure)) < 8 * sanitize.NAME


SIGNS = ("<->", "->", "<-", "--", ">=", "<=", "~=")  # which Streamlit replaces where they stand alone


def replaced(markdown):
    """Return the signs that Streamlit would draw as others: it looks at a text once its escapes are undone."""
    text = re.sub(r"\\([!-/:-@[-`{-~])", r"\1", CODE.sub("", markdown))
    return [sign for sign in SIGNS if re.search(rf"(^|[ \t\n]){sign}([ \t\n]|$)", text)]


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("text", ["{}", "a {} b", "{} b", "a {}", "{0} {0}", "www.x.org {}", "# {}", "- {}"])
def test_a_sign_shows_as_it_was_written(text, sign):
    assert replaced(text.format(sign))
    assert not replaced(sanitize.plain(text.format(sign)))
    assert sign in sanitize.line(text.format(sign))


@pytest.mark.parametrize("text", ["a:b{c}", "::x{y}", "a :b{c=d} e", ":x[y]{z}"])
def test_no_brace_is_taken_for_the_attributes_of_what_a_colon_opens(text):
    """Which Streamlit's Markdown would leave out: a joiner behind the colon is a name to it."""
    assert not re.search(r"(?<!\\)\{", sanitize.plain(text))


WORDS = some.text() | some.text(some.sampled_from("[]()!<>`*_~$:@&|\\#-1. w/htp\n\u202e")) | some.sampled_from(LURES)


@given(WORDS)
def test_markdown_that_shows_a_text_shows_all_of_it(text):
    """Undone, the escapes and the code marks leave the line itself."""
    shown = sanitize.plain(text).replace(sanitize.JOINER, "")
    undone = re.sub(r"\\([!-/:-@[-`{-~])", r"\1", shown)
    line = sanitize.line(text)
    assert undone.replace("`", "").replace(" ", "") == line.replace("`", "").replace(" ", "")
    assert not live(sanitize.plain(text))
    assert not replaced(sanitize.plain(text))


@given(WORDS, some.integers(1, 30))
def test_a_line_is_one_line_of_characters_that_show(text, most):
    line = sanitize.line(text, most)
    assert len(line) <= most
    assert sanitize.line(line, most) == line
    kinds = {unicodedata.category(c) for c in line if c not in sanitize.JOINERS}
    assert not kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(some.lists(some.sampled_from(["a", "a (2)", "x" * 80, "x" * 90, ""])))
def test_labels_stay_apart(names):
    assert len(set(sanitize.column_names(names))) == len(names)


def hostile():
    """Return a CSV file whose every word is a lure: 24 samples, 12 features, 3 classes."""
    names = [lure.replace('"', "'").replace("\x00", "\x01") for lure in LURES[:12]]
    rows = [",".join(f'"{name}"' for name in [*names, "class"])]
    for i in range(24):
        numbers = [f"{((i + 1) * (j + 2) * 37 % 101) / 7:.4f}" for j in range(12)]
        rows += [",".join([*numbers, f'"{LURES[i % 3]}"'])]
    return "\n".join(rows).encode()


FILE = "![p](www.evil.example) :red[evil] $x$ <a href=x>evil<br> **evil**"
FOLDS = ("samples", "these", "hold", "proof", "more", "proven", "others", "use", "panels", "take", "bounds", "tables")
CHOICES = {
    "explore": [{"k": 3}, {"k": 3, "ks": "2, 5", "method": "thresholding"}],
    "parts": [{"k": 3, "r": 2, "with": ["best"]}],
    "spannogram": [{"curves": "data set", "k": 3}, {"curves": "data set", "dimensions": "3: a sphere", "k": 3}],
    "compare": [{"what": "data sets"}, {"k": 3, "racers": ["best"]}],
}
VIEWS = [
    (page, choices)
    for page in state.PAGES
    if page != "learn"  # which shows no data of the visitor's
    for choices in CHOICES.get(page, [{"k": 3}])
]


def said(page):
    """Return every text of a page that is read as Markdown, and every word of its figures."""
    words, figures, blocks = texts(page).split("\n"), [], [page.main]
    while blocks:
        element = blocks.pop()
        blocks += getattr(element, "children", {}).values()
        proto = getattr(element, "proto", None)
        words += [getattr(proto, name, "") or "" for name in ("label", "help", "caption", "body", "text")]
        spec = getattr(getattr(proto, "figure", None), "spec", "") or getattr(proto, "spec", "")
        if spec:
            figures.append(json.loads(spec))
    return [word for word in words if isinstance(word, str)], figures


def drawn(part):
    """Go through all words of a figure that are drawn."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for key, inner in part.items():
            if key not in ("meta", "template"):
                yield from drawn(inner)
    elif isinstance(part, list):
        for inner in part:
            yield from drawn(inner)


@pytest.mark.parametrize(("name", "choices"), VIEWS, ids=[f"{page}-{i}" for i, (page, _) in enumerate(VIEWS)])
def test_nothing_of_a_hostile_file_comes_alive_on_a_page(name, choices, open_page):
    data = nnspca.datasets.read(hostile(), f"{FILE}.csv")
    assert "evil" in data.feature_names[0]
    assert data.label_names
    opened = dict.fromkeys([fold for fold in FOLDS if fold in state.keys_of(name)], True)
    own = {"data": data.name, "session": owner(data)}
    if name == "compare":
        own["vs"] = [data.name, "pitprops"]
    page = settle(settle(raced(open_page(f"pages/{name}.py", **own, **opened, **choices))))
    words, figures = said(page)
    assert not alive(page)
    if name not in ("spannogram", "papers"):  # which show no more of the data than their numbers
        inside = [word for figure in figures for word in drawn(figure)]
        assert any("evil" in word for word in (*words, *inside))
        # Explore's own pictures are drawn in the browser, and the data page draws spectra only
        assert figures or name in ("explore", "data")
    for figure in figures:
        for word in drawn(figure):
            assert not re.search(r"<(?!/?b>|br>|/?extra>|/?span|/?i>|/?sub>|/?sup>)|<br>%\{y\}<extra>evil", word), word


# A download as HTML, which Streamlit does not read as Markdown: nothing a file says ends an attribute or the element.
DOWNLOAD = r'<a class="download" href="download/[\w%/.~-]+" download="[^"<>]*" title="[^"<>]*">[^<>]*</a>'

PICTURE = r'<img class="picture" src="data:image/(?:png|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}" '


def ours(word):
    """Links of our own: to a page, to the documents, to where data come from, to a file made here; and our pictures."""
    pages = r"\[data page\]\(data\)|\[[\w ,]+\]\(docs/[\w/.#-]+\)"
    own = re.sub(
        f"{DOWNLOAD}|{PICTURE}|{pages}" + r"|<https?://[\w./+-]+>|\[[\w ]+\]\(https://(?!evil)[^)]*\)", "", word
    )
    return live(own)


def alive(page):
    """What of a page's words comes alive that is not ours."""
    words = said(page)[0] + [note for _, note in page.session_state["session"].notes.values()]
    return [(word, live(word)) for word in words if live(word) and ours(word)]


def test_no_word_of_a_figure_leaves_the_script_of_its_page():
    figure = style.Figure(data=[{"type": "scatter", "name": "</script><!-- evil"}])
    style.set_layout(figure, style.LIGHT, title="A figure", alt="of one name", height=300)
    assert " evil" in style.figure_page(figure)
    assert "</script><" not in style.figure_page(figure)
    assert "<!-- evil" not in style.figure_page(figure)
