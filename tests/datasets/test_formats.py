"""Formats that other packages read: what comes in as it was written, and hostile files refused at once."""

import gzip
import io
import json
import tempfile
from pathlib import Path

import anndata
import h5py
import numpy as np
import openpyxl
import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.io
import scipy.sparse
from PIL import Image

from nnspca import Covariance
from nnspca.datasets import MissingValues, read
from nnspca.datasets.files import names_in
from nnspca.errors import DataError
from tests.datasets.test_images import refused, zipped

X = np.array([[1.5, -2, 0], [0, 4, 0], [5, 6, 7.25], [0, 0, 1]])
COUNTS = scipy.sparse.csr_array(np.array([[0, 3, 0], [1, 0, 0], [0, 5, 2], [4, 0, 0]]))


def parquet(columns, **options):
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, **options)
    return out.getvalue()


def workbook(rows, *more):
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for title in more:
        book.create_sheet(title)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def h5ad(X=COUNTS, *, by="csr", genes=("G1", "G2", "G3"), cells=("a", "b", "a", "b"), compression=None):
    sparse = scipy.sparse.issparse(X)
    obs = pandas.DataFrame({"cell_type": pandas.Categorical(cells)}, index=[f"c{i}" for i in range(len(cells))])
    var = pandas.DataFrame({"description": [f"gene {name}" for name in genes]}, index=list(genes))
    made = anndata.AnnData(X.asformat(by) if sparse else X, obs, var)
    with tempfile.TemporaryDirectory() as folder:
        made.write_h5ad(f"{folder}/t.h5ad", compression=compression)
        return Path(folder, "t.h5ad").read_bytes()


def market(X=COUNTS):
    out = io.BytesIO()
    scipy.io.mmwrite(out, X)
    return out.getvalue()


def test_a_parquet_table_comes_back_to_the_last_bit_with_its_class_and_without_its_row_names():
    columns = {"a": X[:, 0], "n": [1, 2, 3, 5], "t": [True, False, True, True], "kind": ["u", "v", "u", "v"]}
    ds = read(parquet({**columns, "__index_level_0__": ["r1", "r2", "r3", "r4"]}), "t.parquet")
    assert ds.feature_names == ("a", "n", "t")
    np.testing.assert_array_equal(ds.X, np.column_stack([X[:, 0], [1, 2, 3, 5], [1, 0, 1, 1]]))
    assert ds.label_names == ("u", "v")
    groups = parquet({"a": np.arange(10.0), "b": np.arange(10.0) ** 2}, row_group_size=3)
    np.testing.assert_array_equal(read(groups, "t.parquet").X[:, 1], np.arange(10.0) ** 2)


def test_parquets_missing_values_and_whole_numbers_beyond_doubles_are_refused_with_their_place():
    with pytest.raises(MissingValues, match="row 2, in 'b'") as caught:
        read(parquet({"a": [1.0, 2, 3], "b": [1, None, None]}), "t.parquet")
    assert (caught.value.count, caught.value.rows, caught.value.features, caught.value.shape) == (2, 2, 1, (3, 2))
    filled = read(parquet({"a": [1.0, 2, 3], "b": [1, None, 4]}), "t.parquet", missing="mean")
    np.testing.assert_array_equal(filled.X[:, 1], [1, 2.5, 4])
    ds = read(parquet({"a": [1, 2**53 + 1], "b": [0.5, 1]}), "t.parquet")
    assert (ds.feature_names, ds.sample_names) == (("b",), ("1", "9007199254740993"))
    assert "'l' holds list" in refused(parquet({"a": [1.0, 2], "l": [[1], [2]]}), "t.parquet")


@pytest.mark.parametrize(("by", "options"), [("csr", {}), ("csc", {"compression": "gzip"})])
def test_anndata_stays_sparse_and_knows_its_genes_and_cell_types(by, options):
    ds = read(h5ad(by=by, **options), "cells.h5ad")
    assert ds.is_sparse
    np.testing.assert_array_equal(ds.X.toarray(), COUNTS.toarray())
    assert (ds.feature_names, ds.feature_titles) == (("G1", "G2", "G3"), ("gene G1", "gene G2", "gene G3"))
    assert ds.label_names == ("a", "b")
    np.testing.assert_array_equal(ds.labels, [0, 1, 0, 1])
    assert read(h5ad(by=by), "cells.h5ad", label="").labels is None
    dense = np.arange(60.0).reshape(12, 5) ** 2
    made = h5ad(dense, genes=list("abcde"), cells=("a", "b") * 6, **options)
    np.testing.assert_array_equal(read(made, "t.h5ad").X, dense)


