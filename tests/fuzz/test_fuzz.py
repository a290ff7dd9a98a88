"""Forged proofs, honest ones and files made to exhaust their reader: nothing false gets through."""

import dataclasses

import numpy as np
import pytest

from nnspca.certificates import derivations, pairs, rows
from nnspca.certificates.derivations import DERIVATIONS
from nnspca.certificates.proofs import CarriedProof, PairProof, ScaleProof
from tests.fuzz import MORE, GotThrough, bombs, forged, generator, honest


@pytest.mark.parametrize(("campaign", "attempts"), [(forged.attempt, 1000), (forged.started, 6)])
def test_nothing_gets_through(campaign, attempts):
    let_in = sum(campaign(generator("forged", number)) for number in range(attempts * MORE))
    assert 0 < let_in < attempts * MORE, "attacks that are all refused, or all harmless, try nothing"


def test_honest_certificates_of_every_kind_are_true_and_the_exact_checker_takes_them():
    honest.SEEN.clear()
    missing = {kind.__name__ for kind in DERIVATIONS}
    for number in range(26, 26 + 40 * MORE):  # from where every kind is met soon
        if MORE == 1 and number >= 34 and not missing:
            break
        assert honest.attempt(generator("honest", number), exact=number % 4 == 0 or MORE == 1)
        missing -= {kind.split(", ")[1] for kind in honest.SEEN}
    print(", ".join(f"{count:,} {kind}" for kind, count in honest.SEEN.most_common()))
    assert not missing


# Those whose seconds are in proportion to their items have fewer.
SLOW = dict.fromkeys((bombs.many_groups, bombs.many_images, bombs.many_columns), 4.4)
SLOW |= dict.fromkeys((bombs.remarks, bombs.declared, bombs.cells), 4.5)


@pytest.mark.heavy
@pytest.mark.parametrize("make", bombs.KINDS, ids=lambda make: make.__name__)
def test_no_file_exhausts_who_reads_it(make):
    for number in range(MORE):
        rng = generator(f"bombs {make.__name__}", number)
        bombs.attempt(rng, make, decades=SLOW.get(make, 6.0))


@pytest.mark.heavy
def test_a_reader_that_takes_more_than_its_share_is_caught(monkeypatch):
    monkeypatch.setattr(bombs, "MEMORY", 10**7)
    with pytest.raises(GotThrough, match="MB"):
        for number in range(5):
            bombs.attempt(generator("bombs", number), bombs.shared_texts)


def test_proofs_of_every_type_are_forged():
    for kind in DERIVATIONS:
        made = [forged.forged(generator("forged", number), forged.targets()[number], kind) for number in range(5)]
        assert {type(proof) for proof in made} == {kind}


def any_weights(patch):
    """Weights that underflow: 1.0001 once was proven where 2.6 is feasible."""
    patch.setattr(rows, "LEAST", 5e-324)
    patch.setattr(rows, "MOST", 1e150)


def carried_as_it_is(patch):
    def as_it_is(proof, r, problem):
        return derivations.derive(proof.proof, dataclasses.replace(problem, k=proof.k), r)

    patch.setitem(DERIVATIONS, CarriedProof, as_it_is)


def unchecked_products(patch):
    patch.setattr(pairs, "check_products", lambda L, M, nonnegative: None)


def unchecked_arrays(patch):
    """Squares of eight-bit integers wrap: 0 once was proven where 2.8 is feasible."""
    array, least = pairs.array, pairs.least_of_rest
    patch.setattr(pairs, "array", lambda value, *given: (array(value, *given), value)[1])
    patch.setattr(pairs, "least_of_rest", lambda B, V, tail: least(B, np.array(V, dtype=float), tail))


@pytest.mark.filterwarnings("ignore:.*masked element")
@pytest.mark.parametrize(
    ("weaken", "kind", "first"),  # from where it is caught soon
    [
        (any_weights, ScaleProof, 3600),
        (carried_as_it_is, CarriedProof, 0),
        (unchecked_products, PairProof, 1100),
        (unchecked_arrays, PairProof, 3300),
    ],
)
def test_the_campaign_catches_a_judge_that_is_weakened(weaken, kind, first, monkeypatch):
    weaken(monkeypatch)
    with pytest.raises(GotThrough):
        for number in range(first, first + 6000):
            forged.attempt(generator("forged", number), (kind,))
