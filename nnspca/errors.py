"""The errors a caller can catch: what was wrong with the data, or with a certificate."""


class DataError(ValueError):
    """The data cannot be used as given; the message says what was found and what to change."""


class CertificateError(Exception):
    """A certificate does not prove what it claims; the message names the first claim that failed."""
