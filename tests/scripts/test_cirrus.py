"""A real centre: accounting data, ElastiSim's jobs, waits beside free nodes, tables and figure, from small inputs."""
import gzip
import json
from pathlib import Path
from typing import Any, Optional

import pytest
from cirrus import figures, replay, tables
from cirrus.accounting import Given, Record, converted, lines_of, records_of, workload_of
from cirrus.room import COUNTS, follow_an_end, most_at_once, waited
from common.files import read_json
from common.job import JobError
from common.tables import read_csv, write_csv
from common.weeks import bounded_slowdown
from common.workbench import Workbench
from stand_ins import StandInJob, StandInProgram, results_in, write

NEW_YEAR = 1704067200  # 2024-01-01, midnight
ACCOUNTING = "JobID,NCPUS,NNodes,Submit,Start,End,ElapsedRaw,State"
COLUMNS = "job_id,submission_time,starting_time,execution_time,finish_time,waiting_time"


def record(name: str, nodes: int, submit: int, start: Optional[int], end: int) -> Record:
    """A job of nodes of 36 cores."""
    return Record(name, 36 * nodes, nodes, submit, start, end)


def test_records_are_read_packed_or_not(tmp_path: Path) -> None:
    text = f"{ACCOUNTING}\n7,72,2,100,None,130,0,CANCELLED\n8_1,1,1,100,101,161,60,COMPLETED\n"
    packed = tmp_path / "sacct.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    wanted = [Record("7", 72, 2, 100, None, 130), Record("8_1", 1, 1, 100, 101, 161)]
    assert records_of(str(packed)) == records_of(write(tmp_path / "sacct.csv", text.rstrip())) == wanted
    assert [one.ran for one in wanted] == [False, True]


def test_jobs_are_converted_to_whole_units() -> None:
    records = [record("a", 1, 1000, 1000, 1250), record("b", 2, 1199, 1300, 1399), record("c", 2, 1200, 1300, 1400),
               record("d", 1, 1200, None, 1300)]
    # b ran for 99 s and d did not run.
    assert converted(records, 100) == [Given("a", 0, 36, 2), Given("c", 2, 72, 1)]
    workload = workload_of(converted(records, 100), 99)
    assert workload["nb_res"] == 99
    assert workload["jobs"] == [
        {"id": "000000", "subtime": 0, "res": 36, "walltime": 2, "profile": "d2"},
        {"id": "000001", "subtime": 2, "res": 72, "walltime": 1, "profile": "d1"}]
    assert list(workload["profiles"]) == ["d1", "d2"]


# On 6 nodes. While b and c wait, a takes 3: b (4) does not fit, c (1) does, but not together with b. d (1) waits before
# both, with nothing else in the queue.
QUEUE = [record("a", 3, 0, 0, 100), record("d", 1, 5, 9, 10), record("b", 4, 10, 100, 120),
         record("c", 1, 20, 100, 110)]


def test_room_is_for_a_job_alone_or_with_all_earlier_ones() -> None:
    found = waited(QUEUE, COUNTS["nodes"], 6)
    assert [(one.record.name, one.wait, one.alone, one.with_earlier) for one in found] == [
        ("a", 0, True, True), ("d", 4, True, True), ("b", 90, False, False), ("c", 80, True, False)]
    # By cores, 7 nodes hold a and b.
    assert [one.alone for one in waited(QUEUE, COUNTS["cores"], 7 * 36)] == [True, True, True, True]


def test_room_is_needed_for_the_whole_wait() -> None:
    full_for_a_moment = [*QUEUE, record("e", 6, 5, 30, 31)]
    assert {one.record.name: one.alone for one in waited(full_for_a_moment, COUNTS["nodes"], 6)} == {
        "a": True, "d": True, "e": False, "b": False, "c": False}


def test_jobs_that_never_start_wait_until_they_are_cancelled() -> None:
    cancelled = [QUEUE[0], record("x", 5, 4, None, 7), *QUEUE[1:]]
    found = {one.record.name: one for one in waited(cancelled, COUNTS["nodes"], 6)}
    assert "x" not in found
    assert found["d"].alone and not found["d"].with_earlier


