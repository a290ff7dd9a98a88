"""Files brought to the data page: what is said of them, what can be chosen, and the Python that reads them again."""

import io
import json
import time

import numpy as np
import pytest
from PIL import Image

import nnspca
from nnspca.datasets import catalogue, fetch, read
from nnspca.result import rounded
from nnspca.view import running, say
from nnspca.view.data import desk
from nnspca.view.desk import DeskReading
from nnspca.view.link.state import State
from nnspca.view.sources import uploads
from nnspca.view.ui import downloads
from tests.datasets.test_formats import picture, workbook
from tests.datasets.test_real_files import FILES
from tests.pages.conftest import brought, files_of, owner, raced, redrawn, says, sent, settle, texts

pytestmark = pytest.mark.usefixtures("short_proofs")

SHAPES = b"height,width\n1,2\n3,5\n4,0\n"


@pytest.fixture
def bring(open_page):
    """Return ``bring(*files)``: a new visitor's data page with these files."""
    return lambda *files: brought(open_page("pages/data.py"), *files)


def held(page, name):
    return page.session_state["session"].uploads[name]


def on_desk(page):
    return page.session_state["session"].desk


def test_a_file_is_in_use_at_once_and_stays_where_another_is_chosen_later(bring):
    page = bring(("shapes.csv", SHAPES))
    assert page.session_state["data"] == "shapes"
    assert says(page.success, "shapes.csv") and says(page.success, say.as_read(held(page, "shapes")))
    assert says(page.header, "shapes") and "Terms:" not in texts(page)  # of which nothing is known
    page.session_state["data"] = "pitprops"
    assert redrawn(page).session_state["data"] == "pitprops"


def test_a_file_named_like_a_data_set_keeps_its_own_name_in_menus_and_code(bring, open_page):
    page, name = bring(("lfw-faces.csv", SHAPES)), uploads.YOURS.format("lfw-faces")
    assert page.session_state["data"] == name and list(page.session_state["session"].uploads) == [name]
    shown = settle(open_page("pages/explore.py", data=name, k=2, more=True, **files_of(page)))
    assert on_desk(page).called == name
    assert on_desk(page).code("data")[0] in "\n".join(block.value for block in shown.code)


def test_a_file_of_the_catalogue_is_told_from_the_catalogues_own(bring, monkeypatch):
    entry = catalogue.ENTRIES["leukemia"]
    monkeypatch.setattr(fetch.RemoteFile, "is_content", lambda file, data: file is entry.file)
    rows = "\n".join(f"{i},{i * i % 7},{'ab'[i % 2]}" for i in range(20))
    content = f"p,q,kind\n{rows}\n".encode()
    known = read(content, "MLL.csv")
    assert known.name == "leukemia"
    assert uploads.own_name("leukemia.csv", content) == uploads.YOURS.format("leukemia")
    page = bring(("MLL.csv", content))
    assert says([*page.success, *page.warning], "MLL.csv")
    assert any(known.title in note.says and says(page.caption, note) for note in held(page, "MLL").notes)
    assert page.session_state["data"] == held(page, "MLL").title == "MLL"
    assert on_desk(page).called == "MLL"  # which the Python that reads it again gives


def test_missing_values_are_asked_with_what_each_way_costs_and_the_code_says_which_was_taken(bring):
    holes = b"a,b\n1,2\n3,\n4,0\n,5\n"
    with pytest.raises(nnspca.datasets.MissingValues, match="missing=") as refused:
        read(holes, "holes.csv")
    page = bring(("holes.csv", holes))
    assert says(page.warning, refused.value.found) and not page.error and not page.success
    assert [page.button(key=f"doubt-0-{i}").label[-6:] for i in range(2)] == ["2 of 4", "2 of 2"]
    settle(page.button(key="doubt-0-0").click().run())
    assert held(page, "holes").shape == (2, 2) and says(page.caption, held(page, "holes").notes[-1])
    settle(page.selectbox(key="desk-missing").set_value("mean").run())
    assert held(page, "holes").shape == (4, 2)
    settle(page.text_input(key="desk-missing_codes").set_value("1, none yet").run())
    assert page.session_state["session"].desks["holes"].read.arguments == {
        "missing": "mean", "missing_codes": ("1", "none yet"),
    }  # fmt: skip
    assert held(page, "holes").X[0, 0] == 3.5


