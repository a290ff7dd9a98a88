"""What a step of the lesson says: one idea, one figure, one question with its answer, one way deeper."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Step:
    """One step; ``{name}`` in its words stands for a fact of its figure.

    Attributes
    ----------
    figure : str
        Name of the figure, in the browser and among the facts.
    title, idea : str
    question, answer : str
        The answer is folded until someone asks for it.
    deeper : (str, str)
        Words and address of the page that goes deeper.
    symbols : tuple of (str, str)
        Every sign that the step uses, explained where it stands.
    ask, wrong : str
        For the teacher: what to ask the class, and what usually goes wrong.
    short : bool
        Whether it belongs to the ten-minute lesson too.
    """

    figure: str
    title: str
    idea: str
    question: str
    answer: str
    deeper: tuple[str, str]
    symbols: tuple[tuple[str, str], ...]
    ask: str
    wrong: str
    short: bool = False

    def said(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the step as the browser takes it, its facts filled in; the teacher's words stay here."""
        words = {key: value for key, value in asdict(self).items() if key not in ("ask", "wrong", "short")}
        filled = {key: words[key].format(**facts) for key in ("idea", "question", "answer")}
        return words | filled | {"symbols": [(sign, meaning.format(**facts)) for sign, meaning in self.symbols]}


X = ("x", "the weights (loadings): one number for each feature, of length 1 together")
K = ("k", "how many features may have a weight")
N = ("n", "how many features there are")
A = ("A", "the covariance: A_ij says how far features i and j go up and down together")
LEADING = ("λ₁", "the largest eigenvalue: what PCA keeps with all features and any signs")
V = ("V", "one row of d numbers for each feature: A is nearly VV'")
C = ("c", "a direction: it gives feature i the value v_i'c")
PHI = ("φ", "the angle of the direction c")
