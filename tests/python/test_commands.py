"""The package gives the numbers and files of the commands, bit for bit."""

import csv
import io
import json
import math

import numpy
import pytest

import batfill


def read_csv(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def lines(path):
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("keywords", "options"),
    [
        ({}, []),
        ({"short_estimates": "drop"}, ["--short-estimates", "drop"]),
        ({"short_estimates": "believe"}, ["--short-estimates", "believe"]),
        ({"estimates": "modal"}, ["--estimates", "modal"]),
        ({"estimates": 1.5}, ["--estimates", "factor:1.5"]),
        ({"missing_walltime": "omit"}, ["--missing-walltime", "omit"]),
        ({"missing_walltime": "2h"}, ["--missing-walltime", "2h"]),
        ({"missing_walltime": 90}, ["--missing-walltime", "90"]),
        ({"since": 10, "until": "7d"}, ["--from", "10", "--until", "7d"]),
        ({"exclude_queue": [2]}, ["--exclude-queue", "2"]),
        ({"queue_names": {1: "long", 2: "short"}}, ["--queue-names", "1=long,2=short"]),
        ({"keep_zero_run_times": True, "shift": True}, ["--keep-zero-run-times", "--shift"]),
        ({"max_processors": 4, "processors": 6}, ["--max-processors", "4", "--processors", "6"]),
        ({"unit": 2, "size": "allocated"}, ["--unit", "2", "--size", "allocated"]),
        ({"load": 0.01}, ["--load", "0.01"]),
    ],
)
def test_swf(log, command, tmp_path, keywords, options):
    command("swf", log, "-o", "theirs.json", *options)
    batfill.Workload.from_swf(log, **keywords).save(tmp_path / "ours.json")
    assert lines(tmp_path / "ours.json") == lines(tmp_path / "theirs.json")


@pytest.mark.parametrize(
    ("keywords", "options"),
    [
        ({}, []),
        ({"skip": 1, "periods": 1}, ["--skip", "1", "--periods", "1"]),
        ({"crossing": "keep", "load": 0.5}, ["--crossing", "keep", "--load", "0.5"]),
        ({"count_from": "first-job"}, ["--count-from", "first-job"]),
        ({"short_estimates": "believe"}, ["--short-estimates", "believe"]),
    ],
)
def test_swf_split(log, command, tmp_path, keywords, options):
    command("swf", log, "-o", "weeks", "--split", "7", *options)
    weeks = batfill.Workload.weeks_from_swf(log, **keywords)
    files = sorted((tmp_path / "weeks").iterdir())
    assert len(weeks) == len(files) > 0
    for week, file in zip(weeks, files):
        week.save(tmp_path / "ours.json")
        assert lines(tmp_path / "ours.json") == lines(file)


@pytest.mark.parametrize("how", ["cut", "believe"])
def test_scale_load_is_that_of_swf(log, command, tmp_path, how):
    command("swf", log, "-o", "theirs.json", "--load", "0.7", "--short-estimates", how)
    batfill.Workload.from_swf(log, short_estimates=how).scale_load(0.7).save(tmp_path / "ours.json")
    assert lines(tmp_path / "ours.json") == lines(tmp_path / "theirs.json")


@pytest.mark.parametrize(
    ("keywords", "options"),
    [
        ({}, []),
        ({"queue": ["long"]}, ["--queue", "long"]),
        ({"exclude_queue": ["long", "none"], "estimates": 2}, ["--exclude-queue", "long", "--exclude-queue", "none",
                                                               "--estimates", "factor:2"]),
    ],
)
def test_import(command, tmp_path, keywords, options):
    table = tmp_path / "jobs.csv"
    table.write_text("JobID,Submit,Start,End,CPUs,Limit,Part\na,100,110,200,4,300,long\nb,120,200,260,2,,short\n")
    mapping = {"id": "JobID", "submit": "Submit", "start": "Start", "end": "End", "processors": "CPUs",
               "walltime": "Limit", "queue": "Part"}
    command("import", "csv", table, "-o", "theirs.json", "--map",
            ",".join(f"{field}={column}" for field, column in mapping.items()), *options)
    batfill.Workload.from_accounting(table, "csv", mapping=mapping, **keywords).save(tmp_path / "ours.json")
    assert lines(tmp_path / "ours.json") == lines(tmp_path / "theirs.json")


