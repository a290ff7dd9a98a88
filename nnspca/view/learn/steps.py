"""A chapter of the lesson: one idea, one figure, one question with its answer, one link to a page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Step:
    """One chapter; ``{name}`` in its words stands for a fact of its figure."""

    figure: str  # name of the figure, in the browser and among the facts
    # the name is the short one, for the list of chapters
    name: str
    title: str
    idea: str
    # the answer is folded at first
    question: str
    answer: str
    deeper: tuple[str, str]  # text and address of a link
    symbols: tuple[tuple[str, str], ...]  # every symbol that the chapter uses, with its meaning
    # for the teacher: what to ask the class, and what usually goes wrong
    ask: str
    wrong: str
    core: bool = False  # whether it is one of the eight core chapters

    def for_browser(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the chapter for the browser, its facts filled in, without the teacher's words."""
        words = {key: value for key, value in asdict(self).items() if key not in ("ask", "wrong")}
        filled = {key: words[key].format(**facts) for key in ("idea", "question", "answer")}
        return words | filled | {"symbols": [(sign, meaning.format(**facts)) for sign, meaning in self.symbols]}


X = ("x", "the loadings: one number for each feature; as a vector they have length 1")
K = ("k", "the largest number of nonzero loadings")
N = ("n", "the number of features")
A = ("A", "the covariance: A_ij measures how features i and j vary together")
LEADING = ("λ₁", "the largest eigenvalue: the variance of PCA's first component")
V = ("V", "a row of d numbers for each feature, so that A is nearly VV'")
C = ("c", "a direction: it gives feature i the value v_i'c")
PHI = ("φ", "the angle of the direction c")