def test_where_a_way_to_deal_with_missing_values_leaves_nothing_the_others_can_still_be_chosen(bring):
    content = b"day,a,b,c\n2024-01-01,1,,2\n2024-01-02,3,5,\n2024-01-03,,4,1\n"
    with pytest.raises(nnspca.DataError, match="without these samples, 0 would be left") as refused:
        read(content, "gaps.csv", missing="drop rows")
    page = bring(("gaps.csv", content))
    assert "value before" in page.button(key="doubt-0-0").label, "of a series"
    settle(page.button(key="doubt-0-1").click().run())
    assert says(page.error, refused.value)
    settle(page.selectbox(key="desk-missing").set_value("mean").run())
    assert held(page, "gaps").shape == (3, 3)


def lines(page):
    """The lines of the table of columns, by name."""
    (shown,) = [table.value for table in page.dataframe if "role" in table.value]
    return shown.set_index("name")


def test_of_many_columns_some_are_shown_and_the_others_found(bring):
    names = [f"c{j}" for j in range(450)]
    rows = [",".join(map(str, row)) for row in np.random.default_rng(0).normal(size=(9, 450)).round(3)]
    page = bring(("wide.csv", "\n".join([",".join(names), *rows]).encode()))
    assert len(lines(page)) == 200 and not page.exception
    assert list(lines(settle(page.text_input(key="desk-search").set_value("C440").run())).index) == ["c440"]
    taken(page, c440="left out")
    assert lines(page).role.c440 == "left out" and "c440" not in on_desk(page).data.feature_names
    assert json.loads(on_desk(page).reading.text) == {"columns": {"c440": "left out"}}


def taken(page, **roles):
    """Give columns roles, as an edit of the table does, which AppTest cannot."""
    desk.take_roles(on_desk(page), list(roles), {i: {"role": role} for i, role in enumerate(roles.values())})
    return settle(redrawn(page))


CODED = "town;a;b\n" + "".join(f"t{i};{i * i % 7},5;{-99.99 if i % 3 == 1 else i % 5}\n" for i in range(12))
CODED = CODED.replace("-99.99", "-99,99").encode()


@pytest.mark.parametrize(("answer", "missing"), [(0, 0), (1, 4)])
def test_a_doubt_is_asked_and_no_answer_is_called_read_as_meant_until_it_is_settled(bring, open_page, answer, missing):
    page = bring(("coded.csv", CODED))
    assert not page.success and says(page.warning, held(page, "coded").doubts[0])
    assert next(iter(lines(page).index)) == "b"  # the doubted column comes first
    shown, as_read = open_page("pages/explore.py", data="coded", k=1, ks="1", **files_of(page)), held(page, "coded")
    assert len(as_read.doubts) == 1 and say.as_read(as_read) in page.warning[0].value
    assert say.as_read(as_read) in texts(shown)
    settle(page.button(key=f"doubt-0-{answer}").click().run())
    desk = on_desk(page)
    if missing:
        assert desk.seen.error.count == missing
        settle(page.selectbox(key="desk-missing").set_value("mean").run())
    assert says(page.success, say.as_read(desk.data)) and not page.warning
    assert ("accepted" in desk.reading.arguments) == (not missing)
    assert DeskReading.of_text(desk.reading.text) == desk.reading
    again = read(CODED, "coded.csv", **json.loads(desk.reading.text))
    assert again.content_hash == desk.data.content_hash and not again.doubts


def test_a_decision_can_be_taken_back_beside_where_it_is_said(bring):
    page = bring(("two.csv", b"u,a,b\nx,1,2\nx,2,4\ny,7,9\ny,3,0\n"))
    assert held(page, "two").label_names == ("x", "y")
    settle(page.button(key="decision-0-0").click().run())
    assert held(page, "two").labels is None and lines(page).role.u == "left out"


