"""Features that none may use, and that one must keep a place for, mean the same in every function that takes them."""

import dataclasses

import numpy as np
import pandas
import pytest

import nnspca
from nnspca import check, check_more
from tests import oracle

NAMES = list("abcdefgh")
RNG = np.random.default_rng(3)
X = pandas.DataFrame(RNG.normal(size=(40, 8)) @ RNG.normal(size=(8, 8)) + 5.0, columns=NAMES)
COV = nnspca.Covariance.from_data(X)
FLAT = nnspca.Covariance.from_matrix(np.diag([1.0, 0, 0]))
OUT, LEFT = ["b", "e"], [0, 2, 3, 5, 6, 7]
REST = nnspca.Covariance.from_data(X[[NAMES[i] for i in LEFT]])

CALLS = {
    "solve": lambda cov, **more: nnspca.solve(cov, 3, **more),
    "certify": lambda cov, **more: nnspca.certify(cov, 3, **more),
    **{
        f"decompose {how}": lambda cov, how=how, **more: nnspca.decompose(cov, 2, 2, deflation=how, **more)
        for how in ("disjoint", "together", "projection", "schur", "quasi-orthogonal")
    },
    "decompose joint": lambda cov, **more: nnspca.decompose(cov, 2, 2, "nmf", deflation="joint", **more),
    "certify_parts": lambda cov, **more: nnspca.certify_parts(cov, 2, 2, **more),
    "sweep": lambda cov, **more: nnspca.sweep(cov, [1, 3, 4], **more),
    "sweep_parts": lambda cov, **more: nnspca.sweep_parts(cov, [1, 2], 2, **more),
}


def numbers(result):
    """What a result says of variances and their bounds, and of loadings."""
    if hasattr(result, "points"):
        return [each for p in result.points for each in numbers(getattr(p, "component", None) or p.together)] + [
            p.certificate.upper for p in result.points
        ]
    if hasattr(result, "upper"):
        return [result.lower, result.upper, *numbers(getattr(result, "component", None) or result.parts)]
    parts = [result] if isinstance(result, nnspca.Component) else result
    return [each for part in parts for each in (part.variance, *part.loadings[part.loadings != 0])]


@pytest.mark.parametrize("what", CALLS)
def test_without_features_is_as_if_they_were_not_in_the_data(what):
    named, placed = CALLS[what](COV, exclude=OUT), CALLS[what](COV, exclude=[1, 4])
    assert named == placed
    assert numbers(named) == pytest.approx(numbers(CALLS[what](REST)), rel=1e-9)
    parts = [named] if what == "solve" else [named.component] if what == "certify" else getattr(named, "parts", ())
    for part in parts:
        assert len(part.loadings) == 8 and not part.loadings[[1, 4]].any()
        assert part.variance == pytest.approx(COV.variance(part.loadings))


def test_certificates_of_parts_without_features_are_verified_saved_and_not_taken_for_others(tmp_path):
    cert = nnspca.certify_parts(COV, 2, 2, exclude=OUT)
    assert cert.exclude == (1, 4) and "b and e excluded" in cert.proven() + repr(cert)
    assert oracle.read_back(cert, COV) == cert
    assert check.main(oracle.judged_files(cert, COV, X.to_numpy(), tmp_path), check_more.Checker) == 0
    whole = nnspca.certify_parts(COV, 2, 2)
    for false in (
        {"exclude": (1,)},
        {"exclude": ()},
        {"exclude": (4, 1)},
        {"exclude": (0, 1)},
        {"exclude": tuple(range(8))},
    ):
        with pytest.raises(nnspca.CertificateError):
            nnspca.verify(dataclasses.replace(cert, **false), COV)
    with pytest.raises(nnspca.CertificateError):
        nnspca.verify(dataclasses.replace(whole, exclude=tuple(np.flatnonzero(whole.loadings.any(axis=1))[:1])), COV)
    again = nnspca.certify_parts(COV, 2, 2, cert.parts, exclude=OUT, warm_start=cert)
    assert again.lower == pytest.approx(cert.lower) and again.upper >= cert.lower
    for given in ({"parts": whole.parts}, {"warm_start": whole}):
        with pytest.raises(ValueError, match="exclude"):
            nnspca.certify_parts(COV, 2, 2, exclude=np.flatnonzero(whole.loadings.any(axis=1))[:1], **given)


