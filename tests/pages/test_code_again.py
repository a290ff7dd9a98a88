"""The Python every page writes down, run: it reads the person's own file as they read it, and finds the same again."""

import numpy as np
import pytest

import nnspca
from nnspca.studies import comparison
from tests.pages.conftest import files_of, settle

pytestmark = pytest.mark.usefixtures("short_proofs")

OTHERS = {
    "explore": {"samples": True, "proof": True, "more": True, "ks": "2"},
    "parts": {"r": 2, "use": True, "use_view": "downloads"},
    "compare": {"what": "solvers", "racers": ["best", "em"], "take": True},
}


@pytest.fixture
def brought(open_page, monkeypatch, tmp_path):
    """Bring a file to the data page and answer its questions; return what the session then holds."""
    monkeypatch.chdir(tmp_path)

    def bring(name, content, *answers):
        (tmp_path / name).write_bytes(content)
        page = open_page("pages/data.py")
        page.file_uploader(key="upload").set_value((name, content, "text/csv")).run()
        settle(page)
        for answer in answers:
            settle(answer(page).run())
        return files_of(page)

    return bring


def indefinite():
    """A correlation matrix of six features, rounded to two digits: no longer one."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4, 6))
    R = np.corrcoef(X.T).round(2)
    rows = [",".join("abcdef"), *(",".join(map(str, row)) for row in R)]
    return "\n".join(rows).encode()


def test_what_is_wrong_with_a_matrix_is_said_without_python_and_no_longer_once_it_is_repaired(open_page):
    page = open_page("pages/data.py")
    page.file_uploader(key="upload").set_value(("corr.csv", indefinite(), "text/csv")).run()
    (told,) = settle(page).warning
    assert "its most negative eigenvalue is" in told.value and "has no negative eigenvalue" in told.value
    assert "repair=True" not in told.value and "from\\_data" not in told.value
    page.toggle[-1].set_value(True).run()
    assert not settle(page).warning
    assert any("Repaired: the nearest covariance" in note.value for note in page.info)


def run(code):
    scope = {"print": lambda *shown: None}
    exec(code, scope)
    return scope


def test_compare_writes_down_that_a_matrix_was_repaired(brought, open_page):
    kept = brought("corr.csv", indefinite(), lambda page: page.toggle[-1].set_value(True))
    assert "corr" in kept["session"].uploads and kept["session"].repaired
    with pytest.raises(nnspca.DataError, match="not positive semidefinite"):
        nnspca.Covariance.from_dataset(kept["session"].uploads["corr"])
    page = settle(open_page("pages/compare.py", vs=["corr", "pitprops"], fine="few", take=True, **kept))
    (code,) = (block.value for block in page.code if "comparison.compare" in block.value)
    again = run(code)["about"]
    assert again.column("data") == ["corr", "pitprops"]
    (job,) = page.session_state["session"].jobs.values()
    shown = {name: thing for name, thing in job.arrived if hasattr(thing, "first_share")}
    assert again.column("first")[0] == shown["corr"].first_share


def test_only_data_sets_compared_can_be_repaired():
    with pytest.raises(ValueError, match=r"repair=\['corr'\] is not allowed; give .* among \['pitprops'\]"):
        comparison.compare(["pitprops"], repair=["corr"])
    with pytest.raises(ValueError, match="repair='pitprops' is not allowed"):
        comparison.compare(["pitprops"], repair="pitprops")


@pytest.mark.parametrize("kind", ["matrix", "table"])
def test_every_page_reads_the_file_as_it_was_read_and_finds_the_same(kind, brought, open_page):
    if kind == "matrix":
        kept = brought("corr.csv", indefinite(), lambda page: page.toggle[-1].set_value(True))
        name, asked = "corr", {}
    else:
        lines = ["gene,s1,s2,s3,s4,s5", "A,1,2,3,9,4", "B,5,,7,1,2", "C,0,4,1,3,3", "D,2,2,8,5,9"]
        kept = brought(
            "wide.csv",
            "\n".join(lines).encode(),
            lambda page: page.selectbox(key="turned").set_value("columns"),
            lambda page: page.radio[0].set_value("mean"),
        )
        name, asked = "wide", {"prep": ["log1p"], "scale": "standardised"}
    data = kept["session"].uploads[name]
    held = nnspca.datasets.log1p(data) if asked else data
    cov = nnspca.Covariance.from_dataset(held, bool(asked), repair=kind == "matrix")
    for page_name, small in OTHERS.items():
        page = settle(settle(open_page(f"pages/{page_name}.py", data=name, k=2, **small, **asked, **kept)))
        codes = [block.value for block in page.code if "nnspca.datasets.read" in block.value]
        assert codes, page_name
        for code in codes:
            if "load_certificate" in code:  # whose file is downloaded beside it
                code = code.partition("cert = ")[0]
            assert run(code)["cov"].fingerprint == cov.fingerprint, page_name
