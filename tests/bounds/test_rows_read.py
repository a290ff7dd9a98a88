"""Where features are alike and far too many for all their rows to be read, few are, and what is proven holds."""

import io
import json
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import nnspca
from nnspca import check
from nnspca.bounds.plain import largest_variances
from nnspca.certificates.derivations import derive
from nnspca.certificates.proofs import ScaleProof
from nnspca.covariance import held
from nnspca.covariance.factor import Factor
from nnspca.covariance.problem import Problem
from nnspca.errors import CertificateError
from nnspca.result import Bound
from nnspca.tasks import _rounds
from tests import budgets
from tests.benchmarks.data import zipf_text
from tests.test_check import npy, npz

M, N, ROWS = 50, 4000, 300
FEW = 2500  # features, all of whose rows an exact checker takes long to read


@pytest.fixture
def read(monkeypatch):
    """Whole rows read so far, of which a bound may read no more than ROWS at a time."""
    seconds = noise(0).held.reading_seconds(np.arange(N))
    monkeypatch.setattr(_rounds, "PLANS", budgets.each(relaxation=ROWS / N * seconds))
    counted = []
    block = Factor.block

    def counting(self, rows, columns=None):
        counted.append(len(rows) if columns is None else 0)
        return block(self, rows, columns)

    monkeypatch.setattr(Factor, "block", counting)
    return counted


def data(planted):
    rng = np.random.default_rng(3)
    X = rng.standard_normal((M, N))
    X[:, :planted] += 2.0 * rng.standard_normal(M)[:, None]
    return X


def noise(planted):
    return nnspca.Covariance.from_data(data(planted))


def test_of_noise_few_rows_are_read_and_the_certificate_holds(read):
    cov = noise(0)
    part = nnspca.solve(cov, 5, method="thresholding")
    read.clear()
    cert = nnspca.certify(cov, 5, component=part)
    balanced = next(bound for bound in cert.bounds if bound.name == "balanced-rows")
    assert _rounds.PLANS["live"].rows(Problem(cov, 5, True)) == ROWS
    assert sum(read) < 2.5 * N  # the quick bounds read some thousands of the heaviest; every pass over all is N more
    assert balanced.value < 1.1 * largest_variances(cov, 5)
    read.clear()
    nnspca.verify(cert, cov)
    assert sum(read) <= N  # each once


def test_what_stands_out_of_the_noise_is_proven_all_the_same(read):
    cov = noise(12)
    cert = nnspca.certify(cov, 10)
    assert cert.ratio > 0.95
    nnspca.verify(cert, cov)


def test_no_level_proves_less_than_itself_and_none_hides_a_row():
    cov = noise(12)
    d = np.ones(N)
    whole = derive(ScaleProof(d), Problem(cov, 10))
    assert derive(ScaleProof(d, 0.5 * whole), Problem(cov, 10)) == whole
    assert derive(ScaleProof(d, 2 * whole), Problem(cov, 10)) >= 2 * whole
    for level in (np.nan, -1.0, np.inf, "0"):
        with pytest.raises(CertificateError, match="level"):
            derive(ScaleProof(d, level), Problem(cov, 10))


@pytest.mark.slow
def test_a_stranger_reads_no_more_rows_and_believes_no_level(monkeypatch):
    budgets.quick(monkeypatch)
    X = data(0)[:, :FEW]
    cov = nnspca.Covariance.from_data(X)
    made = Bound("balanced-rows", 0.0, ingredients=ScaleProof(np.sqrt(cov.diagonal), 1.0))
    value = derive(ScaleProof(np.sqrt(cov.diagonal), 3 * float(cov.diagonal.max())), Problem(cov, 3))
    cert = nnspca.certify(cov, 3, component=nnspca.solve(cov, 3, method="thresholding"))
    made = replace(made, value=value, ingredients=replace(made.ingredients, level=value))
    file, table, said = npz(replace(cert, bounds=(made,), upper=value), cov), npy(X), []
    lower, upper = check.check(file, table, say=said.append, billions=0.1)  # all rows: 0.3
    assert lower < upper == Fraction(value)
    assert f" of {FEW} rows outside are read" in said[0]
    arrays = dict(np.load(io.BytesIO(file)))
    told = json.loads(str(arrays["certificate"]))

    def tampered():
        file = io.BytesIO()
        np.savez(file, **arrays | {"certificate": np.array(json.dumps(told))})
        return file.getvalue()

    told["check"]["upper"] = told["certificate"]["upper"] = 0.9 * value
    with pytest.raises(check.Refused, match="is claimed"):
        check.check(tampered(), table, say=said.append)
    for level in ("1e999999999", "9" * 400, float("nan")):  # a whole number of so many digits takes for ever
        told["check"]["proof"]["level"] = level
        with pytest.raises((OverflowError, ValueError)):
            check.check(tampered(), table, say=said.append)


def test_sparse_data_whose_rows_take_long_to_read_have_a_live_certificate(monkeypatch):
    monkeypatch.setattr(held, "SPARSE_PRODUCT", 100 * held.SPARSE_PRODUCT)  # as of a hundred times as many entries
    cov = nnspca.Covariance.from_data(zipf_text(3000, 6500, seed=0, length=60), standardize=False)
    assert not cov.held.holds_entries
    cert = nnspca.certify(cov, 30)
    assert cert.ratio > 0.95
    nnspca.verify(cert, cov)
