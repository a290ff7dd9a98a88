"""BoundInfo: what a bound is called, why it holds, and what proves it."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass


@dataclass(frozen=True)
class BoundInfo:
    """One bound: its description, and the types of its proofs.

    Attributes
    ----------
    name : str
        Key in :data:`BOUNDS` or :data:`PARTS_BOUNDS`, and ``Bound.name``.
    title : str
        For legends.
    summary : str
        Why no feasible variance exceeds it: one sentence, in plain words.
    proofs : tuple of type
        What its ``Bound.ingredients`` may be: types that :func:`nnspca.verify` can derive a value
        from.
    argument : str
        The reason in two to five sentences for readers who know eigenvalues; the full proof is
        in the module of the bound. Empty for bounds on several parts.
    every_direction : bool
        Whether it holds without any constraint, and so also bounds λ₁.

    Examples
    --------
    >>> import nnspca
    >>> info = nnspca.BOUNDS["pair-scaled"]
    >>> info.name, len(info.proofs) > 0
    ('pair-scaled', True)
    """

    name: str
    title: str
    summary: str
    proofs: tuple[type, ...]
    _: KW_ONLY
    argument: str = ""
    every_direction: bool = False

    @property
    def deterministic(self) -> bool:
        """False for a bound that holds only with some probability."""
        return bool(self.proofs)
