"""Tables of text: what is told apart, name by name."""

import csv
import io
import re
from operator import itemgetter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nnspca.datasets import read
from nnspca.errors import DataError

NUMBERS = st.floats(-1e50, 1e50, allow_subnormal=False)
SHORT = st.builds(lambda digits, places: digits / 10**places, st.integers(-(10**14), 10**14), st.integers(0, 9))


def refused(text, filename="t.csv", **arguments):
    with pytest.raises(DataError) as caught:
        read(text.encode(), filename, **arguments)
    return str(caught.value)


@given(
    st.sampled_from([NUMBERS, SHORT]).flatmap(
        lambda of: hnp.arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 6)), elements=of)
    ),
    st.sampled_from([",", ";", "\t"]),
    st.booleans(),
)
def test_an_array_written_as_text_comes_back_to_the_last_bit(X, delimiter, header):
    if not np.ptp(X, axis=0).any():
        X[0, 0] += 1 + abs(X[0, 0])
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    names = tuple(f"x{j}" for j in range(X.shape[1]))
    if header:
        writer.writerow(names)
    writer.writerows([[repr(float(v)) for v in row] for row in X])
    ds = read(out.getvalue().encode(), "t.csv", kind="table")
    np.testing.assert_array_equal(ds.X, X)
    if header:
        assert ds.feature_names == names


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_names_survive_the_usual_encodings(encoding):
    text = "größe,höhe\r\n1,2\r\n3,4\r\n5,LONG\r\n"
    ds = read(text.replace("LONG", long := "4.95435087091940929").encode(encoding), "t.csv")
    assert ds.feature_names == ("größe", "höhe") and ds.X[2, 1] == float(long)


@pytest.mark.parametrize(
    "cell", ["9007199254740992", "-9007199254740994", "9.007199254740993e15", "9007199254740993.5"]
)
def test_large_numbers_that_are_doubles_or_written_as_decimals_are_read(cell):
    ds = read(f"a,b\n1,2\n{cell},4\n7,9\n".encode(), "t.csv")
    assert ds.X[1, 0] == float(cell)


POINTS = "a;b;c\n5.463;98.278;1\n6.409;12.345;2\n"
# What a table is, its text (lines parted by /), how it is read, the names and numbers it has, and parts of its notes.
TABLES = [
    ("one text is no class", "a,site,kind/1,lab,x/3,lab,y/5,lab,x", {}, "a", [[1], [3], [5]], "'site'", "left out"),
    ("nor alone", "a,b,site/1,2,lab/3,4,lab/5,7,lab", {}, "a b", [[1, 2], [3, 4], [5, 7]], "one text"),
    ("but a mark", "a,b,q/1,2,+/3,4,/5,7,+", {}, "a b", [[1, 2], [3, 4], [5, 7]], "has one text"),
    ("flags", "a,2020/1,3 p/2,4/4,9/5,7", {}, "a 2020", [[1, 3], [2, 4], [4, 9], [5, 7]], "'p' behind"),
    ("a class of numbers", "a,Class,b/1,7,2/3,5,4/5,7,9", {}, "a b", [[1, 2], [3, 4], [5, 9]], "is the class"),
    ("no first name", ",a,b/0,1,2/1,3,5/2,9,1", {}, "a b", [[1, 2], [3, 5], [9, 1]], "has no name"),
    ("nor by pandas", "Unnamed: 0,a,b/1,1,2/2,3,5", {}, "a b", [[1, 2], [3, 5]], "has no name"),
    ("of a selection", ",a,b/17,1,2/4,3,4", {}, "a b", [[1, 2], [3, 4]], "no name", "of its own"),
    ("by pandas", "Unnamed: 0,a,b/17,1,2/4,3,4", {}, "a b", [[1, 2], [3, 4]], "no name"),
    ("wavelengths", "id,400,402,404.5/s1,1,2,3/s2,4,5,7", {}, "400 402 404.5", [[1, 2, 3], [4, 5, 7]], "first row"),
    ("no header", "1,2/3,4/5,7", {}, "", [[1, 2], [3, 4], [5, 7]]),
    ("a header of numbers", "1,2/3,4/5,7", {"header": True}, "1 2", [[3, 4], [5, 7]]),
    ("two names", "id,also,b/u,x,2/v,y,3/w,z,7", {}, "b", [[2], [3], [7]], "names the samples", "left out"),
    ("a header one short", "a,b/17,1,2/4,3,4", {}, "a b", [[1, 2], [3, 4]], "one name fewer", "names of the rows"),
    ("over texts", "a,b/r1,1,2/r2,3,4", {}, "a b", [[1, 2], [3, 4]], "The first column, which has no name, names"),
    ("turned", "s1,s2,s3/17,1,2,9/4,3,4,5", {"samples": "columns"}, "", [[1, 3], [2, 4], [9, 5]]),
    ("truths", "a,smokes/1,True/2,False/4,True", {}, "a smokes", [[1, 1], [2, 0], [4, 1]], "'smokes'", "1 and 0"),
    ("loud truths", "a,b/1,TRUE/2,FALSE/4,TRUE", {}, "a b", [[1, 1], [2, 0], [4, 1]]),
    ("small truths", "a,b/1,true/2,false/4,true", {}, "a b", [[1, 1], [2, 0], [4, 1]]),
    ("a class of truths", "a,class/1,True/2,False/4,True", {}, "a", [[1], [2], [4]], "is the class"),
    ("no header of truths", "True,False/False,False/True,True", {}, "", [[1, 0], [0, 0], [1, 1]]),
    ("errors", "a,b/#DIV\\0!,2/#REF!,4/#DIV\\0!,7", {}, "b", [[2], [4], [7]], "Without any value, left out: 'a'."),
    ("points beside semicolons", POINTS, {}, "a b c", [[5.463, 98.278, 1], [6.409, 12.345, 2]], "as decimal"),
    ("taken as thousands", POINTS, {"decimal": ","}, "a b c", [[5463, 98278, 1], [6409, 12345, 2]]),
    ("German", "a;b/1.234.567;0,5/2.345.678;1,5", {}, "a b", [[1234567, 0.5], [2345678, 1.5]]),
]


