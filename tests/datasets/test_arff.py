import numpy as np
import pytest

from nnspca.datasets import ReadingStopped, limits, progress, read
from nnspca.errors import DataError

HEADER = b"% a comment\n@RELATION r\n@attribute 'wide side' REAL\n@attribute b integer\n"


def refused(data):
    with pytest.raises(DataError) as caught:
        read(data, "t.arff")
    return str(caught.value)


def test_numeric_attributes_are_features_and_the_nominal_one_is_the_class():
    ds = read(HEADER + b"@attribute kind {'x y',z,w}\n@data\n1,2,z\n% in between\n3,4,'x y'\n\n5,7,z\n", "t.arff")
    assert ds.feature_names == ("wide side", "b")
    np.testing.assert_array_equal(ds.X, [[1, 2], [3, 4], [5, 7]])
    assert ds.label_names == ("x y", "z", "w")
    np.testing.assert_array_equal(ds.labels, [1, 0, 1])


def test_nominal_numbers_are_numbers_unless_they_are_the_class():
    ds = read(
        b"@relation r\n@attribute a {0,1}\n@attribute my-class {7,8}\n@attribute b real\n@data\n0,7,1\n1,8,2\n1,7,3\n",
        "t.arff",
    )
    assert ds.feature_names == ("a", "b")
    assert ds.label_names == ("7", "8")


def test_missing_values_are_counted():
    assert "1 value is missing in 1 of 2 rows (first at line 6" in refused(HEADER + b"@data\n?,2\n3,4\n")


def test_bad_cells_are_named_by_line_and_attribute():
    message = refused(HEADER + b"@data\n1,2\n3,four\n")
    assert "line 7, column 2 ('b'): 'four' is not a number" in message


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"1,2\n3,4\n", "no @data line"),
        (b"@relation r\n@data\n1,2\n", "no @attribute line"),
        (HEADER + b"@data\n{0 1, 1 2}\n", "sparse"),
        (HEADER + b"@attribute c relational\n@data\n1,2,3\n", "relational"),
        (HEADER + b"@attribute\n@data\n1,2\n", "@attribute NAME TYPE"),
    ],
)
def test_what_is_not_read_is_told(data, said):
    assert said in refused(data)


def test_values_of_nominal_attributes_are_counted_over_all_of_them_before_they_are_kept(monkeypatch):
    monkeypatch.setattr(limits, "MAX_COLUMNS", 1000)
    values = ",".join(f"v{i}" for i in range(300))
    nominal = "".join(f"@attribute c{j} {{{values}}}\n" for j in range(4)).encode()
    message = refused(HEADER + nominal + b"@data\n1,2,v0,v0,v0,v0\n")
    assert "the attributes down to line 8 list 1,200 nominal values; at most 1,000 are read" in message


def test_stop_is_heard_while_the_attributes_are_read(monkeypatch):
    monkeypatch.setattr(progress, "REPORT_SECONDS", 0.0)
    asked = []
    header = b"@relation r\n" + b"".join(b"@attribute a%d {x,y}\n" % j for j in range(2000))
    with pytest.raises(ReadingStopped):
        read(header + b"@data\n", "t.arff", should_stop=lambda: len(asked) > 4 or asked.append(1))
