"""Single cells: components in an AnnData
======================================

The components are written where scanpy expects them: scores in obsm, loadings in varm, the rest in uns. The cells are
made up; the genes of each component can be written as a gene set for other programs to read.

`See the same in the app </data>`_.
"""

import anndata
import numpy as np

import nnspca

rng = np.random.default_rng(0)
programs = np.repeat(np.eye(4), [10, 10, 10, 10], axis=1)
use = rng.gamma(1.0, 1.0, size=(300, 4))
adata = anndata.AnnData(np.log1p(rng.poisson(use @ programs * 3.0 + 0.3)))
adata.var_names = [f"{program}{i}" for program in "ABCD" for i in range(1, 11)]

nnspca.anndata.components(adata, n_components=4, k=10)
parts = nnspca.anndata.parts(adata)
for part in parts:
    print(sorted({name[0] for name in part.names}), len(part.names), "genes")
figure = parts.plot()
