"""Compare prepares each data set as the link says, where that is possible, and says and writes down what was done."""

import numpy as np
import pytest

import nnspca
from nnspca.datasets import Dataset
from nnspca.view.session import Session
from nnspca.view.sources import files
from tests.pages.conftest import settle, texts

pytestmark = pytest.mark.usefixtures("short_proofs")


def test_each_data_set_is_prepared_where_it_can_be_and_the_page_and_its_code_say_how(open_page):
    rng = np.random.default_rng(0)
    counts = Dataset(name="counts", X=rng.poisson(3.0, (30, 6)) ** 4)
    link = {"vs": ["pitprops", "counts"], "fine": "few", "prep": ["log1p"], "take": True, "scales": "as is"}
    page = settle(open_page("pages/compare.py", **link, session=Session(uploads={"counts": counts})))
    assert "Extra preprocessing: pitprops (none; not possible with it: log1p), counts (log1p)." in texts(page)
    code = next(block.value for block in page.code if "comparison.compare" in block.value)
    assert "data[1] = nnspca.datasets.log1p(data[1])" in code
    assert "data[0] =" not in code
    (job,) = page.session_state["session"].jobs.values()
    about = {name: thing for name, thing in job.arrived if hasattr(thing, "first_share")}
    prepared = nnspca.Covariance.from_dataset(nnspca.datasets.log1p(counts))
    assert about["counts"].leading == pytest.approx(float(prepared.eigenpairs(1)[0][0]))


def test_the_code_leaves_the_names_of_files_as_they_are(open_page):
    counts = Dataset(name="counts", X=np.random.default_rng(0).poisson(3.0, (30, 6)))
    read = files._Kept(("count data.csv",), "counts", files.Reading(names="gene data.csv"))
    link = {"vs": ["pitprops", "counts"], "fine": "few", "take": True}
    page = settle(
        open_page("pages/compare.py", **link, session=Session(uploads={"counts": counts}, readings={"counts": read}))
    )
    code = next(block.value for block in page.code if "comparison.compare" in block.value)
    assert "    nnspca.datasets.read('count data.csv', name='counts'),\n" in code
    assert "data[1] = nnspca.datasets.rename(data[1], nnspca.datasets.read_names('gene data.csv'))" in code


def test_nothing_is_said_of_preparing_where_nothing_is_asked(open_page):
    page = settle(open_page("pages/compare.py", vs=["pitprops", "digits"], fine="few"))
    assert "Extra preprocessing:" not in texts(page)
