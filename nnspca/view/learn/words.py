"""The words of the lesson, in the order of its steps."""

from __future__ import annotations

from nnspca.view.learn.steps import LEADING, PHI, A, C, K, N, Step, V, X

STEPS = (
    Step(
        "paint",
        "Beat the proof",
        "Which {k} pixels of a face brighten and darken together most? Paint them. The best common weights for your "
        "pixels are found as you paint. Then the solver paints, and then comes the line that nobody can pass.",
        "Nobody has tried all choices of {k} pixels: there are more than 10⁶³. How can anyone know that no choice "
        "passes the line?",
        "By a proof, not by trying: an inequality that holds for every choice at once. Steps 11 and 16 show one that "
        "fits on this screen. On the faces it leaves the solver at least {share} of whatever the best is.",
        ("Open this solution and its certificate", "./?data=lfw-faces&k=40&certificate=true"),
        (
            ("your variance", "x'Ax for the best weights x ≥ 0 of length 1 that your browser finds on your pixels"),
            ("the line", "a proven ceiling on x'Ax for any {k} features, rounding included: 100 %"),
        ),
        "Let two or three pupils paint, one pixel each in turn. What do good pixels have in common?",
        "Painting the eyes: they look important, but vary on their own. Large smooth regions (forehead, cheeks) win.",
        True,
    ),
    Step(
        "pca",
        "What PCA loads on",
        "PCA looks for the weights that keep most variance, and nothing else. So it gives a weight to every one of "
        "the {n} pixels. **Slide k: keep only its largest weights, and see how much is left.**",
        "PCA's first component keeps all of λ₁. Why not take its 40 largest weights and be done?",
        "They keep {cut} of λ₁; the 40 pixels that the solver of step 0 chose keep {ours}. The largest weights of "
        "the whole are not the best few.",
        ("See the faces and their first component", "./?data=lfw-faces&k=40"),
        (LEADING, K, ("weight", "orange: positive; blue: negative; pale: small")),
        "How many pixels does PCA leave out? What would you tell a doctor who asks which genes matter?",
        "“The pale pixels are zero.” They are not: count them with the slider.",
        True,
    ),
    Step(
        "ghosts",
        "Why nonnegative, why sparse",
        "Six components of the same faces by three methods. **Move over a face and read the bars: which components "
        "use this pixel, and with which sign?** PCA uses every pixel six times and lets plus and minus cancel: "
        "ghosts. Weights that only add, and few of them, make parts.",
        "NMF is nonnegative too. What do few weights add to that?",
        "NMF's components overlap: on average a pixel is in {nmf} of its six (counting weights above a twentieth of "
        "the largest), PCA's in {pca}, ours in at most 1. So each part has a name: forehead, cheek, jaw.",
        ("Parts of faces, in colours", "parts?data=lfw-faces&k=40"),
        (("+ / −", "orange bars add the pixel, blue bars take it away"),),
        "Cover the captions: which row shows things you can name?",
        "Taking PCA's blue for “dark”. It means the opposite sign, and the sign of a whole component is free.",
        True,
    ),
    Step(
        "counting",
        "Why it is hard",
        "To choose k of n features there are C(n, k) ways. **Slide n and k, and watch how long a machine needs that "
        "tries a billion choices a second.**",
        "For the faces, n = 625 and k = 40. Would a machine a million times faster help?",
        "There are about 10^{power} choices: at a billion a second some 10^{years_power} years. A million times "
        "faster takes 6 off the exponent. The problem is NP-hard: nobody expects a method that is quick for all data.",
        ("How the solvers compare", "variance?data=lfw-faces"),
        (N, K, ("C(n, k)", "n·(n−1)···(n−k+1) / (1·2···k), the number of choices")),
        "Guess first: is choosing 20 of 40 easy for a computer? And 20 of 100?",
        "Thinking that a larger k is always harder: C(n, k) shrinks again beyond n/2.",
        True,
    ),
    Step(
        "cloud",
        "Turn the cloud",
        "Two features, nine samples. **Drag the points** (or move them by the arrow keys) and watch the covariance "
        "and both components turn. PCA's axis may point anywhere; ours must stay where both weights are ≥ 0.",
        "The cloud falls from left to right. What does the nonnegative component do, and what does that teach?",
        "The covariance is {covariance}, so weights of the same sign hurt each other: PCA mixes signs (variance "
        "{pca}), ours takes one feature alone ({ours}). The sign constraint makes weights zero by itself.",
        ("Switch the sign constraint on real data", "./?data=pitprops&k=4"),
        (A, X, ("variance", "how far the points spread along an axis: x'Ax")),
        "Where must the points lie for both components to agree?",
        "Dragging one point far away: one outlier turns both axes. Worth a word on robustness.",
        True,
    ),
    Step(
        "one",
        "Rank one, by hand",
        "Suppose all covariance comes from one vector a: A = aa'. Then x'Ax = (a'x)². **Drag the bars.** The best "
        "k features are the k largest positive entries of a, or of −a: two candidates instead of C(n, k).",
        "Why not simply the k largest entries in size?",
        "Positive and negative entries cancel when x ≥ 0: (a'x)² grows only while all chosen a_i have one sign. Here "
        "a keeps {plus}, −a keeps {minus}: the better one is the optimum, {optimum}.",
        ("Turn a direction, keep the highest", "spannogram"),
        (("a", "one number for each feature"), K, ("(a'x)²", "the sum of the products a_i·x_i, squared")),
        "By hand: which three of the eight, and what are their weights?",
        "Forgetting −a. Flip all signs of x'a and the square stays.",
    ),
    Step(
        "two",
        "Rank two: the spannogram",
        "Two directions of strong variance: now each feature has a row of two numbers, and each direction c in the "
        "plane gives it a value: a curve over the angle φ. **Turn φ: the k highest curves above zero are the best "
        "support for that direction.** Follow the stops.",
        "How many different supports does the whole turn meet, and how many are there?",
        "It meets {candidates} supports of {supports}; the best is {{{set}}} with {best}. It must be among them, "
        "since the best x has some direction c, and for that c nothing beats the highest curves.",
        ("The spannogram in full", "spannogram"),
        (V, C, PHI, K),
        "Before each stop: what will happen to the lit set?",
        "Looking for the highest single curve. What counts is the set of k, and its sum of squares.",
        True,
    ),
    Step(
        "changes",
        "Where supports can change",
        "Between two crossings the order of the curves stays, so the lit set stays. It can change only where a curve "
        "crosses another (or zero), and only at place k. **Slide n and k and compare the three counts.**",
        "With {n} curves and k = {k}: how many crossings, how many changes, how many supports?",
        "{crossings} crossings at most, {changes} of them change the lit set, against {supports} supports. Crossings "
        "grow like n², supports like nᵏ: that is the whole trick.",
        ("See it on your own curves", "spannogram?curves=random&n=40&top=5"),
        (N, K, ("crossing", "an angle where two curves are equal, or one is zero")),
        "Why does a crossing far below place k change nothing?",
        "Counting a crossing twice: over the full turn each pair meets twice, once for c and once for −c.",
    ),
    Step(
        "half",
        "The half-space problem",
        "A support is fixed: three features. Only directions with every value v_i'c ≥ 0 are allowed: each row cuts "
        "away a half of the circle. **Drag the rows.** If the leading direction is allowed it wins; else the best "
        "lies at an end of what is left.",
        "The leading direction is worth {leading} here. Why do we not get it?",
        "It would need a negative weight. The best allowed direction is an end of the arc, worth {optimum}: there one "
        "feature has weight 0, and the problem has become one dimension smaller.",
        ("Cells, regions and arcs", "spannogram"),
        (("v_i", "the row of feature i, an arrow"), C, ("worth", "the sum of squares of the values v_i'c")),
        "Drag the rows until the arc is empty. What does that mean for the support?",
        "Thinking the leading direction is always best: it is best only among the allowed.",
    ),
    Step(
        "rankd",
        "More directions, and what they cost",
        "Real data need more than two directions. With d of them there are about nᵈ candidates, not C(n, k): "
        "polynomial, for a fixed d. What the other directions could add is at most λ of the next one. **Slide d.**",
        "For the faces, why not just take d = 10?",
        "At d = 3 there are {three} candidates, and the next direction is still {missed} of λ₁. Each further "
        "direction multiplies the work by about n = 625. So we search the sphere of directions cleverly (step 13).",
        ("Rank d in the solvers", "./?data=lfw-faces&method=spannogram&d=3"),
        (("d", "how many leading directions are kept"), ("λ_d", "the variance along direction d"), N),
        "Where would you stop, and what do you lose there?",
        "Reading the small λ of the rest as an error of the answer: it is only a ceiling on it.",
    ),
    Step(
        "net",
        "Throwing directions: the ε-net",
        "Instead of every crossing, try m random directions and keep the best. **Throw.** The good directions, worth "
        "at least 1 − ε of the best, are the shaded arcs; one hit there is enough.",
        "With m = 20 and ε = 5 %, can you be sure?",
        "Never: the shaded arcs are {share} of the circle, so 20 throws hit with probability {hit}, 60 with {again}. "
        "A bound built on it holds with a probability: it is not proven, and this app never counts it as a ceiling.",
        ("The paper's own band, beside the proven one", "variance?data=lfw-faces&ks=10,40&paper_band=true"),
        (("ε", "how much of the best you are ready to lose"), ("m", "how many directions are thrown"), C),
        "Throw ten times. Does the share of hits come near the probability told?",
        "“99.9 % is as good as proven.” Ask: of a thousand such claims, which one is wrong?",
    ),
    Step(
        "ceiling",
        "A ceiling: how a proof works",
        "Four features, k = 2, every number on the screen. **Walk down the four ceilings.** Each is an inequality "
        "that holds for every x at once; the last one meets the best pair exactly.",
        "The last ceiling is {shared} and a pair reaches {optimum}. What follows?",
        "Nothing better exists: we can stop, without having tried all pairs. The first ceiling was {leading}, row "
        "sums gave {rows}, the split {split}.",
        ("Every ceiling on real data", "./?data=lfw-faces&k=40&closer=true&bounds=true"),
        (
            A,
            ("ρ", "the level at which A is split"),
            ("s", "how a pair's co-variance is shared: 2·A_ij·x_i·x_j ≤ (A_ij/s)·x_i² + (A_ij·s)·x_j²"),
        ),
        "At which s are the first three rows level? Why can no s do better?",
        "Believing a ceiling must be reached. It need not; only the last one is.",
        True,
    ),
    Step(
        "promised",
        "Promised against proven",
        "Before any computing, a theorem promises a share of the optimum: little. Afterwards, a certificate proves "
        "one: a lot. **Slide k and d.**",
        "At k = {k} the theorem promises {promised}, the certificate proves {proven}. Is the theorem wrong?",
        "No. It speaks about all data with this spectrum, the certificate about these data. A promise is made before "
        "looking, a proof after.",
        ("Compare data sets", "compare?vs=digits&vs=lfw-faces"),
        (
            K,
            ("d", "leading directions used"),
            ("promise", "max of k/(2n) and 1/(1 + 2(n/k)·λ_{{d+1}}/λ₁), Asteris et al. 2014, Theorem 1"),
        ),
        "Which of the two would you quote in a report, and with what words?",
        "Reading “at least 98 %” as “2 % is missing”. The solver may be at the optimum already.",
        True,
    ),
    Step(
        "cells",
        "Cells that close in",
        "Three directions: a sphere. Cover it with triangles; each has a ceiling proven from its corners. A cell "
        "whose ceiling is no higher than the best value found is closed: nothing better hides there. **Slide the "
        "round; turn the sphere.**",
        "After the last round no cell is open. How many cells did it take, and what would plain enumeration visit?",
        "{examined} cells in {rounds} rounds proved the optimum; plain enumeration visits {plain} directions, and "
        "there are {supports} supports.",
        ("The sphere in full", "spannogram?dimensions=3%3A+a+sphere"),
        (("cell", "a triangle of directions; filled: still open"), ("★", "the best direction")),
        "Why do the cells near the star close last?",
        "Thinking closed cells hold no good solutions: they hold none better than the one known.",
        True,
    ),
    Step(
        "em",
        "EM, and why it can stall",
        "EM turns the data towards the weights and the weights towards the data, again and again. **Start it many "
        "times:** it climbs quickly, then stands still on the hill it happened to start on.",
        "On the leukemia genes (k = {genes_k}) EM from 12 starts stands still at {genes_em} of the ceiling. A bad "
        "method?",
        "Fast, and blind: it cannot know that a higher hill exists. New weights on its support bring {genes_again}, "
        "the portfolio {genes_best}. Only the ceiling tells which of them to trust. Here the optimum is {optimum}.",
        ("EM beside the others", "variance?data=pitprops&methods=em&methods=best&ks=2,4,6,8"),
        (K, ("hill", "a point from which no small step gains"), ("ceiling", "what no x can pass, proven")),
        "How many of your starts found the optimum? How would you know without the line?",
        "“More iterations will help.” Standing still is not being slow.",
    ),
    Step(
        "several",
        "Several parts at once",
        "One part after the other takes the best first, and leaves what is left. Found together, parts give and "
        "take. **Switch between both, and slide how many are shown.**",
        "Why can the first part be worse when all are found together, and the whole better?",
        "It gives up pixels that are worth more to a neighbour. Six parts keep {apart} one after the other, "
        "{together} together; no six such parts can keep more than {upper}.",
        ("Parts in full, with their certificate", "parts?data=lfw-faces&k=40&r=6"),
        (("part", "at most 40 pixels, weights ≥ 0; no pixel serves two parts"), ("ceiling", "for the sum, proven")),
        "Which pixels changed hands?",
        "Adding the variances of overlapping components: what two share would be counted twice.",
    ),
    Step(
        "check",
        "Check a certificate yourself",
        "A proof is only worth what others can check. This one is a table M and a claim. **Two tests, by hand: does "
        "every pair's product reach A_ij²? Does no row pass the claim?** Then forge it, and see it refused.",
        "You did not see how M was found. Does that matter?",
        "No. Whoever made it may have used luck, a supercomputer or a mistake: if both tests hold, the claim is "
        "true. The same tests run on the faces, with 625 rows instead of 4.",
        ("Check a real certificate", "./?data=lfw-faces&k=40&certificate=true"),
        (
            A,
            ("M", "how each pair's co-variance is shared between its two rows"),
            ("claim", "“no two features, with weights x ≥ 0, keep more than this”"),
        ),
        "Find one number you can change without breaking the proof.",
        "Checking only the rows. A forger shrinks M: only the products tell.",
        True,
    ),
)
