"""Data that stay where they are: the same A, components and certificates from a few passes, in the memory given."""

import pickle
import time
import tracemalloc
from fractions import Fraction
from itertools import count

import dask.array
import numpy as np
import pytest
import scipy.sparse

import nnspca
from nnspca import Covariance, DataError
from nnspca.covariance import rows as of_rows
from nnspca.covariance import stored, streamed
from tests.benchmarks.data import zipf_text
from tests.covariance.test_chunks import HOLDERS, NAMES, M, N, exact, made, spoilt
from tests.problems import chunks, in_passes


@pytest.fixture
def few(monkeypatch):
    """Read few rows of A, and few rows of data, at a time."""
    monkeypatch.setattr(stored, "FIRST", 2)
    monkeypatch.setattr(of_rows, "FEWEST", 8)
    monkeypatch.setattr(of_rows, "BLOCK", 9 * N)
    monkeypatch.setattr(of_rows, "STORED", 40)


def close(cov, X, standardize=False):
    A = np.corrcoef(X.T) if standardize else np.cov(X.T, bias=True)
    n = X.shape[1]
    every, x = np.arange(n), np.random.default_rng(0).standard_normal((3, n))
    at = {"rtol": 1e-10, "atol": 1e-12 * A.trace()}
    np.testing.assert_allclose(cov.diagonal, A.diagonal(), **at)
    np.testing.assert_allclose(cov.apply(x), x @ A, rtol=1e-9, atol=1e-10 * A.trace())
    np.testing.assert_allclose(cov.block(every[:3]), A[:3], **at)
    np.testing.assert_allclose(cov.block(every[2:], every[::2]), A[2:, ::2], **at)
    np.testing.assert_allclose(cov.restrict(every[::-1]).matrix, A[::-1, ::-1], **at)
    np.testing.assert_allclose(cov.variance(x), np.einsum("ri,ij,rj->r", x, A, x), rtol=1e-9)
    np.testing.assert_allclose(cov.variance(np.eye(n)[1]), A[1, 1], **at)
    np.testing.assert_allclose(cov.eigenpairs(2)[0], np.linalg.eigvalsh(A)[::-1][:2], rtol=1e-9)


# ---------------------------------------------------------------------- the arithmetic


@pytest.mark.parametrize("kind", ["plain", "far", "steps", "single", "constant"])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("standardize", [False, True])
def test_what_rounding_moves_data_read_in_passes_by_is_in_its_room(kind, sparse, standardize, few):
    """Against the same covariance in exact arithmetic, entry by entry and in all."""
    X = made(60, 4, 3) * (np.random.default_rng(2).random((60, 4)) < (0.1 if sparse else 1.0))
    if kind == "far":
        X[:, 1:] += 1e9
    if kind == "steps":
        X = np.round(X, 1) + np.repeat(np.array([0.0, 1e6, -1e5, 1e7]), 15)[:, None]
    if kind == "single":
        X = X.astype(np.float32)
    if kind == "constant":
        X[:, 2] = 0.1
    cov = in_passes(chunks(scipy.sparse.csr_array(X) if sparse else X, 13, 37), standardize)
    every = np.arange(4)
    E = np.array(exact(X))
    if standardize:
        s = [float(v) ** -0.5 if v else 0.0 for v in E.diagonal()]
        E = np.array([[Fraction(float(E[i][j]) * s[i] * s[j]) for j in every] for i in every])
    for A in (cov.block(every), cov.block(every, every), cov.restrict(every).matrix, cov.apply(np.eye(4))):
        off = np.array([[float(Fraction(float(A[i, j])) - E[i, j]) for j in every] for i in every])
        assert np.linalg.norm(off) <= cov.representation_error < 1e-10 * cov.trace
        scale = np.sqrt(np.outer(cov.diagonal, cov.diagonal))
        assert (2 * np.abs(off) <= cov._relative_drift * scale).all()
    assert (np.abs(cov.diagonal - E.diagonal().astype(float)) <= cov.representation_error).all()
    if kind == "constant":
        assert not A[2].any()
        assert cov.diagonal[2] == 0


def test_the_rows_of_a_matrix_that_was_formed_last_are_not_read_again(few):
    cov = in_passes(chunks(made()))
    first = cov.restrict(np.arange(6)).matrix
    before = cov._form.data.passes
    assert np.array_equal(cov.restrict(np.array([4, 1])).matrix, first[np.ix_([4, 1], [4, 1])])
    assert cov._form.data.passes == before


@pytest.mark.parametrize("sparse", [False, True])
def test_the_rows_drawn_are_the_same_however_the_data_are_cut(sparse, monkeypatch):
    monkeypatch.setattr(of_rows, "ENTRIES", 400)
    X = made() * (np.random.default_rng(0).random((M, N)) < 0.5)
    X = scipy.sparse.csr_array(X) if sparse else X
    drawn = [in_passes(chunks(X, *cuts))._form.data.sample for cuts in [(), (7,), (50, 51, 200), range(1, M)]]
    rows = [some.toarray() if sparse else some for some in drawn]
    assert all(np.array_equal(rows[0], other) for other in rows)
    stored_numbers = drawn[0].nnz if sparse else drawn[0].size
    assert 350 < stored_numbers <= 400
    assert not np.array_equal(rows[0], (X.toarray() if sparse else X)[: len(rows[0])])