def test_import_of_bad_rows_and_jobs_without_limit(command, tmp_path):
    table = tmp_path / "jobs.txt"
    table.write_text("JobID|Submit|Start|Elapsed|NCPUS|Partition\n1|1|1|60|4|debug\n2|soon|1|60|4|debug\n")
    command("import", "sacct", table, "-o", "theirs.json", "--bad-rows", "drop", "--partition-limit", "debug=1h")
    ours = batfill.Workload.from_accounting(table, "sacct", bad_rows="drop", partition_limits={"debug": "1h"})
    ours.save(tmp_path / "ours.json")
    assert lines(tmp_path / "ours.json") == lines(tmp_path / "theirs.json")
    assert list(ours.jobs["walltime"]) == [3600]
    [(first, rows)] = ours.cleaning["bad_rows"].items()
    assert "jobs.txt:3: Submit is 'soon'" in first and rows == 1
    with pytest.raises(batfill.InputError, match="--bad-rows drop"):
        batfill.Workload.from_accounting(table, "sacct")
    with pytest.raises(batfill.UsageError, match="partition_limits"):
        batfill.Workload.from_accounting(table, "sacct", partition_limits={"debug": "soon"})


def test_import_of_fields_for_hosts(command, tmp_path):
    table = tmp_path / "jobs.txt"
    table.write_text("JobID|Submit|Start|Elapsed|Partition|NNodes|AllocTRES\n"
                     "1|1|1|60|gpu|2|cpu=8,gres/gpu=4,mem=4G\n2|1|1|60|cpu|1|cpu=4,mem=1G\n")
    command("import", "sacct", table, "-o", "theirs.json", "--fields", "per-host,partition")
    for fields in ("per-host,partition", ["per-host", "partition"], ("partition", "per-host")):
        ours = batfill.Workload.from_accounting(table, "sacct", fields=fields)
        ours.save(tmp_path / "ours.json")
        assert lines(tmp_path / "ours.json") == lines(tmp_path / "theirs.json")
    assert ours.processors == 2
    assert ours.cleaning["capacity"] == {"cores": 4, "gpus": 2, "memory": 2048}
    assert ours.cleaning["partitions"] == {"cpu": 1, "gpu": 2}
    assert list(ours.jobs["per_host"]) == [{"cores": 4, "gpus": 2, "memory": 2048}, {"cores": 4, "memory": 1024}]
    run = batfill.simulate(ours, 2, "easy", capacity={"cores": 8, "gpus": 2, "memory": 4096})
    assert list(run.jobs["starting_time"]) == [1, 1]
    whole = batfill.simulate(ours, 2, "easy", capacity=ours.cleaning["capacity"])
    assert sorted(whole.jobs["starting_time"]) == [1, 61]
    with pytest.raises(batfill.UsageError, match="fields: unknown field 'per_host', did you mean 'per-host'"):
        batfill.Workload.from_accounting(table, "sacct", fields=["per_host"])
    with pytest.raises(batfill.UsageError, match="nodes lets jobs take whole nodes, expected no fields per-host"):
        batfill.Workload.from_accounting(table, "sacct", fields="per-host", nodes=True)


def test_import_for_a_machine(command, tmp_path):
    table = tmp_path / "jobs.txt"
    table.write_text("JobID|Submit|Start|Elapsed|Partition|NNodes|NodeList|AllocTRES\n"
                     "1|1|1|60|cpu|2|n[1-2]|cpu=8\n2|1|1|60|gpu|1|g1|cpu=4\n3|1|1|60|cpu|1|n3|cpu=4\n")
    nodes = tmp_path / "nodes.txt"
    nodes.write_text("NODELIST PARTITION CPUS\nn1 cpu* 4\nn2 cpu* 4\n")
    command("import", "sacct", table, "-o", "theirs.json", "--fields", "all", "--machine", nodes)
    ours = batfill.Workload.from_accounting(table, "sacct", fields="all", machine=str(nodes))
    ours.save(tmp_path / "ours.json")
    assert lines(tmp_path / "ours.json") == lines(tmp_path / "theirs.json")
    assert list(ours.jobs["id"]) == ["1", "3"] and ours.processors == 2
    assert ours.cleaning["dropped"]["does not fit: the machine has no partition gpu"] == 1
    assert ours.cleaning["machine"] == {"hosts": 2, "notes": {"memory unknown": 2}, "open_queues": [],
                                        "missing_hosts": ["g1", "n3"]}
    with pytest.raises(batfill.UsageError, match="machine is for what jobs take of hosts"):
        batfill.Workload.from_accounting(table, "sacct", machine=str(nodes))


