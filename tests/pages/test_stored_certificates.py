"""The certificates that come with the package have the numbers that are shown, to the last digit, and are accepted."""

import pytest

import nnspca
from nnspca.result import rounded
from nnspca.view import ledger
from nnspca.view.certificate import panels, proofs
from nnspca.view.certificate.proofs import FOLDER
from nnspca.view.link.state import AS_IS, STANDARDISED
from nnspca.view.sources import catalogue
from tests.ledger import shown
from tests.pages.conftest import jobs, redrawn, settle, subject, texts
from tests.pages.test_stored_ledger import FETCHED

pytestmark = pytest.mark.usefixtures("nothing_found")
SHOWN = [pytest.param(*one, marks=pytest.mark.real_data if one[0] in FETCHED else ()) for one in dict.fromkeys(shown())]


def subject_of(name, standardise, k):
    if not catalogue.infos()[name].local:
        pytest.skip(f"{name} is not on this machine")
    return subject(name, scale=STANDARDISED if standardise else AS_IS, k=k)


@pytest.mark.parametrize("name, standardise, k", SHOWN)
def test_the_certificate_of_what_is_shown_has_its_numbers_and_is_verified(name, standardise, k):
    about = subject_of(name, standardise, k)
    known, proof = about.known_at(), proofs.certificate_at(about, k)
    assert known.stored and proof.upper == known.upper and proof.lower == pytest.approx(known.lower, rel=1e-8)
    nnspca.verify(proof, about.cov)
    assert panels.claim(proof, about) == panels.claim(known, about)


def test_all_of_them_are_small():
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) < 4_000_000
    assert max(file.stat().st_size for file in FOLDER.iterdir()) < 1_500_000


def test_a_stored_certificate_is_opened_and_without_one_the_proof_says_its_day_and_is_made_on_request(open_page):
    for k in (16, 15):
        about = subject("digits", k=k)
        page = settle(open_page("pages/explore.py", data="digits", k=k, proof=True))
        assert not jobs(page) and panels.claim(about.known_at(), about) in texts(page)
    known = about.known_at()
    assert ledger.stored()[about.problem].made(15).day in texts(page)
    settle(page.button(key="start-prove").click().run())
    proof = proofs.certificate_at(about, 15)
    assert proof.upper <= known.upper or (proof.ratio >= 1 - rounded.OPTIMAL and known.optimal)
    assert panels.claim(proof, about) in texts(redrawn(page))