@pytest.mark.parametrize(
    ("text", "how", "names", "X", "notes"), [(*t[1:5], t[5:]) for t in TABLES], ids=[*map(itemgetter(0), TABLES)]
)
def test_a_table_is_read_as_meant(text, how, names, X, notes):
    ds = read(text.replace("/", "\n").replace("\\", "/").encode(), "t.csv", **how)
    np.testing.assert_array_equal(ds.X, X)
    assert not names or ds.feature_names == tuple(names.split())
    assert all(re.search(re.escape(part), " ".join(map(str, ds.notes))) for part in notes), ds.notes


def test_classes_are_numbered_in_their_order_and_a_missing_one_is_minus_one():
    for text, labels, names in (
        (b"a,b,class\n1,2,cat\n3,4,?\n5,7,cat\n", [0, -1, 0], ("cat",)),
        (b"a,Class,b\n1,7,2\n3,5,4\n5,7,9\n", [1, 0, 1], ("5", "7")),
        (b"a,class\n1,True\n2,False\n4,True\n", [0, 1, 0], ("True", "False")),
        (b"a,b,site,kind\n1,2,lab,x\n3,4,lab,y\n5,7,lab,x\n", [0, 1, 0], ("x", "y")),
    ):
        ds = read(text, "t.csv")
        assert ds.labels.tolist() == labels and ds.label_names == names


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a,b\n1,2\n3,inf\n5,6\n", ("inf", "row 2", "column 2", "'b'")),
        ("", ("empty",)),
        ("\n \n", ("empty",)),
        ("a,b\n1,2\n3,1e200\n", ("1e+200", "Rescale")),
        ("a,b\n1,True\n2,\n4,False\n", ("1 value is missing",)),
        ("a,b\n5.1,3,1\n4.9,3,2\n6.2,1,5\n", ("2 columns", "3 cells", "first column")),
        ("a,b\n5,3,1\n5,3,2\n6,1,5\n", ("2 columns", "3 cells", "first column")),
    ],
)
def test_what_cannot_be_used_is_refused_with_what_and_where(text, parts):
    message = refused(text)
    assert all(part in message for part in parts), message
    if "first column" in parts:
        assert "first column" in refused(text, header=True)