def test_anndata_in_another_file_is_refused():
    assert "HDF5" in refused(b"no such thing", "t.h5ad")
    outside = io.BytesIO()
    with h5py.File(outside, "w") as file:
        file["X"] = h5py.ExternalLink("/etc/passwd", "/X")
    assert "'X' leads into other files" in refused(outside.getvalue(), "t.h5ad")


def test_what_scipy_saves_as_a_sparse_array_stays_one():
    for form in ("csr", "csc", "coo"):
        for turned in (False, True):
            out = io.BytesIO()
            scipy.sparse.save_npz(out, COUNTS.asformat(form))
            ds = read(out.getvalue(), "t.npz", samples="columns" if turned else "rows")
            assert ds.is_sparse
            np.testing.assert_array_equal(ds.X.toarray(), COUNTS.T.toarray() if turned else COUNTS.toarray())
    out = io.BytesIO()
    stored = COUNTS.tocsr()
    np.savez(out, format=b"csr", shape=(4, 3), data=stored.data, indices=stored.indices + 9, indptr=stored.indptr)
    assert "contradicts itself" in refused(out.getvalue(), "t.npz")


def test_the_covariance_of_a_sparse_data_set_is_that_of_the_same_numbers_written_out():
    out = io.BytesIO()
    scipy.sparse.save_npz(out, COUNTS)
    ds = read(out.getvalue(), "t.npz")
    dense = COUNTS.toarray().astype(float)
    np.testing.assert_allclose(Covariance.from_dataset(ds).matrix, np.cov(dense.T, bias=True), atol=1e-12)
    np.testing.assert_allclose(ds.means, dense.mean(axis=0))
    np.testing.assert_allclose(ds.deviations, dense.std(axis=0))
    np.testing.assert_array_equal(ds.rows(np.array([2, 0])), dense[[2, 0]])
    assert not ds.X.data.flags.writeable


def test_a_matrix_of_10x_is_turned_by_the_names_beside_it_alone_zipped_or_dropped_together():
    genes, cells = b"E1\tTP53\nE2\tMYC\nE3\tTP53\n", b"AAA\nAAC\nAAG\nAAT\n"
    files = {"matrix.mtx": market(COUNTS.T), "genes.tsv": genes, "barcodes.tsv": cells}
    squeezed = {f"run/{name.replace('genes', 'features')}.gz": gzip.compress(c) for name, c in files.items()}
    for ds in (read(files), read(zipped(files), "run.zip"), read(zipped(squeezed), "run.zip")):
        assert ds.feature_names == ("TP53", "MYC", "TP53 (2)")
        assert ds.is_sparse
        np.testing.assert_array_equal(ds.X.toarray(), COUNTS.toarray())
    assert read(gzip.compress(market()), "m.mtx.gz").shape == (4, 3)
    assert read(market(), "m.mtx", samples="columns").shape == (3, 4)
    assert "do not belong together" in refused({**files, "genes.tsv": b"E1\tTP53\n"})


