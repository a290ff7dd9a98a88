"""What may be misread is asked: for each rule files that raise it, and files that are fine; sixty in all, made here."""

import io
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

from nnspca import Covariance
from nnspca.datasets import DataDoubt, Reading, preview, read

RNG = np.random.default_rng(7)
AGREE = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
OFTEN = ["nie", "selten", "manchmal", "oft", "immer"]
FILES = {}  # by what it is: the topic of its doubt ("" for none), its name and content


def add(topic, case, made, name="t.csv"):
    if isinstance(made, pd.DataFrame):
        made = made.to_csv(index=made.index.name is not None)
    FILES[case] = topic, name, made.encode() if isinstance(made, str) else made


def frame(m=40, n=5, **more):
    """Numbers of one scale, and other columns."""
    return pd.DataFrame(more | {f"x{j}": RNG.normal(10, 2, m).round(2) for j in range(1, n + 1)})


def beside(*frames):
    return pd.concat(frames, axis=1)


def rows(*frames):
    return pd.concat(frames).rename_axis("place")


def words(options, n=4, m=40, name="q"):
    return pd.DataFrame({f"{name}{j}": RNG.choice(list(options), m) for j in range(1, n + 1)})


def by_path(write, ending):
    with tempfile.TemporaryDirectory() as folder:
        write(path := Path(folder, f"t.{ending}"))
        return path.read_bytes()


def survey(labels, **more):
    codes = pd.DataFrame(more | {f"q{j}": RNG.integers(1, 6, 40).astype(float) for j in range(1, 5)})
    return codes, {name: labels[name] for name in codes if name in labels}


def sav(codes, labels):
    return by_path(lambda path: pyreadstat.write_sav(codes, path, variable_value_labels=labels), "sav")


def dta(codes, labels):
    out = io.BytesIO()
    codes.astype(int).to_stata(out, write_index=False, value_labels=labels)
    return out.getvalue()


QS = {f"q{j}": dict(enumerate(AGREE, 1)) for j in range(1, 5)}
ENDS = {f"q{j}": {1: "never", 5: "always"} for j in range(1, 5)}
REGION = {"region": {1: "North", 2: "East", 3: "South", 4: "West"}}
region = RNG.integers(1, 5, 40).astype(float)
add("", "SPSS labels", sav(*survey(QS)), "s.sav")
add("", "Stata labels", dta(*survey(QS)), "s.dta")
add("", "SPSS labels of the ends", sav(*survey(ENDS)), "s.sav")
add("", "SPSS refusals", sav(*survey({f"q{j}": {**QS["q1"], 5: "Refused"} for j in range(1, 5)})), "s.sav")
add("order", "SPSS kinds", sav(*survey(QS | REGION, region=region)), "s.sav")
add("order", "Stata kinds", dta(*survey(QS | REGION, region=region)), "s.dta")
add("order", "agreement", words(AGREE))
add("order", "agreement beside numbers", beside(frame(), words(AGREE)))
add("order", "German frequencies", words(OFTEN))
add("order", "letters and numbers", words(["A1", "A2", "A3", "A4", "A5"]))
add("order", "numbers and words", words([f"{i} - {word}" for i, word in enumerate(AGREE, 1)]))
add("order", "one order beside numbers", frame(severity=RNG.choice(["mild", "moderate", "severe"], 40)))
add("order", "words of no known order", beside(frame(), words(["xa", "xb", "xc"])))
add("", "a class of words", frame(kind=RNG.choice(["setosa", "virginica"], 40)))
add("", "a class of low and high", frame(target=RNG.choice(["low", "medium", "high"], 40)))
add("", "numbers with words at the ends", words(["1 = never", "2", "3", "4", "5 = always"]))


def coded(code, at, low=5.0, high=20.0, **more):
    table = frame(**more)
    for j in range(1, 6):
        table[f"x{j}"] = RNG.uniform(low, high, 40).round(2)
    for j, i in at:
        table.loc[i, f"x{j}"] = code
    return table


TWICE = [(1, 3), (1, 8), (3, 9)]
for code in (-99.99, -999.25, 1e20, 65535.0, -32768.0, -200.0):
    add("code", f"code {code:g}", coded(code, TWICE))