# ---------------------------------------------------------------------- whatever holds them


@pytest.mark.filterwarnings("ignore::UserWarning:zarr", "ignore::FutureWarning:anndata")
@pytest.mark.parametrize("holder", HOLDERS)
def test_whatever_holds_the_rows_passes_over_them_give_the_same(holder, tmp_path, few):
    X = made()
    given = HOLDERS[holder](X, tmp_path)
    cov = in_passes(given)
    assert not cov.in_memory
    close(cov, X)
    close(in_passes(given, True), X, True)
    np.testing.assert_allclose(cov.features.mean, X.mean(axis=0), rtol=1e-12)
    sparse = "sparse" in holder or "lazy" in holder
    other = in_passes(chunks(scipy.sparse.csr_array(X) if sparse else X, 3, 99))
    assert cov.fingerprint == other.fingerprint
    nnspca.verify(nnspca.certify(cov, 3), other)
    if "Parquet" in holder or holder.endswith("AnnData in a file"):
        assert cov.feature_names == NAMES


@pytest.mark.parametrize("standardize", [False, True])
def test_components_and_certificates_are_those_of_the_data_in_memory(standardize):
    S = zipf_text(300, 1900)
    whole = Covariance.from_data(S, standardize)
    cov = in_passes(chunks(S, 120, 217), standardize)
    assert whole.in_memory
    assert not cov.in_memory
    assert cov.fingerprint == in_passes(chunks(S), standardize).fingerprint != whole.fingerprint
    cov._form.data.room = 1900 if standardize else 1200  # rows: what the memory of a machine has room for
    k = 6
    before = cov._form.data.passes
    part = nnspca.solve(cov, k)
    cert = nnspca.certify(cov, k, component=part)
    assert cov._form.data.passes - before <= 12
    nnspca.verify(cert, cov)
    other = nnspca.certify(whole, k)
    assert part.variance >= other.lower * (1 - 1e-6)
    alike = [b.value for b in other.bounds if b.deterministic and b.name not in ("eigenvalue", "rank", "shifted-rank")]
    assert cert.lower <= cert.upper <= min(alike) * (1 + 1e-4)  # eigenvalues of few samples take all data


def test_what_a_covariance_is_asked_for_besides_comes_from_passes_too(few):
    cov = in_passes(chunks(made(), 70))
    assert repr(cov) == "Covariance(n_features=7, n_samples=230, held as rows that passes over the data give)"
    parts = nnspca.decompose(cov, 2, 3)
    assert not (parts.loadings[:, 0] * parts.loadings[:, 1]).any()
    whole = nnspca.decompose(Covariance.from_data(made()), 2, 3)
    np.testing.assert_allclose(parts.variances, whole.variances, rtol=1e-9)
    assert nnspca.certify_parts(cov, 2, 3).ratio > 0.9
    for deflation in ("projection", "schur"):
        with pytest.raises(ValueError, match=f"deflation '{deflation}' .* are not in memory; give 'disjoint'"):
            nnspca.decompose(cov, 2, 3, deflation=deflation)
    few_features = nnspca.most_variable(chunks(made()), 4)
    np.testing.assert_allclose(in_passes(few_features).diagonal, made().var(axis=0)[few_features.features])
    assert nnspca.sweep(cov, [1, 3]).to_records()[1]["normalized_variance"] <= 1


# ---------------------------------------------------------------------- memory


