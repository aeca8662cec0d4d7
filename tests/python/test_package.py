"""Workloads of tables, errors, and what a user of any Python package expects."""

import doctest
import importlib
import os
import pkgutil
import signal
import subprocess
import sys
import threading
import time

import numpy
import pytest

import batfill


@pytest.mark.parametrize("name", ["batfill"] + [f"batfill.{module.name}" for module in
                                                pkgutil.iter_modules(batfill.__path__) if module.name != "_core"])
def test_examples_in_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_a_table_is_a_workload(tmp_path):
    workload = batfill.Workload.from_dataframe({
        "id": ["a", "b", "c"], "submit": [0, 0.5, 3], "processors": numpy.array([1, 2, 4]),
        "walltime": [100, None, float("nan")], "run_time": [60, 60.25, 1], "user": ["u", None, 7],
        "queue": ["q", "q", "r"], "gpus": [1, float("nan"), 0], "account": ["x", "y", "z"],
    })
    assert (len(workload), workload.processors) == (3, 4)
    assert list(workload.jobs["id"]) == ["a", "b", "c"]
    assert list(workload.jobs["user"]) == ["u", "", "7"]
    assert list(workload.jobs["run_time"]) == [60, 60.25, 1]
    assert numpy.isnan(workload.jobs["walltime"][1:]).all()
    workload.save(tmp_path / "w.json")
    text = (tmp_path / "w.json").read_text()
    assert '"gpus":1' in text.replace(" ", "") and '"account":"x"' in text.replace(" ", "")
    again = batfill.Workload.from_json(tmp_path / "w.json")
    assert list(again.jobs["submit"]) == list(workload.jobs["submit"])


def test_a_dataframe_is_a_workload():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"submit": [0, 1], "processors": [1, 2], "run_time": [5, 6], "gpus": [1, pandas.NA]})
    run = batfill.simulate(batfill.Workload.from_dataframe(table), 2, "fcfs")
    frame = run.jobs.to_pandas()
    assert list(frame.columns) == run.jobs.names
    assert list(frame["finish_time"]) == [5, 11]


def test_missing_walltimes():
    table = {"submit": [0, 1], "processors": [1, 1], "run_time": [5, 6]}
    assert list(batfill.Workload.from_dataframe(table).jobs["walltime"]) == [5, 6]
    workload = batfill.Workload.from_dataframe({**table, "walltime": [10, None]})
    run = batfill.simulate(workload, 2)
    assert run.rejected == {"has no walltime, and no default-walltime is set": 1}
    assert run.check().rejected == 1
    assert batfill.simulate(workload, 2, default_walltime="1h").rejected == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"processors": [1, 0]}, "row 1: processors is 0.0, expected a whole number from 1"),
        ({"processors": [1, 1.5]}, "row 1: processors is 1.5, expected a whole number from 1"),
        ({"run_time": [0, 1]}, "row 0: run_time is 0.0, expected more than 0 s"),
        ({"run_time": [1, "long"]}, "row 1: run_time is 'long', expected a length of time"),
        ({"submit": [None, 1]}, "row 0: submit is None, expected a number"),
        ({"walltime": [-1, 1]}, "row 0: walltime is -1.0, expected more than 0 s"),
        ({"id": ["a", "a"]}, "row 1: id a is that of row 0, expected another one"),
        ({"user": ["a"]}, "column 'user' has 1 rows, expected 2 as in 'submit'"),
        ({"odd": [object(), 1]}, "expected a value that JSON knows"),
    ],
)
def test_bad_rows_are_named(change, message):
    table = {"submit": [0, 1], "processors": [1, 2], "run_time": [5, 6], **change}
    with pytest.raises(batfill.InputError) as problem:
        batfill.Workload.from_dataframe(table)
    assert message in str(problem.value)


def test_missing_column():
    with pytest.raises(batfill.InputError, match="expected a column 'run_time', found submit, processors"):
        batfill.Workload.from_dataframe({"submit": [0], "processors": [1]})


