"""On every data set, bundled or fetched: no component above any proven bound, and the papers' numbers."""

import numpy as np
import pytest

import nnspca
from nnspca import METHODS
from nnspca.studies import paper_bound
from tests import budgets

BUNDLED = ("lfw-faces", "digits", "pitprops", "synthetic-spiked")
FETCHED = ("cbcl-faces", "lrs", "leukemia")
BOTH = pytest.mark.parametrize("nonnegative", [True, False])


@pytest.fixture
def in_few_steps(monkeypatch):
    """Whatever is done in steps is done in few: components are below bounds after few as after many."""
    budgets.hurried(monkeypatch, branch_seconds=0.7)  # with which cases are begun on small data sets
    budgets.few_steps(monkeypatch)


def check_order(cov, ks, nonnegative):
    """No component exceeds a proven bound, and none is better than that of "best", found once for all."""
    for k in ks:
        parts = list(components(cov, k, nonnegative))
        (best,) = [part for part in parts if part.method == "best"]
        cert = nnspca.certify(cov, k, nonnegative=nonnegative, component=best)
        nnspca.verify(cert, cov)
        for part in parts:
            assert part.variance <= best.variance * (1 + 1e-9), part.method
            for bound in cert.bounds:
                if bound.deterministic:
                    assert part.variance <= bound.value, (part.method, bound.name)


def components(cov, k, nonnegative):
    """One component of every feasible method; those for fewer features say so, and what to use."""
    for name, info in METHODS.items():
        if not info.feasible or nonnegative not in info.signs:
            continue
        if info.max_features is not None and cov.n_features > info.max_features:
            refusal = f"takes at most {info.max_features} features; these data have {cov.n_features}"
        elif name == "enumeration" and cov.n_features > 1500:
            refusal = "use a smaller rank, fewer features, or the method 'spannogram'"
        else:
            yield nnspca.solve(cov, k, name, nonnegative=nonnegative, **budgets.lean(name, cov.n_features))
            continue
        with pytest.raises(ValueError, match=refusal):
            nnspca.solve(cov, k, name, nonnegative=nonnegative)


@BOTH
@pytest.mark.parametrize("name", BUNDLED)
def test_no_method_exceeds_any_bound_on_bundled_data(name, nonnegative, in_few_steps):
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load(name))
    check_order(cov, (1, 10) if cov.n_features < 100 else (10,), nonnegative)


@pytest.mark.heavy
@pytest.mark.real_data
@BOTH
@pytest.mark.parametrize("name", FETCHED)
def test_no_method_exceeds_any_bound_on_fetched_data(name, nonnegative, real, in_few_steps):
    check_order(real(name), (20,), nonnegative)


@pytest.mark.heavy
@pytest.mark.real_data
@pytest.mark.parametrize(
    ("name", "k", "low", "high"),
    [("lrs", 20, 0.86, 0.90), ("cbcl-faces", 180, 0.58, 0.62), ("leukemia", 50, 0.47, 0.52)],
)
def test_the_papers_ratios_are_met_and_the_certificate_is_tighter(name, k, low, high, real, monkeypatch):
    budgets.hurried(monkeypatch)  # and so soon
    cov = real(name)
    cert = nnspca.certify(cov, k)
    net = nnspca.solve(cov, k, "epsilon-net", rank=3, epsilon=0.1)
    ratio = net.variance / paper_bound(cov, k).value
    assert low <= ratio <= high
    assert cert.ratio > ratio + 0.05


def check_necessity(cov, k):
    """No solver finds a near-best component without an essential feature, nor more weight than a limit allows."""
    need = nnspca.necessity(cov, k, 0.01)
    assert need.essential.any()
    assert np.count_nonzero(need.undecided) <= k // 5
    for part in (nnspca.solve(cov, k, name) for name in ("best", "em", "greedy", "thresholding")):
        if part.variance >= need.threshold:
            assert need.essential[part.support].sum() == need.essential.sum(), part.method
            # the others need not be best on their own supports
            assert part.method != "best" or (part.loadings**2 <= need.limit * (1 + 1e-9)).all()
    for i in np.flatnonzero(need.essential)[:2]:
        others = np.delete(np.arange(cov.n_features), i)
        assert nnspca.solve(cov.restrict(others), k).variance < need.threshold


@pytest.mark.parametrize(("name", "k"), [("digits", 10), ("pitprops", 4)])
def test_every_solver_needs_the_essential_features_of_bundled_data(name, k):
    check_necessity(nnspca.Covariance.from_dataset(nnspca.datasets.load(name)), k)


@pytest.mark.heavy
@pytest.mark.real_data
def test_every_solver_needs_the_essential_features_of_fetched_data(real):
    check_necessity(real("lrs"), 10)
