"""AnnData in and out, with the library and the data of those who use it."""

import anndata
import numpy as np
import pytest
import scanpy
import scipy.sparse

import nnspca


@pytest.fixture(scope="module")
def cells():
    """700 cells of blood and 765 genes, which scanpy ships."""
    return scanpy.datasets.pbmc68k_reduced()


def test_components_are_written_as_scanpy_writes_its_own(cells):
    adata = cells.copy()
    assert nnspca.anndata.components(adata, n_components=3, k=8) is None
    used = adata.var["highly_variable"].to_numpy()
    cov = nnspca.Covariance.from_data(np.asarray(adata.X)[:, used])
    parts = nnspca.decompose(cov, 3, 8)
    assert np.array_equal(adata.varm["nnspca"][used], parts.loadings)
    assert not adata.varm["nnspca"][~used].any()
    assert np.allclose(adata.obsm["X_nnspca"].var(axis=0), parts.variances)
    assert np.allclose(adata.uns["nnspca"]["variance_ratio"], parts.variances / cov.trace)
    back = nnspca.anndata.parts(adata)
    assert np.array_equal(back.loadings, parts.loadings)
    assert set(back[0].names) <= set(adata.var_names[used])
    assert "of the total variance" in repr(back)


def test_every_call_takes_the_genes_marked_as_highly_variable_and_prints_which(cells):
    """Those that measure given components find genes by name; without the column all take part."""
    used = cells.var["highly_variable"].to_numpy()
    adata = cells.copy()
    nnspca.anndata.components(adata, n_components=2, k=10)
    cov = nnspca.Covariance.from_data(adata)
    assert cov.fingerprint == adata.uns["nnspca"]["fingerprint"] and cov.n_features == used.sum()
    assert cov.feature_names == tuple(cells.var_names[used])
    found = nnspca.anndata.parts(adata)
    held = nnspca.cross_validate(adata, [2, 4], folds=2, method="em")
    drawn = nnspca.bootstrap(adata, 4, resamples=2, method="em")
    est = nnspca.NonnegativeSparsePCA(1, 4, method="em").fit(adata)
    proven = nnspca.certify(cov, 1)
    for result in (cov, found, found[0], held, drawn, est.parts_, proven, nnspca.sweep(cov, [1], certify=None)):
        assert f"{used.sum()} of 765 genes" in repr(result), repr(result)
    assert list(est.feature_names_in_) == list(cells.var_names[used])
    assert np.array_equal(est.transform(cells)[:, 0], est.transform(cells[:, used])[:, 0])
    assert np.allclose(nnspca.scores(cells, found), adata.obsm["X_nnspca"])
    assert nnspca.most_variable(adata, 700).features.max() > used.sum()
    del adata.var["highly_variable"]
    every = nnspca.Covariance.from_data(adata)
    assert every.n_features == 765 and "genes" not in repr(every)
    assert every.fingerprint == nnspca.Covariance.from_data(cells.to_df()).fingerprint
    adata.var["highly_variable"] = "yes"
    with pytest.raises(nnspca.DataError, match="highly_variable"):
        nnspca.Covariance.from_data(adata)


@pytest.mark.parametrize("mask", ["auto", None, slice(0, 60)])
def test_parts_that_were_written_are_drawn_again_on_their_own_genes(cells, mask):
    cells = cells[:100]
    adata = cells.copy()
    mask_var = np.isin(np.arange(765), np.arange(765)[mask]) if isinstance(mask, slice) else mask
    nnspca.anndata.components(adata, 2, 4, method="em", mask_var=mask_var)
    found = nnspca.anndata.parts(adata)
    drawn = nnspca.bootstrap(adata, 4, parts=found, resamples=3, method="em")
    genes = nnspca.Covariance.from_data(cells.to_df()).feature_names if mask is None else found.features.given_names
    own = nnspca.bootstrap(cells.to_df()[list(genes)], 4, n_components=2, resamples=3, method="em")
    assert drawn.parts is found and np.array_equal(drawn.recurrence, own.recurrence)


def test_genes_are_included_by_name_or_place_among_those_that_take_part(cells):
    adata = cells.copy()
    used = np.flatnonzero(adata.var["highly_variable"])
    for gene in (adata.var_names[used[7]], int(used[7])):
        nnspca.anndata.components(adata, 1, 3, include=[gene])
        rest = nnspca.decompose(nnspca.Covariance.from_data(adata), 1, 3, include=[7])
        assert np.array_equal(adata.varm["nnspca"][used], rest.loadings)
    with pytest.raises(ValueError, match="takes no part"):
        nnspca.anndata.components(adata, 1, 3, include=[gene], exclude=[gene])


def test_scanpy_finds_the_scores_where_it_looks_for_them(cells):
    adata = cells.copy()
    nnspca.anndata.components(adata, n_components=2, k=10, key_added="programs")
    table = scanpy.get.obs_df(adata, keys=["bulk_labels"], obsm_keys=[("programs", 0), ("programs", 1)])
    assert np.array_equal(table[["programs-0", "programs-1"]].to_numpy(), adata.obsm["programs"])


