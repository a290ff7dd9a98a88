"""Sparse files and their samples: the same answer as the same numbers written out, and none of them written out."""

import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca.datasets import Dataset
from nnspca.view import say
from nnspca.view.explore import samples
from nnspca.view.link.state import State
from nnspca.view.subject import Subject
from tests.pages.conftest import alone, owner, settle, texts
from tests.pages.test_samples import told

pytestmark = pytest.mark.usefixtures("short_proofs")

ALONE = """
import streamlit as st
from nnspca.view.explore import samples
from nnspca.view.subject import Subject
about = Subject(st.session_state["session"].uploads["counts"], st.session_state["now"])
samples.extremes(st.session_state["first"], about)
"""
MOST = 1_000_000  # numbers that a page may write out of the ten million there are: some rows of the covariance


def counts(m=2000, n=5000):
    """Counts, 2 % of them not zero, and thirty features that rise together in the first samples."""
    rng = np.random.default_rng(0)
    places = rng.integers(0, m * n, m * n // 50)
    rows = np.concatenate([places // n, np.repeat(np.arange(m // 7), 30)])
    columns = np.concatenate([places % n, np.tile(np.arange(30), m // 7)])
    together = rng.poisson(4.0, (m // 7, 1)) + rng.poisson(1.0, (m // 7, 30))
    values = np.concatenate([rng.poisson(1.0, len(places)), together.ravel()])
    return scipy.sparse.csr_array(scipy.sparse.coo_array((values.astype(float), (rows, columns)), shape=(m, n)))


@pytest.fixture
def never_written_out(monkeypatch):
    """Fail where a sparse array of more than a few columns or rows is written out in full."""
    for kind in (scipy.sparse.csr_array, scipy.sparse.csc_array, scipy.sparse.coo_array):

        def watched(self, *args, _plain=kind.toarray, **more):
            assert np.prod(self.shape) <= MOST, f"{self.shape} written out"
            return _plain(self, *args, **more)

        monkeypatch.setattr(kind, "toarray", watched)
        monkeypatch.setattr(kind, "todense", watched)


def test_two_thousand_by_five_thousand_counts_are_told_of_without_writing_them_out(never_written_out):
    data = Dataset(name="counts", kind="table", X=counts(), labels=np.arange(2000) < 285, label_names=("rest", "early"))
    now = State(data="counts", scale="standardised", k=20)
    first = nnspca.solve(Subject(data, now).cov, 20, "em")
    page = settle(alone(ALONE, session=owner(data), first=first, now=now))
    assert not [told.value for told in page.error]
    about = Subject(data, now)
    assert samples.explain(4000, first, about)["says"] and len(samples.over(1999, first, data)["away"]) == 20
    assert say.separation(data, samples.standard_scores(first, about)[:, None]) in texts(page)


@pytest.mark.parametrize("standardise", [False, True])
def test_a_sparse_file_is_told_of_as_the_same_numbers_written_out(standardise):
    X = counts(60, 40)
    labels = {"labels": np.arange(60) % 2, "label_names": ("a", "b")}
    sparse = Dataset(name="counts", X=X, **labels)
    dense = Dataset(name="counts", X=X.toarray(), **labels)
    for feature in (0, 35):
        one, other = (told(data, 8, standardise=standardise, feature=feature) for data in (sparse, dense))
        np.testing.assert_allclose(one[0], other[0], rtol=1e-9, atol=1e-12)
        assert one[1] == other[1]


def test_a_step_that_is_not_offered_says_why(open_page):
    below = [[1.0, -2.5], [3.0, 6.0], [0.0, 1.0]]
    dense, least = "it would make sparse data dense", "it needs numbers above −1, and the least is −2.5"
    for name, X, step, why in (("counts", counts(60, 40), "project-out", dense), ("below", below, "log1p", least)):
        page = open_page("pages/data.py", data=name, session=owner(Dataset(name=name, X=X)))
        assert f"**{step}** is" in texts(page) and why in texts(page)