def test_most_at_once_and_starts_after_an_end() -> None:
    assert most_at_once(QUEUE, COUNTS["nodes"]) == 5  # b and c
    assert most_at_once([QUEUE[0], *QUEUE[1:2]], lambda _: 1) == 2
    # c starts 90 s after d, of the same size, has ended; the other one does so after 60.
    assert follow_an_end([QUEUE[3]], QUEUE) == 0
    assert follow_an_end([record("y", 1, 20, 70, 80), record("z", 2, 20, 70, 80)], QUEUE) == 1


def test_days_begin_at_midnight() -> None:
    assert replay.instant_of("2024-01-01") == NEW_YEAR
    assert [replay.day_of(NEW_YEAR - 1), replay.day_of(NEW_YEAR)] == ["2023-12-31", "2024-01-01"]


def test_jobs_from_before_begin_as_at_the_centre() -> None:
    # Before second 100: a started at once, b at 90, c at 150. d comes later, and x never started.
    records = [record("a", 1, 10, 10, 200), record("b", 1, 20, 90, 200), record("c", 1, 30, 150, 200),
               record("d", 1, 120, 180, 200), record("x", 1, 40, None, 60)]
    workload: dict[str, Any] = {"nb_res": 9, "jobs": [{"id": name, "subtime": subtime} for name, subtime in (
        ("a", 1010), ("b", 1020), ("c", 1030), ("d", 1120))]}

    def submitted(latest: Optional[int]) -> list[tuple[str, int]]:
        changed = replay.resubmitted(workload, records, 100, latest)
        assert changed["nb_res"] == 9
        return [(job["id"], job["subtime"]) for job in changed["jobs"]]

    assert submitted(100) == [("a", 1010), ("b", 1090), ("c", 1100), ("d", 1120)]
    assert submitted(None) == [("a", 1010), ("b", 1090), ("d", 1120), ("c", 1150)]
    assert [job["subtime"] for job in workload["jobs"]] == [1010, 1020, 1030, 1120]


def test_work_left_is_what_is_taken_from_then_on() -> None:
    # Over before 1000; 600 s of two cores; 1800 s of four cores.
    jobs = [{"cores": cores, "starting_time": start, "finish_time": end} for cores, start, end in (
        ("9", "0", "900"), ("2", "500", "1600"), ("4", "1200", "3000"))]
    assert replay.work_left(jobs, 1000) == pytest.approx((2 * 600 + 4 * 1800) / 3600)


def test_sums_are_over_jobs() -> None:
    jobs = [{"waiting_time": str(wait), "execution_time": "20"} for wait in (20, 60, 0)]
    assert replay.sums_of(jobs) == {"jobs": 3, "wait": 80, "bounded_slowdown": 7}


def test_the_table_of_room_has_what_holds_by_any_count() -> None:
    records = [Record(one.name, one.cores, one.nodes, NEW_YEAR + one.submit,
                      None if one.start is None else NEW_YEAR + one.start, NEW_YEAR + one.end)
               for one in [*QUEUE, record("last", 1, 100, 100, 130)]]
    rows, series = replay.room_tables(records, {"complete": "2024-01-01", "least": [1, 60], "series": 60},
                                      {"hosts": 6, "cores": 42})
    assert [(row["seconds"], row["count"], row["judged"], row["waited"], row["alone"], row["with_earlier"])
            for row in rows] == [
        (1, "cores", 5, 3, 3, 2), (1, "nodes", 5, 3, 2, 1), (1, "any", 5, 3, 2, 1),
        (60, "cores", 5, 2, 2, 1), (60, "nodes", 5, 2, 1, 0), (60, "any", 5, 2, 1, 0)]
    assert rows[-1]["hours"] == pytest.approx(80 / 3600)
    assert series == [{"cores": 36, "nodes": 1, "jobs": 1, "of": 3, "follow": 0, "together": 2}]


def test_only_whole_waits_in_the_complete_time_are_judged() -> None:
    found = waited(QUEUE, COUNTS["nodes"], 6)
    assert [one.record.name for one in replay.judged(found, 5, 99)] == ["d"]
    assert [one.record.name for one in replay.judged(found, 5, 100)] == ["d", "b", "c"]


