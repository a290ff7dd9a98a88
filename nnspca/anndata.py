"""Single cells: components of an AnnData, written into it as scanpy writes those of its own methods.

AnnData itself is not imported here: it is there where an object of it is. It comes with the extra
``anndata``: ``pip install "nnspca[anndata]"``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nnspca.components._decompose import decompose
from nnspca.control.arguments import Deflation, Method, Seed, check_flag, shown
from nnspca.covariance import Covariance
from nnspca.covariance.input import read_given
from nnspca.covariance.problem import SomeFeatures, places_of
from nnspca.covariance.sources import mask_of_genes, of_genes
from nnspca.errors import DataError
from nnspca.result import Component, Components, OnProgress, ShouldStop
from nnspca.result import features as described
from nnspca.tasks._scores import scores
from nnspca.tasks._solve import check_seed

__all__ = ["components", "parts"]

KEY = "nnspca"


def components(
    adata: Any,
    n_components: int = 2,
    k: int | Sequence[int] = 10,
    method: Method = "best",
    *,
    deflation: Deflation = "disjoint",
    nonnegative: bool = True,
    standardize: bool | None = None,
    center: bool = True,
    layer: str | None = None,
    use_raw: bool = False,
    mask_var: Any = "auto",
    include: SomeFeatures = None,
    exclude: SomeFeatures = None,
    key_added: str | None = None,
    copy: bool = False,
    seed: Seed = 0,
    should_stop: ShouldStop | None = None,
    on_progress: OnProgress | None = None,
    **options: Any,
) -> Any:
    """Find nonnegative sparse components of cells and write them into the AnnData.

    Parameters
    ----------
    adata : AnnData
        Cells as rows, in memory or in a file (``backed``), which is read a few cells at a time. X, or the layer, may be
        sparse, and stays so.
    n_components, k, method, deflation, nonnegative, seed, should_stop, on_progress, **options
        As for :func:`nnspca.decompose`: k is the most genes of each component, one number or one
        for each. With ``certify="live"`` among the options, ``lower``, ``upper`` and ``ratio`` of what is proven of
        each component, or of all with deflation "together", are written as ``uns[key]["certificate"]``.
    standardize : bool, optional
        Divide each gene by its standard deviation (1/m). None leaves the data as they are and warns where one gene
        holds over 90 % of the total variance.
    center : bool
        False for second moments about zero, as for :meth:`nnspca.Covariance.from_data`.
    layer : str, optional
        Which layer to read instead of X.
    use_raw : bool
        Read ``adata.raw`` instead, of the genes of ``adata``.
    mask_var : str, array_like of bool, or None
        Which genes take part: a column of ``adata.var``, or a mask; None for all. "auto" is the rule of every call
        that is given an AnnData: the column ``highly_variable`` where there is one, as for ``scanpy.pp.pca``.
    include, exclude
        Genes that keep one of the k places, and genes that take no part as well, by name or place.
    key_added : str, optional
        What it is written under: ``obsm[key]``, ``varm[key]`` and ``uns[key]``;
        ``obsm["X_nnspca"]``, ``varm["nnspca"]`` and ``uns["nnspca"]`` when None.
    copy : bool
        Write into a copy, and return that.

    Returns
    -------
    AnnData or None
        The copy, if asked for. Written are ``obsm``: the scores of the cells, shape (cells, r);
        ``varm``: the loadings, shape (genes, r), 0 for genes that do not take part; ``uns``:
        ``variance``, ``variance_ratio`` (each component's own share), ``cumulative_variance_ratio``
        (of the span of the first 1, 2, …), ``params`` and the ``fingerprint`` of the data.

    Raises
    ------
    DataError
        No AnnData, one that is not in memory, or numbers that cannot be used.
    ValueError
        A value not allowed; the message says which are.

    Examples
    --------
    >>> import anndata, nnspca
    >>> counts = np.random.default_rng(0).poisson(1.0, (30, 5)) * [1, 1, 1, 4, 4]
    >>> adata = anndata.AnnData(counts.astype(float))
    >>> adata.var_names = ["CD3D", "CD8A", "NKG7", "LYZ", "S100A8"]
    >>> nnspca.anndata.components(adata, n_components=2, k=2)
    >>> adata.obsm["X_nnspca"].shape, adata.varm["nnspca"].shape
    ((30, 2), (5, 2))
    >>> nnspca.anndata.parts(adata).names
    (('LYZ', 'S100A8'), ('CD3D', 'NKG7'))
    """
    target = _checked(adata).copy() if check_flag("copy", copy) else _checked(adata)
    (mask, by), seed = mask_of_genes(adata, mask_var), check_seed(seed)
    inside, outside = (
        places_of(name, genes, len(mask), tuple(adata.var_names))
        for name, genes in (("include", include), ("exclude", exclude))
    )
    if outside:
        mask, by = mask & ~np.isin(np.arange(len(mask)), outside), f"{by} and exclude" if by else "exclude"
    if missing := [adata.var_names[i] for i in inside if not mask[i]]:
        raise ValueError(f"include has the gene {missing[0]!r:.60}, which takes no part: see mask_var and exclude")
    given = of_genes(_read(adata, layer, check_flag("use_raw", use_raw)), adata, mask, by)
    cov = Covariance.from_data(given, standardize, center=center)
    options |= {"deflation": deflation, "nonnegative": nonnegative, "seed": seed}
    options |= {"should_stop": should_stop, "on_progress": on_progress}
    left = np.searchsorted(np.flatnonzero(mask), inside).tolist()
    parts = decompose(cov, n_components, k, method, include=left, **options)
    key = KEY if key_added is None else key_added
    target.obsm[f"X_{KEY}" if key_added is None else key] = np.asarray(scores(given, parts))
    loadings = np.zeros((len(mask), len(parts)))
    loadings[mask] = parts.loadings
    target.varm[key] = loadings
    target.uns[key] = {
        "variance": parts.variances,
        "variance_ratio": parts.variances / parts.total,
        "cumulative_variance_ratio": parts.cumulative_variance / parts.total,
        "fingerprint": cov.fingerprint,
        "total": cov.trace,
        "mean": cov.features.mean,
        "scale": cov.features.scale,
        "gene_variance": cov.diagonal,
        "params": {
            "k": np.array([part.k for part in parts]),
            "method": method,
            "deflation": deflation,
            "nonnegative": bool(nonnegative),
            "standardize": bool(standardize),
            "center": bool(center),
            "layer": "" if layer is None else layer,
            "use_raw": bool(use_raw),
            "mask": mask,
            "chosen": given.chosen,
            "seed": seed,
        },
    }
    proven = parts.certificates if parts.certificate is None else (parts.certificate,)
    if proven:
        target.uns[key]["certificate"] = {
            name: np.array([getattr(cert, name) for cert in proven]) for name in ("lower", "upper", "ratio")
        }
    return target if copy else None


def parts(adata: Any, key: str = KEY) -> Components:
    """Return the components that were written into an AnnData as the library's own result.

    They are as they were found, with the mean and scale of the cells then, whichever cells are left.

    Examples
    --------
    >>> import anndata, nnspca
    >>> adata = anndata.AnnData(np.random.default_rng(0).poisson(1.0, (30, 5)).astype(float))
    >>> nnspca.anndata.components(adata, n_components=2, k=2)
    >>> list(nnspca.anndata.parts(adata).to_frame().columns)
    ['component', 'feature', 'loading', 'weight', 'place']
    """
    record = _checked(adata).uns.get(key)
    if not isinstance(record, dict) or "fingerprint" not in record or key not in adata.varm:
        raise DataError(f"nothing is written under {key!r:.60}: call nnspca.anndata.components(adata) first")
    params = record["params"]
    mask = np.asarray(params["mask"], dtype=bool)
    if len(mask) != len(adata.var_names):
        raise DataError(f"the genes are not those that {key!r} was found on: find the components again")
    names = tuple(str(name) for name, here in zip(adata.var_names, mask, strict=True) if here)
    total, variances = float(record["total"]), described.frozen(record["gene_variance"])
    mean, scale = described.frozen(record["mean"]), described.frozen(record["scale"])
    standardized = bool(params["standardize"])
    chosen = str(params.get("chosen", ""))
    features = described.Features(
        total, len(names), names, mean, scale, standardized, variances=variances, chosen=chosen
    )
    loadings = np.asarray(adata.varm[key], dtype=np.float64)[mask]
    nonnegative, method = bool(params["nonnegative"]), str(params["method"])
    found = tuple(
        Component(np.ascontiguousarray(x), float(variance), method, int(k), nonnegative, features=features)
        for x, variance, k in zip(loadings.T, record["variance"], params["k"], strict=True)
    )
    cumulative = np.asarray(record["cumulative_variance_ratio"]) * total
    return Components(found, cumulative, total, method, str(params["deflation"]), nonnegative)


def _read(adata: Any, layer: str | None, use_raw: bool) -> Any:
    """The numbers of an AnnData."""
    if use_raw and (layer is not None or adata.raw is None):
        raise DataError("use_raw=True reads adata.raw: there is none, or a layer was asked for as well")
    if layer is not None and layer not in adata.layers:
        raise DataError(f"layer={layer!r:.60} is not there; give one of {', '.join(map(repr, adata.layers)) or None}")
    if use_raw:
        return adata.raw[:, adata.var_names].X
    return adata.layers[layer] if layer is not None else adata.X if adata.isbacked else read_given(adata).values


def _checked(adata: Any) -> Any:
    if not all(hasattr(adata, name) for name in ("obsm", "varm", "uns", "var_names")):
        raise DataError(f"adata is {shown(adata)}; give an AnnData, cells as rows")
    return adata
