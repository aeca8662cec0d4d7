"""Tables as workloads: what they may have, and that what is written can be read back."""

import datetime
import json
import zoneinfo

import numpy
import pandas
import pytest

import batfill


def same(one, other):
    return numpy.array_equal(one, other, equal_nan=one.dtype.kind == "f")


def of(**columns):
    rows = max(len(column) for column in columns.values())
    return batfill.Workload.from_dataframe(
        {"submit": range(rows), "processors": [1] * rows, "run_time": [5] * rows, **columns})


BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize("submit, expected", [
    (pandas.to_datetime(["2024-01-01 06:00:00.0", "2024-01-02 00:00:00.5"]), [21600, 86400.5]),
    (pandas.to_datetime(["2024-01-02 00:00", "2024-01-01 06:00"]).to_series(), [86400, 21600]),
    (pandas.to_datetime(["2024-01-01 06:00", "2024-01-01 08:00"]).tz_localize("Europe/Berlin"), [18000, 25200]),
    (numpy.array(["2024-01-01T06", "2024-01-01T08"], dtype="datetime64[h]"), [21600, 28800]),
    ([datetime.datetime(2024, 1, 1, 6), datetime.datetime(2024, 1, 1, 8)], [21600, 28800]),
    ([datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)], [0, 86400]),
    # The night in which an hour comes twice.
    ([datetime.datetime(2024, 10, 27, 1, tzinfo=BERLIN), datetime.datetime(2024, 10, 27, 6, tzinfo=BERLIN)],
     [3600 * 23, 3600 * 29]),
    (["2024-01-01 06:00:00", "2024-01-01T08:00"], [21600, 28800]),
    (["2024-01-01T06:00:00Z", "2024-01-01 09:00:00+01:00"], [21600, 28800]),
    (["2024-01-01T01:00:00+02:00", datetime.datetime(2024, 1, 1, 2, tzinfo=BERLIN)], [82800, 90000]),
    (["2.5", 3], [2.5, 3]),
])
def test_instants(submit, expected):
    assert list(of(submit=list(submit) if isinstance(submit, list) else submit).jobs["submit"]) == expected


def test_time_0_is_that_of_import(tmp_path):
    texts = ["2024-01-01T01:00:00+02:00", "2024-01-01T02:30:00+01:00"]
    rows = [f"{number},{text},{text},{text[:10]}T09:00:00Z,1\n" for number, text in enumerate(texts)]
    (tmp_path / "t.csv").write_text("id,submit,start,end,cpus\n" + "".join(rows))
    fields = {"id": "id", "submit": "submit", "start": "start", "end": "end", "processors": "cpus"}
    imported = batfill.Workload.from_accounting(tmp_path / "t.csv", "csv", mapping=fields)
    for submit in (texts, [datetime.datetime.fromisoformat(text) for text in texts]):
        assert list(of(submit=submit).jobs["submit"]) == list(imported.jobs["submit"]) == [82800, 91800]


def test_deadlines_count_as_submissions_do():
    jobs = of(submit=pandas.to_datetime(["2024-01-01 06:00", "2024-01-01 08:00"]),
              deadline=[pandas.Timestamp("2024-01-02"), pandas.NaT])
    assert jobs.jobs["deadline"][0] == 86400 and numpy.isnan(jobs.jobs["deadline"][1])


@pytest.mark.parametrize("column", ["run_time", "walltime"])
@pytest.mark.parametrize("lengths", [
    ["1-12:00:00", "1:30"], pandas.to_timedelta([129600, 90], unit="s"), ["1d12h", "90"],
    numpy.array([129600, 90], dtype="timedelta64[s]"), [datetime.timedelta(1.5), datetime.timedelta(seconds=90)],
])
def test_lengths_of_time(column, lengths):
    assert list(of(**{column: lengths}).jobs[column]) == [129600, 90]


def test_no_limit():
    assert numpy.isnan(of(walltime=["UNLIMITED", None, pandas.NaT]).jobs["walltime"]).all()


