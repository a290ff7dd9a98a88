"""Files as people have them, of many programs: each is read, and its notes say what was decided."""

import gzip
import io
import tempfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest
import scipy.sparse
from sklearn import datasets as sklearn_datasets

import nnspca
from tests.tables import shipped

IRIS = sklearn_datasets.load_iris(as_frame=True)
FLOWERS = IRIS.data.iloc[::10].round(1).set_axis(["SepalLength", "SepalWidth", "PetalLength", "PetalWidth"], axis=1)
SPECIES = np.asarray(IRIS.target_names)[IRIS.target[::10]]
CARS = pd.DataFrame(
    {"mpg": [21.0, 22.8, 18.7, 14.3], "cyl": [6, 4, 8, 8], "hp": [110, 93, 175, 245]},
    index=["Mazda RX4", "Datsun 710", "Hornet Sportabout", "Duster 360"],
)
COV = pd.DataFrame(
    np.round(np.cov(sklearn_datasets.load_wine().data[:, :4].T), 4), *[["alcohol", "malic", "ash", "alkalinity"]] * 2
)
GENES = pd.DataFrame(
    np.random.default_rng(0).poisson(40, (60, 6)),
    index=pd.Index([f"ENSG{i:011d}" for i in range(60)], name="gene_id"),
    columns=[f"sample_{i}" for i in range(1, 7)],
)


@dataclass
class File:
    """A file, how it is read where looking is not enough, and what is expected of it."""

    name: str
    content: bytes
    shape: tuple[int, int]
    names: tuple[str, ...] = ()  # the first features
    labels: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()  # the first
    notes: tuple[str, ...] = ()  # a part of a note each
    kind: str = "table"
    options: dict = field(default_factory=dict)
    at: dict = field(default_factory=dict)  # numbers by place


FILES: dict[str, File] = {}


def given(case: str, name: str, content: object, shape: tuple[int, int], **more: object) -> None:
    """Enter a file under what it is."""
    content = content.encode(more.pop("encoding", "utf-8")) if isinstance(content, str) else content
    FILES[case] = File(name, content, shape, **more)


def book(sheets: dict[str, list[list[object]]]) -> bytes:
    """A workbook as openpyxl writes it; "" is an empty cell."""
    made, out = openpyxl.Workbook(), io.BytesIO()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append([None if cell == "" else cell for cell in row])
    made.save(out)
    return out.getvalue()


def written(frame: pd.DataFrame, how: str, **options: object) -> bytes:
    """What one of a frame's methods writes."""
    out = io.BytesIO()
    getattr(frame, how)(out, **options)
    return out.getvalue()


