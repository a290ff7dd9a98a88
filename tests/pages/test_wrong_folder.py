"""Where the folder of data files is a slip of the pen, every page says so, and offers no download that cannot be."""

from tests.pages.conftest import texts


def test_data_that_are_not_here_say_what_is_wrong_with_the_folder_instead_of_offering_a_download(
    open_page, monkeypatch, tmp_path
):
    monkeypatch.setenv("NNSPCA_DATA", str(tmp_path / "nowhere"))
    monkeypatch.setenv("NNSPCA_CACHE", str(tmp_path))
    page = open_page("pages/explore.py", data="cbcl-faces")
    assert "cannot be fetched now" in texts(page)
    assert "nowhere', which is not a folder" in texts(page)
    assert "Download" not in [button.label for button in page.button]
    page = open_page("pages/data.py")