def test_data_larger_than_the_memory_given_are_certified_within_it(tmp_path):
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(tmp_path / "data.npy", "w+", np.float32, (4000, 6500))
    scale = 1 / np.arange(1, 6501, dtype=np.float32) ** 0.7
    for start in range(0, 4000, 500):
        X[start : start + 500] = rng.standard_normal((500, 6500), dtype=np.float32) * scale
    memory = 60_000_000
    tracemalloc.start()
    cov = Covariance.from_data(X, False, memory=memory)
    opened = tracemalloc.get_traced_memory()[1]
    cert = nnspca.certify(cov, 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not cov.in_memory
    blocks = 8 * (of_rows.LARGEST + 2 * of_rows.ENTRIES)  # a block of data, and the rows drawn
    assert opened < memory + 3 * blocks < X.nbytes * 8
    assert peak < memory + 3 * blocks
    assert cert.ratio > 0.9


def test_rows_that_do_not_fit_into_memory_say_what_to_do(few):
    with pytest.raises(ValueError, match="memory=0 is not allowed; give a whole number of at least 1"):
        Covariance.from_data(chunks(made()), memory=0)
    cov = in_passes(chunks(made()), memory=3 * 16 * N)
    assert cov._form.data.room == 3
    cov.block(np.array([1, 2, 3]))
    cov.block(np.array([4, 5]))
    assert len(cov._form.data._held) == 3
    with pytest.raises(DataError, match=r"4 rows of the 7 × 7 covariance do not fit into memory=336 bytes: .*'best'"):
        cov.block(np.arange(4))


# ---------------------------------------------------------------------- what cannot be used, and Stop


@pytest.mark.parametrize("change", ["rows", "value"])
def test_data_that_change_between_passes_are_refused_and_nothing_is_certified(change, few):
    later = made()
    if change == "rows":
        later = later[:-1]
    else:
        later[199, 2] = np.nextafter(later[199, 2], np.inf)
    for unchanged in (2, 3):  # one sees that they are large, two open them
        number = count()
        cov = None

        def read():
            return iter(np.split(made() if next(number) < unchanged else later, [60]))  # noqa: B023

        said = "229 rows now, 230 before" if change == "rows" else "a value differs"
        with pytest.raises(DataError, match=rf"the data changed while they were read.*({said}|between pass 1 and)"):
            cov = in_passes(read)
            nnspca.certify(cov, 3)
        assert (cov is None) == (unchanged == 2)


def test_a_covariance_read_in_passes_is_not_sent_elsewhere():
    with pytest.raises(TypeError, match="read in passes cannot be pickled, or sent to another process: leave out exe"):
        pickle.dumps(in_passes(chunks(made())))


def test_data_that_can_be_read_once_only_or_are_weighted_are_refused():
    with pytest.raises(DataError, match="an iterator can be read once only: give a function that returns a new one"):
        in_passes(chunks(made(), 100)())
    with pytest.raises(DataError, match=r"sample_weight is taken of fewer features, as nnspca.most_variable"):
        in_passes(chunks(made()), sample_weight=np.arange(M))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (spoilt(np.nan), r"chunk 37, its row 2 \(row 187 of the data\), feature 4 is NaN"),
        (chunks(made()[:1]), "one sample has no variance"),
        (chunks(np.ones((9, N)), 4), "no feature varies over the 9 samples"),
        (chunks(1e200 * made()), "the variance of a feature is too large"),
        (chunks(made(), 5, 5), "gave no rows|chunk 1"),
    ],
)
def test_what_cannot_be_used_is_said_with_where_it_is(given, said, few):
    if said.startswith("gave"):
        given = lambda: iter([made()[:5], made()[5:, :3]])  # noqa: E731
    with pytest.raises(DataError, match=said):
        in_passes(given)


def test_standardising_scales_beyond_those_of_sums_is_refused(few):
    with pytest.raises(DataError, match="can be standardised from 1e-280 to 1e"):
        in_passes(chunks(made() * 10.0 ** np.array([-150, 0, 0, 0, 0, 0, 0])), True)


def test_passes_tell_how_far_they_are_and_stop_within_a_chunk(few):
    told, polls = [], count()
    with pytest.raises(nnspca.datasets.ReadingStopped, match=r"the reading was stopped after [1-9]\d rows"):
        in_passes(chunks(made()), should_stop=lambda: next(polls) > 5)
    cov = in_passes(chunks(made(), 50, 100))
    cert = nnspca.certify(cov, 3, on_progress=told.append)
    assert any(p.stage == "pass 3 over the data: 100 rows read" for p in told)
    fractions = [p.fraction for p in told]
    assert fractions == sorted(fractions)
    for last in range(0, 120, 3):  # stopped at any moment, what is returned holds
        again, polls = in_passes(chunks(made(), 50, 100)), count()
        part = nnspca.solve(again, 3, should_stop=lambda: next(polls) >= last)  # noqa: B023
        assert part.variance <= cert.upper
        polls = count()
        early = nnspca.certify(again, 3, component=part, should_stop=lambda: next(polls) >= last)  # noqa: B023
        assert cert.lower * (1 - 1e-9) <= early.upper


def test_a_slow_pass_is_stopped_at_once(few):
    cov = in_passes(chunks(made(), 50))

    def slow():
        for part in chunks(made(), *range(5, M, 5))():
            time.sleep(0.05)
            yield part

    cov._form.data.source = stored.Source("slow rows", slow)
    started = time.perf_counter()
    part = nnspca.solve(cov, 3, should_stop=lambda: time.perf_counter() > started + 0.2)
    assert part.stopped
    assert part.support.tolist() == [int(cov.diagonal.argmax())]
    assert time.perf_counter() < started + 1


def test_blocks_of_a_dask_array_give_the_same_whatever_the_partition(few, monkeypatch):
    monkeypatch.setattr(stored, "SHARED", 2 * N)
    for height in (7, 100, M):
        blocks = dask.array.from_array(made(), chunks=(height, N))
        cov = in_passes(blocks)
        close(cov, made())
        assert cov.fingerprint == in_passes(chunks(made())).fingerprint


def test_a_table_of_few_numbers_is_brought_into_memory(monkeypatch):
    monkeypatch.setattr(streamed, "DENSE_FEATURES", 1)
    cov = Covariance.from_data(chunks(made()[:3], 1), memory=streamed.NUMBER * 3 * N)
    assert cov.in_memory
    assert not Covariance.from_data(chunks(made()[:3], 1), memory=streamed.NUMBER * 3 * N - 1).in_memory
