"""Biplot: samples and features in one picture
===========================================

Each point is a wine, placed by its scores on two components of any sign; each line is a feature, drawn to its two
loadings. With at most five features each, the lines are few enough to read.

`See the same in the app </?samples=true>`_.
"""

import numpy as np
import plotly.graph_objects as go
from sklearn.datasets import load_wine

import nnspca

wine = load_wine()
cov = nnspca.Covariance.from_data(wine.data, standardize=True, names=wine.feature_names)
parts = nnspca.decompose(cov, n_components=2, k=5, nonnegative=False, deflation="projection")
scores = nnspca.scores(wine.data, parts)

figure = go.Figure()
for kind, name in enumerate(wine.target_names):
    rows = wine.target == kind
    figure.add_scatter(x=scores[rows, 0], y=scores[rows, 1], mode="markers", name=str(name), opacity=0.6)
reach = 0.8 * np.abs(scores).max() / parts.loadings.max()
for i in np.flatnonzero(parts.loadings.any(axis=1)):
    x, y = reach * parts.loadings[i]
    label = ["", wine.feature_names[i]]
    figure.add_scatter(x=[0, x], y=[0, y], mode="lines+text", text=label, showlegend=False, line_color="#5b6b78")
figure.update_layout(title="Wines on two components", template="plotly_white", height=560)
figure.update_layout(xaxis_title="score on component 1", yaxis_title="score on component 2")
areas = nnspca.separation(scores[:, 0], wine.target)
print(
    "area under the curve of each wine against the others, by component 1:", [f"{area:.2f}" for area in areas.values()]
)
