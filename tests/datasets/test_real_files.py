"""Files as people have them, of many programs: each is read, and its notes say what was decided."""

import gzip
import io
import tempfile
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pyreadstat
import pytest
import scipy.sparse
from sklearn import datasets as sklearn_datasets

import nnspca

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


def shipped(package: str, *path: str) -> bytes:
    """A file that comes with a package."""
    return files(package).joinpath(*path).read_bytes()


def book(sheets: dict[str, list[list[object]]]) -> bytes:
    """A workbook as openpyxl writes it."""
    made, out = openpyxl.Workbook(), io.BytesIO()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
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


NAMES = tuple(FLOWERS.columns)
labelled = FLOWERS.assign(Species=SPECIES)
flowers = {"shape": (15, 4), "names": NAMES, "labels": ("setosa", "versicolor", "virginica")}

# R
given("R write.csv", "iris.csv", labelled.to_csv(quoting=2), **flowers, notes=("no name",))
given(
    "R write.csv2",
    "iris.csv",
    labelled.to_csv(sep=";", decimal=",", quoting=2),
    **flowers,
    notes=("semicolons, and decimals written with a comma",),
    at={(0, 0): 5.1},
)
r_table = '"mpg" "cyl" "hp"\n' + "".join(f'"{n}" {a} {b} {c}\n' for n, a, b, c in CARS.itertuples())
given("R write.table", "cars.txt", r_table, (4, 3), names=("mpg", "cyl", "hp"), samples=("Mazda RX4",))
given("R row names", "cars.csv", CARS.to_csv(), (4, 3), names=("mpg", "cyl"), samples=("Mazda RX4", "Datsun 710"))
given(
    "R covariance",
    "cov.csv",
    COV.to_csv(),
    (4, 4),
    names=("alcohol", "malic"),
    kind="covariance",
    notes=("kind='table'",),
)
listed = COV.add_prefix("cov.").assign(center=[13.0, 2.3, 2.4, 19.5], **{"n.obs": 178})
given(
    "R list of a covariance",
    "ability.csv",
    listed.to_csv(),
    (4, 4),
    names=("alcohol", "malic"),
    kind="covariance",
    notes=("Beside the matrix, 2 columns left out: 'center', 'n.obs'",),
)
given(
    "R NA and logical",
    "air.csv",
    '"","Ozone","Wind","hot"\n"1",41,7.4,TRUE\n"2",NA,8,FALSE\n"3",12,12.6,FALSE\n"4",18,11.5,TRUE\n',
    (4, 3),
    names=("Ozone", "Wind", "hot"),
    options={"missing": "mean"},
    notes=("True and false are read as 1 and 0", "1 missing value"),
)

# Excel's CSV
given(
    "Excel German",
    "umsatz.csv",
    "Größe;Länge\r\n1,5;1.234,5\r\n2,25;2.000\r\n3;999,9\r\n",
    (3, 2),
    encoding="cp1252",
    names=("Größe", "Länge"),
    notes=("no UTF-8: it was read as cp1252", "comma", "thousands"),
    at={(0, 1): 1234.5, (1, 1): 2000},
)
given(
    "Excel American",
    "sales.csv",
    '\ufeffRegion,Revenue,Margin\r\nEast,"$1,200.50",12%\r\nWest,"$900.00",8%\r\nNorth,"($50.25)",-3%\r\n',
    (3, 2),
    names=("Revenue", "Margin"),
    samples=("East",),
    notes=("currency, per cent and thousands",),
    at={(0, 0): 1200.5, (2, 0): -50.25, (1, 1): 8},
)
given("Excel sep=", "a.csv", "sep=;\r\na;b\r\n1,5;2\r\n2,5;4\r\n3;9\r\n", (3, 2), names=("a", "b"), at={(0, 0): 1.5})
given("Excel Unicode text", "u.txt", "ä\tb\r\n1\t2\r\n3\t5\r\n4\t0\r\n", (3, 2), encoding="utf-16", names=("ä", "b"))
given(
    "Swiss apostrophes",
    "chf.csv",
    "a;b\n1'200.50;1\n2'000;2\n900;4\n",
    (3, 2),
    at={(0, 0): 1200.5},
    notes=("thousands",),
)
given("French blanks", "fr.csv", "a;b\n1 200,5;1\n2\u00a0000;2\n900;4\n", (3, 2), at={(0, 0): 1200.5, (1, 0): 2000})
given("trailing delimiters", "t.csv", "a;b;\n1;2;\n3;5;\n4;1;\n", (3, 2), names=("a", "b"))
given(
    "Excel errors",
    "e.csv",
    "a,b\n1,2\n#DIV/0!,3\n4,5\n",
    (2, 2),
    options={"missing": "drop rows"},
    notes=("1 missing value",),
)