def by_path(write, ending: str) -> bytes:
    """What is written to a path of this ending."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"t.{ending}")
        write(path)
        return path.read_bytes()


def rows(frame: pd.DataFrame) -> list[list[object]]:
    return [list(frame.columns), *frame.to_numpy().tolist()]


def tuples(value: object) -> object:
    return tuple(map(tuples, value)) if isinstance(value, list) else value


for case, told in tomllib.loads(Path(__file__).with_name("real_files.toml").read_text(encoding="utf-8")).items():
    told["at"] = {(i, j): value for i, j, value in told.get("at", ())}
    if sheets := told.pop("sheets", None):
        told["content"] = book(sheets)
    if place := told.pop("shipped", None):
        told["content"] = shipped(*place)
    given(case, **{key: tuples(value) for key, value in told.items()})

NAMES = tuple(FLOWERS.columns)
labelled = FLOWERS.assign(Species=SPECIES)
flowers = {"shape": (15, 4), "names": NAMES, "labels": ("setosa", "versicolor", "virginica")}
wide = pd.DataFrame(
    [[1, 2, 3, 4], [2, 5, 1, 7], [3, 3, 9, 4]],
    columns=pd.MultiIndex.from_product([["A", "B"], ["x", "y"]], names=["g", "v"]),
)

given(
    "pandas to_excel with index and two headers",
    "m.xlsx",
    written(wide, "to_excel"),
    (3, 4),
    names=("A x", "A y", "B x", "B y"),
    notes=("The header has",),
)
given("pandas to_excel", "i.xlsx", written(labelled, "to_excel", index=False), **flowers)
readme = [["This file holds measurements."], ["Ask Ann."]]
given(
    "a README sheet first",
    "w.xlsx",
    book({"README": readme, "lookup": [["code", "n"], ["a", 1], ["b", 2]], "data": rows(FLOWERS)}),
    (15, 4),
    names=NAMES,
    notes=("Of 3 sheets, 'data' was read",),
)
given(
    "sheet chosen",
    "w.xlsx",
    book({"data": rows(FLOWERS), "few": [["p", "q"], [1, 2], [2, 5], [3, 3]]}),
    (3, 2),
    names=("p", "q"),
    options={"sheet": "few"},
)
odd = "sample,As,Pb\ns1,0.5,2\ns2,<0.3,3\ns3,abs,1\ns4,0.9,.\ns5,1.1,8\n"
given(
    "detection limits and words",
    "w.csv",
    odd,
    (5, 2),
    options={"missing": "mean"},
    notes=("Column 'As' holds 1 × '<0.3', 1 × 'abs', which is no number: read as missing", "3 missing values"),
)

cov = {"shape": (4, 4), "names": ("alcohol", "malic", "ash", "alkalinity"), "kind": "covariance"}
given(
    "upper triangle",
    "u.xlsx",
    book({"S": rows(COV.where(np.triu(np.ones((4, 4), bool))).astype(object).where(lambda f: f.notna(), None))}),
    **cov,
)
R = np.round(np.corrcoef(sklearn_datasets.load_wine().data[:, :4].T), 2)
SURVEY = pd.DataFrame({"q1": [1.0, 2, 4, np.nan], "q2": [5.0, 3, 1, 2], "sex": [1.0, 2, 2, 1]})
labels = {"variable_value_labels": {"sex": {1: "female", 2: "male"}}}
given(
    "SPSS",
    "s.sav",
    by_path(lambda path: pyreadstat.write_sav(SURVEY, path, **labels), "sav"),
    (3, 2),
    names=("q1", "q2"),
    labels=("female", "male"),
    options={"missing": "drop rows"},
)
given(
    "SAS transport",
    "s.xpt",
    by_path(lambda path: pyreadstat.write_xport(SURVEY.dropna(), path, file_format_version=5), "xpt"),
    (3, 3),
)
given("Stata", "i.dta", written(labelled.reset_index(drop=True), "to_stata", write_index=False), **flowers)
given("Parquet", "i.parquet", written(labelled, "to_parquet"), **flowers)
given(
    "Parquet with row names", "c.parquet", written(CARS, "to_parquet"), (4, 3), names=("mpg",), samples=("Mazda RX4",)
)
given("Feather", "i.feather", written(labelled.reset_index(drop=True), "to_feather"), **flowers)
given("sparse", "c.npz", b"", (6, 60))
out = io.BytesIO()
scipy.sparse.save_npz(out, scipy.sparse.csr_array(GENES.to_numpy().T))
FILES["sparse"].content = out.getvalue()
GEO = (
    '!Series_title\t"A study"\n!Sample_title\t"control 1"\t"control 2"\t"treated 1"\t"treated 2"\n\n'
    '!series_matrix_table_begin\n"ID_REF"\t"GSM1"\t"GSM2"\t"GSM3"\t"GSM4"\n"1007_s_at"\t8.1\t8.2\t7.9\t8.8\n'
    '"1053_at"\t5.1\t5.3\t5.9\t5.2\n"117_at"\t6.1\t6.3\t6.0\t6.6\n!series_matrix_table_end\n'
)
given("GEO, gzipped", "GSE1.txt.gz", gzip.compress(GEO.encode()), (4, 3), names=("1007_s_at",), samples=("GSM1",))


@pytest.mark.parametrize("case", FILES)
def test_a_file_is_read_as_a_person_would(case):
    """As its preview has it (what that is of reading is asked below); what the preview says of columns is no choice."""
    file = FILES[case]
    seen = nnspca.datasets.preview(file.content, file.name, **file.options)
    ds = seen.data
    assert not seen.problem and (ds.shape, ds.kind) == (file.shape, file.kind), ds.notes
    assert ds.feature_names[: len(file.names)] == file.names and len(set(ds.feature_names)) == ds.n_features
    assert ds.label_names == file.labels
    assert ds.sample_names[: len(file.samples)] == file.samples
    for part in file.notes:
        assert any(part in str(note) for note in ds.notes), ds.notes
    assert all(note.says[-1] == "." and (note.says[:1].isupper() or note.says[:1].isdigit()) for note in ds.notes), (
        ds.notes
    )
    for (i, j), value in file.at.items():
        assert ds.X[i, j] == value
    if ds.kind == "covariance":
        is_the_whole_matrix(case, ds)
    others = [(file.content, columns_of(case, seen))]
    others += [(file.content.replace(b"\n", b"\r\n"), {})] * (file.name.endswith(".csv") and b"\r" not in file.content)
    for content, more in others:
        again = nnspca.datasets.read(content, file.name, **{**file.options, **more})
        assert again.content_hash == ds.content_hash, (seen, again.notes)
        assert again.sample_names == ds.sample_names


def columns_of(case, seen):
    """Return the columns of a preview with their roles, as reading takes them; nothing where it does not."""
    assert len(seen.roles) == len(seen.names) and all(len(row) == min(len(seen.names), 100) for row in seen.rows)
    chosen = "columns" in FILES[case].options or FILES[case].name.rpartition(".")[2] in ("npz", "h5ad")
    # the second column of SPSS says which rows are correlations, and becomes nothing
    unclear = "sample" in seen.roles or len(set(seen.names)) < len(seen.names) or len(seen.names) == 100
    if chosen or unclear or case == "SPSS correlations":
        return {}
    return {"columns": dict(zip(seen.names, seen.roles, strict=True))}


def is_the_whole_matrix(case, ds):
    assert ds.sample_names == ()  # its names are of features
    order = [list(COV).index(name) for name in ds.feature_names] if ds.feature_names[0] in COV else range(4)
    if case in ("R lower.tri", "SPSS correlations"):
        expected = np.array([[1, 0.5, 0.2, 0.1], [0.5, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.4], [0.1, 0.2, 0.4, 1]])
        order = range(len(ds.X))
    else:
        expected = R if "JASP" in case else COV.to_numpy()
    np.testing.assert_allclose(ds.X, expected[np.ix_(order, order)])


@pytest.mark.parametrize(
    ("name", "text", "parts"),
    [
        ("a.csv", "a,b\n1,2\n3,4,5\n", ("line 3 has 3 cells where 2", "commas", "[a | b]; [1 | 2]; [3 | 4 | 5]")),
        ("a.csv", "a,b\nx cm,y cm\nz cm,y cm\n", ("no column of numbers", "[a | b]", "delimiter=")),
        ("a.csv", "a,b\n1,2\n", ("1 row", "at least 2")),
    ],
)
def test_what_cannot_be_read_shows_the_lines_as_they_were_understood(name, text, parts):
    with pytest.raises(nnspca.DataError) as caught:
        nnspca.datasets.read(text.encode(), name)
    assert all(part in str(caught.value) for part in parts), str(caught.value)


def test_words_among_numbers_are_named_where_missing_values_are_refused():
    with pytest.raises(nnspca.datasets.MissingValues, match=r"3 values are missing.*'<0.3', 1 × 'abs'") as caught:
        nnspca.datasets.read(odd.encode(), "w.csv")
    assert caught.value.count == 3


WATER = "id,site,year,As,Pb\n7,A,2001,0.5,2\n9,B,2002,<0.3,3\n12,A,2003,0.9,1\n15,B,2004,1.1,8\n"


def test_what_becomes_of_each_column_can_be_chosen():
    columns = {"id": "name", "site": "left out", "year": "class", "As": "feature"}
    ds = nnspca.datasets.read(WATER.encode(), "w.csv", columns=columns, missing="mean")
    assert ds.feature_names == ("As", "Pb") and ds.sample_names == ("7", "9", "12", "15")
    assert ds.label_names == ("2001", "2002", "2003", "2004")
    assert "Left out, as chosen: 'site'." in map(str, ds.notes)
    text = b"a,b,c\nlow,1,2\n3,2,5\nhigh,4,1\nmid,4,2\n"
    words = nnspca.datasets.read(text, "w.csv", columns={"a": "feature"}, missing="mean")
    assert words.feature_names == ("a", "b", "c")
    for wrong, error in (({"As": "sample"}, ValueError), ({"zinc": "name"}, nnspca.DataError)):
        with pytest.raises(error, match="columns"):
            nnspca.datasets.read(WATER.encode(), "w.csv", columns=wrong)
    with pytest.raises(ValueError, match="one column at most as 'class'"):
        nnspca.datasets.read(WATER.encode(), "w.csv", columns={"site": "class", "year": "class"})


def test_a_nameless_first_column_of_whole_numbers_can_be_kept_as_a_feature():
    text = b",a,b\n17,1,2\n4,3,4\n101,5,7\n"
    assert nnspca.datasets.read(text, "t.csv").feature_names == ("a", "b")
    ds = nnspca.datasets.read(text, "t.csv", columns={"": "feature"})
    assert ds.feature_names == ("column 1", "a", "b") and ds.X[:, 0].tolist() == [17, 4, 101]


def test_a_preview_shows_rows_roles_and_decisions_also_where_reading_fails():
    seen = nnspca.datasets.preview(WATER.encode(), "w.csv")
    assert seen.names == ("id", "site", "year", "As", "Pb")
    assert seen.roles == ("feature", "class", "feature", "feature", "feature")
    assert seen.rows[1] == ("9", "B", "2002", "<0.3", "3") and seen.shape == (4, 5)
    cells = {"header": 1, "delimiter": ",", "decimal": ".", "encoding": "utf-8-sig"}
    assert seen.decided == cells | {"samples": "rows", "kind": "table"}
    assert not seen.problem and any("<0.3" in str(note) for note in seen.notes)
    chosen = nnspca.datasets.preview(WATER.encode(), "w.csv", columns={"id": "name", "site": "left out"})
    assert chosen.roles == ("name", "left out", "feature", "feature", "feature")
    genes = nnspca.datasets.preview(FILES["genes in rows"].content, "g.tsv")
    assert genes.roles == ("name", *["sample"] * 6) and genes.decided["samples"] == "columns"
    matrix = nnspca.datasets.preview(FILES["R covariance"].content, "c.csv")
    assert matrix.roles == ("name", *["feature"] * 4) and matrix.decided["kind"] == "covariance"
    sheets = FILES["a README sheet first"]
    assert nnspca.datasets.preview(sheets.content, sheets.name).sheets == ("README", "lookup", "data")
    assert nnspca.datasets.preview(FILES["sparse"].content, "c.npz").roles == ("feature",) * 60
    broken = nnspca.datasets.preview(b"a,b\nx cm,y cm\nz cm,y cm\n", "a.csv")
    assert "delimiter=" in broken.problem and not broken.rows
    words = nnspca.datasets.preview(b"a,b\n1,2\n3,5\n4,1\n", "a.csv", columns={"a": "left out", "b": "left out"})
    assert words.rows[0] == ("1", "2") and "no column of numbers" in words.problem and words.roles == ()


def test_a_column_with_and_without_per_cent_signs_has_one_scale_and_says_so():
    mixed = nnspca.datasets.read(b"a,b\n1%,2\n0.02,3\n3 %,9\n", "p.csv")
    np.testing.assert_allclose(mixed.X[:, 0], [0.01, 0.02, 0.03])
    assert any("'a'" in str(note) and "1 % is read as 0.01" in str(note) for note in mixed.notes)
    points = nnspca.datasets.read(b"a,b\n1%,2\n20,3\n3 %,9\n", "p.csv")
    assert points.X[:, 0].tolist() == [1, 20, 3] and any("as if all had one" in str(note) for note in points.notes)
    assert nnspca.datasets.read(b"a,b\n1%,2\n0,3\n3 %,9\n", "p.csv").X[:, 0].tolist() == [1, 0, 3]


@pytest.mark.parametrize("long", ["9007199254740993", "123456789012345678901"])
def test_whole_numbers_of_more_digits_than_doubles_keep_are_never_rounded_in_silence(long):
    for text in (f"id,a,b\n{long},1,2\n,3,5\n7,4,1\n", f"id,a,b\n{long},1,2\n5,3,5\n7,4,1\n"):
        ds = nnspca.datasets.read(text.encode(), "t.csv")
        assert ds.feature_names == ("a", "b") and any("more digits than numbers keep" in str(note) for note in ds.notes)
    table = pd.DataFrame({"id": pd.array([2**53 + 1, None, 7], "Int64"), "a": [1.0, 2, 9], "b": [2.0, 5, 1]})
    assert nnspca.datasets.read(written(table, "to_parquet"), "t.parquet").feature_names == ("a", "b")


def test_a_long_table_is_read_as_rows_and_columns():
    long = "sample,gene,value\n" + "".join(f"s{i},g{j},{10 * i + j}\n" for j in range(3) for i in range(4))
    ds = nnspca.datasets.read(long.encode(), "long.csv")
    assert ds.feature_names == ("g0", "g1", "g2") and ds.sample_names == ("s0", "s1", "s2", "s3")
    np.testing.assert_array_equal(ds.X, [[10 * i + j for j in range(3)] for i in range(4)])
    assert any(note.topic == "pivot" for note in ds.notes)
    assert nnspca.datasets.read(long.encode(), "long.csv", samples="rows").shape == (12, 1)
    with pytest.raises(nnspca.datasets.MissingValues, match="1 value is missing in 1 of 4 rows"):  # a pair is not there
        nnspca.datasets.read(long.encode()[:-9], "long.csv")


@pytest.mark.parametrize("named", ["a,b,2019,c,d", ",a,b,5%,c,d", "a,b,<5,c,d"])
def test_a_name_that_looks_like_a_number_leaves_the_other_names(named):
    rows = [f"{i},{i * i % 7},{i % 3},{i * 5 % 11},{i % 4}" for i in range(1, 9)]
    text = "\n".join([named, *(f"{i},{row}" if named.startswith(",") else row for i, row in enumerate(rows))])
    names = nnspca.datasets.read(text.encode(), "t.csv").feature_names
    assert [name for name in names if name.isalpha()] == ["a", "b", "c", "d"]


def test_cells_that_only_far_rows_have_are_never_lost_silently():
    text = "\n".join(["a,b,c,", *["1,2,3,"] * 349, "1,2,3,99", "2,4,1,"])
    with pytest.raises(nnspca.DataError, match="more cells than the first ones"):
        nnspca.datasets.read(text.encode(), "t.csv")


def test_thousands_by_letter_are_missing_and_not_units():
    text = "a,b\n" + "\n".join(f"{i},{i + 2}" for i in range(1, 20)) + "\n5 k,3\n3 M,4\n"
    with pytest.raises(nnspca.datasets.MissingValues):
        nnspca.datasets.read(text.encode(), "t.csv")


def test_a_class_that_is_called_like_a_total_keeps_its_samples():
    rows = [f"{kind},{i},{i * i % 7}" for i, kind in enumerate(["media", "cells"] * 6, start=1)]
    data = nnspca.datasets.read("\n".join(["kind,a,b", *rows]).encode(), "t.csv")
    assert data.shape == (12, 2) and set(data.label_names) == {"media", "cells"}


def test_a_preview_has_what_reading_gives_or_raises():
    seen = nnspca.datasets.preview(WATER.encode(), "w.csv", missing="mean", name="lake")
    assert seen.data.content_hash == nnspca.datasets.read(WATER.encode(), "w.csv", missing="mean").content_hash
    assert seen.data.name == "lake" and seen.error is None
    holes = nnspca.datasets.preview(WATER.encode(), "w.csv")
    assert holes.data is None and isinstance(holes.error, nnspca.datasets.MissingValues) and not holes.problem


def test_a_long_table_of_which_columns_were_chosen_keeps_its_rows():
    text = b"a,u,v\n1,x,p\n3,x,q\n4,y,q\n2,y,p\n"
    assert nnspca.datasets.read(text, "t.csv").shape == (2, 2)
    assert nnspca.datasets.read(text, "t.csv", label="u").shape == (4, 1)


@pytest.mark.parametrize("n", [3, 6000])
def test_series_of_geo_are_read_however_many_samples_they_describe(n):
    about = "".join("!Sample_characteristics_ch1\t" + "\t".join(['"a tissue: some 2"'] * n) + "\n" for _ in range(12))
    head = '!series_matrix_table_begin\n"ID_REF"\t' + "\t".join(f'"GSM{10_000 + i}"' for i in range(n))
    rows = (f'"{1000 + g}_at"\t' + "\t".join(str((i * g) % 17 + 0.5) for i in range(n)) for g in range(1, 6))
    ds = nnspca.datasets.read("\n".join([about + head, *rows, "!series_matrix_table_end\n"]).encode(), "GSE1.txt")
    assert ds.shape == (n, 5) and ds.sample_names[0] == "GSM10000" and ds.feature_names[0] == "1001_at"
    assert any("stand above the table" in str(note) for note in ds.notes)


def test_rows_are_found_below_a_header_that_alone_is_longer_than_what_is_looked_at():
    text = ",".join(f"a {'long ' * 200} name of column number {i}" for i in range(1500))
    ds = nnspca.datasets.read("\n".join([text, *[",".join([str(i)] * 1500) for i in range(3)]]).encode(), "t.csv")
    assert ds.shape == (3, 1500)


@pytest.mark.parametrize("gone", [[["first", "", ""]], [["first", "NA", "n/a"]], [["first", "", ""], ["next", "", ""]]])
@pytest.mark.parametrize("head", ["name,a,b", ",a,b", "a,b", "Plots of 2020\n\nname,a,b"])
def test_a_first_sample_without_values_is_a_sample(gone, head):
    text = "\n".join([head, *map(",".join, gone), "x,1,2", "y,3,4", "z,5,9"])
    ds = nnspca.datasets.read(text.encode(), "t.csv", missing="drop rows")
    assert ds.feature_names == ("a", "b") and ds.sample_names == ("x", "y", "z")
    assert f"left out the {len(gone)} of {len(gone) + 3} samples" in str(ds.notes[-1])
    kinds = "name,kind,a,b\nfirst,u,,\nx,u,1,2\ny,v,3,4\nz,v,5,9\n"
    assert nnspca.datasets.read(kinds.encode(), "t.csv", missing="drop rows").labels.tolist() == [0, 1, 1]
    units = nnspca.datasets.read(b"site,kind,As,Pb\n,,mg,t\nx,u,1,2\ny,v,3,4\nz,v,5,9\n", "t.csv")
    assert units.feature_names == ("As mg", "Pb t")


@pytest.mark.parametrize("words", ["able,baker,class,dog", "zebra,class,able,dog"])
def test_a_class_is_none_where_it_is_one_of_the_words_that_are_counted(words):
    counts = np.random.default_rng(0).poisson(0.7, (40, 4))
    ds = nnspca.datasets.read("\n".join([words, *(",".join(map(str, row)) for row in counts)]).encode(), "words.csv")
    assert ds.labels is None and "class" in ds.feature_names
    assert not nnspca.datasets.inspect(ds).left_out
    survey = "\n".join(["id,class,a,b", *(f"{i},{i % 2},{i % 3},{i % 5}" for i in range(1, 20))])
    assert nnspca.datasets.read(survey.encode(), "s.csv").label_names == ("0", "1")


def test_long_columns_of_words_and_of_written_numbers_are_told_apart():
    rows = (f'"{i} wild {i % 7}","${1000 * i:,}",{i % 9}' for i in range(1, 6001))
    ds = nnspca.datasets.read("\n".join(["who,paid,b", *rows]).encode(), "t.csv")
    assert ds.feature_names == ("paid", "b") and ds.sample_names[2] == "3 wild 3" and ds.X[5999, 0] == 6_000_000
