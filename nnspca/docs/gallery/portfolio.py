"""Portfolio: the assets that carry the market's risk
==================================================

Nonnegative loadings are holdings without short sales, and k limits the number of assets. Made-up daily returns of 30
assets in three sectors; the component names the few assets whose mix varies most, which is where the risk is.

`See the same in the app </data>`_.
"""

import numpy as np

import nnspca

rng = np.random.default_rng(0)
market = rng.normal(size=(750, 1))
sectors = np.repeat(rng.normal(size=(750, 3)), 10, axis=1)
beta = np.concatenate([np.linspace(0.6, 1.0, 10), np.linspace(0.9, 1.4, 10), np.linspace(0.3, 0.7, 10)])
returns = 0.01 * (beta * market + 0.5 * sectors + 0.6 * rng.normal(size=(750, 30)))
names = [f"{sector} {i}" for sector in ("bank", "energy", "food") for i in range(1, 11)]

cov = nnspca.Covariance.from_data(returns, names=names)
curve = nnspca.sweep(cov, k=[1, 2, 4, 6, 8, 12, 20, 30])
part = nnspca.solve(cov, k=6)

print(part.summary())
print(f"daily deviation of the mix: {100 * part.variance**0.5:.2f} %")
figure = curve.plot()
loadings = part.plot()