# Above and below the table
given(
    "title",
    "report.csv",
    "Survey of 2021,,\nall values in cm,,\n\nheight,width,depth\n1,2,3\n4,5,7\n8,1,2\n",
    (3, 3),
    names=("height", "width", "depth"),
    notes=("2 lines stand above the table and are left out: 'Survey of 2021",),
)
given(
    "notes of an instrument",
    "scan.csv",
    "Instrument;X200\nOperator;Ann\nDate;2021-02-03\n\nt;abs1;abs2\n0,5;1,2;3\n1;2,2;5\n1,5;2,9;4\n",
    (3, 3),
    names=("t", "abs1", "abs2"),
    notes=("3 lines stand above",),
)
given(
    "comments", "c.csv", "# made by x\n# on a day\na,b\n1,2\n3,5\n4,0\n", (3, 2), names=("a", "b"), notes=("2 lines",)
)
given("numpy.savetxt", "n.txt", "# a b\n1.0e+00 2.5e+00\n3.0e+00 5.0e+00\n4.0e+00 1.0e+00\n", (3, 2), names=("a", "b"))
given(
    "source below",
    "s.csv",
    "land,a,b\nAT,1,2\nCH,3,5\nDE,4,0\nSource: Eurostat 2021,,\n",
    (3, 2),
    samples=("AT", "CH", "DE"),
    notes=("1 line below the table left out: 'Source: Eurostat 2021'",),
)
given(
    "totals",
    "t.csv",
    "town,a,b\nBern,1,2\nBasel,3,5\nChur,4,1\nTotal,8,8\nAverage,2.7,2.7\nStd,1.5,2.1\n",
    (3, 2),
    samples=("Bern", "Basel", "Chur"),
    notes=("3 rows of totals left out: 'Total', 'Average', 'Std'; keep_totals=True",),
)
given(
    "totals kept",
    "t.csv",
    "town,a,b\nBern,1,2\nBasel,3,5\nTotal,4,7\n",
    (3, 2),
    samples=("Bern", "Basel", "Total"),
    options={"keep_totals": True},
)
given("empty rows and columns", "e.csv", "a,,b,c\n1,,2,\n,,,\n3,,5,\n4,,1,\n", (3, 2), names=("a", "b"), notes=("'c'",))

given(
    "a sentence as title",
    "t.csv",
    "Table 3. Mean values, by site, of heavy metals (mg/kg)\nsite,Cu,Pb\nA,1,2\nB,3,5\nC,4,1\n",
    (3, 2),
    names=("Cu", "Pb"),
    notes=("1 line stands above",),
)
given("UTF-16 without a mark", "u.txt", "gr\tl\n1\t2\n3\t5\n4\t1\n", (3, 2), encoding="utf-16-le", names=("gr", "l"))

# Headers
given("two rows of a header", "h.csv", "size,,weight,\nmin,max,min,max\n1,2,3,4\n2,5,1,7\n3,3,9,4\n", (3, 4),
      names=("size min", "size max", "weight min", "weight max"), notes=("The header has 2 rows",))  # fmt: skip
