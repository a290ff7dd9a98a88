"""A person's program that calls every public function and is checked by ``mypy --strict`` (see pyproject.toml)."""

import inspect
from pathlib import Path
from typing import get_args, get_type_hints

import numpy as np
import pytest

import nnspca
from nnspca.bounds.plan import PLANS
from nnspca.control.arguments import Deflation, Effort, Method, Options

X = np.random.default_rng(0).standard_normal((30, 6)) @ np.diag([3.0, 3.0, 2.0, 2.0, 1.0, 1.0])

NUMBERS = {"k", "n_components", "resamples", "folds", "count", "starts", "seed", "n_jobs", "rank"}


@pytest.fixture(scope="module")
def cov() -> nnspca.Covariance:
    return nnspca.Covariance.from_data(X, standardize=False, names=list("abcdef"))


def test_one_component(cov: nnspca.Covariance, tmp_path: Path) -> None:
    for name in nnspca.METHODS:
        info: nnspca.solvers.registry.MethodInfo = nnspca.METHODS[name]
        if True in info.signs:
            assert nnspca.solve(cov, 2, name, seed=np.random.default_rng(1)).method == info.name
    part: nnspca.Component = nnspca.solve(cov, k=2, method="best", include=["a"], should_stop=lambda: False)
    cert: nnspca.Certificate = nnspca.certify(cov, 2, effort="live", on_progress=nnspca.progress_bar())
    nnspca.verify(cert, cov)
    nnspca.save_certificate(cert, tmp_path / "c.npz", cov)
    again = nnspca.load_certificate(tmp_path / "c.npz")
    assert again.upper >= part.variance > 0
    need: nnspca.result.Necessity = nnspca.necessity(cov, 2, within=0.05)
    role: nnspca.result.Contribution = nnspca.contribution(cov, part, "a")
    judged: nnspca.result.Judgement = nnspca.certify_loadings(cov, part.loadings)
    ranking = nnspca.solve_all(cov, 2, count=2, within=0.1)
    curve: nnspca.Sweep = nnspca.sweep(cov, [1, 2], ("best", "em"), certify="live")
    for result in (part, cert, need, role, judged, ranking, curve):
        assert result.summary() and len(result.to_frame())
    for drawn in (part, cert, need, judged, curve):
        drawn.plot().to_dict()
    scores: np.ndarray = nnspca.scores(X, part)
    area: float | None = nnspca.separation(scores, (X[:, 0] > 0).astype(int))[1]
    assert area is not None and nnspca.separation(scores, [0, 1] * 15)


def test_several(cov: nnspca.Covariance) -> None:
    for name in nnspca.DEFLATIONS:
        if name != "joint":
            parts: nnspca.Components = nnspca.decompose(cov, n_components=2, k=2, deflation=name)
            assert nnspca.deflate(cov, parts.loadings[:, :1], name).trace > 0
    cert: nnspca.PartsCertificate = nnspca.certify_parts(cov, 2, 2, effort="live")
    curve: nnspca.PartsSweep = nnspca.sweep_parts(cov, [1, 2], 2, certify=None)
    found: nnspca.result.Stability = nnspca.bootstrap(X, 2, n_components=2, resamples=2, seed=np.random.default_rng(1))
    held: nnspca.result.CrossValidation = nnspca.cross_validate(X, [1, 2], folds=2)
    for result in (parts, curve, found, held):
        assert result.summary() and len(result.to_frame()) and result.plot().to_dict()
    assert cert.upper >= cert.lower and len(cert.to_frame())


def test_data_and_the_estimator() -> None:
    few: nnspca.covariance.choosing.MostVariable = nnspca.most_variable(X, 3)
    assert nnspca.Covariance.from_data(few).n_features == 3
    assert {info.name for info in nnspca.datasets.available()} >= {"pitprops", "digits"}
    table = nnspca.datasets.read(b"a,b\n1,2\n2,1\n4,5\n", "t.csv")
    assert nnspca.Covariance.from_dataset(table).feature_names == ("a", "b")
    model = nnspca.NonnegativeSparsePCA(n_components=2, n_nonzero=2).fit(X)
    T: np.ndarray = model.transform(X)
    assert model.inverse_transform(T).shape == X.shape and model.parts_[0].cardinality == 2
    bound: nnspca.Bound = nnspca.studies.paper_bound(nnspca.Covariance.from_data(X), 2)
    assert not bound.deterministic and nnspca.studies.STUDIES["asteris2014-fig1"].run().tables


def test_a_generator_is_a_seed_and_another_one_each_time(cov: nnspca.Covariance) -> None:
    def drawn(rng: np.random.Generator) -> list[list[float]]:
        return [nnspca.solve(cov, 3, "em", seed=rng, restarts=1, max_iter=1).loadings.tolist() for _ in range(4)]

    first = drawn(np.random.default_rng(5))
    assert first == drawn(np.random.default_rng(5))
    assert len({tuple(x) for x in first}) > 1
    with pytest.raises(ValueError, match=r"seed='x' is not allowed; give a whole .* or a numpy.random.Generator"):
        nnspca.certify(cov, 2, seed="x")  # type: ignore[arg-type]


def test_a_misspelt_keyword_is_found_by_mypy_and_named_with_its_value(cov: nnspca.Covariance) -> None:
    with pytest.raises(TypeError, match=r"no option restart=1; its options: restarts, .* of solve are restarts"):
        nnspca.solve(cov, 2, "em", restart=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"no option ranks=2; its options: rank, "):
        nnspca.decompose(cov, 2, 2, "spannogram", ranks=2)  # type: ignore[call-arg]


def test_the_names_that_type_checkers_know_are_those_of_the_tables() -> None:
    assert set(get_type_hints(Options)) == {option.name for info in nnspca.METHODS.values() for option in info.options}
    assert {name for some in get_args(Method) for name in get_args(some)} == set(nnspca.METHODS)
    assert set(get_args(Deflation)) == set(nnspca.DEFLATIONS)
    assert get_args(Effort) == tuple(PLANS)


def test_arguments_come_in_one_order_and_no_two_numbers_can_be_swapped() -> None:
    for name in nnspca.__all__:
        if inspect.isfunction(call := getattr(nnspca, name)):
            given = inspect.signature(call).parameters.values()
            by_place = [one.name for one in given if one.kind is one.POSITIONAL_OR_KEYWORD]
            numbers = [one for one in by_place if one in NUMBERS]
            assert numbers in ([], ["k"], ["n_components", "k"]) or name == "parallel_analysis", name
            assert not {"cov", "data"} & set(by_place[1:]) or name in ("verify", "save_certificate"), name
