"""The spannogram in three dimensions
==================================

Rank 3: each direction c of the sphere scores every feature by v'c, and the best k features for c are those with the k
largest positive scores. The colour is the variance they reach; its highest point is the optimum of rank 3, and the
patches between kinks are the regions in which the same features win.

`See the same in the app </spannogram?curves=data+set&data=pitprops&dimensions=3%3A+a+sphere>`_.
"""

import numpy as np
import plotly.graph_objects as go

import nnspca

pitprops = nnspca.datasets.load("pitprops")
cov = nnspca.Covariance.from_dataset(pitprops)
values, vectors = cov.eigenpairs(3)
V = vectors * np.sqrt(values)

turn, tilt = np.meshgrid(np.linspace(0, 2 * np.pi, 120), np.linspace(0, np.pi, 60))
c = np.stack([np.cos(turn) * np.sin(tilt), np.sin(turn) * np.sin(tilt), np.cos(tilt)], axis=-1)
scores = np.sort(np.maximum(c @ V.T, 0.0), axis=-1)[..., -4:]
height = (scores**2).sum(axis=-1)

figure = go.Figure(go.Surface(x=c[..., 0], y=c[..., 1], z=c[..., 2], surfacecolor=height, colorscale="Viridis"))
figure.update_layout(title="Variance of the best 4 features for each direction", height=560)
figure.update_scenes(xaxis_title="c₁", yaxis_title="c₂", zaxis_title="c₃")
part = nnspca.solve(cov, k=4, method="spannogram", rank=3)
print(f"highest of the directions drawn: {height.max():.4f}")
print(f"optimum of rank 3: {((V.T @ part.loadings) ** 2).sum():.4f} with {', '.join(part.names)}")