def test_a_matrix_whose_header_lies_is_refused():
    head = b"%%MatrixMarket matrix coordinate real general\n"
    assert refused(head + b"3 3 1000000\n1 1 1\n", "m.mtx")
    assert refused(head + b"3 3 3\n1 1 1\n9 9 1\n2 2 2\n", "m.mtx")
    assert refused(head + b"3 3 3\n1 1 1\n", "m.mtx")
    assert refused(b"%%MatrixMarket matrix array real general\n90000 90000\n1\n2\n", "m.mtx")
    assert "complex numbers" in refused(b"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "m.mtx")
    assert "first line" in refused(b"1,2\n3,4\n", "m.mtx")


def picture(value, size=(3, 2)):
    out = io.BytesIO()
    Image.fromarray(np.full(size[::-1], value, np.uint8)).save(out, "PNG")
    return out.getvalue()


def test_several_images_dropped_together_are_a_data_set_and_a_folder_of_them_too(tmp_path):
    files = {f"{i}.png": picture(i * 40) for i in range(4)}
    ds = read(files)
    assert (ds.kind, ds.image_shape) == ("images", (2, 3))
    np.testing.assert_array_equal(ds.X[:, 0], [0, 40, 80, 120])
    assert (ds.name, ds.title, read(files, name="mine").name) == ("0 and 3 more", "0 and 3 more", "mine")
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    assert read(tmp_path).content_hash == read(sorted(tmp_path.iterdir())).content_hash == ds.content_hash
    mixed = read({**files, "z.png": picture(9, (5, 5))})
    assert mixed.image_shape == (2, 3) and "3×2 (4), 5×5 (1)." in str(mixed.notes[0])
    assert "came together" in refused({**files, "t.csv": b"a,b\n1,2\n"})
    assert "drop several" in refused(files["0.png"], "0.png")


def test_a_file_of_two_columns_names_the_features_dropped_beside_or_given():
    table, names = b"p1,p2,p3\n1,2,3\n4,5,7\n0,1,1\n", b"probe,symbol\np1,TP53\np3,MYC\n"
    ds = read({"data.csv": table, "map.csv": names})
    assert (ds.name, ds.feature_names) == ("data", ("TP53", "p2", "MYC"))
    assert "2 of 3 features" in str(ds.notes[-1])
    assert "none of the 3 features" in refused({"data.csv": table, "map.csv": b"x,y"})
    with pytest.raises(DataError, match="row 2 of the file of names has 3 cell"):
        names_in(b"a,b\nc,d,e")
    with pytest.raises(DataError, match="a row before 'b'"):
        names_in(b"a,b\na,c")


def test_missing_values_are_dealt_with_as_chosen():
    text = b"a,b,c,kind\n1,2,3,u\n4,,NA,v\n7,8,8,u\n1,1,,v\n"
    with pytest.raises(MissingValues) as caught:
        read(text, "t.csv")
    assert (caught.value.count, caught.value.rows, caught.value.features, caught.value.shape) == (3, 2, 2, (4, 3))
    rows = read(text, "t.csv", missing="drop rows")
    np.testing.assert_array_equal(rows.X, [[1, 2, 3], [7, 8, 8]])
    np.testing.assert_array_equal(rows.labels, [0, 0])
    features = read(text, "t.csv", missing="drop features")
    assert features.feature_names == ("a",)
    mean = read(text, "t.csv", missing="mean")
    np.testing.assert_allclose(mean.X[:, 1], [2, 11 / 3, 8, 1])
    assert "3 missing values" in str(mean.notes[-1])
    turned = b"g,s1,s2,s3,s4\nA,1,2,,5\nB,2,2,3,4\n"
    with pytest.raises(MissingValues, match="1 of 4 samples") as caught:
        read(turned, "t.csv", samples="columns")
    assert (caught.value.rows, caught.value.features, caught.value.shape) == (1, 1, (4, 2))
    assert read(turned, "t.csv", samples="columns", missing="drop rows").shape == (3, 2)
    assert "would be left" in refused(b"a,b\n1,\n,2\n3,\n", "t.csv", missing="drop rows")
    assert read(workbook([["a", "b"], [1, 2], [None, 3], [5, 8]]), "t.xlsx", missing="drop rows").shape == (2, 2)
    without = read(b"a,b\n1,\n2,\n3,\n", "t.csv")
    assert without.shape == (3, 1) and "Without any value, left out: 'b'." in map(str, without.notes)
    out = io.BytesIO()
    np.save(out, np.array([[1, np.nan], [2, 3.0], [4, 9]]))
    assert read(out.getvalue(), "t.npy", missing="drop rows").shape == (2, 2)


def test_the_class_is_the_column_that_was_chosen():
    text = b"a,b,batch,u,v\n1,2,1,x,p\n2,4,1,x,q\n3,9,2,y,q\n"
    assert read(text, "t.csv").label_names == ("x", "y")
    ds = read(text, "t.csv", label="v")
    assert (ds.feature_names, ds.label_names) == (("a", "b", "batch"), ("p", "q"))
    ds = read(text, "t.csv", label="batch")
    assert (ds.feature_names, ds.label_names) == (("a", "b"), ("1", "2"))
    assert read(text, "t.csv", label="").labels is None
    assert "names 'w', and no column" in refused(text, "t.csv", label="w")


def test_a_format_whose_package_is_absent_says_what_to_install(monkeypatch):
    for module, name in (("h5py", "t.h5ad"), ("python_calamine", "t.xlsx"), ("pyarrow", "t.parquet")):
        monkeypatch.setitem(__import__("sys").modules, module, None)
        assert "pip install 'nnspca[formats]'" in refused(b"x" * 20, name)


def test_a_column_names_the_samples_found_or_chosen():
    content = b"who,town,id,height,width\nAnn,Bern,7,1,2\nBob,Bern,9,3,5\nCid,Chur,8,4,0\n"
    found = read(content, "t.csv")
    assert found.sample_names == ("Ann", "Bob", "Cid")
    chosen = read(content, "t.csv", sample_names="id")
    assert chosen.sample_names == ("7", "9", "8") and chosen.feature_names == ("height", "width")
    assert read(content, "t.csv", sample_names="").sample_names == ()
    assert read(content, "t.csv", samples="rows", label="town").sample_names == ("Ann", "Bob", "Cid")
    kept = read(content.replace(b"3,5", b"3,"), "t.csv", missing="drop rows")
    assert kept.sample_names == ("Ann", "Cid")
    with pytest.raises(DataError, match="'town' cannot name the samples: each needs a name of its own"):
        read(content, "t.csv", sample_names="town")
    turned = read(b"gene,s1,s2,s3\ng1,1,2,3\ng2,4,5,7\n", "t.csv", samples="columns")
    assert turned.sample_names == ("s1", "s2", "s3")


def test_json_records_hdf5_and_one_spectrum_a_file_are_read_as_the_table_that_they_are():
    named = [{"id": f"s{i}", "a": row[0], "b": row[1]} for i, row in enumerate(X)]
    for content, name in ((json.dumps(named), "t.json"), ("\n".join(map(json.dumps, named)), "t.jsonl")):
        found = read(content.encode(), name)
        np.testing.assert_array_equal(found.X, X[:, :2])
        assert (found.feature_names, found.sample_names) == (("a", "b"), ("s0", "s1", "s2", "s3"))
    assert "holds lists" in refused(b'[{"a": [1, 2]}, {"a": [3]}]', "t.json")
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        file["run/data"], file["run/time"] = X, X[0]
    np.testing.assert_array_equal(read(out.getvalue(), "t.h5").X, X)
    spectra = {
        f"run{i}.csv": "light (nm),absorbance\n" + "".join(f"{400 + 10 * j},{value:g}\n" for j, value in enumerate(row))
        for i, row in enumerate(X)
    }
    for found in (read(zipped(spectra), "t.zip"), read({name: text.encode() for name, text in spectra.items()})):
        np.testing.assert_array_equal(found.X, X)
        assert (found.axis.name, found.axis.unit, found.axis.values.tolist()) == ("light", "nm", [400, 410, 420])
        assert found.feature_names == ("400 nm", "410 nm", "420 nm") and found.sample_names[0] == "run0"
    assert "'run1.csv' differs" in refused(zipped({**spectra, "run1.csv": "nm,absorbance\n400,1\n411,1\n"}), "t.zip")


def test_sheets_of_equal_columns_are_stacked_where_that_is_chosen_and_asked_about_before():
    book = openpyxl.load_workbook(io.BytesIO(workbook([["a", "b"], [1, 2], [3, 5]], "2021", "about")))
    for row in (["a", "b"], [7, 1]):
        book["2021"].append(row)
    for row in (["key", "text"], ["x", 1]):
        book["about"].append(row)
    book.save(out := io.BytesIO())
    (question,) = read(out.getvalue(), "t.xlsx").doubts
    first, stacked, *_ = question.settles
    assert first.sets["sheet"] == "Sheet" and stacked.sets == {"sheet": ("Sheet", "2021")}
    both = read(out.getvalue(), "t.xlsx", **stacked.sets)
    assert both.X.tolist() == [[1, 2], [3, 5], [7, 1]] and not both.doubts
    assert "'about' differs" in refused(out.getvalue(), "t.xlsx", sheet=("Sheet", "about"))


def test_numbers_that_name_columns_rows_or_persons_are_told_from_features():
    rows = [[f"{(i * j) % 7 / 9:.3f}" for j in range(1, 7)] for i in range(1, 9)]
    plain = "\n".join(map(",".join, rows))
    spectra = read(f"400,410,420,430,440,450\n{plain}\n".encode(), "t.csv")
    assert spectra.feature_names == ("400", "410", "420", "430", "440", "450") and spectra.shape == (8, 6)
    wells = "".join(f"{letter},{','.join(row)}\n" for letter, row in zip("ABCDEFGH", rows, strict=True))
    plate = read(f"Reader: X\n\n<>,1,2,3,4,5,6\n{wells}".encode(), "t.csv")
    assert plate.shape == (8, 6) and plate.sample_names == tuple("ABCDEFGH")
    people = [f"{1000 + i},{0.5 + i % 5 / 4},{i // 3},{i % 4},{i % 7}" for i in range(30)]
    survey = read(("caseid,wt_final,patient,q1,q2\n" + "\n".join(people)).encode(), "t.csv")
    assert "caseid" not in survey.feature_names
    assert {note.about for note in survey.doubts} == {("wt_final",), ("patient",)}