given("units below", "u.csv", "mass,speed\n(kg),(m/s)\n1,2\n3,5\n4,1\n", (3, 2), names=("mass (kg)", "speed (m/s)"))
given(
    "quoted header",
    "q.csv",
    '"height, cm","said ""wide"""\n1,2\n3,5\n4,1\n',
    (3, 2),
    names=("height, cm", 'said "wide"'),
)
given("header of years", "y.csv", "country,1990,1991,1992\nAT,1,2,4\nCH,3,5,6\nDE,4,1,1\n", (3, 3), names=("1990",))
given("no header", "x.csv", "5.1,3.5,a\n4.9,3.0,b\n4.7,3.2,a\n", (3, 2), labels=("a", "b"))
given(
    "pandas without names",
    "p.csv",
    pd.DataFrame([[1.5, 2, 4], [3, 5, 1], [4, 1, 1]]).to_csv(),
    (3, 3),
    names=("0", "1"),
)
given(
    "pandas default columns",
    "p.csv",
    pd.DataFrame(np.eye(4)[:3] * 7).to_csv(index=False),
    (3, 4),
    names=("0", "1", "2"),
)
wide = pd.DataFrame(
    [[1, 2, 3, 4], [2, 5, 1, 7], [3, 3, 9, 4]],
    columns=pd.MultiIndex.from_product([["A", "B"], ["x", "y"]], names=["g", "v"]),
)
given(
    "pandas MultiIndex csv",
    "m.csv",
    wide.rename_axis([None, None], axis=1).to_csv(),
    (3, 4),
    names=("A x", "A y", "B x"),
)
given(
    "duplicate names", "d.csv", "a,a,b\n1,2,3\n4,5,7\n8,1,2\n", (3, 3), names=("a", "a (2)"), notes=("a number behind",)
)

# Workbooks
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
    notes=("Of 3 sheets, 'data' was read", "sheet= takes another: 'README', 'lookup'"),
)
given(
    "sheet chosen",
    "w.xlsx",
    book({"data": rows(FLOWERS), "few": [["p", "q"], [1, 2], [2, 5], [3, 3]]}),
    (3, 2),
    names=("p", "q"),
    options={"sheet": "few"},
)
given(
    "title and units in a sheet",
    "w.xlsx",
    book(
        {
            "S": [
                ["Plots 2020"],
                [],
                ["plot", "yield", "rain"],
                [None, "t/ha", "mm"],
                ["A", 4.1, 310],
                ["B", 3.9, 280],
                ["C", 5.2, 400],
            ]
        }
    ),
    (3, 2),
    names=("yield t/ha", "rain mm"),
    samples=("A", "B", "C"),
    notes=("1 line stands above",),
)
given(
    "numbers as text in a sheet",
    "w.xlsx",
    book({"S": [["a", "b"], ["1,5", 2], ["2,5", 3], ["n.d.", 9], ["4,5", 1]]}),
    (4, 2),
    options={"missing": "mean"},
    notes=("1 × 'n.d.', which is no number",),
    at={(0, 0): 1.5},
)
given(
    "truths in a sheet", "w.xlsx", book({"S": [["a", "ok"], [1, True], [2, False], [4, True]]}), (3, 2), at={(0, 1): 1}
)