def starts(*lines: tuple[str, float]) -> str:
    """A schedule of which only the starts count."""
    return "job_id,starting_time\n" + "".join(f"{name},{start}\n" for name, start in lines)


ELASTISIM = [{"jobid": name, "submit": submit, "cores": cores, "run": run, "start": start}
             for name, submit, cores, run, start in (("a", "0", "36", "2", "0"), ("c", "2", "72", "1", "5"),
                                                     ("later", "9", "1", "1", "9"))]
UNITS = [record("a", 1, 1000, 1000, 1250), record("c", 2, 1200, 1320, 1420)]


def test_starts_are_compared_with_elastisim(program: StandInProgram) -> None:
    program.answer("simulate", writes={
        "elastisim-9_jobs.csv": starts(("000002", 9), ("000000", 0), ("000001", 4)),
        "accounting-9_jobs.csv": starts(("000000", 0), ("000001", 5))})
    with Workbench(str(program.file)) as bench:
        rows = replay.compare_elastisim(bench, ELASTISIM, UNITS, {"unit": 100, "processors": [9]})
        assert read_json(str(bench.path("elastisim-9.json")))["jobs"][2]["subtime"] == 9
    assert program.calls == [line.format(source) for source in ("elastisim", "accounting") for line in (
        "simulate -q -p 9 -w {0}-9.json -e {0}-9 -a fcfs", "check {0}-9_jobs.csv -w {0}-9.json -p 9")]
    # Job c starts at 4 and not at 5. Waits are 0, 2 and 0 units against 0, 3 and 0; then 0 and 3. At the centre they
    # were 0 and 120 s.
    assert [list(row.values()) for row in rows] == [
        ["elastisim", 9, 3, 1, pytest.approx(200 / 3), 100, ""], ["accounting", 9, 2, 0, 150, 150, 60]]


def test_a_conversion_that_elastisim_does_not_have_is_refused(tmp_path: Path) -> None:
    with Workbench(write(tmp_path / "batfill")) as bench:
        with pytest.raises(JobError, match="1 converted jobs are not those of ElastiSim"):
            replay.compare_elastisim(bench, ELASTISIM, [UNITS[0], record("c", 3, 1200, 1320, 1420)],
                                     {"unit": 100, "processors": [9]})


SETTINGS = {"complete": "2024-01-01", "longer": [60], "least": [1], "series": 1,
            "schedules": {"saf": {"algorithm": "easy", "parameters": ["order=saf"]}},
            "elastisim": {"unit": 100, "processors": [9]}}