add("code", "code 999.9, once", coded(999.9, [(2, 5)]))
add("code", "code below negative numbers", coded(-99.99, TWICE, -3, 3))
add("code", "an unusual value, repeated", coded(12345.0, TWICE))
add("", "an outlier", coded(60.5, [(1, 3)]))
add("", "many zeros", pd.DataFrame(RNG.poisson(0.7, (40, 6)), columns=list("abcdef")))

LONG = [f"s{i:02},g{j},{RNG.normal():.3f}" for i in range(12) for j in range(5)]
add("", "long", "\n".join(["sample,gene,value", *LONG]))
add("long", "long with a hole", "\n".join(["sample,gene,value", *LONG[:7], *LONG[8:]]))
add("long", "long with replicates", "\n".join(["sample,gene,value", *LONG, *LONG[:9]]))
DAYS = [f"2024-01-{d:02},{name},{RNG.normal():.3f}" for d in range(1, 29) for name in ("NO2", "O3", "PM10")]
add("long", "long by day, a hole", "\n".join(["date,parameter,value", *DAYS[:-2]]))
KEYS = [f"{site},{y},sp{j},{RNG.poisson(9)}" for site in "ABC" for y in (2001, 2002, 2003) for j in range(6)]
add("long", "long with two keys", "\n".join(["site,year,taxon,count", *KEYS]))
add("", "two classes and numbers", frame(u=RNG.choice(["p", "q"], 40), v=RNG.choice(["r", "s"], 40)))

counts = RNG.poisson(40, (6, 4)) + np.arange(6)[:, None]
nations = pd.DataFrame(counts, ["Wales", "Kent", "Fife", "Ulster", "Perth", "Leeds"], ["a", "b", "c", "d"])
sums = rows(nations, nations.sum().to_frame("United Kingdom").T)
add("totals", "a sum without its name", sums)
add("totals", "sums of parts", rows(sums[:3], sums[:3].sum().to_frame("South").T, sums[3:6]))
add("totals", "a total by name", rows(nations, (nations[:1] * 3.1).rename({"Wales": "North total"})))
add("totals", "a row of means", rows(nations, nations.mean().to_frame("UK").T))
add("", "places", rows(nations))
add("", "totals as usual", rows(nations, nations.sum().to_frame("Total").T))

QUALTRICS = "Start,Q1,Q2\nStart Date,How happy are you with all of it?,How calm are you on most days?\n"
QUALTRICS += '"{""ImportId"":""s""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
add("", "Qualtrics", QUALTRICS + "".join(f"2021-01-01 10:{i:02}:00,{i % 5 + 1},{i * 3 % 7 + 1}\n" for i in range(20)))
units = frame(6, 3).astype(str)
add("rows of words", "a second table below", units.to_csv(index=False) * 2)
unit = pd.DataFrame([["mg", "t", "kg"]], columns=units.columns)
add("rows of words", "units far below", pd.concat([units, unit, units]))

wells = [f"{row}{column}" for row in "ABC" for column in range(1, 9)]
plate = pd.DataFrame(RNG.normal(1, 0.1, (30, 24)).round(3), columns=wells)
add("samples", "plate reader by time", beside(pd.Series(np.arange(30) * 60, name="Time [s]"), plate))
add("samples", "plate reader by wavelength", beside(pd.Series(np.arange(30) + 400, name="Wavelength"), plate))
proteins = pd.DataFrame({"Protein IDs": [f"P{i:05}" for i in range(50)], "Score": RNG.uniform(1, 90, 50).round(2)})
lfq = pd.DataFrame(RNG.lognormal(10, 1, (50, 6)).round(1), columns=[f"LFQ intensity s{i}" for i in range(6)])
add("samples", "MaxQuant", beside(proteins, lfq).to_csv(sep="\t", index=False), "proteinGroups.txt")
mz = pd.DataFrame({"row ID": np.arange(1, 51), "row m/z": RNG.uniform(90, 900, 50).round(4)})
area = pd.DataFrame(RNG.lognormal(9, 1, (50, 5)).round(1), columns=[f"s{i}.mzML Peak area" for i in range(5)])
add("samples", "MZmine", beside(mz, area))
spectra = pd.DataFrame(RNG.normal(1, 0.1, (20, 30)).round(3), columns=np.arange(400, 700, 10).astype(str))
add("", "spectra", spectra.rename_axis("id"))
add("", "numbered people", frame(60, 8, who=[f"S{i:03}" for i in range(60)]))

