"""A share of every campaign, the same attempts each time; ``python -m tests.fuzz`` makes many more."""

import contextlib
import dataclasses
import importlib

import numpy as np
import pytest

from nnspca.certificates import rows
from nnspca.certificates.derivations import DERIVATIONS
from nnspca.certificates.proofs import CarriedProof, PairProof, ScaleProof
from nnspca.covariance import input as reading
from tests.fuzz import (
    GotThrough,
    bombs,
    forged,
    generator,
    holders,
    honest,
    starts,
)


@pytest.mark.parametrize(
    ("campaign", "attempts"),
    [
        (forged, 1000),
        (starts, 6),
        (holders, 300),
    ],
    ids=lambda value: str(value)[-20:],
)
def test_nothing_gets_through(campaign, attempts):
    name = campaign.__name__.rpartition(".")[2]
    let_in = sum(campaign.attempt(generator(name, number, 0)) for number in range(attempts))
    assert 0 < let_in < attempts, "attacks that are all refused, or all harmless, try nothing"


def test_honest_certificates_of_every_kind_are_true_and_the_exact_checker_takes_them():
    honest.SEEN.clear()
    missing = {kind.__name__ for kind in DERIVATIONS}
    for number in range(26, 66):  # from where every kind is met soon
        if number >= 34 and not missing:
            break
        assert honest.attempt(generator("honest", number, 0))
        missing -= {kind.split(", ")[1] for kind in honest.SEEN}
    assert not missing


SLOW = (bombs.many_groups, bombs.many_images, bombs.many_columns)


@pytest.mark.heavy
@pytest.mark.parametrize("make", bombs.KINDS, ids=lambda make: make.__name__)
def test_no_file_exhausts_who_reads_it(make, monkeypatch):
    monkeypatch.setattr(bombs, "KINDS", (make,))
    # those whose seconds are in proportion to their items have fewer
    monkeypatch.setattr(bombs, "DECADES", 4.4 if make in SLOW else 6.0)
    bombs.attempt(generator("bombs", bombs.KINDS.index(make), 1))


@pytest.mark.heavy
def test_a_reader_that_takes_more_than_its_share_is_caught(monkeypatch):
    monkeypatch.setattr(bombs, "KINDS", (bombs.shared_texts,))
    monkeypatch.setattr(bombs, "MEMORY", 10**7)
    with pytest.raises(GotThrough, match="MB"):
        for number in range(5):
            bombs.attempt(generator("bombs", number, 0))


def test_proofs_of_every_type_are_forged():
    for kind in DERIVATIONS:
        made = [forged.forged(generator("forged", number, 0), forged.targets()[number], kind) for number in range(5)]
        assert {type(proof) for proof in made} == {kind}


def test_a_judge_without_the_range_of_weights_is_caught(monkeypatch):
    """The campaign finds what once passed: weights that underflow, 1.0001 proven where 2.6 is feasible."""
    monkeypatch.setattr(rows, "LEAST", 5e-324)
    monkeypatch.setattr(rows, "MOST", 1e150)
    with pytest.raises(GotThrough):
        for number in range(4000):
            forged.attempt(generator("forged", number, 0), (ScaleProof,))


def test_a_judge_that_takes_a_upper_bound_over_to_more_features_as_it_is_is_caught(monkeypatch):
    def as_it_is(proof, r, problem):
        return derivations.derive(proof.proof, dataclasses.replace(problem, k=proof.k), r)

    derivations = importlib.import_module("nnspca.certificates.derivations")
    monkeypatch.setitem(derivations.DERIVATIONS, CarriedProof, as_it_is)
    with pytest.raises(GotThrough):
        for number in range(2000):
            forged.attempt(generator("forged", number, 0), (CarriedProof,))


def test_a_judge_that_trusts_products_is_caught(monkeypatch):
    pairs = importlib.import_module("nnspca.certificates.pairs")
    monkeypatch.setattr(pairs, "check_products", lambda L, M, nonnegative: None)
    with pytest.raises(GotThrough):
        for number in range(2000):
            forged.attempt(generator("forged", number, 0), (PairProof,))


@pytest.mark.filterwarnings("ignore:.*masked element")
def test_a_judge_that_adds_up_what_it_did_not_check_is_caught(monkeypatch):
    """Squares of eight-bit integers wrap: 0 once was proven where 2.8 is feasible."""
    pairs = importlib.import_module("nnspca.certificates.pairs")
    array, least = pairs.array, pairs.least_of_rest
    monkeypatch.setattr(pairs, "array", lambda value, *given: (array(value, *given), value)[1])
    monkeypatch.setattr(pairs, "least_of_rest", lambda B, V, tail: least(B, np.array(V, dtype=float), tail))
    with pytest.raises(GotThrough):
        for number in range(6000):
            forged.attempt(generator("forged", number, 0), (PairProof,))


def test_a_reader_that_does_not_look_for_masks_is_caught(monkeypatch):
    monkeypatch.setattr(reading, "check_unmasked", lambda given: None)
    with pytest.raises(GotThrough):
        for number in range(200):
            with contextlib.suppress(UserWarning):  # NumPy's, where it notices
                holders.attempt(generator("holders", number, 0))