def test_all_replays_are_audited_and_measured(tmp_path: Path, program: StandInProgram) -> None:
    day = 86400
    log = write(tmp_path / "sacct.csv", ACCOUNTING,
                f"early,36,1,{NEW_YEAR - 100},{NEW_YEAR - 90},{NEW_YEAR + 10},100,X",
                f"one,1,1,{NEW_YEAR},{NEW_YEAR + 20},{NEW_YEAR + 120},100,X",
                f"wide,72,2,{NEW_YEAR + 100},{NEW_YEAR + 200},{NEW_YEAR + 300},100,X")
    elastisim = write(tmp_path / "elastisim.csv", "jobid,submit,cores,run,start", "early,0,36,1,0", "one,1,1,1,1",
                      "wide,2,72,1,2")
    lines = [COLUMNS, f"early,{day - 100},{day - 90},100,{day + 10},10", f"one,{day},{day + 20},100,{day + 120},20",
             f"wide,{day + 100},{day + 200},100,{day + 300},100"]
    schedule = "\n".join(lines) + "\n"
    imported = [{"id": name, "subtime": subtime} for name, subtime in (
        ("early", day - 100), ("one", day), ("wide", day + 100))]
    program.answer("import", writes={"centre_jobs.csv": schedule, "cores.json": json.dumps({"jobs": imported})})
    program.answer("simulate", writes={
        **{f"{kind}-saf_jobs.csv": schedule for kind in ("cores", "hosts", "queued", "started")},
        **{f"{source}-9_jobs.csv": starts(("000000", 0), ("000001", 1), ("000002", 2))
           for source in ("elastisim", "accounting")}})
    slowdown = (bounded_slowdown(20, 100) + bounded_slowdown(100, 100)) / 2
    program.answer("metrics", prints="width,length,jobs,mean_wait,median_wait,max_wait,mean_bounded_slowdown\n"
                                     f"1-72,1-10 min,2,60,60,100,{slowdown!r}\n")
    names = ("log", "elastisim", "results", "classes", "longer", "days", "room", "series", "sums")
    replay.main(StandInJob({"batfill": str(program.file), "log": log, "elastisim": elastisim},
                           results_in(tmp_path, manifest="manifest.json", **{name: f"{name}.csv" for name in names}),
                           {"settings": SETTINGS, "machine": {"hosts": 4, "cores": 36}}))
    assert program.calls[:3] == [
        f"import csv sacct.csv --map {replay.COLUMNS} --processors 144 -o cores.json --schedule centre_jobs.csv",
        f"import csv sacct.csv --map {replay.COLUMNS},nodes=NNodes,cores=NCPUS --fields per-host --processors 4 "
        "-o hosts.json", "check centre_jobs.csv -w cores.json -p 144"]
    assert [call for call in program.calls if call.startswith(("simulate", "check")) and "saf" in call] == [
        "simulate -q -p 144 -w cores.json -e cores-saf -a easy -P order=saf",
        "check cores-saf_jobs.csv -w cores.json -p 144",
        "simulate -q -p 4 -w hosts.json -e hosts-saf -a easy -P order=saf --capacity cores:36",
        "check hosts-saf_jobs.csv -w hosts.json -p 4 --capacity cores:36",
        "simulate -q -p 144 -w queued.json -e queued-saf -a easy -P order=saf",
        "check queued-saf_jobs.csv -w queued.json -p 144",
        "simulate -q -p 144 -w started.json -e started-saf -a easy -P order=saf",
        "check started-saf_jobs.csv -w started.json -p 144"]

    def written(name: str) -> list[list[str]]:
        return [list(row.values()) for row in read_csv(str(tmp_path / f"{name}.csv"))]

    ways = [["measured", "centre"], ["cores", "saf"], ["hosts", "saf"], ["queued", "saf"], ["started", "saf"]]
    # For 10 s of this year, `early` takes 36 cores.
    assert written("results") == [[*way, "3", "2", repr(130 / 3), "0.1"] for way in ways]
    assert written("sums")[:2] == [["measured", "centre", "all", "2", "120.0", repr(2 * slowdown)],
                                   ["measured", "centre", "node", "1", "100.0", "2.0"]]
    assert written("longer")[:2] == [["measured", "centre", "all", "60", "0.5"],
                                     ["measured", "centre", "node", "60", "1.0"]]
    assert written("days")[:2] == [["measured", "centre", "all", "2024-01-01", "2", "60.0"],
                                   ["measured", "centre", "node", "2024-01-01", "1", "100.0"]]
    assert written("classes")[:2] == [["measured", "centre", "width", "1-72", "2", "60", "60", "100"],
                                      ["measured", "centre", "length", "1-10 min", "2", "60", "60", "100"]]
    # Of `one`, the whole wait is before the last submission. `early` and `one` take two nodes at once.
    assert [row[2:6] for row in written("room")] == [["1", "1", "1", "1"]] * 3
    [log_line] = read_csv(str(tmp_path / "log.csv"))
    assert [log_line[name] for name in ("rows", "ran", "before", "one_core", "most_cores", "most_nodes")] == [
        "3", "3", "1", "1", "72", "2"]


