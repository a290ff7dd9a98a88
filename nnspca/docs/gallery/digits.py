"""Digits: three parts that share no pixel
=======================================

Three parts of handwritten digits, found together: no pixel is in two of them. PCA's components would be positive and
negative all over the image; these are strokes.

`See the same in the app </parts?data=digits&k=8&r=3>`_.
"""

import nnspca

digits = nnspca.datasets.load("digits")
cov = nnspca.Covariance.from_dataset(digits)
parts = nnspca.decompose(cov, n_components=3, k=8, deflation="together")
cert = nnspca.certify_parts(cov, n_components=3, k=8, parts=parts)

print(cert)
figure = parts.plot()