@pytest.fixture
def slow(monkeypatch, read_here):
    """Reading takes longer than the page waits: meanwhile it may not draw the choices."""
    preview = nnspca.datasets.preview

    def slowly(*given, **more):
        time.sleep(1.5 * running.PATIENCE)
        return preview(*given, **more)

    monkeypatch.setattr(nnspca.datasets, "preview", slowly)


HOLE = workbook([["a", "b", "u", "v"], [1, 2, "x", "p"], [3, None, "x", "q"], [4, 0, "y", "q"], [2, 2, "y", "p"]])


def test_what_was_chosen_about_a_file_outlives_slow_readings_and_other_pages(open_page, slow):
    page = open_page(data="pitprops", k=4)
    page = brought(page.switch_page("data.py").run(), ("hole.xlsx", HOLE))
    settle(page.button(key="doubt-0-0").click().run())
    taken(page, v="class")
    assert (held(page, "hole").shape, held(page, "hole").label_names) == ((3, 2), ("p", "q"))
    assert json.loads(sent(page, "link")["says"]["reading"][0]) == {"missing": "drop rows", "columns": {"v": "class"}}
    page.switch_page("parts.py").run()
    settle(page.switch_page("data.py").run())
    assert (page.selectbox(key="desk-missing").value, lines(page).role.v) == ("drop rows", "class")
    taken(page, u="class", b="left out", v="left out")
    assert (held(page, "hole").feature_names, held(page, "hole").label_names) == (("a",), ("x", "y"))
    assert held(page, "hole").shape[0] == 4  # the column with the hole is gone before it is looked for holes


def test_what_becomes_of_each_column_can_be_chosen_and_what_cannot_be_is_taken_back(bring):
    page = bring(("two.csv", b"id,a,b,u,v\n1,1,2,x,p\n2,2,4,x,q\n3,7,9,y,q\n4,3,0,y,p\n5,1,1,x,p\n"))
    assert lines(page).role[list("abuv")].tolist() == ["feature", "feature", "class", "left out"]
    taken(page, v="class")
    assert held(page, "two").label_names == ("p", "q")
    taken(page, a="left out", id="feature")
    assert held(page, "two").feature_names == ("id", "b")
    taken(page, b="left out", id="left out")
    assert page.error and held(page, "two").feature_names == ("id", "b")
    settle(page.button(key="desk-back").click().run())
    taken(page, id="name")
    assert not page.error and held(page, "two").sample_names == ("1", "2", "3", "4", "5")


def test_sheet_header_signs_and_orientation_can_be_chosen_with_the_guess_filled_in(bring, read_here):
    page = bring(("t.csv", b"g,s1,s2,s3\nA,1,2,3\nB,5,5,7\n"))
    settle(page.selectbox(key="desk-samples").set_value("columns").run())
    assert held(page, "t").feature_names == ("A", "B") and held(page, "t").shape == (3, 2)
    page = bring(("genes.csv", b"p1,p2,p3\n1,2,3\n4,5,7\n0,1,1\n"), ("map.csv", b"p1,TP53\np2,MYC\n"))
    assert held(page, "genes").feature_names == ("TP53", "MYC", "p3")
    page = bring(("pt.csv", b"a;b\n1.234;2\n5.100;3\n2.000;1\n"))
    assert page.selectbox(key="desk-decimal").options[0].startswith(desk.CHOICES["decimal"]["."])
    settle(page.selectbox(key="desk-decimal").set_value(",").run())
    assert held(page, "pt").X[:, 0].tolist() == [1234, 5100, 2000]
    book = FILES["a README sheet first"]
    page = bring((book.name, book.content))
    assert page.selectbox(key="desk-sheet").options == ["data (found)", "README", "lookup", "data"]
    settle(page.selectbox(key="desk-sheet").set_value("lookup").run())
    assert held(page, "w").shape == (2, 1)
    settle(page.selectbox(key="desk-sheet").set_value("README").run())
    assert says(page.error, on_desk(page).seen.error) and "w.xlsx" in page.button(key="desk-back").help


