"""The words of the lesson, in the order of its chapters."""

from __future__ import annotations

from nnspca.view.learn.steps import LEADING, PHI, A, C, K, N, Step, V, X

STEPS = (
    Step(
        "paint",
        "Beat the proof",
        "Beat the proof",
        "Which {k} pixels of a face brighten and darken together most? Paint them; the best loadings for your pixels "
        "are computed as you paint. Then see the solver's pixels, and the proven upper bound.",
        "There are more than 10⁶³ ways to choose {k} pixels. How can anyone know that none of them is above the "
        "upper bound?",
        "By an inequality that holds for every choice at once. Chapters 11 and 16 show one that fits on this screen. "
        "For the faces it proves that the solver reaches at least {share} of the optimum.",
        ("Open this component and its certificate", "./?data=lfw-faces&k=40&proof=true"),
        (
            ("your variance", "x'Ax for the best loadings x ≥ 0 of length 1 that your browser finds, as a share of λ₁"),
            LEADING,
            ("upper bound", "proven: no x'Ax is larger for any {k} features, rounding included"),
        ),
        "Let two or three pupils paint, one pixel each in turn. What do good pixels have in common?",
        "Painting the eyes. They look important, but vary on their own; large smooth regions do better.",
        True,
    ),
    Step(
        "pca",
        "PCA",
        "What PCA loads on",
        "PCA's first component explains the most variance that any loadings can. But all {n} pixels have a nonzero "
        "loading. **Slide k: keep only the largest loadings and see how much variance they explain.**",
        "PCA's first component explains all of λ₁. Why not take its {k} largest loadings?",
        "They explain {cut} of λ₁; the {k} pixels of the solver in chapter 0 explain {ours}. The largest loadings of "
        "PCA are not those of the best component with few features.",
        ("See the faces and their first component", "./?data=lfw-faces&k=40"),
        (LEADING, K, ("loading", "orange: positive; blue: negative; pale: small")),
        "How many pixels does PCA leave out? What would you tell a doctor who asks which genes matter?",
        "“The pale pixels are zero.” They are not: count them with the slider.",
    ),
    Step(
        "ghosts",
        "Why sparse",
        "Why nonnegative, why sparse",
        "Six components of the same faces by three methods. **Move over a face: the bars show which components use "
        "this pixel, and with which sign.** PCA uses every pixel six times, and plus and minus cancel. Few "
        "loadings, all positive, make a part.",
        "NMF is nonnegative too. What does sparsity add?",
        "NMF's components overlap: a pixel is in {nmf} of six on average (counting loadings above a twentieth of the "
        "largest). For PCA it is {pca}, for ours at most 1. So each part has a name: forehead, cheek, jaw.",
        ("Parts of faces, in colours", "parts?data=lfw-faces&k=40"),
        (("+ / −", "an orange bar adds the pixel, a blue bar subtracts it"),),
        "Cover the captions: which row shows things you can name?",
        "Taking PCA's blue for “dark”. It is the opposite sign, and the sign of a whole component is arbitrary.",
        True,
    ),
    Step(
        "counting",
        "Why hard",
        "Why it is hard",
        "There are C(n, k) ways to choose k of n features. **Slide n and k. How long does a machine need if it tries "
        "a billion choices a second?**",
        "For the faces, n = 625 and k = 40. Would a machine a million times faster help?",
        "There are about 10^{power} choices: some 10^{years_power} years at a billion a second. A million times "
        "faster takes 6 off the exponent. The problem is NP-hard: no method is known that is fast for all data.",
        ("Compare solvers on one clock", "compare?what=solvers&data=lfw-faces"),
        (N, K, ("C(n, k)", "n·(n−1)···(n−k+1) / (1·2···k), the number of choices")),
        "Guess first: is choosing 20 of 40 easy for a computer? And 20 of 100?",
        "Thinking that a larger k is always harder: C(n, k) shrinks again beyond n/2.",
        True,
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
        "Where must the points be for both components to agree?",
        "Dragging one point far away: one outlier turns both axes. A good moment to mention robustness.",
        True,
    ),
    Step(
        "one",
        "Rank one",
        "Rank one, by hand",
        "Suppose that A = aa' for one vector a. Then x'Ax = (a'x)². **Drag the bars.** The best k features are the k "
        "largest positive entries of a, or of −a: two candidates instead of C(n, k).",
        "Why not simply the k entries of largest size?",
        "With x ≥ 0, positive and negative entries cancel: all chosen a_i need one sign. Here a gives {plus} and −a "
        "gives {minus}; the larger is the optimum, {optimum}.",
        ("Turn a direction on the spannogram", "spannogram"),
        (("a", "one number for each feature"), K, ("(a'x)²", "the sum of the products a_i·x_i, squared")),
        "By hand: which three of the eight, and what are their loadings?",
        "Forgetting −a. Flip all signs of x'a and the square is the same.",
    ),
    Step(
        "two",
        "Spannogram",
        "Rank two: the spannogram",
        "Now each feature has two numbers, and each direction c in the plane gives it a value: a curve over the angle "
        "φ. **Turn φ: the k = {k} highest curves above zero are the best {k} features for that direction.** They "
        "form the set.",
        "How many different sets does a whole turn have, of how many possible ones?",
        "It has {candidates} of {supports}; the best is {{{set}}} with {best}. The optimum is among them: it "
        "belongs to some direction c, and for that c the highest curves are the best set.",
        ("The full spannogram", "spannogram"),
        (V, C, PHI, K),
        "Before each stop: which curve leaves the set, and which enters?",
        "Looking for the highest single curve. The sum of squares of the two highest is what counts.",
        True,
    ),
    Step(
        "changes",
        "Changes",
        "Where the set can change",
        "Between two crossings the order of the curves stays the same, and so does the set. It changes only where "
        "curves cross at place k, or at zero. **Slide n and k and compare the three counts.**",
        "With {n} curves and k = {k}: how many crossings, how many changes, how many choices?",
        "{crossings} crossings, {changes} changes of the set, {supports} choices. Crossings grow like n², choices like "
        "nᵏ: this is why the method is fast.",
        ("See it on random curves", "spannogram?curves=random&n=40&top=5"),
        (N, K, ("crossing", "an angle where two curves are equal, or one is zero")),
        "Why does a crossing far below place k change nothing?",
        "Counting a crossing twice: in a whole turn each pair meets twice, once for c and once for −c.",
    ),
    Step(
        "half",
        "Half-planes",
        "The best direction of one set",
        "The set is fixed: three features. A direction is allowed if every value v_i'c is ≥ 0, so each row cuts away "
        "half of the circle. **Drag the rows.** If the leading direction is allowed, it is the best; if not, the best "
        "is an end of the allowed arc.",
        "The leading direction has variance {leading} here. Why is it not the answer?",
        "It needs a negative loading. The best allowed direction is an end of the arc, with variance {optimum}: one "
        "loading is 0 there, and the problem has one dimension fewer.",
        ("Sets and arcs on the spannogram", "spannogram"),
        (("v_i", "the row of feature i, an arrow"), C, ("variance", "the sum of squares of the values v_i'c")),
        "Drag the rows until the arc is empty. What does that mean for the set?",
        "Thinking that the leading direction is always best: it must be allowed.",
    ),
    Step(
        "rankd",
        "More directions",
        "More directions, and what they cost",
        "Real data need more than two directions. With d of them there are about nᵈ candidates instead of C(n, k). "
        "The directions left out can add at most the next λ. **Slide d.**",
        "For the faces, why not take d = 10?",
        "At d = 3 there are {three} candidates, and the next direction still has {missed} of λ₁. Each further "
        "direction multiplies the work by about n = 625. So we search the sphere of directions instead (chapter 13).",
        ("Rank d in the solvers", "./?data=lfw-faces&method=spannogram&d=3"),
        (("d", "how many leading directions are kept"), ("λ_d", "the variance along direction d"), N),
        "Where would you stop, and what do you lose there?",
        "Reading the next λ as the error of the answer: it is only an upper bound on it.",
    ),
    Step(
        "net",
        "ε-net",
        "Random directions: the ε-net",
        "Instead of every crossing, try m random directions and keep the best. **Draw them.** A direction is good if "
        "it reaches 1 − ε of the optimum (shaded); one good direction is enough.",
        "With m = 20 and ε = 5 %, can you be sure?",
        "No. The shaded arcs are {share} of the circle, so 20 directions hit one with probability {hit}, 60 with "
        "{again}. A bound that rests on this holds with a probability: it is not proven, and the app never counts it "
        "as an upper bound.",
        ("The paper's band beside the proven one", "./?data=lfw-faces&ks=10,40&paper_band=true"),
        (("ε", "the share of the optimum you are ready to lose"), ("m", "the number of directions"), C),
        "Draw ten times. Is the share of hits near the stated probability?",
        "“99.9 % is as good as proven.” Ask: of a thousand such claims, which one is wrong?",
    ),
    Step(
        "bounds",
        "Upper bounds",
        "Upper bounds: how a proof works",
        "Four features, k = 2, every number on the screen. **Go through the four upper bounds.** Each is an inequality "
        "that holds for every x; the last one equals the variance of the best pair.",
        "The last upper bound is {shared} and one pair has variance {optimum}. What follows?",
        "That pair is optimal, without trying the others. The first upper bound was {leading}, row sums gave {rows}, "
        "the split {split}.",
        ("Every upper bound on real data", "./?data=lfw-faces&k=40&bounds=true&proof=true&proof_view=bounds"),
        (
            A,
            ("ρ", "the level at which A is split"),
            ("s", "how a pair's covariance is shared: 2·A_ij·x_i·x_j ≤ (A_ij/s)·x_i² + (A_ij·s)·x_j²"),
        ),
        "At which s are the first three rows equal? Why can no s do better?",
        "Believing that some component must reach an upper bound. That holds for the last one only.",
        True,
    ),
    Step(
        "promised",
        "Promises",
        "Promised against proven",
        "Before any computation, a theorem promises a small share of the optimum. Afterwards, a certificate proves "
        "a large one. **Slide k and d.**",
        "At k = {k} the theorem promises {promised}, the certificate proves {proven}. Is the theorem wrong?",
        "No. The theorem holds for all data with this spectrum, the certificate for these data. The theorem comes "
        "before the computation, the proof after it.",
        ("Compare data sets", "compare?vs=digits&vs=lfw-faces"),
        (
            K,
            ("d", "leading directions used"),
            ("promise", "max of k/(2n) and 1/(1 + 2(n/k)·λ_{{d+1}}/λ₁), Asteris et al. 2014, Theorem 1"),
        ),
        "Which of the two would you quote in a report, and how?",
        "Reading “at least 98 % of the optimum” as “2 % is missing”. The component may be optimal already.",
    ),
    Step(
        "cells",
        "Cells",
        "Cells that close",
        "Three directions form a sphere. Cover it with triangles (cells); the corners of each prove an upper bound "
        "inside it. A cell whose upper bound is no higher than the best value found is closed. **Slide the round; turn "
        "the sphere.**",
        "After the last round no cell is open. How many cells did it take, and how many directions would plain "
        "enumeration try?",
        "{examined} cells in {rounds} rounds proved the optimum. Plain enumeration tries {plain} directions; there "
        "are {supports} choices.",
        ("The full sphere", "spannogram?dimensions=3%3A+a+sphere"),
        (("cell", "a triangle of directions; filled: open"), ("★", "the optimum")),
        "Why do the cells near the star close last?",
        "Thinking that closed cells hold no good components: they hold none better than the best found.",
    ),
    Step(
        "em",
        "EM",
        "EM, and why it can stall",
        "EM adapts the loadings to the data, again and again. **Start it many times:** it climbs quickly, then stops "
        "at a local optimum that depends on the start.",
        "On the leukemia genes (k = {genes_k}) the best of 12 starts of EM stops at {genes_em} of the upper bound. Is "
        "EM a bad solver?",
        "It is fast, but gives no sign that a higher optimum exists. With the best loadings on its features it reaches "
        "{genes_again} of the upper bound, the portfolio {genes_best}. Only the bound tells them apart. Here the "
        "optimum is {optimum}.",
        ("EM beside other solvers", "./?data=pitprops&methods=em&methods=best&ks=2,4,6,8"),
        (
            K,
            ("local optimum", "a point from which no small step gains"),
            ("upper bound", "proven: no component explains more"),
            ("portfolio", "the default solver, which runs several"),
        ),
        "How many of your starts found the optimum? How would you know without the upper bound?",
        "“More iterations will help.” It has stopped; it is not slow.",
    ),
    Step(
        "several",
        "Parts",
        "Several parts together",
        "One part after the other: the first takes the best pixels, the next what is left. Found together, the "
        "parts explain more. **Switch between both, and slide the number of parts.**",
        "Found together, the first part explains less and the whole more. Why?",
        "Some of its pixels add more to another part. Six parts explain {apart} of λ₁ one after the other and "
        "{together} together; the upper bound is {upper}.",
        ("Parts with their certificate", "parts?data=lfw-faces&k=40&r=6"),
        (
            ("part", "at most {k} pixels with loadings ≥ 0; no pixel is in two parts"),
            ("λ₁", "the variance of PCA's first component: several parts may sum to more than 100 % of it"),
            ("upper bound", "of the sum, proven"),
        ),
        "Which pixels moved between parts?",
        "Adding the variances of overlapping components: what two share would be counted twice.",
        True,
    ),
    Step(
        "check",
        "Check",
        "Check a certificate yourself",
        "This certificate is a table M and a claim. **Two tests, by hand: is every pair's product at least A_ij²? Is "
        "every row at most the claim?** Then forge it, and see it refused.",
        "You did not see how M was found. Does that matter?",
        "No. If both tests hold, the claim is true, however M was found. The same tests run on the faces, with 625 "
        "rows instead of 4.",
        ("Check a real certificate", "./?data=lfw-faces&k=40&proof=true"),
        (
            A,
            ("M", "how each pair's covariance is shared between its two rows"),
            ("claim", "“the variance of two features with loadings x ≥ 0 is at most this”"),
        ),
        "Find one number you can change without breaking the proof.",
        "Checking only the rows. A forger can shrink M, and only the products reveal that.",
        True,
    ),
)