def test_errors_have_the_line_of_the_program(workload, program, tmp_path):
    workload.save(tmp_path / "w.json")
    done = subprocess.run([program, "simulate", "-p", "64", "-w", "w.json", "-a", "esay"], cwd=tmp_path,
                          capture_output=True, text=True, check=False)
    with pytest.raises(batfill.UsageError) as problem:
        batfill.simulate(workload, 64, "esay")
    assert done.stderr == f"batfill: {problem.value}\n"
    assert isinstance(problem.value, batfill.Error)


def test_other_errors(workload, log, tmp_path):
    with pytest.raises(batfill.InputError, match="nothing.json"):
        batfill.simulate(tmp_path / "nothing.json", 8)
    with pytest.raises(batfill.UsageError, match="unknown option 'units'"):
        batfill.Workload.from_swf(log, units=3)
    with pytest.raises(batfill.UsageError, match="unit: expected a whole number from 1 to 2147483647, found '0'"):
        batfill.Workload.from_swf(log, unit=0)
    with pytest.raises(batfill.UsageError, match="^max_processors: expected a whole number from 1 to 2147483647, found 'two'$"):
        batfill.Workload.from_swf(log, max_processors="two")
    with pytest.raises(batfill.UsageError, match="^since: .*found 'soon'"):
        batfill.Workload.from_swf(log, since="soon")
    with pytest.raises(batfill.UsageError, match="^days: expected a number of days above 0"):
        batfill.Workload.weeks_from_swf(log, days=0)
    with pytest.raises(batfill.UsageError, match="^jobs: expected a whole number from 1 to 10000000, found '0'"):
        batfill.Workload.lublin(0, 8, 1)
    with pytest.raises(batfill.UsageError, match="expected columns for id, submit"):
        batfill.Workload.from_accounting(log, "csv", mapping={"id": "a,b"})
    with pytest.raises(batfill.UsageError, match="until: .*found 'soon'"):
        batfill.Workload.from_swf(log, until="soon")
    with pytest.raises(batfill.UsageError, match="load: expected a share of the machine in 0.001..10"):
        workload.scale_load(11)
    with pytest.raises(batfill.UsageError, match="unknown metric"):
        batfill.compare(workload, ["easy"], "mean_wiat")
    with pytest.raises(batfill.UsageError, match="kth-sp2"):
        batfill.simulate(workload, "kth-sp3")
    with pytest.raises(batfill.UsageError, match="expected a name such as"):
        batfill.simulate(workload, 64, 3)
    with pytest.raises(KeyError, match="expected one of job_id"):
        batfill.simulate(workload, 64).jobs["wait"]
    log.write_text("1 2 3\n")
    with pytest.raises(batfill.InputError, match="SMALL.swf:1: "):
        batfill.Workload.from_swf(log)


def test_a_log_is_known_by_its_content(log, tmp_path):
    renamed = log.rename(tmp_path / "log.txt")
    assert len(batfill.simulate(renamed, 8).jobs) == len(batfill.Workload.from_swf(renamed))


def test_nothing_is_printed(workload, capfd):
    batfill.simulate(workload, 40, "conservative").check()
    batfill.compare(workload, ["fcfs", "easy"])
    assert capfd.readouterr() == ("", "")


def test_report(workload, tmp_path):
    run = batfill.simulate(workload, 64, "easy")
    run.report(tmp_path / "page.html")
    batfill.report([run, batfill.simulate(workload, 64, "fcfs")], tmp_path / "both.html", title="Two runs")
    assert "<title>easy" in (tmp_path / "page.html").read_text()
    assert "Two runs" in (tmp_path / "both.html").read_text()


def test_arrays_outlive_their_run(workload):
    waits = batfill.simulate(workload, 64).jobs["waiting_time"]
    assert waits.shape == (1500,) and (waits >= 0).all()


@pytest.mark.parametrize("call", ["simulate", "compare"])
def test_ctrl_c_stops_long_work(call):
    # Some minutes of work, unless it is stopped.
    workload = batfill.Workload.lublin(jobs=60000, processors=64, seed=1, load=3)
    timer = threading.Timer(1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        if call == "simulate":
            batfill.simulate(workload, 64, "pc")
        else:
            batfill.compare([workload, workload], ["pc", "dc"])
    timer.join()
    assert time.monotonic() - begin < 60  # far less than the work


def test_import_is_light():
    code = "import sys, batfill; print([name for name in ('pandas', 'matplotlib') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
