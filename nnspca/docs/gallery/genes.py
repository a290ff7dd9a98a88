"""Genes: two programs in made-up expression data
==============================================

Real expression data (leukemia, 12,582 genes) are fetched on request and are not part of the package, so this page uses
a stand-in: 60 samples of 2,000 genes in which two programs of 20 genes are planted. The solver finds the programs, and
the certificate proves how close to the optimum they are. In the app, choose leukemia for the real data.

`See the same in the app </?data=leukemia&k=20>`_.
"""

import numpy as np

import nnspca

rng = np.random.default_rng(0)
activity = rng.gamma(2.0, 1.0, size=(60, 2))
X = rng.normal(size=(60, 2000))
X[:, :20] += 1.5 * activity[:, :1]
X[:, 20:40] += 1.2 * activity[:, 1:]
cov = nnspca.Covariance.from_data(X, names=[f"gene {i}" for i in range(2000)])

parts = nnspca.decompose(cov, n_components=2, k=20)
for number, part in enumerate(parts, 1):
    planted = range(20) if part.support[0] < 20 else range(20, 40)
    print(f"component {number}: {len(set(part.support) & set(planted))} of 20 genes belong to one program")
print(nnspca.certify(cov, k=20, component=parts[0]).proven())
figure = parts.plot()