def test_an_error_shows_the_lines_and_what_mends_it_and_no_page_shows_other_data_in_silence(bring, open_page):
    page = bring(("semi.csv", b"a;b\nx cm;y cm\nz cm;y cm\n"))
    assert "x cm \\| y cm" in page.error[0].value and page.selectbox(key="desk-header").label == "Header"
    other = settle(open_page(data="pitprops", k=4, session=page.session_state["session"]))
    assert says(other.warning, "semi.csv")


def test_a_reload_offers_the_file_again_by_name_and_it_opens_at_its_k(open_page):
    page = open_page(data="holes", k=4, reading='{"columns":{"b":"left out"}}')
    (asking,) = [note.value for note in page.info if "holes" in note.value]
    assert "LFW" not in asking
    assert any(link.page == "data" for link in page.get("page_link"))  # what it says is one press away
    assert sent(redrawn(page), "link")["says"]["data"] == ["holes"]  # a second reload offers it, too
    page = page.switch_page("data.py").run()
    assert asking in texts(page)  # beside the place for files
    page = brought(page, ("holes.csv", b"a,b,c,d,e\n1,2,3,4,5\n5,4,2,2,0\n0,1,1,7,2\n"))
    assert page.session_state["data"] == "holes" and page.session_state["session"].assigned["k"][-1] == 4
    assert held(page, "holes").feature_names == tuple("acde")  # read as the link says


def dotted(value):
    """An image of one grey with a dot that is the same in all."""
    grey, out = np.full((2, 3), value, np.uint8), io.BytesIO()
    grey[0, 0] = 9
    Image.fromarray(grey).save(out, "PNG")
    return out.getvalue()


DOTS = [(f"{i}.png", dotted(40 * i)) for i in range(4)]
IMAGES = [(f"{i}.png", picture(i * 40)) for i in range(4)]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ([("t.xlsx", workbook([["a", "b"], [1, 2], [3, 5], [4, 0]]))], (3, 2)),
        (IMAGES, (4, 6)),
        ([*DOTS], (4, 6)),
        ([*IMAGES, ("odd.png", picture(3, (5, 5)))], (5, 6)),
        ([(f"{name}.png", picture(i)) for i, name in enumerate("abca")], "two are called 'a.png': rename one of them"),
        ([("bad.csv", b"a,b\n1,2\n3,oops,4\n")], "bad.csv"),
        ([("small.csv", b"a,b\n1e-310,2e-310\n3e-310,1e-310\n5e-312,2e-311\n")], "small"),
        ([("same.csv", b"a,b\n1,2\n1,2\n1,2\n")], "same"),
    ],
)
def test_files_of_any_format_are_one_data_set_or_refused_by_name(files, found, bring):
    page = bring(*files)
    shapes = [data.shape for data in page.session_state["session"].uploads.values()]
    assert bool(page.success) == bool(shapes)
    assert shapes == [found] or (not shapes and found in texts(page))


def test_a_link_prepares_bundled_data_the_code_says_how_and_k_fits_the_smaller_images(open_page):
    made = run("\n".join(downloads.data_lines(State(data="digits", prep=("crop-1", "log1p")))))
    prepared = nnspca.datasets.log1p(nnspca.datasets.crop(nnspca.datasets.load("digits"), 1))
    assert made["data"].content_hash == prepared.content_hash and made["cov"].n_features == 36
    page = open_page("pages/main.py", data="digits", prep="crop-3", k="4")
    redrawn(page.switch_page("data.py"))
    (k,) = [box for box in page.number_input if box.key == "k"] or [None]
    assert k is None or k.max == 4
    assert says(page.caption, "crop-3")


# The Python that every page writes down, run.


def run(code):
    scope = {"print": lambda *shown: None}
    exec(code, scope)
    return scope


