"""Genes: programs of blood cells, and the genes that each must have
==================================================================

700 blood cells and 765 genes that scanpy ships (10x Genomics, 2016), standardised. Three programs of eight genes, none
in two of them, are sought together; the proof bounds what any other three could carry. An immunologist reads them at
once: antigen presentation (HLA class II), monocytes, and cytotoxic cells. ``necessity`` then tells which genes of the
first are no matter of choice.

`See the same in the app </data>`_.
"""

import scanpy

import nnspca

cells = scanpy.datasets.pbmc68k_reduced()
cov = nnspca.Covariance.from_data(cells.to_df())

parts = nnspca.decompose(cov, n_components=3, k=8, deflation="together")
for part in parts:
    print(", ".join(part.names))
joint = nnspca.certify_parts(cov, n_components=3, k=8, parts=parts)
print(joint.proven())

need = nnspca.necessity(cov, k=8, within=0.005)
print("in every program within half a per cent of the best:", ", ".join(need.essential_names) or "none")
figure = parts.plot()
