"""Tables of text: what is told apart, name by name."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from nnspca.datasets import read
from nnspca.errors import DataError

NUMBERS = st.floats(-1e50, 1e50, allow_subnormal=False)


def refused(text, filename="t.csv", **arguments):
    with pytest.raises(DataError) as caught:
        read(text.encode(), filename, **arguments)
    return str(caught.value)


@given(
    hnp.arrays(np.float64, st.tuples(st.integers(2, 8), st.integers(1, 6)), elements=NUMBERS),
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


def test_a_column_with_one_text_is_no_class():
    ds = read(b"a,b,site,kind\n1,2,lab,x\n3,4,lab,y\n5,7,lab,x\n", "t.csv")
    assert ds.label_names == ("x", "y")
    assert ds.class_columns == ("kind",)
    assert any("'site'" in note and "left out" in note for note in ds.notes)
    alone = read(b"a,b,site\n1,2,lab\n3,4,lab\n5,7,lab\n", "t.csv")
    assert (alone.labels, alone.label_names, alone.class_columns) == (None, (), ())


def test_a_missing_class_is_minus_one():
    ds = read(b"a,b,class\n1,2,cat\n3,4,?\n5,7,cat\n", "t.csv")
    np.testing.assert_array_equal(ds.labels, [0, -1, 0])


def test_whole_numbers_under_the_name_class_are_the_class():
    ds = read(b"a,Class,b\n1,7,2\n3,5,4\n5,7,9\n", "t.csv")
    assert ds.feature_names == ("a", "b")
    assert ds.label_names == ("5", "7")
    np.testing.assert_array_equal(ds.labels, [1, 0, 1])


@pytest.mark.parametrize("first", ["", "Unnamed: 0"])
@pytest.mark.parametrize("start", [0, 1])
def test_a_nameless_column_that_counts_the_rows_is_left_out(first, start):
    rows = "\n".join(f"{i + start},{i * i},{-i}" for i in range(4))
    ds = read(f"{first},a,b\n{rows}".encode(), "t.csv")
    assert ds.feature_names == ("a", "b")


def test_wavelengths_in_the_first_row_are_names():
    ds = read(b"id,400,402,404.5\ns1,1,2,3\ns2,4,5,7\n", "t.csv")
    assert ds.feature_names == ("400", "402", "404.5")
    assert ds.shape == (2, 3)
    assert any("first row" in note for note in ds.notes)


def test_the_caller_can_say_whether_the_first_row_names_the_columns():
    assert read(b"1,2\n3,4\n5,7\n", "t.csv").shape == (3, 2)
    ds = read(b"1,2\n3,4\n5,7\n", "t.csv", header=True)
    assert ds.shape == (2, 2)
    assert ds.feature_names == ("1", "2")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_names_survive_the_usual_encodings(encoding):
    text = "größe,höhe\r\n1,2\r\n3,4\r\n5,7\r\n"
    assert read(text.encode(encoding), "t.csv").feature_names == ("größe", "höhe")


def test_infinite_values_are_named_by_row_and_column():
    message = refused("a,b\n1,2\n3,inf\n5,6\n")
    for part in ("inf", "row 2", "column 2", "'b'"):
        assert part in message


def test_an_empty_file_says_so():
    assert "empty" in refused("")
    assert "empty" in refused("\n \n")


def test_numbers_whose_squares_overflow_are_refused():
    message = refused("a,b\n1,2\n3,1e200\n")
    assert "1e+200" in message
    assert "Rescale" in message


def test_only_one_column_is_said_to_name_the_samples():
    data = read(b"id,also,b,c\nu,x,2,1\nv,y,3,5\nw,z,7,2\n", "x.csv")
    assert "taken as the names" in data.notes[0]
    assert "left out" in data.notes[1]


@pytest.mark.parametrize(
    "cell", ["9007199254740992", "-9007199254740994", "9.007199254740993e15", "9007199254740993.5"]
)
def test_large_numbers_that_are_doubles_or_written_as_decimals_are_read(cell):
    ds = read(f"a,b\n1,2\n{cell},4\n7,9\n".encode(), "t.csv")
    assert ds.X[1, 0] == float(cell)


def test_row_numbers_that_count_nothing_name_the_samples_where_the_header_is_one_cell_short():
    ds = read(b"a,b\n17,1,2\n4,3,4\n101,5,7\n", "t.csv")
    assert ds.feature_names == ("a", "b")
    np.testing.assert_array_equal(ds.X, [[1, 2], [3, 4], [5, 7]])
    assert any("one name fewer" in note and "names of the rows" in note for note in ds.notes)


def test_the_first_column_is_named_where_the_header_is_one_cell_short_and_it_holds_text():
    ds = read(b"a,b\nr1,1,2\nr2,3,4\nr3,5,7\n", "t.csv")
    assert ds.feature_names == ("a", "b")
    assert any("The first column, which has no name, has a different text in each row" in note for note in ds.notes)


@pytest.mark.parametrize("rows", ["5.1,3,1\n4.9,3,2\n6.2,1,5\n", "5,3,1\n5,3,2\n6,1,5\n"])
def test_a_header_one_cell_short_is_refused_where_the_first_column_names_no_rows(rows):
    message = refused(f"a,b\n{rows}")
    for part in ("2 columns", "3 cells", "first column"):
        assert part in message
    assert "first column" in refused(f"a,b\n{rows}", header=True)


@pytest.mark.parametrize("first", ["", "Unnamed: 0"])
def test_a_nameless_column_of_row_numbers_is_left_out_whatever_they_count(first):
    """As a data frame writes the index of the rows that a selection left."""
    ds = read(f"{first},a,b\n17,1,2\n4,3,4\n101,5,7\n".encode(), "t.csv")
    assert ds.feature_names == ("a", "b")
    assert any("no name" in note for note in ds.notes)


def test_features_in_rows_may_be_numbered_where_the_header_is_one_cell_short():
    ds = read(b"s1,s2,s3\n17,1,2,9\n4,3,4,5\n", "t.csv", samples="columns")
    np.testing.assert_array_equal(ds.X, [[1, 3], [2, 4], [9, 5]])


@pytest.mark.parametrize("true, false", [("True", "False"), ("TRUE", "FALSE"), ("true", "false")])
def test_true_and_false_are_1_and_0_as_in_a_data_frame(true, false):
    ds = read(f"a,smokes,old\n1,{true},{false}\n2,{false},{true}\n4,{true},{true}\n".encode(), "t.csv")
    assert ds.feature_names == ("a", "smokes", "old")
    np.testing.assert_array_equal(ds.X, [[1, 1, 0], [2, 0, 1], [4, 1, 1]])
    assert ds.labels is None
    assert any("'smokes'" in note and "1 and 0" in note for note in ds.notes)


def test_true_and_false_are_the_class_under_its_name():
    ds = read(b"a,class\n1,True\n2,False\n4,True\n", "t.csv")
    assert ds.feature_names == ("a",)
    assert ds.label_names == ("True", "False")


def test_true_and_false_in_the_first_row_are_no_header():
    ds = read(b"True,False\nFalse,False\nTrue,True\n", "t.csv")
    np.testing.assert_array_equal(ds.X, [[1, 0], [0, 0], [1, 1]])


def test_a_missing_truth_is_missing():
    assert "1 value is missing" in refused("a,b\n1,True\n2,\n4,False\n")


def test_a_column_of_a_spreadsheets_errors_is_missing_and_no_class():
    ds = read(b"a,b\n#DIV/0!,2\n#REF!,4\n#DIV/0!,7\n", "t.csv")
    assert ds.feature_names == ("b",) and "1 empty column left out: 'a'." in ds.notes


def test_beside_semicolons_a_point_is_decimal_unless_the_numbers_tell_otherwise():
    plain = read(b"a;b;c\n5.463;98.278;1\n6.409;12.345;2\n7.001;23.456;3\n", "t.csv")
    assert plain.X[0].tolist() == [5.463, 98.278, 1.0]
    assert any("decimal=" in note for note in plain.notes)
    reversed_ = read(b"a;b;c\n5.463;98.278;1\n6.409;12.345;2\n", "t.csv", decimal=",")
    assert reversed_.X[0].tolist() == [5463.0, 98278.0, 1.0]
    german = read(b"a;b\n1.234.567;0,5\n2.345.678;1,5\n", "t.csv")
    assert german.X.tolist() == [[1234567.0, 0.5], [2345678.0, 1.5]]
