"""Faces: forty pixels that vary together
======================================

One component of a hundred faces, at most 40 of 625 pixels, each loading at least zero. Standardised, so that dark and
bright pixels count alike. The picture shows the loadings at their pixels; the certificate says how close to the optimum
the component is.

`See the same in the app </?data=lfw-faces&scale=standardised&k=40>`_.
"""

import nnspca

faces = nnspca.datasets.load("lfw-faces")
cov = nnspca.Covariance.from_dataset(faces, standardize=True)
part = nnspca.solve(cov, k=40)
cert = nnspca.certify(cov, k=40, component=part)

print(cert.proven())
figure = part.plot()