# Cells
odd = "sample,As,Pb\ns1,0.5,2\ns2,<0.3,3\ns3,abs,1\ns4,0.9,.\ns5,1.1,8\n"
given(
    "detection limits and words",
    "w.csv",
    odd,
    (5, 2),
    options={"missing": "mean"},
    notes=("Column 'As' holds 1 × '<0.3', 1 × 'abs', which is no number: read as missing", "3 missing values"),
)
given(
    "codes for missing",
    "c.csv",
    "age,score\n" + "".join(f"{20 + i},{-99 if i in (3, 5) else i % 5}\n" for i in range(12)),
    (10, 2),
    options={"missing": "drop rows"},
    notes=("2 values -99 in 'score', far from all others there, read as missing: missing_codes=() keeps",),
)
given(
    "codes kept",
    "c.csv",
    "age,score\n" + "".join(f"{20 + i},{-99 if i == 3 else i % 5}\n" for i in range(12)),
    (12, 2),
    options={"missing_codes": ()},
)
given(
    "codes given",
    "c.csv",
    "a,b\n1,2\n8,3\n3,x\n4,1\n",
    (2, 2),
    options={"missing_codes": [8, "x"], "missing": "drop rows"},
    notes=("1 value 8 read as missing, as chosen",),
)
given("minus signs", "m.csv", "a,b\n−1.5,2\n3,−5\n4,1\n", (3, 2), at={(0, 0): -1.5})
given("decimal chosen", "d.csv", "a;b\n1,234;2\n2,345;3\n9,1;1\n", (3, 2), options={"decimal": ","}, at={(0, 0): 1.234})
given(
    "long ids",
    "i.csv",
    "id,a,b\n9007199254740993,1,2\n9007199254740995,3,5\n9007199254740997,4,1\n",
    (3, 2),
    names=("a", "b"),
)
given(
    "several texts",
    "p.csv",
    "species,island,mass,fl\na,x,1,2\nb,y,3,4\na,y,5,7\n",
    (3, 2),
    labels=("a", "b"),
    notes=("'island'",),
)
given(
    "label chosen",
    "p.csv",
    "species,island,mass,fl\na,x,1,2\nb,y,3,4\na,y,5,7\n",
    (3, 2),
    labels=("x", "y"),
    options={"label": "island"},
)

# Covariances
triangle = COV.where(np.tril(np.ones((4, 4), bool)))
cov = {"shape": (4, 4), "names": ("alcohol", "malic", "ash", "alkalinity"), "kind": "covariance"}
given("lower triangle", "l.csv", triangle.to_csv(), **cov, notes=("Only the lower triangle",))
given(
    "upper triangle",
    "u.xlsx",
    book({"S": rows(COV.where(np.triu(np.ones((4, 4), bool))).astype(object).where(lambda f: f.notna(), None))}),
    **cov,
)
given("lower triangle of zeros", "z.csv", triangle.fillna(0).to_csv(), **cov, notes=("mirror image",))
bare = "\n".join(" ".join(map(str, COV.to_numpy()[i, : i + 1])) for i in range(4))
given("bare lower triangle", "b.txt", bare, (4, 4), kind="covariance", notes=("Only the lower triangle",))
below = "  a b c\nb 0.5\nc 0.2 0.3\nd 0.1 0.2 0.4\n"
given("R lower.tri", "d.txt", below, (4, 4), names=("a", "b", "c", "d"), kind="covariance", notes=("with ones there",))
R = np.round(np.corrcoef(sklearn_datasets.load_wine().data[:, :4].T), 2)
stars = [
    ["", *COV.columns],
    *[[n, *[f"{R[i, j]}**" if j < i else ("—" if i == j else "") for j in range(4)]] for i, n in enumerate(COV)],
]
given("JASP correlations", "jasp.csv", "\n".join(",".join(row) for row in stars), **cov, notes=("with ones there",))
given(
    "rows in another order",
    "o.csv",
    COV.iloc[[2, 0, 3, 1]].to_csv(),
    (4, 4),
    names=("ash", "alcohol"),
    kind="covariance",
)
given("covariance as samples", "c.csv", COV.to_csv(), (4, 4), options={"kind": "table"}, samples=("alcohol",))

# Genes
given(
    "genes in rows",
    "genes.tsv",
    GENES.to_csv(sep="\t"),
    (6, 60),
    names=("ENSG00000000000",),
    samples=("sample_1", "sample_2"),
    notes=("rows were read as features and the columns as samples", "samples='rows'"),
)
given(
    "genes in rows, as they are",
    "genes.tsv",
    GENES.to_csv(sep="\t"),
    (60, 6),
    names=("sample_1",),
    options={"samples": "rows"},
)
given("genes in columns", "genes.csv", GENES.T.to_csv(), (6, 60), names=("ENSG00000000000",), samples=("sample_1",))
gct = "#1.2\n60\t6\n" + GENES.rename_axis("Name").assign(Description="na")[["Description", *GENES]].to_csv(sep="\t")
given("GCT", "genes.txt", gct, (6, 60), names=("ENSG00000000000",), samples=("sample_1",))

