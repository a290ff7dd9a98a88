"""Files as people have them, through the page: each is in use as the library reads it, with its rows and decisions."""

import pytest

from tests.datasets.test_real_files import FILES
from tests.pages.conftest import brought, settle, texts

# One of each kind and choice (codes of missing values have no field), of text and of other files.
SOME = {
    (file.kind, *file.options, file.name.endswith((".xlsx", ".h5ad", ".npz", ".gz"))): case
    for case, file in FILES.items()
    if not file.options.get("missing_codes")
}


@pytest.mark.parametrize("case", SOME.values())
def test_a_file_is_in_use_as_the_library_reads_it(case, open_page):
    file = FILES[case]
    page = brought(open_page("pages/data.py"), (file.name, file.content))
    for key, value in file.options.items():
        if key in ("keep_totals", "missing_codes"):
            settle(page.toggle(key="desk-literal").set_value(True).run())
            continue
        widget = page.radio(key="desk-missing") if key == "missing" else page.selectbox(key=f"desk-{key}")
        settle(widget.set_value(value or "none").run())
    assert not page.exception and not page.error, [told.value for told in page.error]
    (desk,) = page.session_state["session"].desks.values()
    assert desk.data.kind == file.kind and not desk.problem
    kept = [name for name in file.names if name not in desk.left_out]
    assert [name for name in desk.data.feature_names if name in kept] == kept
    assert (desk.data.shape[0], desk.data.n_features + len(desk.left_out)) == file.shape
    assert desk.data.label_names == file.labels
    assert f"In use: your file **{desk.title}**" in texts(page).replace("\\", "")
    assert len(page.dataframe) >= 1 and f"of {desk.seen.shape[0]:,} rows" in texts(page)