def test_import_from_a_date(command, tmp_path):
    table = tmp_path / "jobs.txt"
    table.write_text("JobID|Submit|Start|Elapsed|NCPUS\n"
                     "1|2024-03-01T12:00:00|2024-03-01T12:00:00|60|1\n2|2024-03-02T12:00:00|2024-03-02T12:00:00|60|1\n")
    ours = batfill.Workload.from_accounting(table, "sacct", since="2024-03-02")
    assert list(ours.jobs["id"]) == ["2"]


def test_import_of_dependencies(command, tmp_path):
    table = tmp_path / "jobs.txt"
    table.write_text("JobID|Submit|Eligible|Start|Elapsed|Timelimit|NCPUS|SubmitLine\n"
                     "1|1|1|1|60|00:05:00|1|sbatch a\n2|2|61|61|60|00:05:00|1|sbatch -d afterok:1,singleton a\n")
    command("import", "sacct", table, "-o", "theirs.json", "--fields", "after")
    ours = batfill.Workload.from_accounting(table, "sacct", fields=["after"])
    ours.save(tmp_path / "ours.json")
    assert lines(tmp_path / "ours.json") == lines(tmp_path / "theirs.json")
    assert ours.cleaning["conditions"] == {"kept: ok": 1, "left out, no counterpart: singleton": 1}
    assert list(ours.jobs["after"]) == [None, ["ok:1"]]
    run = batfill.simulate(ours, 2, "easy")
    assert (run.metrics()["mean_wait"], run.metrics(wait_from="eligible")["mean_wait"]) == (29.5, 0)
    assert str(tmp_path / "run_eligible.csv") in run.save(tmp_path / "run")
    with pytest.raises(batfill.UsageError, match="wait_from: unknown value 'start'"):
        run.metrics(wait_from="start")
    eligible = batfill.Workload.from_accounting(table, "sacct", submit="eligible")
    assert list(eligible.jobs["submit"]) == [1, 61]
    with pytest.raises(batfill.UsageError, match="submit eligible leaves out the wait for other jobs"):
        batfill.Workload.from_accounting(table, "sacct", submit="eligible", fields="after")


def test_columns_17_and_18_of_a_log(tmp_path):
    log = tmp_path / "log.swf"
    job = "{0} {1} 0 10 1 -1 -1 1 20 -1 1 1 1 1 1 1 {2} 5\n"
    log.write_text(job.format(1, 0, -1) + job.format(2, 1, 1) + job.format(3, 700000, 2))
    workload = batfill.Workload.from_swf(log, fields="after")
    assert list(workload.jobs["after"]) == [None, ["any:1+5"], ["any:2+5"]]
    assert [list(week.jobs) for week in workload.weeks()].count([]) == 0
    assert "after" not in workload.weeks()[1].jobs
    assert "after" not in batfill.Workload.from_swf(log).jobs
    first, second = batfill.Workload.weeks_from_swf(log, fields="after")
    assert list(first.jobs["after"]) == [None, ["any:1+5"]] and "after" not in second.jobs


def test_generate_lublin(command, tmp_path):
    for number, (keywords, options) in enumerate(
        [({}, []), ({"load": 0.8, "kind": "both", "estimates": 3}, ["--load", "0.8", "--kind", "both", "--estimates",
                                                                   "factor:3"])]
    ):
        command("generate", "lublin", "--jobs", 300, "--processors", 32, "--seed", 5, "-o", f"{number}.json", *options)
        batfill.Workload.lublin(300, 32, 5, **keywords).save(tmp_path / "ours.json")
        assert lines(tmp_path / "ours.json") == lines(tmp_path / f"{number}.json")