few = "Gene,ctrl1,ctrl2,treat1,treat2\nTP53,1,2,3,9\nMYC,3,5,1,2\nACTB,4,1,7,1\n"
given("few genes", "g.csv", few, (4, 3), names=("TP53", "MYC"), samples=("ctrl1",), notes=("under 'Gene'",))

# Other programs
orange = "a\tb\tkind\tid\ncontinuous\tc\td\tstring\n\t\tclass\tmeta\n1\t2\tu\tx1\n3\t5\tv\tx2\n4\t1\tu\tx3\n"
given(
    "Orange",
    "o.tab",
    orange,
    (3, 2),
    names=("a", "b"),
    labels=("u", "v"),
    samples=("x1", "x2"),
    notes=("as the file says",),
)
given(
    "Orange, one row",
    "o.tab",
    "C#a\tC#b\tcD#kind\n1\t2\t0\n3\t5\t1\n4\t1\t0\n",
    (3, 2),
    names=("a", "b"),
    labels=("0", "1"),
)
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
given("JASP", "j.csv", "id,group,before,after\n1,a,5.5,6\n2,b,4.1,7\n3,a,6.2,8\n4,b,5,5\n", (4, 3), labels=("a", "b"))
given("Stata", "i.dta", written(labelled.reset_index(drop=True), "to_stata", write_index=False), **flowers)
given("Parquet", "i.parquet", written(labelled, "to_parquet"), **flowers)
given(
    "Parquet with row names", "c.parquet", written(CARS, "to_parquet"), (4, 3), names=("mpg",), samples=("Mazda RX4",)
)
given("Feather", "i.feather", written(labelled.reset_index(drop=True), "to_feather"), **flowers)
given(
    "Weka",
    "iris.arff",
    shipped("scipy", "io", "arff", "tests", "data", "iris.arff"),
    (150, 4),
    labels=("Iris-setosa", "Iris-versicolor", "Iris-virginica"),
)
given(
    "scanpy",
    "pbmc.h5ad",
    shipped("scanpy", "datasets", "10x_pbmc68k_reduced.h5ad"),
    (700, 765),
    names=("HES4", "TNFRSF4"),
)
given(
    "scanpy text", "krumsiek11.txt", shipped("scanpy", "datasets", "krumsiek11.txt"), (640, 12), names=("it", "Gata2")
)
given("statsmodels star98", "star98.csv", shipped("statsmodels", "datasets", "star98", "star98.csv"), (303, 22))
given(
    "statsmodels longley",
    "longley.csv",
    shipped("statsmodels", "datasets", "longley", "longley.csv"),
    (16, 8),
    names=("Obs", "TOTEMP"),
)
given(
    "scikit-learn linnerud",
    "linnerud.csv",
    shipped("sklearn", "datasets", "data", "linnerud_exercise.csv"),
    (20, 3),
    names=("Chins", "Situps", "Jumps"),
)
given(
    "scikit-learn diabetes",
    "diabetes.csv",
    gzip.decompress(shipped("sklearn", "datasets", "data", "diabetes_data_raw.csv.gz")),
    (442, 10),
)
given(
    "matplotlib msft",
    "msft.csv",
    shipped("matplotlib", "mpl-data", "sample_data", "msft.csv"),
    (65, 6),
    names=("Open", "High"),
)
given(
    "matplotlib stocks",
    "Stocks.csv",
    shipped("matplotlib", "mpl-data", "sample_data", "Stocks.csv"),
    (71, 10),
    names=("IBM", "AAPL"),
    options={"missing": "drop rows"},
    notes=("above the table",),
)
given(
    "plotly medals",
    "medals.csv",
    gzip.decompress(shipped("plotly", "package_data", "datasets", "medals.csv.gz")),
    (3, 3),
    samples=("South Korea",),
    names=("gold", "silver", "bronze"),
)
given("sparse", "c.npz", b"", (6, 60))
out = io.BytesIO()
scipy.sparse.save_npz(out, scipy.sparse.csr_array(GENES.to_numpy().T))
FILES["sparse"].content = out.getvalue()


