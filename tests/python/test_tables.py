"""Tables that are workloads: what Batsim could not read is changed or refused, and the rest is read back."""

import json

import numpy
import pytest

import batfill


def workload_of(**columns):
    table = {"submit": [0, 10, 20], "processors": [1, 2, 3], "run_time": [5, 6, 7], **columns}
    return batfill.Workload.from_dataframe(table, processors=4)


@pytest.mark.parametrize(("given", "ids", "changed"), [
    (["a", "1.0", "x y"], ["a", "1.0", "x y"], 0),
    ([1.0, 2, "w1"], ["1", "2", "w1"], 0),
    (["a!b", "c", "a_b"], ["a_b_2", "c", "a_b"], 1),
    (["w0", "w0!x", "x"], ["w_0", "w_0_x", "x"], 2),
    (["w0", "w_0", "w_0_2"], ["w_0_3", "w_0", "w_0_2"], 1),
    (["a,b", "(c)", '"'], ["a_b", "_c_", "_"], 3),
    (["a\tb", "\0", "|}\\"], ["a_b", "_", "___"], 3),
    (["a!", "a,", "a("], ["a_", "a__2", "a__3"], 3),
    (["\udcff", "é", "w0é"], ["_udcff", "é", "w_0é"], 2),
])  # fmt: skip
def test_ids_that_batsim_would_misread_are_changed(tmp_path, given, ids, changed):
    workload = workload_of(id=given)
    assert list(workload.jobs["id"]) == ids
    assert workload.cleaning.get("noted", {}) == ({"id that Batsim would misread: changed": changed} if changed else {})
    workload.save(tmp_path / "w.json")
    assert list(batfill.Workload.from_json(tmp_path / "w.json").jobs["id"]) == ids
    run = batfill.simulate(workload, 4, "fcfs")
    assert sorted(run.jobs["job_id"]) == sorted(ids)
    assert run.check().violations == []


def test_numbers_that_repeat_after_a_change_are_counted_for_scaled_workloads_too():
    assert workload_of(id=["a!b", "c", "d"]).scale_load(1.0).cleaning["noted"]


@pytest.mark.parametrize(("columns", "message"), [
    ({"id": [1.0, float("nan"), 3.0]}, "row 1: the id is nan, expected a text or a number"),
    ({"id": ["a", None, "b"]}, "row 1: the id is None"),
    ({"id": ["a", "b", ""]}, "row 2: the id is ''"),
    ({"id": ["a!b", "a!b", "c"]}, "row 1: id a!b is that of row 0"),
    ({"res": [7, 8, 9]}, "column 'res': jobs have a field res of their own, expected another name"),
    ({"profile": ["a", "b", "c"]}, "column 'profile'"),
    ({"subtime": [7, 8, 9]}, "column 'subtime'"),
    ({"extra_data": [1, 2, 3]}, "column 'extra_data'"),
    ({"licenses": [["a"], 5, None]}, "row 1: licenses is 5, expected a list of names or a text"),
    ({"licenses": [["a"], ["b", 5], None]}, "row 1: licenses is"),
    ({"deadline": [5, "soon", None]}, "row 1: deadline is 'soon', expected a number"),
    ({"deadline": [5, float("inf"), None]}, "row 1: deadline is inf, expected a number of seconds"),
    ({"note": ["a", "\udcff", "b"]}, "expected a value that JSON knows"),
    ({"note": ["a", {"b": ["\udcff"]}, "b"]}, "expected a value that JSON knows"),
    ({1: [1, 2, 3], "1": [1, 2, 3]}, "expected one column '1', found several"),
])  # fmt: skip
def test_what_no_job_can_have_is_refused_in_one_line(columns, message):
    with pytest.raises(batfill.InputError) as problem:
        batfill.Workload.from_dataframe({"submit": [0, 10, 20], "processors": [1, 2, 3], "run_time": [5, 6, 7],
                                         **columns})
    assert message in str(problem.value) and "\n" not in str(problem.value)


def test_deadlines_and_licences_are_fields_of_the_jobs(tmp_path):
    workload = workload_of(deadline=[100, None, numpy.float64(200.5)], licenses=["a, b", ["c"], None])
    workload.save(tmp_path / "w.json")
    jobs = json.loads((tmp_path / "w.json").read_text())["jobs"]
    assert [job.get("deadline") for job in jobs] == [100, None, 200.5]
    assert [job.get("licenses") for job in jobs] == [["a", "b"], ["c"], None]
    again = batfill.Workload.from_json(tmp_path / "w.json")
    for algorithm in ("dbf", "easy"):
        runs = [batfill.simulate(one, 4, algorithm) for one in (workload, again)]
        assert (runs[0].jobs["starting_time"] == runs[1].jobs["starting_time"]).all()
        assert runs[0].check().deadlines == runs[1].check().deadlines == 2


def test_names_that_utf8_cannot_have_are_escaped(tmp_path):
    workload = workload_of(user=["\udcff", "u", None], queue=["q", "\ud800", "r"])
    assert list(workload.jobs["user"]) == ["\\udcff", "u", ""]
    assert list(workload.jobs["queue"]) == ["q", "\\ud800", "r"]
    workload.save(tmp_path / "w.json")
    assert list(batfill.Workload.from_json(tmp_path / "w.json").jobs["user"]) == ["\\udcff", "u", ""]