def test_ids_that_batsim4_cannot_load(tmp_path):
    (tmp_path / "w.json").write_text(
        '{"nb_res":1,"profiles":{"p":{"type":"delay","delay":1}},'
        '"jobs":[{"id":"7,a","subtime":0,"res":1,"walltime":2,"profile":"p"}]}')
    workload = batfill.Workload.from_json(tmp_path / "w.json")
    assert batfill.simulate(workload, 1, "easy").check().violations == []
    with pytest.raises(batfill.InputError, match='job "w0!7,a": its id has ",", .* format batsim5'):
        workload.save(tmp_path / "out.json")
    assert not (tmp_path / "out.json").exists()
    workload.save(tmp_path / "out.json", format="batsim5")
    assert list(batfill.Workload.from_json(tmp_path / "out.json").jobs["id"]) == ["7,a"]


@pytest.mark.parametrize(
    ("scheduler", "keywords", "options"),
    [
        ("easy", {"order": "saf", "backfill_order": "spf"}, ["-P", "order=saf", "-P", "backfill-order=spf"]),
        ("easy,order=mixed,weights=1,0,0,0,0,0", {}, []),
        ("conservative", {"placement": "contiguous"}, ["-P", "placement=contiguous"]),
        ("dbf", {}, []),
    ],
)
def test_simulate_check_and_metrics(workload, command, tmp_path, scheduler, keywords, options):
    workload.save(tmp_path / "w.json")
    command("simulate", "-p", 64, "-w", "w.json", "-a", scheduler, "-o", "theirs", *options)
    run = batfill.simulate(workload, 64, scheduler, **keywords)
    written = run.save(tmp_path / "ours")
    assert written
    for path in written:
        theirs = path.replace("ours", "theirs")
        with open(path, encoding="utf-8") as one, open(theirs, encoding="utf-8") as other:
            assert one.read() == other.read()
    found = json.loads(command("metrics", "theirs_jobs.csv", "-p", 64, "-w", "w.json", "--format", "json"))[0]
    metrics = run.metrics()
    assert {name: found[name] for name in metrics} == metrics
    printed = command("check", "theirs_jobs.csv", "-p", 64, "-w", "w.json",
                      *(["--placement", keywords["placement"]] if "placement" in keywords else []))
    report = run.check()
    assert printed == f"{report.jobs} jobs, no violations ({report.rejected} rejected)\n"
    assert report.violations == []


def test_columns_are_those_of_jobs_csv(workload, tmp_path):
    run = batfill.simulate(workload, 40, "easy")  # too small for some jobs
    run.save(tmp_path / "out")
    rows = read_csv(tmp_path / "out_jobs.csv")
    assert run.jobs.names == list(rows[0])
    assert len(run.jobs) == len(rows)
    for name in run.jobs.names:
        column = run.jobs[name]
        for value, row in zip(column, rows):
            if column.dtype == object:
                assert value == row[name]
            elif row[name] == "":
                assert math.isnan(value)
            else:
                assert value == float(row[name]), name


def test_guarantees_are_those_of_the_file(workload, tmp_path):
    run = batfill.simulate(workload, 64, "conservative")
    run.save(tmp_path / "out")
    rows = read_csv(tmp_path / "out_guarantees.csv")
    assert list(run.guarantees["guaranteed_start"]) == [float(row["guaranteed_start"]) for row in rows]
    assert batfill.simulate(workload, 64, "easy").guarantees is None


def test_compare(workload, command, tmp_path):
    workload.save(tmp_path / "w.json")
    other = batfill.Workload.lublin(400, 64, 3)
    other.save(tmp_path / "x.json")
    schedulers = ["fcfs", "easy,order=saf"]
    theirs = command("compare", *schedulers, "w.json", "x.json", "--format", "csv", "-o", "values.csv")
    comparison = batfill.compare([tmp_path / "w.json", tmp_path / "x.json"], schedulers)
    assert comparison.table("csv") == theirs
    assert comparison.workloads == ["w", "x"]
    rows = read_csv(tmp_path / "values.csv")
    numpy.testing.assert_array_equal(
        comparison.values(), [[float(row[name]) for name in schedulers] for row in rows]
    )
    only = batfill.compare([workload, other], schedulers, "mean_bounded_slowdown", threads=1)
    numpy.testing.assert_array_equal(only.values(), comparison.values())


def test_compare_weeks(log, command):
    theirs = command("compare", "fcfs", "easy", log, "--weeks", "--format", "csv")
    assert batfill.compare(batfill.Workload.weeks_from_swf(log), ["fcfs", "easy"], weeks=True).table("csv") == theirs


