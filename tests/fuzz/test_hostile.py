"""Whatever a stranger brings, by a link or in a file, is read as what it is or refused in plain words.

Pages opened by hostile links: ``tests/pages/test_links.py``.
"""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import nnspca
from nnspca.view.link.state import TABLE
from nnspca.view.sources import sandbox
from tests import oracle
from tests.fuzz import hostile
from tests.fuzz.hostile import attempts


@attempts(400)
@given(some.data())
def test_a_key_is_read_as_a_value_it_may_have_or_as_none(data):
    entry = data.draw(some.sampled_from(TABLE))
    texts = data.draw(some.lists(hostile.texts_of(entry) | some.just("\ud800"), max_size=3))
    value, whole = entry.read(texts)
    assert isinstance(whole, bool)
    assert value is None or allowed(entry, value, texts), (entry.key, value)


def allowed(entry, value, texts):
    """Whether the value is one that the key may have."""
    if entry.kind == "text":
        return value == (texts[-1] if texts else "")
    if entry.kind in ("switch", "fold"):
        return isinstance(value, bool)
    if entry.kind in ("whole", "number"):
        low = -math.inf if entry.low is None else entry.low
        high = math.inf if entry.high is None else entry.high
        fits = math.isfinite(value) and low <= value <= high and (not entry.options or value in entry.options)
        return fits and (entry.kind == "number" or isinstance(value, int))
    if entry.kind == "one":
        return value in entry.options
    return isinstance(value, tuple) and set(value) <= set(entry.options) and len(value) <= (entry.most or math.inf)


def read(content, name):
    """Read a file as the app does, or here, unless a library takes part that could end this process."""
    told = name.endswith((".parquet", ".h5ad", ".xlsx")) and content.startswith((b"PAR1", b"\x89HDF", b"PK"))
    if told or name.endswith((".mat", ".mtx", ".mtx.gz")):
        seen = sandbox.preview({name: content}, lambda: False)
        if seen.error is not None:
            raise seen.error
        return seen.data
    return nnspca.datasets.read(content, name)


@pytest.mark.parametrize(("elsewhere", "count"), [(False, 300), (True, 5)], ids=["here", "apart"])
def test_a_damaged_file_is_a_data_set_or_refused(elsewhere, count):
    let_in = []

    @attempts(count)
    @given(hostile.data_files(elsewhere))
    def of(file):
        name, content = file
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                made = read(content, name)
            except nnspca.DataError:
                let_in.append(False)
                return
        values = made.X.data if made.is_sparse else made.X
        assert isinstance(made, nnspca.datasets.Dataset) and made.X.ndim == 2
        assert np.isfinite(values).all()
        let_in.append(True)

    of()
    assert elsewhere or 0 < sum(let_in) < len(let_in), "attacks that are all refused, or all harmless, try nothing"


@attempts(300)
@given(some.deferred(hostile.certificates))
def test_a_damaged_certificate_is_refused_or_true(made):
    content, target = made
    try:
        cert = nnspca.load_certificate(content)
        nnspca.verify(cert, target.cov)
    except nnspca.CertificateError:
        return
    single = isinstance(cert, nnspca.Certificate)
    if single and (cert.k, cert.nonnegative) == (target.k, target.nonnegative):
        known = target.attained
    elif not single and (cert.n_components, cert.k, cert.nonnegative) == (2, target.k, target.nonnegative):
        known = target.pair
    else:  # another problem was proven: any feasible variance at hand must be below
        known = oracle.exact(np.array(max(target.A.diagonal()) * (1 - 1e-9)))[()]
    assert oracle.allows(cert.upper, known)