def test_callbacks_are_told_of_all_features():
    told = []
    nnspca.sweep(COV, [2, 3], ("best",), exclude=OUT, on_point=told.append)
    assert told and all(len(point.component.loadings) == 8 for point in told)
    assert all(point.certificate is None or point.certificate.exclude == (1, 4) for point in told)


@pytest.mark.parametrize("deflation", ["disjoint", "together", "projection"])
def test_the_estimator_leaves_features_out_and_certifies_what_is_left(deflation):
    est = nnspca.NonnegativeSparsePCA(2, 2, deflation=deflation, exclude=OUT).fit(X)
    assert not est.components_[:, [1, 4]].any()
    together = deflation == "together"
    certificates = est.certify(together=together)
    est.verify()
    best = certificates if together else certificates[0]
    assert best.upper >= best.lower


def test_resamples_leave_features_out():
    assert not nnspca.bootstrap(X, 3, resamples=4, exclude=OUT).recurrence[[1, 4]].any()
    only = nnspca.cross_validate(X, [2], exclude=[n for n in NAMES if n not in "ac"])
    assert only.mean == pytest.approx(nnspca.cross_validate(X, [2], exclude=[1, 3, 4, 5, 6, 7]).mean)


def test_a_feature_included_has_a_place_in_every_function_of_one_component():
    weak = NAMES[int(COV.diagonal.argmin())]
    curve = nnspca.sweep(COV, [1, 2, 3], ("best", "greedy"), include=[weak], exclude=["b"])
    for k, certificate in curve.certificates.items():
        alone = nnspca.certify(COV, k, include=[weak], exclude=["b"])
        nnspca.verify(certificate, COV)
        assert certificate.include == alone.include and certificate.exclude == (1,)
        assert certificate.lower == pytest.approx(alone.lower) and certificate.upper >= alone.lower
    (only,) = nnspca.decompose(COV, 1, 3, include=[weak], exclude=["b"])
    assert only.variance == pytest.approx(curve.certificates[3].lower)
    est = nnspca.NonnegativeSparsePCA(1, 3, include=[weak], exclude=["b"]).fit(X)
    assert est.certificates_[0].upper >= est.explained_variance_[0] == pytest.approx(only.variance)
    assert est.certificates_[0].ratio == pytest.approx(curve.certificates[3].ratio, abs=1e-3)
    assert est.certificates_[0].include == (X.columns.drop("b").get_loc(weak),)  # on the features left
    assert nnspca.bootstrap(X, 3, resamples=3, include=[weak]).resamples == 3


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: nnspca.sweep(COV, 2, exclude=["z"]), "exclude='z'|'z' is not known"),
        (lambda: nnspca.decompose(COV, 2, 2, exclude=NAMES), "leave one at least"),
        (lambda: nnspca.decompose(COV, 2, 2, include=["a"]), "n_components=1"),
        (lambda: nnspca.sweep(COV, 2, include=["a"], exclude=["a"]), "share feature 0"),
        (lambda: nnspca.sweep(COV, 2, ("em",), include=["a"]), "does not support include"),
        (lambda: nnspca.sweep_parts(COV, 1, 7, exclude=OUT), "k=7"),
        (lambda: nnspca.certify_parts(FLAT, 1, 1, exclude=[0]), "no variance"),
        (lambda: nnspca.solve_all(FLAT, 1, exclude=[0]), "no variance"),
    ],
)
def test_what_cannot_be_left_out_or_kept_is_said(call, said):
    with pytest.raises(ValueError, match=said):
        call()