def test_compare_weeks_of_a_workload(workload, command, tmp_path):
    workload.save(tmp_path / "w.json")
    theirs = command("compare", "fcfs", "easy", "w.json", "--weeks", "--format", "json")
    comparison = batfill.compare(workload.weeks(), ["fcfs", "easy"], weeks=True)
    assert comparison.table("json") == theirs


def test_compare_with_a_baseline(workload, command, tmp_path):
    workload.save(tmp_path / "w.json")
    schedulers = ["fcfs", "easy", "conservative"]
    theirs = command("compare", *schedulers, "w.json", "--baseline", "easy", "--format", "csv")
    comparison = batfill.compare([tmp_path / "w.json"], schedulers, baseline="easy")
    assert comparison.table("csv") == theirs
    assert comparison.table("csv") != batfill.compare([tmp_path / "w.json"], schedulers).table("csv")
    waits = [row for row in csv.DictReader(io.StringIO(comparison.table("csv"))) if row["metric"] == "mean_wait"]
    assert [float(row["difference"]) == 0 for row in waits] == [False, True, False]
    with pytest.raises(batfill.UsageError, match="unknown baseline 'eazy', did you mean 'easy'"):
        batfill.compare(workload, schedulers, baseline="eazy")


def test_named_platforms_come_with_the_package(workload):
    run = batfill.simulate(workload, "kth-sp2", "easy")
    assert run.metrics() == batfill.simulate(workload, 100, "easy").metrics()


def lublins(seeds, loads):
    return [batfill.Workload.lublin(jobs=40, processors=16, seed=seed, load=load) for seed in seeds for load in loads]


def test_compare_says_why_it_has_no_intervals():
    comparison = batfill.compare(lublins([1], [0.5, 0.6, 0.7, 0.8, 0.9]), ["fcfs", "easy"])
    assert comparison.note == "measured once: nothing is said about chance, as all workloads have the same jobs"
    assert str(comparison) == comparison.table()
    assert "[" not in str(comparison) and f"; {comparison.note}.\n" in str(comparison)
    few = batfill.compare(lublins(range(1, 5), [0.9]), ["fcfs", "easy"])
    assert few.note == "nothing is said about chance: 4 workloads with different jobs, expected at least 5"
    seeds = batfill.compare(lublins(range(1, 6), [0.9]), ["fcfs", "easy"])
    assert seeds.note == ""
    assert "[" in str(seeds) and "Of tables of equal schedulers, at most 5 % have a mark" in str(seeds)
    # Weeks depend on each other: five are not enough.
    weeks = batfill.compare(lublins(range(1, 6), [0.9]), ["fcfs", "easy"], weeks=True)
    assert weeks.note == "nothing is said about chance: 5 weeks, expected at least 20"
    assert "[" not in str(weeks) and (weeks.values() == seeds.values()).all()


def test_compare_of_one_metric_counts_all_workloads():
    comparison = batfill.compare(lublins([1, 2], [0.9]), ["fcfs", "easy"], "max_wait")
    assert str(comparison).startswith("mean over 2 workloads, each replayed on an empty machine\n")


def test_compare_marks_the_best_scheduler():
    comparison = batfill.compare(
        [batfill.Workload.lublin(jobs=200, processors=32, seed=seed, load=1.2) for seed in range(1, 9)],
        ["fcfs", "easy", "conservative"])
    assert str(comparison).splitlines()[1].startswith(("easy has the least mean wait, ", "conservative has "))
    rows = list(csv.DictReader(io.StringIO(comparison.table("csv"))))
    marks = {row["scheduler"]: row["mark"] for row in rows if row["metric"] == "mean_wait"}
    assert marks["fcfs"] == "told_apart" and "best" in (marks["easy"], marks["conservative"])
    assert {row["mark"] for row in rows if row["metric"] == "jobs"} == {""}


def test_cleaning_has_the_oddities_of_the_log(tmp_path):
    table = tmp_path / "early.csv"
    table.write_text("id,submit,start,end,n\na!b,100,40,130,4\nc,100,100,130,4\n")
    mapping = {"id": "id", "submit": "submit", "start": "start", "end": "end", "processors": "n"}
    cleaning = batfill.Workload.from_accounting(table, "csv", mapping=mapping).cleaning
    assert cleaning["anomalies"]["start before the submission: waits 0 s"] == 1
    assert cleaning["noted"]["id that Batsim would misread: changed"] == 1