# As strangers brought them
GEO = (
    '!Series_title\t"A study"\n!Sample_title\t"control 1"\t"control 2"\t"treated 1"\t"treated 2"\n\n'
    '!series_matrix_table_begin\n"ID_REF"\t"GSM1"\t"GSM2"\t"GSM3"\t"GSM4"\n"1007_s_at"\t8.1\t8.2\t7.9\t8.8\n'
    '"1053_at"\t5.1\t5.3\t5.9\t5.2\n"117_at"\t6.1\t6.3\t6.0\t6.6\n!series_matrix_table_end\n'
)
given("GEO series matrix", "GSE1.txt", GEO, (4, 3), names=("1007_s_at",), samples=("GSM1",), notes=("1 line below",))
given("GEO, gzipped", "GSE1.txt.gz", gzip.compress(GEO.encode()), (4, 3), names=("1007_s_at",), samples=("GSM1",))
given(
    "Eurostat",
    "e.tsv",
    "geo\\time\t2010 \t2011 \t2012 \nAT\t12.3 b\t12.4 \t13.0 e\nBE\t: \t10.1 \t10.2 p\n"
    "DE\t9.1 \t9.4 \t9.9 \nFR\t8.1 \t8.4 \t8.8\n",
    (3, 3),
    names=("2010", "2011"),
    samples=("AT", "DE"),
    options={"missing": "drop rows"},
    notes=("'2012' holds 'e', 'p' behind its numbers",),
    at={(0, 0): 12.3},
)
given(
    "World Bank",
    "w.csv",
    '"Data Source","WDI",\n\n"Last Updated Date","2021-10-28",\n\n'
    '"Country Name","Country Code","Indicator Name","1990","1991",'
    '"1992",\n"Aruba","ABW","GDP","1","2","4",\n"Angola","AGO","GDP","3","","6",\n"Albania","ALB","GDP","5","1","7",\n',
    (3, 3),
    names=("1990", "1991", "1992"),
    samples=("Aruba", "Angola"),
    options={"missing": "mean"},
)
given(
    "Qualtrics",
    "q.csv",
    "Start,Q1,Q2\nStart Date,How happy?,How calm?\n"
    '"{""ImportId"":""s""}","{""ImportId"":""Q1""}","{""ImportId"":""Q2""}"\n'
    "2021-01-01 10:00:00,5,4\n2021-01-02 11:00:00,3,4\n2021-01-03 11:30:00,2,1\n",
    (3, 2),
    names=("Q1 How happy?", "Q2 How calm?"),
)
given(
    "QIIME's OTUs",
    "otu.tsv",
    "# Constructed from biom file\n#OTU ID\tS1\tS2\tS3\ttaxonomy\n4479944\t1.0\t0.0\t3.0\tk__Bacteria; p__F\n"
    "995900\t2.0\t5.0\t1.0\tk__Bacteria; p__B\n1124709\t4.0\t2.0\t2.0\tk__Bacteria; p__F\n",
    (3, 3),
    names=("4479944", "995900"),
    samples=("S1", "S2"),
    notes=("about the features left out: 'taxonomy'",),
)
given(
    "featureCounts",
    "c.txt",
    "# Program:featureCounts v2.0.1\nGeneid\tChr\tStart\tEnd\tLength\ts1.bam\ts2.bam\n"
    "ENSG00000223972\tchr1\t11869\t12227\t"
    "1735\t0\t3\nENSG00000227232\tchr1\t14404\t14501\t1351\t20\t33\nENSG00000278267\tchr1\t17369\t17436\t68\t2\t1\n",
    (2, 3),
    names=("ENSG00000223972",),
    samples=("s1.bam", "s2.bam"),
    notes=("'Chr', 'Start', 'End', 'Length'",),
)
given(
    "PLINK",
    "p.raw.txt",
    "FID IID SEX PHENOTYPE rs1_A rs2_G\nF1 I1 1 -9 0 1\nF2 I2 2 -9 1 1\nF3 I3 1 -9 2 0\n",
    (3, 4),
    samples=("F1",),
)
given("UCI", "wine.data", "1,14.23,1.71\n1,13.2,1.78\n2,12.37,.94\n3,12.86,1.35\n", (4, 3))
given("tabs and commas, .asc", "a.asc", "1,5\t2,5\n3,1\t4,2\n5,5\t1,1\n", (3, 2), at={(0, 0): 1.5})
given(
    "text called .xls",
    "i.xls",
    "Name\tA\tB\nx\t1\t2\ny\t3\t5\nz\t4\t1\n",
    (3, 2),
    samples=("x",),
    notes=("no workbook",),
)
given(
    "units in the cells",
    "u.csv",
    "sample,mass,vol\n1,12 kg,3 L\n2,15 kg,4 L\n3,11 kg,2 L\n",
    (3, 3),
    names=("sample", "mass", "vol"),
    notes=("'mass' holds 'kg' behind its numbers",),
    at={(0, 1): 12},
)
given(
    "Google Forms",
    "f.csv",
    "Timestamp,I am calm,I am glad,Comment\n2021/01/02 3:04:05 PM,4,5,\n"
    "2021/01/03 3:04:05 PM,2,1,nice\n2021/01/04 3:04:05 PM,3,5,\n",
    (3, 2),
    notes=("'Comment' has one text in all rows",),
)
given(
    "LabVIEW",
    "l.txt",
    "LabVIEW Measurement\t\nOperator\tAnn\n***End_of_Header***\t\n\nX_Value\tVolt\tAmp\n0\t1.5\t2\n"
    "1\t1.7\t3\n2\t1.1\t5\n",
    (3, 3),
    names=("X_Value", "Volt"),
)
given(
    "plate reader", "p.csv", "Plate 1,,,,\n,1,2,3,4\nA,0.1,0.2,0.3,0.5\nB,0.2,0.5,0.1,0.3\n", (2, 4), samples=("A", "B")
)
given(
    "R print",
    "p.txt",
    "       mpg cyl  disp\nMazda 21.0   6 160.0\nDatsun 22.8   4 108.0\nHornet 18.7   8 360.0\n",
    (3, 3),
)
given(
    "Bloomberg",
    "b.csv",
    "Ticker,AAPL US Equity,MSFT US Equity\nField,PX_LAST,PX_LAST\nDate,,\n1/4/2021,129.41,217.69\n"
    "1/5/2021,131.01,217.90\n",
    (2, 2),
    names=("AAPL US Equity PX_LAST",),
    samples=("1/4/2021",),
)
given("Julia", "j.csv", "a,b\n1,2\nmissing,3\n4,1\n5,5\n", (3, 2), options={"missing": "drop rows"})
given(
    "CellProfiler",
    "i.csv",
    "Image,Cells,Cells\nNumber,Area,Mean\n1,200,0.5\n1,210,0.4\n2,190,0.6\n",
    (3, 3),
    names=("Image Number", "Cells Area"),
)


