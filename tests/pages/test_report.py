"""The report: numbers rounded to the nearest, and names of features in full."""

import re

import numpy as np

from nnspca.view.certificate import sheet


def test_loadings_are_rounded_and_their_names_have_room():
    names = ["a", "od280/od315_of_diluted_wines", "WWWWWWWWWWWWWWWWWWWWWWWWWWWWWWWW"]
    drawn = sheet._bars([(name, value, "#000") for name, value in zip(names, (0.1239, -0.1231, 0.5), strict=True)], "")
    assert [float(said) for said in re.findall(r">(-?[\d.]+)</text>", drawn)] == [0.124, -0.123, 0.5]
    ends = [float(x) for x in re.findall(r'<text x="(\d+)" y="\d+" text-anchor="end"', drawn)]
    assert min(ends) >= np.ceil(6.2 * 28)  # letters of 11 pixels are about 6 wide
    wide = float(re.search(r'viewBox="0 0 (\d+)', drawn).group(1))
    assert all(float(x) + 36 <= wide for x in re.findall(r'<text x="(\d+)" y="\d+">', drawn))
