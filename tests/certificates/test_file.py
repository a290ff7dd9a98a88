"""A certificate survives the file; anything else in a file is refused."""

import dataclasses
import io

import numpy as np
import pytest

import nnspca


def round_trip(cert):
    file = io.BytesIO()
    nnspca.save_certificate(cert, file)
    return nnspca.load_certificate(file.getvalue())


@pytest.mark.parametrize("nonnegative", [True, False])
@pytest.mark.parametrize("k", [1, 4, 13])
def test_a_saved_certificate_is_the_same_and_still_proves_its_claim(k, nonnegative):
    cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("pitprops"))
    cert = nnspca.certify(cov, k, nonnegative=nonnegative)
    back = round_trip(cert)
    nnspca.verify(back, cov)
    assert (back.lower, back.upper, back.k, back.nonnegative) == (cert.lower, cert.upper, cert.k, cert.nonnegative)
    assert [b.name for b in back.bounds] == [b.name for b in cert.bounds]
    np.testing.assert_array_equal(back.component.loadings, cert.component.loadings)
    assert back.component.options == cert.component.options


def test_a_certificate_of_a_cut_and_of_few_samples_survives_the_file():
    X = np.random.default_rng(0).standard_normal((12, 1700)) * np.linspace(3, 0.1, 1700)
    cov = nnspca.Covariance.from_data(X)
    nnspca.verify(round_trip(nnspca.certify(cov, 7)), cov)


def test_a_tampered_file_is_read_but_does_not_verify():
    cov = nnspca.Covariance.from_matrix([[2.0, 1.0], [1.0, 2.0]])
    cert = nnspca.certify(cov, 2)
    forged = round_trip(dataclasses.replace(cert, upper=cert.upper * (1 - 1e-6)))
    with pytest.raises(nnspca.CertificateError):
        nnspca.verify(forged, cov)


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 damaged"])
def test_a_file_that_is_no_certificate_is_refused_in_words(content):
    with pytest.raises(nnspca.CertificateError, match="not a certificate"):
        nnspca.load_certificate(content)


def test_an_archive_without_a_certificate_is_refused_in_words():
    file = io.BytesIO()
    np.savez(file, loadings=np.ones(3))
    with pytest.raises(nnspca.CertificateError, match="not a certificate"):
        nnspca.load_certificate(file.getvalue())