@pytest.mark.parametrize("columns, expected", [
    ({"submit": ["x", 1]}, r"row 0: submit is 'x', expected a number of seconds, or a date"),
    ({"submit": [pandas.Timestamp("2024-01-01"), 5]}, "row 1: submit is 5, expected a date and time, as other rows"),
    ({"submit": [pandas.Timestamp("2024-01-01"), pandas.NaT]}, "row 1: submit is NaT"),
    ({"submit": [pandas.Timestamp("2024-01-01"), pandas.Timestamp("2024-01-01", tz="UTC")]}, "row 1: .*time zone"),
    ({"submit": ["2024-01-01 06:00:00", "2024-01-01T08:00:00Z"]}, "row 1: submit is .* time zone in all rows or"),
    ({"submit": ["2024-01-01 06:00-0500", pandas.Timestamp("2024-01-01")]}, "row 1: .*time zone in all rows"),
    ({"submit": ["2024-01-01 06:00 UTC"] * 2, "deadline": [None, "2024-01-02"]}, "row 1: deadline .*time zone"),
    ({"deadline": [pandas.Timestamp("2024-01-01"), 7]}, "row 0: deadline .* expected a number of seconds, as submit"),
    ({"run_time": ["UNLIMITED", 5]}, "row 0: run_time is None"),
    ({"walltime": ["soon", 5]}, "row 0: walltime is 'soon', expected a length of time such as"),
    ({"walltime": [float("inf"), 5]}, "row 0: walltime is inf"),
    ({"processors": ["a", 5]}, "row 0: processors is 'a', expected a number"),
    ({"processors": [10**400, 5]}, "row 0: processors is 1000"),
    ({"id": [float("inf"), 5]}, "row 0: the id is inf, expected a text or a number"),
    ({"id": [["a"], 5]}, r"row 0: the id is \['a'\]"),
    ({"user": [["a"], "b"]}, r"row 0: user is \['a'\], expected a text or a number"),
    ({"queue": [b"a", "b"]}, "row 0: queue is b'a'"),
    ({"x": [float("inf"), 1]}, "row 0: x is inf, expected a value that JSON knows"),
    ({"x": [1, [float("nan")]]}, r"row 1: x is \[nan\], expected a value that JSON knows"),
    ({"x": [{1, 2}, 1]}, r"row 0: x is \{1, 2\}, expected a value"),
    ({"x": [1, "\udcff"]}, "row 1: x is '.udcff', expected a value"),
    ({"x": [json.loads("[" * 300 + "]" * 300), 1]}, "row 0: expected fields that a workload can have"),
    ({"licenses": [5, "a"]}, "row 0: licenses is 5"),
])
def test_a_wrong_cell(columns, expected):
    with pytest.raises(batfill.InputError, match=f"^[^\n]*{expected}[^\n]*$"):
        of(**columns)


@pytest.mark.parametrize("table, expected", [
    ([1], "table: expected a pandas.DataFrame or a dict of columns, found"),
    (5, "found 5"), (None, "found None"), ("x", "found 'x'"),
    ({"submit": 5, "processors": [1], "run_time": [1]}, "column 'submit': expected a list or an array, found 5"),
    ({"submit": "12", "processors": [1, 1], "run_time": [1, 1]}, "column 'submit': expected a list"),
])
def test_what_is_no_table(table, expected):
    with pytest.raises(batfill.Error, match=expected):
        batfill.Workload.from_dataframe(table)


@pytest.mark.parametrize("keyword, value", [
    ("processors", 0), ("processors", -7), ("processors", True), ("processors", 1.5), ("processors", "x"),
    ("processors", 2**40), ("name", 5), ("name", None), ("name", pandas.DataFrame({"a": [1, 2]})),
])
def test_a_wrong_keyword(keyword, value):
    found = " ".join(repr(value).split())
    with pytest.raises(batfill.UsageError, match=rf"^{keyword}: expected .*, found {found}$"):
        batfill.Workload.from_dataframe({"submit": [0], "processors": [1], "run_time": [1]}, **{keyword: value})


def test_what_is_written_is_read_back(tmp_path):
    jobs = of(
        id=["a!b", 'c"', "\0"], user=["é", None, "\udcff"], licenses=["a, b", ["c"], None], gpus=[1, None, 2.5],
        x=[[1, {"y": None}], {"z": [True]}, "text"], big=[2**70, -(2**63), 0],
        when=pandas.to_datetime(["2024-01-01"] * 3),
        took=pandas.to_timedelta([1, 2, 3], unit="s"), deadline=[50.25, None, 7], numbers=[numpy.array([1, 2])] * 3,
        **{'na"me\\': [1, 2, 3], "": [1, 2, 3], "é\n": ["a\x07", "b", "c"]},
    )
    for format in ("batsim4", "batsim5"):
        jobs.save(tmp_path / "w.json", format)
        read = batfill.Workload.from_json(tmp_path / "w.json")
        assert list(read.jobs) == list(jobs.jobs)
        for name in jobs.jobs:
            assert same(read.jobs[name], jobs.jobs[name]), name
