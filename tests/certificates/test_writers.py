"""What the judge can derive the stand-alone checkers can be written, or a function says that they cannot."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import nnspca
from nnspca.certificates.derivations import DERIVATIONS
from nnspca.certificates.exact import WRITERS, UnsupportedProof, Writer, checker_section, write
from nnspca.certificates.proofs import CarriedProof, PairProof


@dataclass(frozen=True, eq=False)
class NormProof:
    """Nothing is needed to form the norm again."""


def test_every_proof_that_is_derived_is_written_or_says_that_the_checkers_do_not_know_it():
    assert set(WRITERS) == {kind for kind in DERIVATIONS if kind.for_checkers}


@pytest.mark.parametrize("proof", [None, {}, "rows", NormProof(), PairProof, CarriedProof(3, NormProof())])
def test_what_no_table_holds_is_not_written(cov, proof):
    writer = Writer(True, {})
    for r in (1, 2):
        with pytest.raises(UnsupportedProof):
            write(writer, proof, r, 2, cov)
    assert not writer.arrays


def test_a_new_proof_is_written_once_its_writer_is_named(cov, monkeypatch):
    def norm(writer, proof, r, k, cov):
        return {"kind": "norm", "k": k}

    cert = nnspca.certify(cov, 3)
    forged = nnspca.Bound("norm", cert.lower, ingredients=NormProof())
    alone = replace(cert, bounds=(forged,))
    assert checker_section(alone, cov, {}) is None
    monkeypatch.setitem(WRITERS, NormProof, norm)
    assert checker_section(alone, cov, {})[0]["proof"] == {"kind": "norm", "k": 3}
    taken = replace(alone, k=2, bounds=(replace(forged, ingredients=CarriedProof(3, NormProof())),))
    assert checker_section(taken, cov, {})[0]["proof"] == {"kind": "norm", "k": 3}


def test_a_proof_that_is_written_in_vain_leaves_no_array_behind(cov):
    """The next bound is written instead, and the file holds its arrays alone."""
    cert = nnspca.certify_parts(cov, 2, 2)
    unknown = nnspca.Bound("variances", 0.0, ingredients=NormProof())
    other = cert.bound("eigenvalues")
    told, arrays = checker_section(replace(cert, bounds=(other, unknown)), cov, {})
    only, alone = checker_section(replace(cert, bounds=(other,)), cov, {})
    assert told == only
    assert set(arrays) == set(alone)
    assert all((arrays[name] == alone[name]).all() for name in arrays)


def test_an_array_that_the_file_holds_is_named_and_not_added_again():
    array = np.ones(3)
    writer = Writer(True, {"bound0.L": array})
    assert writer.witness(array) == {"witness": "bound0.L.npy"}
    again = writer.witness(array)  # the checker uses an array up
    assert again == {"witness": "check1.npy"}
    assert writer.arrays["check1"] is array


def test_a_tail_that_is_no_upper_bound_is_not_written():
    writer = Writer(True, {})
    assert writer.low_rank(0.0, np.zeros((2, 2))) == {"n": 2}  # of features that hold nothing
    with pytest.raises(UnsupportedProof):
        writer.low_rank(0.99, np.eye(2))
