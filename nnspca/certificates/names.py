"""The names that a certificate may carry: known efforts, and well-formed names of methods."""

import re

EFFORTS = ("live", "thorough")
METHOD = re.compile(r"[a-z][a-z0-9-]{0,39}")  # a key of METHODS, on whichever machine it was made; or "given"


def is_of_method(name: object) -> bool:
    """Return whether a name is a well-formed name of a method.

    >>> is_of_method("coordinate-descent"), is_of_method("<b>"), is_of_method(None)
    (True, False, False)
    """
    return type(name) is str and METHOD.fullmatch(name) is not None
