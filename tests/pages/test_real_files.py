"""Files as people have them, through the page: each is in use as the library reads it, with its rows and decisions."""

import pytest

from nnspca.datasets import Choice
from tests.datasets.test_real_files import FILES
from tests.pages.conftest import brought, redrawn, settle, texts

SOME = {(file.kind, bool(file.options)): case for case, file in FILES.items()}  # one of each kind, and with a choice


@pytest.mark.parametrize("case", SOME.values())
def test_a_file_is_in_use_as_the_library_reads_it(case, open_page):
    file = FILES[case]
    page = brought(open_page("pages/data.py"), (file.name, file.content))
    if file.options:
        (desk,) = {*page.session_state["session"].desks.values(), page.session_state["session"].desk}
        desk.reading = desk.reading.settled(Choice("", file.options))
        settle(redrawn(page))
    assert not page.exception and not page.error, [told.value for told in page.error]
    (desk,) = page.session_state["session"].desks.values()
    assert desk.data.kind == file.kind and not desk.problem
    kept = [name for name in file.names if name not in desk.left_out]
    assert [name for name in desk.data.feature_names if name in kept] == kept
    assert (desk.data.shape[0], desk.data.n_features + len(desk.left_out)) == file.shape
    assert desk.data.label_names == file.labels
    assert f"In use: your file **{desk.title}**" in texts(page).replace("\\", "")