def indefinite():
    """A correlation matrix of six features, rounded to two digits: no longer one."""
    R = np.corrcoef(np.random.default_rng(3).normal(size=(4, 6)).T).round(2)
    return "\n".join([",".join("abcdef"), *(",".join(map(str, row)) for row in R)]).encode()


@pytest.fixture
def matrix(bring, tmp_path, monkeypatch):
    """A matrix brought and repaired, as the session then holds it; what is said by the way."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "corr.csv").write_bytes(indefinite())
    page = bring(("corr.csv", indefinite()))
    with pytest.raises(nnspca.DataError) as refused:
        nnspca.Covariance.from_dataset(on_desk(page).seen.data)
    assert says(page.error, refused.value) and not page.success
    settle(page.toggle(key="desk-repair").set_value(True).run())
    moved = nnspca.Covariance.from_dataset(held(page, "corr"), repair=True).held.moved
    assert not page.error and page.success and says(page.info, rounded.number(moved, up=True))
    return files_of(page)


def test_a_matrix_that_is_not_repaired_is_refused_on_every_page_and_compare_writes_down_that_it_was(matrix, open_page):
    unmended = open_page(data="corr", session=owner(matrix["session"].uploads["corr"]))
    with pytest.raises(nnspca.DataError) as refused:
        nnspca.Covariance.from_dataset(matrix["session"].uploads["corr"])
    assert says(unmended.error, refused.value)
    page = settle(open_page("pages/compare.py", what="data sets", vs=["pitprops", "corr"], take=True, **matrix))
    (code,) = (block.value for block in page.code if "nnspca.sweep" in block.value)
    again = run(code)["cov"]
    (job,) = page.session_state["session"].jobs.values()
    found = {name: point.component for name, point in job.results if point.certificate is None}
    assert again.variance(found["corr"].loadings) == pytest.approx(found["corr"].variance)


OTHERS = {
    "explore": {"samples": True, "proof": True, "more": True, "ks": "2"},
    "parts": {"r": 2, "use": True, "use_view": "downloads"},
    "compare": {"what": "solvers", "racers": ["best", "em"], "take": True},
    "spannogram": {"curves": "data set", "dimensions": "2: a circle"},
}


def every_page_finds(open_page, name, kept, fingerprint, **asked):
    """State that each page uses a file, without an error, and that its Python reads it again as it was read."""
    for page_name, small in OTHERS.items():
        page = settle(settle(raced(open_page(f"pages/{page_name}.py", data=name, k=2, **small, **asked, **kept))))
        assert not page.error and not [job.problem for job in kept["session"].jobs.values() if job.problem]
        codes = [block.value for block in page.code if "nnspca.datasets.read" in block.value]
        assert codes or page_name == "spannogram"
        for code in codes:  # without the certificate's file, which is downloaded beside it
            code = code.partition("cert = ")[0] if "load_certificate" in code else code
            assert run(code)["cov"].fingerprint == fingerprint, page_name


def test_every_page_reads_a_repaired_matrix_as_it_was_read_and_finds_the_same(matrix, open_page):
    cov = nnspca.Covariance.from_dataset(matrix["session"].uploads["corr"], repair=True)
    every_page_finds(open_page, "corr", matrix, cov.fingerprint)


def test_every_page_reads_a_table_as_it_was_read_and_finds_the_same(bring, open_page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = ["gene,s1,s2,s3,s4,s5", "A,1,2,3,9,4", "B,5,,7,1,2", "C,0,4,1,3,3", "D,2,2,8,5,9"]
    (tmp_path / "wide.csv").write_text("\n".join(lines))
    page = bring(("wide.csv", "\n".join(lines).encode()))
    settle(page.selectbox(key="desk-samples").set_value("columns").run())
    settle(page.selectbox(key="desk-missing").set_value("mean").run())
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.log1p(held(page, "wide")), standardize=True)
    asked = {"prep": ["log1p"], "scale": "standardised"}
    every_page_finds(open_page, "wide", files_of(page), cov.fingerprint, **asked)
