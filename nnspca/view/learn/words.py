"""The game and the eight chapters of the lesson: one idea, one figure, one question with its answer, one link each."""

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

    def for_browser(self, facts: Mapping[str, Any]) -> dict[str, Any]:
        """Return the chapter for the browser, its facts filled in."""
        words = asdict(self)
        filled: dict[str, Any] = {key: words[key].format(**facts) for key in ("idea", "question", "answer")}
        filled["symbols"] = [(sign, meaning.format(**facts)) for sign, meaning in self.symbols]
        return words | filled | {"deeper": [text.format(**facts) for text in self.deeper]}


X = ("x", "the loadings: one number for each feature; as a vector they have length 1")
K = ("k", "the largest number of nonzero loadings")
N = ("n", "the number of features")
A = ("A", "the covariance: A_ij measures how features i and j vary together")
LEADING = ("λ₁", "the largest eigenvalue: the variance of PCA's first component")
V = ("V", "a row of d numbers for each feature, so that A is nearly VV'")
C = ("c", "a direction: it gives feature i the value v_i'c")
PHI = ("φ", "the angle of the direction c")

STEPS = (
    Step(
        "paint",
        "Beat the proof",
        "Beat the proof",
        "Which {k} of {n} {noun} rise and fall together most? Paint them; the best loadings for your {noun} "
        "are computed as you paint. Then see the solver's {noun}, and the proven upper bound.",
        "There are more than 10{power} ways to choose {k} of {n} {noun}. How can anyone know that none of them is "
        "above the upper bound?",
        "By an inequality that holds for every choice at once: chapter 7 shows four. The row sums of all {n} {noun}, "
        "shared as in chapter 8, prove that the solver reaches at least {rows} of the optimum. The best proof so far "
        "is longer: {share}.",
        ("Open this component and its certificate", "./?data={data}&k={k}&proof=true"),
        (
            ("explain", "x'Ax for the best loadings x ≥ 0 of length 1 that your browser finds, of the total"),
            (
                "upper bound",
                "proven: no x'Ax is larger, for any x ≥ 0 of length 1 on any {k} {noun}, rounding included",
            ),
        ),
    ),
    Step(
        "pca",
        "PCA",
        "What PCA loads on",
        "PCA's first component explains the most variance that any loadings can. But all {n} pixels have a nonzero "
        "loading. **Slide k: keep only the largest loadings and see how much variance they explain.**",
        "PCA's first component explains all of λ₁. Why not take its {k} largest loadings?",
        "They explain {cut} of λ₁; the {k} pixels of the solver explain {ours}. The largest loadings of "
        "PCA are not those of the best component with few features.",
        ("See the faces and their first component", "./?data=lfw-faces&k=40"),
        (LEADING, K, ("loading", "orange: positive; blue: negative; pale: small")),
    ),
    Step(
        "ghosts",
        "Why sparse",
        "Why nonnegative, why sparse",
        "Six components of the same faces by three methods. **Move over a face: the bars show which components use "
        "this pixel, and with which sign.** PCA's load on every pixel, and all but the first mix plus and minus. "
        "Few loadings, all positive, make a part.",
        "NMF is nonnegative too. What does sparsity add?",
        "At most {k} pixels each, so that a part has a name: forehead, cheek, jaw. NMF's components are wide: a pixel "
        "is in {nmf} of six on average (counting loadings above a twentieth of the largest), and in {pca} of PCA's. "
        "That no pixel is in two of ours is a constraint of its own.",
        ("Parts of faces, in colours", "parts?data=lfw-faces&k=40"),
        (("+ / −", "an orange bar adds the pixel, a blue bar subtracts it"),),
    ),
    Step(
        "counting",
        "Why hard",
        "Why it is hard",
        "There are C(n, k) ways to choose k of n features. **Slide n and k. How long does a machine need if it tries "
        "a billion choices a second?**",
        "For the faces, n = 625 and k = 40. Would a machine a million times faster help?",
        "There are more than 10{power} choices: over 10{years_power} years at a billion a second. A million times "
        "faster takes 6 off the exponent. The problem is NP-hard: no method is known that is fast for all data.",
        ("Compare solvers on one clock", "compare?what=solvers&data=lfw-faces"),
        (N, K, ("C(n, k)", "n·(n−1)···(n−k+1) / (1·2···k), the number of choices")),
    ),
    Step(
        "cloud",
        "Signs",
        "Turn the cloud",
        "Two features, nine samples. **Drag the points** (or use the arrow keys) and watch both components turn. "
        "PCA's axis may point anywhere; the nonnegative component (“ours”) needs both loadings ≥ 0.",
        "The cloud falls from left to right. What does the nonnegative component do?",
        "The covariance is {covariance}, so two loadings of the same sign lose variance. PCA mixes signs (variance "
        "{pca}); ours uses one feature alone ({ours}). The sign constraint sets loadings to zero by itself.",
        ("Switch the sign constraint on real data", "./?data=pitprops&k=4"),
        (A, X, ("variance", "the spread of the points along an axis: x'Ax")),
    ),
    Step(
        "two",
        "Spannogram",
        "Two directions: the spannogram",
        "Keep two directions of the data: each feature then has two numbers, and each direction c in the plane gives "
        "it a value, a curve over the angle φ. **Turn φ: the k = {k} highest curves above zero are the best {k} "
        "features for that direction.** They form the set.",
        "How many different sets does a whole turn have, of how many possible ones?",
        "It has {candidates} of {supports}; the best is {{{set}}} with {best}. The optimum is among them: it "
        "belongs to some direction c, and for that c the highest curves are the best set.",
        ("The full spannogram", "spannogram"),
        (V, C, PHI, K),
    ),
    Step(
        "changes",
        "Changes",
        "Where the set can change",
        "Between two crossings the order of the curves stays the same, and so does the set. It changes only where "
        "curves cross at place k, or at zero. **Slide n and k and compare the three counts.**",
        "With {n} curves and k = {k}: how many crossings, how many changes, how many choices?",
        "In a whole turn {crossings} crossings and {changes} changes of the set; there are {supports} choices of 1 to "
        "{k} curves. Crossings grow like n², choices like nᵏ: this is why the method is fast.",
        ("See it on random curves", "spannogram?curves=random&n=40&top=5"),
        (N, K, ("crossing", "an angle where two curves are equal, or one is zero")),
    ),
    Step(
        "bounds",
        "Upper bounds",
        "Upper bounds: how a proof works",
        "Four features, k = {k}, every number on the screen. **Go through the four upper bounds.** Each is an "
        "inequality that holds for every x ≥ 0 of length 1 with at most {k} nonzeros; slide s, and the last one comes "
        "down to the variance of the best pair. In bounds 2 and 4, press a row to see how far its sum reaches.",
        "The last upper bound can be brought to {shared}, and one pair has variance {optimum}. What follows?",
        "That pair is optimal, without trying the others. The first upper bound was {leading}, row sums gave {rows}, "
        "the split {split}.",
        ("Every upper bound on real data", "./?data=lfw-faces&k=40&proof=true"),
        (
            A,
            ("ρ", "the level at which A is split"),
            ("s", "how a pair's covariance A_ij ≥ 0 is shared: 2·A_ij·x_i·x_j ≤ (A_ij/s)·x_i² + (A_ij·s)·x_j²"),
        ),
    ),
    Step(
        "check",
        "Check",
        "Check a certificate yourself",
        "This certificate is a table M and a claim. **Three tests, by hand: is no entry of M negative? Is every "
        "pair's product M_ij·M_ji at least max(A_ij, 0)²? Is every row, A_ii and its largest entry of M, at most the "
        "claim?** Then forge it, and see it refused.",
        "You did not see how M was found. Does that matter?",
        "No. If all three hold, the claim is true, however M was found. A table for the faces has {faces} rows, and a "
        "row adds its {others} largest entries: it proves that the solver's {pixels} pixels reach at least {share} of "
        "the optimum.",
        ("Check a real certificate", "./?data=lfw-faces&k=40&proof=true"),
        (
            A,
            ("M", "how each pair's covariance is shared between its two rows"),
            ("claim", "“x'Ax is at most this for every x ≥ 0 of length 1 with at most {k} nonzeros”"),
        ),
    ),
)
