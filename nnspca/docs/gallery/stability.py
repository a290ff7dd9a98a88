"""Stability: does a feature come back when samples are drawn again?
=================================================================

A certificate speaks about the samples at hand, not about the population. The bootstrap asks the other question: draw
the samples again with replacement, solve again, and count how often each feature returns.

`See the same in the app </parts?proven=true&proven_view=stability>`_.
"""

from sklearn.datasets import load_wine

import nnspca

wine = load_wine(as_frame=True)
found = nnspca.bootstrap(wine.data, 4, n_components=2, resamples=40, standardize=True, seed=0)

for number, part in enumerate(found.parts):
    for i in part.support:
        share = 100 * found.recurrence[i, number]
        print(f"component {number + 1}: {share:3.0f} % of the resamples have {wine.feature_names[i]}")
figure = found.plot()