def test_there_are_sixty():
    assert len(FILES) >= 60


@pytest.mark.parametrize("case", FILES)
def test_a_file_is_read_as_a_person_would(case):
    file = FILES[case]
    ds = nnspca.datasets.read(file.content, file.name, **file.options)
    assert (ds.shape, ds.kind) == (file.shape, file.kind), ds.notes
    assert ds.feature_names[: len(file.names)] == file.names
    assert ds.label_names == file.labels
    assert ds.sample_names[: len(file.samples)] == file.samples
    for part in file.notes:
        assert any(part in note for note in ds.notes), ds.notes
    assert all(note[-1] == "." and (note[:1].isupper() or note[:1].isdigit()) for note in ds.notes), ds.notes
    for (i, j), value in file.at.items():
        assert ds.X[i, j] == value


@pytest.mark.parametrize("case", [case for case in FILES if FILES[case].kind == "covariance"])
def test_a_covariance_is_the_whole_matrix(case):
    ds = nnspca.datasets.read(FILES[case].content, FILES[case].name)
    order = [list(COV).index(name) for name in ds.feature_names] if ds.feature_names[0] in COV else range(4)
    if case == "R lower.tri":
        expected = np.array([[1, 0.5, 0.2, 0.1], [0.5, 1, 0.3, 0.2], [0.2, 0.3, 1, 0.4], [0.1, 0.2, 0.4, 1]])
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


