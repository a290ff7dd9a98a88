"""Stability: does a feature come back when samples are drawn again?

A certificate speaks about the samples at hand, not about the population. The bootstrap asks the other question: draw
the samples again with replacement, solve again, and count how often each feature returns.

App: /parts?stable=true
"""

from sklearn.datasets import load_wine

import nnspca

wine = load_wine()
found = nnspca.bootstrap(wine.data, 4, 2, resamples=40, standardize=True, seed=0)

for row in found.to_records():
    if row["loading"]:
        name = wine.feature_names[row["feature"]]
        print(f"component {row['part']}: {name} returns in {100 * row['recurrence']:.0f} % of the resamples")
figure = found.plot()
