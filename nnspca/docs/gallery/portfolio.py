"""Portfolio: the few firms that carry the market's risk
=====================================================

Eleven large American firms, 1935 to 1954 (Grunfeld's data, which statsmodels ships): the yearly changes of the
logarithm of what the market said each was worth. Nonnegative loadings are holdings without short sales, and k limits
their number. Cars and steel rise and fall together; no other four firms' mix varies more. Who holds these four
has one risk, not four.

`See the same in the app </data>`_.
"""

import numpy as np
from statsmodels.datasets import grunfeld

import nnspca

table = grunfeld.load_pandas().data
value = table.pivot(index="year", columns="firm", values="value")
cov = nnspca.Covariance.from_data(np.log(value).diff().dropna())

part = nnspca.solve(cov, k=4)
print(part.summary())
print(nnspca.certify(cov, k=4, component=part).proven())
print(nnspca.solve_all(cov, k=4, count=3, within=0.05).summary())
curve = nnspca.sweep(cov, k=[1, 2, 3, 4, 6, 8, 11])
figure = curve.plot()
loadings = part.plot()