@pytest.mark.parametrize("together", [False, True])
def test_what_is_proven_is_written_and_outlives_a_file(cells, tmp_path, together):
    adata = cells[:, :30].copy()
    how = "together" if together else "disjoint"
    nnspca.anndata.components(adata, 2, 3, deflation=how, certify="live", mask_var=None)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    ratio = anndata.read_h5ad(tmp_path / "cells.h5ad").uns["nnspca"]["certificate"]["ratio"]
    assert ratio.shape == (1 if together else 2,) and (ratio > 0.9).all()


def test_sparse_layers_stay_sparse_and_a_copy_leaves_the_original(cells):
    adata = cells.copy()
    adata.layers["counts"] = scipy.sparse.csr_matrix(np.maximum(np.asarray(adata.raw.X[:, :765].todense()), 0))
    made = nnspca.anndata.components(adata, 2, 4, layer="counts", mask_var=np.arange(765) < 300, copy=True)
    assert "nnspca" not in adata.uns and "nnspca" in made.uns
    assert scipy.sparse.issparse(made.layers["counts"])
    cov = nnspca.Covariance.from_data(adata.layers["counts"][:, :300])
    assert made.uns["nnspca"]["fingerprint"] == cov.fingerprint
    parts = nnspca.decompose(cov, 2, 4)
    assert np.array_equal(made.varm["nnspca"][:300], parts.loadings)
    assert np.allclose(made.obsm["X_nnspca"], nnspca.scores(adata.layers["counts"][:, :300], parts))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda a: nnspca.anndata.components(np.eye(3)), "give an AnnData, cells as rows"),
        (lambda a: nnspca.anndata.components(a, layer="raw"), "layer='raw' is not there"),
        (lambda a: nnspca.anndata.components(a, mask_var="variable"), "mask_var='variable' is no column of var"),
        (lambda a: nnspca.anndata.components(a, mask_var=[True]), "mask_var=.* is not allowed; give 80 of True"),
        (lambda a: nnspca.anndata.parts(a, "none"), "nothing is written under 'none'"),
        (lambda a: nnspca.anndata.components(a, k=99), "k=99 is not allowed; give a whole number from 1 to"),
    ],
)
def test_what_cannot_be_done_is_said(cells, call, said):
    with pytest.raises(ValueError, match=said):
        call(cells[:, :80].copy())


def test_parts_are_as_they_were_found_whichever_cells_are_left(cells):
    adata = cells[:200, :40].copy()
    nnspca.anndata.components(adata, 2, 4, standardize=True)
    found = nnspca.anndata.parts(adata)
    assert np.allclose(nnspca.scores(adata, found), adata.obsm["X_nnspca"])
    few = adata[:20].copy()
    few.X = np.asarray(few.X) + 0.0
    again = nnspca.anndata.parts(few)
    assert again == found and again.summary() == found.summary()
    assert np.allclose(nnspca.scores(few, again), few.obsm["X_nnspca"])
    with pytest.raises(nnspca.DataError, match="genes are not those"):
        nnspca.anndata.parts(adata[:, :30].copy())
    adata.X = scipy.sparse.csr_matrix(adata.X)  # or toarray() of sparse ones
    assert nnspca.anndata.parts(adata) == found


def test_raw_counts_of_the_genes_kept_are_read(cells):
    adata = cells[:, 5:45].copy()
    nnspca.anndata.components(adata, 1, 3, use_raw=True, mask_var=None)
    own = adata.raw[:, adata.var_names].X
    assert adata.uns["nnspca"]["fingerprint"] == nnspca.Covariance.from_data(own).fingerprint
    with pytest.raises(nnspca.DataError, match=r"use_raw=True reads adata\.raw"):
        nnspca.anndata.components(adata, use_raw=True, layer="counts")


def test_cells_in_a_file_are_read_a_few_at_a_time(cells, tmp_path):
    cells.write_h5ad(tmp_path / "cells.h5ad")
    backed = anndata.read_h5ad(tmp_path / "cells.h5ad", backed="r")
    cov = nnspca.Covariance.from_data(backed)
    assert cov.fingerprint == nnspca.Covariance.from_data(cells).fingerprint
    assert cov.feature_names == tuple(cells.var_names[cells.var["highly_variable"]])
    for adata in (backed, held := cells.copy()):
        nnspca.anndata.components(adata, 2, 4, mask_var=np.arange(765) < 60)
    assert np.allclose(backed.obsm["X_nnspca"], held.obsm["X_nnspca"])
    assert nnspca.anndata.parts(backed) == nnspca.anndata.parts(held)
    one, other = (nnspca.bootstrap(data, 2, resamples=3) for data in (backed, cells))
    assert np.array_equal(one.recurrence, other.recurrence)
    backed.file.close()