@pytest.mark.parametrize("case", [case for case in FILES if FILES[case].name.endswith(".csv")])
def test_the_same_text_with_other_line_ends_is_the_same_data(case):
    file = FILES[case]
    if b"\r" in file.content:
        pytest.skip("it has them already")
    first, again = (
        nnspca.datasets.read(content, file.name, **file.options)
        for content in (file.content, file.content.replace(b"\n", b"\r\n"))
    )
    assert first.content_hash == again.content_hash and first.notes == again.notes


def test_levels_of_a_header_are_all_told_apart():
    ds = nnspca.datasets.read(FILES["pandas MultiIndex csv"].content, "m.csv")
    assert all(a != b for a, b in pairwise(ds.feature_names))


WATER = "id,site,year,As,Pb\n7,A,2001,0.5,2\n9,B,2002,<0.3,3\n12,A,2003,0.9,1\n15,B,2004,1.1,8\n"


def test_what_becomes_of_each_column_can_be_chosen():
    columns = {"id": "name", "site": "left out", "year": "class", "As": "feature"}
    ds = nnspca.datasets.read(WATER.encode(), "w.csv", columns=columns, missing="mean")
    assert ds.feature_names == ("As", "Pb") and ds.sample_names == ("7", "9", "12", "15")
    assert ds.label_names == ("2001", "2002", "2003", "2004")
    assert "1 column left out, as chosen: 'site'." in ds.notes
    words = nnspca.datasets.read(
        b"a,b,c\nlow,1,2\n3,2,5\nhigh,4,1\nmid,4,2\n", "w.csv", columns={"a": "feature"}, missing="mean"
    )
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
    assert seen.decided == {"header": 1, "delimiter": ",", "decimal": ".", "encoding": "utf-8-sig"} | {
        "samples": "rows",
        "kind": "table",
    }
    assert not seen.problem and any("<0.3" in note for note in seen.notes)
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
    assert any("'a'" in note and "1 % is read as 0.01" in note for note in mixed.notes)
    points = nnspca.datasets.read(b"a,b\n1%,2\n20,3\n3 %,9\n", "p.csv")
    assert points.X[:, 0].tolist() == [1, 20, 3] and any("as if all had one" in note for note in points.notes)
    assert nnspca.datasets.read(b"a,b\n1%,2\n0,3\n3 %,9\n", "p.csv").X[:, 0].tolist() == [1, 0, 3]


@pytest.mark.parametrize("long", ["9007199254740993", "123456789012345678901"])
def test_whole_numbers_of_more_digits_than_doubles_keep_are_never_rounded_in_silence(long):
    for text in (f"id,a,b\n{long},1,2\n,3,5\n7,4,1\n", f"id,a,b\n{long},1,2\n5,3,5\n7,4,1\n"):
        ds = nnspca.datasets.read(text.encode(), "t.csv")
        assert ds.feature_names == ("a", "b") and any("more digits than numbers keep" in note for note in ds.notes)
    table = pd.DataFrame({"id": pd.array([2**53 + 1, None, 7], "Int64"), "a": [1.0, 2, 9], "b": [2.0, 5, 1]})
    assert nnspca.datasets.read(written(table, "to_parquet"), "t.parquet").feature_names == ("a", "b")