def test_a_job_from_before_is_not_measured_whenever_it_is_submitted(program: StandInProgram) -> None:
    day = 86400
    # `early` waited from before the new year until 30 s after it. The replay has it submitted at its first second.
    records = [record("early", 1, NEW_YEAR - 100, NEW_YEAR + 30, NEW_YEAR + 130),
               record("one", 2, NEW_YEAR + 5, NEW_YEAR + 25, NEW_YEAR + 35)]
    schedule = f"{COLUMNS}\nearly,{day},{day},100,{day + 100},0\none,{day + 5},{day + 25},10,{day + 35},20\n"
    imported = {"jobs": [{"id": "early", "subtime": day - 100}, {"id": "one", "subtime": day + 5}]}
    program.answer("import", writes={"centre_jobs.csv": schedule, "cores.json": json.dumps(imported)})
    program.answer("simulate", writes={f"{kind}-saf_jobs.csv": schedule
                                       for kind in ("cores", "hosts", "queued", "started")})
    program.answer("metrics", prints="width,length,jobs,mean_wait,median_wait,max_wait,mean_bounded_slowdown\n"
                                     "65-128,< 1 min,1,20,20,20,3\n")
    with Workbench(str(program.file)) as bench:
        found = replay.replay_all(bench, "log", SETTINGS, {"hosts": 4, "cores": 36}, records)
        submitted = {kind: [job["subtime"] for job in read_json(str(bench.path(f"{kind}.json")))["jobs"]]
                     for kind in ("cores", "queued", "started")}
    assert submitted == {"cores": [day - 100, day + 5], "queued": [day, day + 5], "started": [day + 5, day + 30]}
    assert [(row["jobs"], row["measured"], row["left"]) for row in found["results"]] == [(2, 1, 1)] * 5
    assert {row["wait"] for row in found["days"]} == {20}


@pytest.fixture(name="written")
def all_tables(tmp_path: Path) -> Path:
    """The folder with the tables."""
    ways = (("measured", "centre", 100), ("cores", "easy", 50), ("hosts", "easy", 75))
    write_csv(str(tmp_path / "sums.csv"), [
        {"machine": machine, "schedule": schedule, "group": group, "jobs": 40, "wait": 40 * wait,
         "bounded_slowdown": 200.0} for machine, schedule, wait in ways for group in ("all", "node")])
    tables.main(StandInJob({"sums": str(tmp_path / "sums.csv")},
                           results_in(tmp_path, means="means.csv", changes="changes.csv")))
    return tmp_path


def test_means_are_over_jobs(written: Path) -> None:
    means = {(row["group"], row["machine"], row["measure"]): row for row in read_csv(str(written / "means.csv"))}
    assert float(means["node", "hosts", "wait"]["value"]) == 75
    assert means["all", "measured", "wait"]["jobs"] == "40"
    assert float(means["all", "cores", "bounded_slowdown"]["value"]) == 5


def test_replays_are_compared_with_the_centre_and_hosts_with_cores(written: Path) -> None:
    rows = read_csv(str(written / "changes.csv"))
    found = [(row["machine"], row["than"], round(float(row["value"]), 6))
             for row in rows if (row["group"], row["measure"]) == ("all", "wait")]
    assert found == [("cores", "measured", -0.5), ("hosts", "measured", -0.25), ("hosts", "cores", 0.5)]
    # A few days have no intervals.
    assert "low" not in rows[0] and "verdict" not in rows[0]


def test_the_figure_has_shares_and_widths(tmp_path: Path) -> None:
    longer = [{"machine": machine, "schedule": schedule, "group": group, "seconds": seconds, "share": 0.5}
              for machine, schedule in (("measured", "centre"), ("cores", "easy"), ("hosts", "easy"))
              for group in ("all", "node") for seconds in (1800, 7200)]
    classes = [{"machine": machine, "schedule": schedule, "by": by, "class": "33-64", "mean": 5400}
               for machine, schedule in (("measured", "centre"), ("cores", "easy"), ("hosts", "easy"))
               for by in ("width", "length")]
    for name, rows in (("longer", longer), ("classes", classes)):
        write_csv(str(tmp_path / f"{name}.csv"), rows)
    output = results_in(tmp_path, svg="figure.svg", png="figure.png", csv="figure.csv")
    figures.main(StandInJob({name: str(tmp_path / f"{name}.csv") for name in ("longer", "classes")}, output,
                            {"words": {"centre": "the centre", "easy": "EASY"}}))
    assert [list(row.values()) for row in lines_of(output["csv"])] == [
        [panel, schedule, place, value] for panel, places, value in (
            ("longer", ("0.5", "2.0"), "50.0"), ("width", ("33-64",), "1.5"))
        for schedule in ("centre", "easy") for place in places]
    assert "the centre" in Path(output["svg"]).read_text(encoding="utf-8")
