"""Spectra: which wavelengths vary together
========================================

Infrared spectra of 531 stars at 93 wavelengths. A component of ten wavelengths picks one band of the spectrum; the
variance against k shows how soon a few wavelengths explain as much as all.

`See the same in the app </?data=lrs&k=10>`_.
"""

import nnspca

spectra = nnspca.datasets.load("lrs")
cov = nnspca.Covariance.from_dataset(spectra)
curve = nnspca.sweep(cov, k=[1, 2, 5, 10, 20, 40, 93], methods=("best",))

for point in curve.points:
    print(f"k = {point.k:2d}: {100 * point.component.variance / curve.leading:5.1f} % of λ₁")
figure = curve.plot()
part = nnspca.solve(cov, k=10).plot()
