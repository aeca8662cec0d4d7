"""Columns, ids and names: alike in Python and in the files."""

import csv
import json
import pickle

import numpy
import pytest

import batfill


def test_run_has_users_and_queues_where_the_workload_has_them(workload, tmp_path):
    table = {"submit": [0, 1, 2], "processors": [4, 4, 4], "run_time": [5, 5, 5], "user": ["u", "", "v"]}
    (tmp_path / "events").write_text('{"type": "machine_unavailable", "resources": "0", "timestamp": 2}\n'
                                     '{"type": "machine_available", "resources": "0", "timestamp": 3}\n')
    run = batfill.simulate(batfill.Workload.from_dataframe(table), 4, "fcfs", events=tmp_path / "events",
                           on_failure="requeue")
    header = (tmp_path / "x_jobs.csv", run.save(tmp_path / "x"))[0].read_text().splitlines()[0].split(",")
    assert list(run.jobs) == [*header, "user"]
    users = dict(zip(run.jobs["job_id"], run.jobs["user"]))
    assert users == {"1": "u", "1#1": "u", "2": "", "3": "v"}
    assert list(run.jobs["queue"]) == [""] * 4 and "queue" not in run.jobs
    assert list(run.jobs.to_pandas()["user"]) == list(run.jobs["user"])
    assert list(batfill.simulate(workload, 64).jobs) == header


def test_all_fields_of_a_workload_are_columns(tmp_path):
    jobs = [{"id": 1, "subtime": 0, "res": 1, "walltime": 9, "profile": "d", "gpus": 2, "account": "é",
             "big": 2**62 + 1},
            {"id": 2, "subtime": 1, "res": 1, "walltime": 9, "profile": "d", "gpus": 0.5, "big": 1, "deadline": 50,
             "licenses": ["a", "b"], "x": [1, {"y": None}], "flag": True, "run_time": 7},
            {"id": 3, "subtime": 2, "res": 1, "walltime": 9, "profile": "d", "big": 3}]
    (tmp_path / "w.json").write_text(json.dumps(
        {"nb_res": 4, "jobs": jobs, "profiles": {"d": {"type": "delay", "delay": 5}}}))
    read = batfill.Workload.from_json(tmp_path / "w.json").jobs
    assert list(read) == ["id", "submit", "processors", "walltime", "run_time", "user", "queue", "deadline",
                          "licenses", "gpus", "account", "big", "x", "flag"]
    assert numpy.array_equal(read["gpus"], [2, 0.5, numpy.nan], equal_nan=True) and read["gpus"].dtype == float
    assert list(read["account"]) == ["é", None, None] and list(read["big"]) == [2**62 + 1, 1, 3]
    assert list(read["licenses"]) == [(), ("a", "b"), ()] and read["deadline"][1] == 50
    assert list(read["x"]) == [None, [1, {"y": None}], None] and list(read["flag"]) == [None, True, None]
    assert list(read["run_time"]) == [5, 5, 5]
    assert len(read.to_pandas()) == 3


def test_fields_that_no_job_has():
    read = batfill.Workload.lublin(5, 8, 1).jobs
    assert list(read) == ["id", "submit", "processors", "walltime", "run_time", "user", "queue"]
    assert numpy.isnan(read["deadline"]).all() and list(read["licenses"]) == [()] * 5
    with pytest.raises(KeyError, match="gpus"):
        read["gpus"]


def test_what_is_read_again_is_not_writable(workload):
    class Reads(batfill.Scheduler):
        def decide(self, round):
            for jobs, name in ((round.waiting, "submit"), (round.waiting, "id"), (round.running, "end")):
                with pytest.raises(ValueError, match="read-only"):
                    jobs[name][:] = 0
            for job in range(len(round.waiting)):
                round.try_start(job)

    run = batfill.simulate(workload, 64, Reads())
    promised = batfill.simulate(workload, 64, "conservative").guarantees
    for columns in (run.jobs, workload.jobs, promised, pickle.loads(pickle.dumps(run.jobs))):
        for name in columns:
            with pytest.raises(ValueError, match="read-only"):
                columns[name][:] = columns[name]
        frame = columns.to_pandas()
        for name in frame:
            frame.loc[0, name] = frame.loc[1, name]
        assert frame.to_numpy().flags.writeable and columns[name][0] == columns[name].copy()[0]


def test_guarantees_have_the_names_and_ids_of_their_file(workload, tmp_path):
    run = batfill.simulate(workload, 64, "conservative")
    run.save(tmp_path / "x")
    with open(tmp_path / "x_guarantees.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(run.guarantees) == list(rows[0])
    for name in ("job_id", "workload_name"):
        assert list(run.guarantees[name]) == list(run.jobs[name]) == [row[name] for row in rows]
    assert list(run.guarantees["actual_start"]) == [float(row["actual_start"]) for row in rows]
    assert (run.guarantees["starting_time"] == run.jobs["starting_time"]).all()


def test_names_of_compared_schedulers_are_kept(workload):
    comparison = batfill.compare([workload], {"mine": "easy,order=saf", "theirs": "conservative"}, "mean_wait")
    assert comparison.schedulers == ["mine", "theirs"] == list(comparison.to_pandas())
    assert "mine" in str(comparison) and "saf" not in str(comparison) and "mine" in comparison.table("csv")
    plain = batfill.compare([workload], ["easy,order=saf", "conservative"], "mean_wait")
    assert plain.schedulers == ["easy,order=saf", "conservative"]
    assert (plain.values() == comparison.values()).all()
    assert (plain.values("mean_wait") == plain.values()).all()
    for ask in (plain.values, plain.to_pandas):
        with pytest.raises(batfill.UsageError, match="^metric: max_wait was not computed, expected mean_wait; .* all$"):
            ask("max_wait")
    assert batfill.compare([workload], ["fcfs"]).values("max_wait")[0, 0] > 0
    with pytest.raises(batfill.UsageError, match="expected names as keys, found 1"):
        batfill.compare([workload], {1: "easy"})
