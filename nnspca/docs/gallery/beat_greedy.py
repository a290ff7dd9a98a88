"""Beat PathSPCA: greedy choice against multistart
==================================================

PathSPCA (d'Aspremont, Bach and El Ghaoui 2008) adds one feature at a time and keeps it. Multistart may exchange
features, so it is at least as good at each k; the band shows where the optimum lies, so both are held against a proof.

`See the same in the app </?data=digits&methods=best&methods=greedy>`_.
"""

import math

import nnspca

cov = nnspca.Covariance.from_dataset(nnspca.datasets.load("digits"))
curve = nnspca.sweep(cov, k=[2, 3, 4, 6, 8, 12, 16, 24], methods=("best", "greedy"))

for method in ("best", "greedy"):
    print(f"{method}: proven share of the optimum (%)")
    for point in (point for point in curve.points if point.method == method):
        share = point.component.variance / curve.certificates[point.k].upper
        print(f"  k = {point.k:2d}: {math.floor(10_000 * share) / 100:.2f}")  # rounded down
figure = curve.plot()
