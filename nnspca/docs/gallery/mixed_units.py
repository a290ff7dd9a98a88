"""A table in mixed units: standardise first
=========================================

Thirteen measurements of 178 wines, in as many units. Without standardising, proline has by far the largest numbers,
so it is the component. With standardize=True each feature is divided by its standard deviation, and units no longer
count.

`See the same in the app </data>`_.
"""

from sklearn.datasets import load_wine

import nnspca

wine = load_wine()
for standardize in (False, True):
    cov = nnspca.Covariance.from_data(wine.data, standardize=standardize, names=wine.feature_names)
    part = nnspca.solve(cov, k=4)
    print(f"standardize={standardize}")
    print(part)
figure = part.plot()