add("time", "an unnamed time", frame(run=np.arange(40) * 0.5 + 0.25))
add("weight", "a survey's weight", frame(pspwght=RNG.uniform(0.3, 3, 40).round(3)))
add("places", "longitude and latitude", frame(lon=RNG.uniform(5, 9, 40), lat=RNG.uniform(45, 49, 40)))
add("places", "postal codes", frame(zip=RNG.integers(10_000, 99_000, 40)))
add("", "numbers of the samples", frame(id=np.arange(1, 41)))
add("", "years", frame(year=np.repeat(np.arange(2000, 2010), 4)))
add("", "weights of bodies", frame(weight=RNG.normal(70, 9, 40).round(1)))
walk = pd.DataFrame(100 + RNG.normal(size=(200, 4)).cumsum(axis=0), columns=["A", "B", "C", "D"])
dates = pd.Series(pd.date_range("2020-01-01", periods=200).strftime("%Y-%m-%d"), name="date")
add("levels", "prices", beside(dates, walk.round(3)))
add("levels", "levels by year", beside(pd.Series(np.arange(1800, 2000), name="year"), walk.round(3)))
add("", "returns", beside(dates, walk.diff().fillna(0.1).round(4)))
limits = frame(30, 3).astype(str)
limits.loc[[3, 9], "x2"] = "<0.3"
add("limits", "below a limit", limits)
pairs = (words(pair, 1, 20, pair[0]) for pair in ("uv", "pq", "ab", "cd"))
add("left out", "most columns are words", beside(frame(20, 1), *pairs, frame(20, 1).add_prefix("y")))


@pytest.mark.parametrize("case", FILES)
def test_a_doubt_is_raised_where_a_table_may_be_misread_and_only_there(case):
    topic, name, content = FILES[case]
    seen = preview(content, name)
    asked = [doubt.topic.partition(":")[0] for doubt in seen.doubts]
    assert asked == [topic] * bool(topic), (seen.doubts, seen.problem)
    for doubt in seen.doubts:
        for choice in doubt.settles:
            settled = preview(content, name, Reading().settled(choice))
            assert doubt.topic not in [one.topic for one in settled.doubts], choice


def test_read_warns_of_open_questions_once_and_one_answer_leaves_the_others_open():
    moods = beside(frame(), words(AGREE), words(OFTEN, name="f")).to_csv(index=False).encode()
    with pytest.warns(DataDoubt, match="(?s)Strongly agree.*immer") as told:
        first = read(moods, "t.csv")
    turned = preview(moods, "t.csv", Reading().settled(first.doubts[0].settles[1])).data
    assert len(told) == 1 and [one.topic for one in turned.doubts] == [first.doubts[1].topic]
    np.testing.assert_array_equal(turned.X[:, 5:9], 6 - first.X[:, 5:9])
    table = coded(-99.99, TWICE)
    table.loc[[1, 2], "x5"] = 1e20
    how, content = Reading(), table.to_csv(index=False).encode()
    for topics in (["code: -99.99", "code: 1e+20"], ["code: 1e+20"], []):
        seen = preview(content, "t.csv", how)
        assert [one.topic for one in seen.doubts] == topics
        how = how.settled(seen.doubts[0].settles[1]) if topics else how
    assert {column.name: column.missing for column in seen.columns if column.missing} == {"x1": 2, "x3": 1, "x5": 2}


def test_a_chosen_weight_is_kept_beside_the_samples_that_are_left_and_no_call_uses_it_by_itself():
    table = frame(w=np.arange(40) % 3 + 0.5)
    table.loc[7, "x2"] = np.nan
    data = read(table.to_csv(index=False).encode(), "t.csv", columns={"w": "weight"}, missing="drop rows")
    kept = table.drop(index=7)
    np.testing.assert_array_equal(data.weights, kept.w)
    assert "w" not in data.feature_names and any("sample_weight=data.weights" in str(note) for note in data.notes)
    weighted = np.cov(kept.drop(columns="w"), rowvar=False, aweights=kept.w, ddof=0)
    np.testing.assert_allclose(Covariance.from_data(data, sample_weight=data.weights).diagonal, weighted.diagonal())
    np.testing.assert_allclose(Covariance.from_dataset(data).diagonal, kept.drop(columns="w").var(ddof=0))
