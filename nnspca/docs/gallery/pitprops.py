"""Pit props: thirteen measurements, certified at k = 5
====================================================

The classic example of sparse PCA: a correlation matrix of 13 measurements of wooden props (Jeffers 1967). The five
features found are proven to be the best five: the upper bound equals the variance found to the digits shown.

`See the same in the app </?data=pitprops&k=5>`_.
"""

import nnspca

pitprops = nnspca.datasets.load("pitprops")
cov = nnspca.Covariance.from_dataset(pitprops)
part = nnspca.solve(cov, k=5)
cert = nnspca.certify(cov, k=5, component=part)
nnspca.verify(cert, cov)

print(cert)
figure = part.plot()
bounds = cert.plot()
