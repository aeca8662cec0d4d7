"""The paper on relaxed backfilling: its tables, its months, its statements and its jobs, from small inputs."""
import json
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy
import pytest
from common.job import JobError
from common.log_clock import LogClock
from common.tables import read_csv, write_csv
from relaxed import figures, log, replay, tables
from relaxed.backfilled import Priorities, backfilled, rounded
from relaxed.monthly import ACTUAL, ESTIMATED, PAPER_OMEGAS, Monthly, papers, replayed
from relaxed.months import Months
from relaxed.statements import STATEMENTS, Finding, average_change, change, overview
from relaxed.workload_jobs import ScheduledJobs, WorkloadJobs
from stand_ins import StandInJob, StandInProgram, lines_of, results_in, write

PAPER = str(Path(tables.__file__).with_name("paper-tables.csv"))
HEADER = "; UnixStartTime: 828000000\n; TimeZoneString: US/Pacific\n"  # midnight, 28 March 1996
DAY = 86400
VARIATIONS = {"queues-ignored": {"r": 1}, "walltime": {"basis": "walltime"}, "first-come": {"r": 1, "beta": 0}}


# The paper's tables.

def test_paper_has_twelve_months_and_a_total_in_its_tables_of_waits() -> None:
    rows = read_csv(PAPER)
    for table, estimates in (("1", ESTIMATED), ("1", ACTUAL), ("3", ESTIMATED), ("4", ESTIMATED), ("4", ACTUAL),
                             ("6", ESTIMATED)):
        months = [row["month"] for row in rows if (row["table"], row["estimates"]) == (table, estimates)]
        assert months == [f"2001-{month:02}" for month in range(4, 13)] + ["2002-01", "2002-02", "2002-03", "total"]


def test_paper_prints_three_totals_that_are_not_the_sums_of_its_months() -> None:
    sums = tables.sums_of(read_csv(PAPER))
    assert len(sums) == 36
    wrong = [row for row in sums if row["printed - sum"]]
    assert [(row["table"], row["column"], row["times"], row["printed - sum"]) for row in wrong] == [
        ("3", "omega = 2", "estimated", 6), ("4", "omega = 0", "actual", -300), ("6", "jobs", "estimated", -1050)]


def test_paper_states_what_its_own_tables_say() -> None:
    t3e, o3k = (papers(read_csv(PAPER), machine) for machine in ("T3E", "O3K"))
    assert [round(average_change(one.waits[ESTIMATED, "inf"], one.waits[ESTIMATED, "1"]))
            for one in (t3e, o3k)] == [-67, -62]
    assert t3e.backfilled_months == ["2001-05", "2001-07", "2001-09", "2001-11", "2002-01", "2002-03"]
    assert t3e.backfilled[ACTUAL, "inf"] == [2576, 914, 2188, 1183, 680, 1422]
    held = {one.find.__name__: [(found := one.find(machine)) is not None and found[0] for machine in (t3e, o3k)]
            for one in STATEMENTS}
    assert [name for name, [on_t3e, _] in held.items() if not on_t3e] == []
    assert [name for name, [_, on_o3k] in held.items() if not on_o3k] == ["_more_are_backfilled", "_important_fall"]


# Months.

def clock_of_march() -> LogClock:
    """A clock whose second 0 is the first of 28 March."""
    return LogClock.of(HEADER)


def test_months_are_those_of_the_machines_calendar() -> None:
    until_april, hour = 4 * DAY, 3600
    months = Months.of(numpy.array([0.0, until_april - 1, until_april, 40.0 * DAY]), clock_of_march())
    assert months.names == ["1996-03", "1996-04", "1996-05"]
    # Clocks were set forward on 7 April, which takes an hour from that month.
    assert (months.edges - until_april).tolist() == [-31 * DAY, 0, 30 * DAY - hour, 61 * DAY - hour]
    assert months.sums(numpy.array([0.0, until_april - 1, until_april])) == [2, 1, 0]
    assert months.sums(numpy.array([until_april, until_april + 5]), numpy.array([2.5, 4])) == [0, 6.5, 0]


@pytest.mark.parametrize("first, last, whole", [
    (0, 40, [False, True, False]), (-27 + 1.5, 40, [False, True, False]), (-26.5, 40, [True, True, False]),
    (0, 63.9, [False, True, False]), (0, 64.5, [False, True, True])])
def test_months_are_whole_from_their_first_to_their_last_day(first: float, last: float, whole: list[bool]) -> None:
    months = Months.of(numpy.array([first * DAY, 10.0 * DAY, last * DAY]), clock_of_march())
    assert months.whole == whole


def test_a_month_of_december_is_followed_by_january() -> None:
    months = Months.of(numpy.array([340.0 * DAY, 370.0 * DAY]), LogClock.of(""))
    assert months.names == ["1970-12", "1971-01"]
    assert months.edges.tolist() == [334 * DAY, 365 * DAY, 396 * DAY]


def test_utilisation_is_of_the_time_within_the_month() -> None:
    months = Months(["a", "b"], numpy.array([0.0, 10, 30]), [True, True])
    starts, ends = numpy.array([-5.0, 8, 29]), numpy.array([5.0, 20, 40])
    assert months.utilisation(starts, ends, numpy.array([1.0, 2, 4]), 4) == [(5 + 4) / 40, (20 + 4) / 80]


# Jobs that are backfilled.

def jobs_of(*rows: tuple[float, int, str]) -> WorkloadJobs:
    """A workload of (submission, size, queue)."""
    return WorkloadJobs.of({"nb_res": 64, "jobs": [{"id": f"{place:03}", "subtime": submit, "res": size, "queue": queue}
                                                   for place, (submit, size, queue) in enumerate(rows)]})


def schedule_of(*rows: tuple[float, float]) -> ScheduledJobs:
    """A schedule of (start, walltime)."""
    starts, walltimes = (numpy.array(column, dtype=float) for column in zip(*rows))
    return ScheduledJobs(starts, starts + walltimes, walltimes)


def test_priority_is_that_of_equation_1() -> None:
    jobs = jobs_of((0, 32, ""), (0, 32, "background"), (0, 32, "urgent"), (0, 32, "dedicated"), (3600, 64, "challenge"))
    times = numpy.array([3600.0, 3600, 1800, 3600, 7200])
    every = numpy.arange(5)
    assert Priorities.of(jobs, times, 0).of_jobs(3600, every).tolist() == pytest.approx([1, 0.1, 200, 1, 0])
    assert Priorities.of(jobs, times, 0).of_jobs(7200, every).tolist() == pytest.approx([2, 0.2, 400, 2, 10])
    # By the last whole minute; a job that came after it has not waited yet.
    assert Priorities.of(jobs, times, 60).of_jobs(3659, every).tolist() == pytest.approx([1, 0.1, 200, 1, 0])
    assert Priorities.of(jobs, times, 60).of_jobs(59, every).tolist() == [0, 0, 0, 0, 0]


def test_priorities_that_differ_in_their_last_bits_are_equal() -> None:
    jobs = jobs_of((0, 32, ""), (0, 32, ""), (0, 32, ""))
    almost = numpy.array([3600.0, 3600 * (1 + 2 ** -50), 3600 * (1 + 2 ** -30)])
    assert rounded(numpy.array([2.0, 2 - 2 ** -52, 0])).tolist() == [2, 2, 0]
    first, second, third = Priorities.of(jobs, almost, 0).of_jobs(7200, numpy.arange(3)).tolist()
    assert first == second > third


def test_backfilled_jobs_start_before_one_of_higher_priority() -> None:
    # The first starts at once, the second waits for it; the third is wider than the fourth, and starts with it.
    jobs = jobs_of((0, 32, ""), (1, 64, ""), (2, 16, ""), (3, 8, ""), (200, 1, ""))
    schedule = schedule_of((0, 100), (100, 100), (3, 50), (3, 20), (200, 1))
    assert backfilled(jobs, schedule, Priorities.of(jobs, schedule.walltimes, 0)).tolist() == [
        False, False, True, True, False]
    # In the first minute nobody has waited, and the job that came first has the higher priority.
    assert backfilled(jobs, schedule, Priorities.of(jobs, schedule.walltimes, 60)).tolist() == [
        False, False, True, True, False]
    in_queue = replace(jobs, queues=["primary", "background", "urgent", "primary", "primary"])
    assert backfilled(in_queue, schedule, Priorities.of(in_queue, numpy.ones(5), 0)).tolist() == [
        False, False, False, True, False]


@pytest.mark.parametrize("seed", range(20))
def test_backfilled_jobs_are_those_by_definition(seed: int) -> None:
    draw = random.Random(seed)
    submits = sorted(draw.randrange(300) for _ in range(60))
    queues = ["background", "", "urgent"]
    jobs = jobs_of(*((submit, draw.choice([1, 2, 32]), draw.choice(queues)) for submit in submits))
    schedule = schedule_of(*((submit + draw.choice([0, 0, 7, 30, 200]), draw.choice([10, 600])) for submit in submits))
    priorities = Priorities.of(jobs, schedule.walltimes, draw.choice([0, 60]))

    def overtakes(ours: int, other: int) -> bool:
        now = schedule.starts[ours]
        if not submits[other] <= now < schedule.starts[other]:
            return False
        mine, theirs = priorities.of_jobs(now, numpy.array([ours, other]))
        return bool(theirs > mine or (theirs == mine and other < ours))

    expected = [any(overtakes(ours, other) for other in range(60)) for ours in range(60)]
    assert 0 < sum(expected) < 60
    assert backfilled(jobs, schedule, priorities).tolist() == expected


# The log by month.

LOG = [
    #  submit  wait run allocated                estimate
    f"1 {-25 * DAY} 100 50 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1",
    f"2 {5 * DAY} 7200 100 8 -1 -1 8 100 -1 1 1 1 1 2 1 -1 -1",
    f"2 {5 * DAY} 3600 200 8 -1 -1 8 100 -1 1 1 1 1 2 1 -1 -1",
    f"4 {35 * DAY} 1800 3 8 -1 -1 8 100 -1 1 1 1 1 2 1 -1 -1",
]
WORKLOAD = {
    "nb_res": 8,
    "jobs": [{"id": "1", "subtime": -25 * DAY, "res": 4, "walltime": 100, "profile": "d50"},
             {"id": "2", "subtime": 5 * DAY, "res": 8, "walltime": 100, "profile": "d100", "queue": "urgent"},
             {"id": "2-2", "subtime": 5 * DAY, "res": 8, "walltime": 100, "profile": "d200", "queue": "background"},
             {"id": "4", "subtime": 35 * DAY, "res": 8, "walltime": 100, "profile": "d3", "queue": "7"}],
    "profiles": {f"d{time}": {"type": "delay", "delay": time} for time in (50, 100, 200, 3)},
}


@pytest.fixture(name="inputs")
def machine_inputs(tmp_path: Path) -> dict[str, Any]:
    """A log, and a workload of it."""
    return {"logs": [write(tmp_path / "log.swf", "; MaxProcs: 8", *LOG)],
            "workload": write(tmp_path / "workload.json", json.dumps(WORKLOAD)),
            "header": write(tmp_path / "header.txt", HEADER)}


def log_of(folder: Path, inputs: dict[str, Any]) -> tuple[list[dict[str, str]], dict[str, str]]:
    """The months and the census of rule `relaxed_log`."""
    output = results_in(folder, months="months.csv", census="census.csv")
    log.main(StandInJob(inputs, output, {}, {"machine": "KTH"}))
    [census] = read_csv(output["census"])
    return read_csv(output["months"]), census


def test_log_by_month(tmp_path: Path, inputs: dict[str, Any]) -> None:
    months, census = log_of(tmp_path, inputs)
    assert [list(month.values())[:7] for month in months] == [
        ["KTH", "1996-03", "0", "1", "0", "100.0", "0.0"], ["KTH", "1996-04", "1", "2", "1", "10800.0", "7200.0"],
        ["KTH", "1996-05", "0", "1", "0", "1800.0", "0.0"]]
    assert float(months[1]["log_utilisation"]) == pytest.approx(300 / (30 * DAY - 3600))
    assert (census["jobs"], census["processors"], census["background_jobs"], census["primary_jobs"],
            census["challenge_jobs"], census["urgent_jobs"]) == ("4", "8", "1", "2", "0", "1")
    assert (census["primary_log_wait_seconds"], census["urgent_log_wait_seconds"]) == ("1900.0", "7200.0")
    # A job that ran longer than estimated is stopped at its estimate.
    assert float(census["mean_run_time_of_estimate"]) == pytest.approx((0.5 + 1 + 1 + 0.03) / 4)


@pytest.mark.parametrize("without", ["log", "waits"])
def test_what_the_log_does_not_know_is_empty(tmp_path: Path, inputs: dict[str, Any], without: str) -> None:
    unknown = [] if without == "log" else [write(tmp_path / "log.swf", *LOG[:3], LOG[3].replace(" 1800 ", " -1 "))]
    months, census = log_of(tmp_path, {**inputs, "logs": unknown})
    assert {month[column] for month in months for column in (
        "log_wait_seconds", "log_important_wait_seconds", "log_utilisation")} == {""}
    assert census["primary_log_wait_seconds"] == ""
    assert [month["jobs"] for month in months] == ["1", "2", "1"]


# Replays.

SCHEDULE = "\n".join([
    "job_id,submission_time,requested_time,starting_time,finish_time",
    f"w0!1,{-25 * DAY},100,{-25 * DAY},{-25 * DAY + 50}",
    f"w0!2-2,{5 * DAY},100,{5 * DAY},{5 * DAY + 100}",
    f"w0!4,{35 * DAY},100,{35 * DAY + 20},{35 * DAY + 23}",
    f"w0!2,{5 * DAY},100,{5 * DAY + 100},{5 * DAY + 200}\n"])


def job_of_replays(folder: Path, inputs: dict[str, Any], program: StandInProgram, group: str,
                   counted: int) -> StandInJob:
    """A job of rule `relaxed_replay`, with one replay."""
    program.answer("simulate", writes={"inf_jobs.csv": SCHEDULE,
                                       "inf_statistics.csv": f"statistic,value\nbackfilled,{counted}\n"})
    program.answer("metrics", prints="run,mean_wait,max_wait,utilisation\ninf,30,100,0.5\n")
    return StandInJob({"batfill": str(program.file), "platform": write(folder / "platform"), **inputs},
                      results_in(folder, months="out.csv", results="results.csv", manifest="manifest.json"),
                      {"engine": "simulate", "period": 60,
                       "replays": {"inf": {"algorithm": "relaxed", "parameters": ["r=1", "omega=inf"]}}},
                      {"machine": "KTH", "group": group})


def test_replay_is_audited_and_measured_by_month(tmp_path: Path, inputs: dict[str, Any],
                                                 program: StandInProgram) -> None:
    replay.main(job_of_replays(tmp_path, inputs, program, ESTIMATED, 1))
    assert program.calls == [
        "simulate -q -p platform.xml -w workload.json -e inf -a relaxed -P r=1 -P omega=inf",
        "check inf_jobs.csv -w workload.json -p platform.xml",
        "metrics inf_jobs.csv -p platform.xml --format csv"]
    rows = read_csv(str(tmp_path / "out.csv"))
    assert [[row[column] for column in ("group", "replay", "month", "wait_seconds", "important_wait_seconds",
                                        "backfilled")] for row in rows] == [
        [ESTIMATED, "inf", "1996-03", "0.0", "0.0", "0"], [ESTIMATED, "inf", "1996-04", "100.0", "100.0", "1"],
        [ESTIMATED, "inf", "1996-05", "20.0", "0.0", "0"]]
    [results] = read_csv(str(tmp_path / "results.csv"))
    assert (results["backfilled"], results["mean_wait"], results["urgent_wait_seconds"]) == ("1", "30", "100.0")


def test_backfilled_jobs_have_to_be_those_of_the_algorithm(tmp_path: Path, inputs: dict[str, Any],
                                                           program: StandInProgram) -> None:
    with pytest.raises(JobError, match="the schedule has 1 backfilled jobs, the algorithm counted 2"):
        replay.main(job_of_replays(tmp_path, inputs, program, ACTUAL, 2))
    # Those of a variation have other priorities, and are not counted by month.
    replay.main(job_of_replays(tmp_path, inputs, program, "walltime", 2))
    assert {row["backfilled"] for row in read_csv(str(tmp_path / "out.csv"))} == {""}


# Statements.

def monthly(**changed: Any) -> Monthly:
    """Two months in which all that the paper states holds."""
    waits = {"0": [9.0, 90.0], "1": [5.0, 50.0], "2": [4.0, 40.0], "4": [3.0, 30.0], "inf": [1.0, 10.0]}
    months = Monthly("KTH", PAPER_OMEGAS, ["1996-04", "1996-05"],
                     {(estimates, omega): hours for estimates in (ESTIMATED, ACTUAL) for omega, hours in waits.items()},
                     [2.0, 20.0], ["1996-04", "1996-05"],
                     {(ESTIMATED, omega): [float(place), place + 5.0] for place, omega in enumerate(PAPER_OMEGAS)},
                     {omega: list(hours) for omega, hours in waits.items()}, [3.0, 30.0])
    return replace(months, **changed)


def find(name: str, **changed: Any) -> Finding:
    """What a statement finds in these months."""
    [statement] = [one for one in STATEMENTS if one.find.__name__ == name]
    return statement.find(monthly(**changed))


def waits_with(estimates: str, omega: str, hours: list[float]) -> dict[str, Any]:
    """The waits of `monthly` but for one."""
    return {"waits": {**monthly().waits, (estimates, omega): hours}}


def test_statements_hold_where_all_is_as_in_the_paper() -> None:
    assert [(one.find.__name__, (found := one.find(monthly())) is not None and found[0]) for one in STATEMENTS] == [
        (one.find.__name__, True) for one in STATEMENTS]
    assert {one.word(monthly()) for one in STATEMENTS} == {"same direction"}


@pytest.mark.parametrize("name, changed, held, numbers", [
    ("_poorest", waits_with(ACTUAL, "0", [9, 50]), False, "2 of 2 months, 1 with actual times"),
    ("_falls", waits_with(ESTIMATED, "2", [6, 40]), False, "7 of 8 steps"),
    ("_infinity_is_shortest", waits_with(ESTIMATED, "4", [1, 30]), False, "smallest total: infinity; 1 of 2 months"),
    ("_infinity_is_shortest", waits_with(ESTIMATED, "4", [3, 7]), False, "smallest total: 4; 1 of 2 months"),
    ("_each_improves", waits_with(ESTIMATED, "4", [3, 52]), False, "-20 %, +0 %, -80 %; 5 of 6 months"),
    ("_below_aggressive", waits_with(ESTIMATED, "1", [1, 50]), False, "1 of 2 months, -40.0 % on average"),
    ("_far_below_aggressive", waits_with(ESTIMATED, "1", [1, 8]), False, "+12.5 % on average, +22.2 % in total"),
    ("_far_below_aggressive", waits_with(ESTIMATED, "1", [0, 50]), True, "-80.0 % on average, -78.0 % in total"),
    ("_far_below_log", {"log_waits": [1, 8]}, False, "+12.5 % on average"),
    ("_below_log", {"log_waits": [1, 20]}, False, "1 of 2 months, -25.0 % on average"),
    ("_estimates_do_not_matter", waits_with(ACTUAL, "inf", [2, 8]), False, "-12.5 % on average; less in 1 of 2 months"),
    ("_more_are_backfilled", {"backfilled": {**monthly().backfilled, (ESTIMATED, "2"): [2, 6]}}, False, "5 of 6 steps"),
    ("_important_fall", {"important": {**monthly().important, "2": [6, 60]}}, False, "0 of 2 months, 6 of 8 steps"),
    ("_important_fall", {"important": {**monthly().important, "2": [6, 40]}}, True, "1 of 2 months, 7 of 8 steps"),
    ("_important_do_not_pay", {"important": {**monthly().important, "inf": [6, 55]}}, False,
     "+11 % in total; 0 of 2 months"),
    ("_important_below_log", {"log_important": [1, 9]}, False, "+10 % in total; 0 of 2 months"),
])
def test_statements_fail_by_their_bounds(name: str, changed: dict[str, Any], held: bool, numbers: str) -> None:
    finding = find(name, **changed)
    assert finding == (held, numbers)
    [statement] = [one for one in STATEMENTS if one.find.__name__ == name]
    assert statement.word(monthly(**changed)) == ("same direction" if held else "differs")


@pytest.mark.parametrize("machine, hours, found", [
    ("T3E", [1.65, 16.5], "same"), ("O3K", [1.65, 16.5], "same direction"), ("O3K", [1.9, 19], "same"),
    ("KTH", [1.9, 19], "same direction"), ("KTH", [1.775, 17.75], "close")])
def test_numbers_are_those_of_the_machine_or_of_both(machine: str, hours: list[float], found: str) -> None:
    [statement] = [one for one in STATEMENTS if one.find.__name__ == "_far_below_aggressive"]
    assert statement.word(replace(monthly(**waits_with(ESTIMATED, "inf", hours)), machine=machine)) == found


@pytest.mark.parametrize("name, changed", [
    ("_below_log", {"log_waits": None}), ("_important_below_log", {"log_important": None}),
    ("_important_fall", {"important": {}}), ("_important_do_not_pay", {"important": {}}),
    ("_important_below_log", {"important": {}})])
def test_statements_need_data(name: str, changed: dict[str, Any]) -> None:
    assert find(name, **changed) is None
    [statement] = [one for one in STATEMENTS if one.find.__name__ == name]
    assert statement.word(monthly(**changed)) == ""


def test_overview_counts_what_does_not_hold() -> None:
    other = monthly(**waits_with(ESTIMATED, "1", [1, 50]))
    waits = overview([monthly(), other], [])[2]
    assert (waits.what, waits.largest_difference, waits.word) == (
        "Tables 1 and 4", "what it states does not hold in 3 of 18 cases on KTH and KTH; "
        "omega = infinity to omega = 1: -80 %, -78 % in total", "differs")
    assert [one.repeated for one in overview([monthly(important={})], [])] == ["no", "no", "partly", "partly", "no"]
    assert [one.repeated for one in overview([monthly()], [])] == ["no", "no", "partly", "partly", "partly"]


def test_overview_is_about_machines_loaded_like_the_papers() -> None:
    busier = monthly(**waits_with(ESTIMATED, "1", [1, 50]))
    lines = {one.what: one for one in overview([monthly()], [busier])}
    waits, backfills = lines["Tables 1 and 4"], lines["Tables 2 and 5"]
    assert (waits.largest_difference, waits.word) == (
        "what it states does not hold in 0 of 9 cases on KTH; omega = infinity to omega = 1: -80 % in total; "
        "on busier machines in 3 of 9", "same direction")
    assert (backfills.largest_difference, backfills.word) == (
        "what it states does not hold in 0 of 1 cases on KTH; on busier machines in 0 of 1", "same direction")


def test_changes_are_in_per_cent() -> None:
    assert change(150, 100) == 50
    assert change(5, 0) == 0
    assert average_change([50, 3, 200], [100, 0, 100]) == 25
    assert average_change([3], [0]) == 0


# Tables and figures.

@pytest.fixture(name="files")
def collected_files(tmp_path: Path) -> dict[str, Any]:
    """What the workflow has collected of a machine of the log with months before and behind, and of a generated one."""
    groups = {"references": ["fcfs", "easy"], ESTIMATED: PAPER_OMEGAS, ACTUAL: PAPER_OMEGAS,
              **{name: PAPER_OMEGAS[1 if name == "walltime" else 0:] for name in VARIATIONS}}
    replays = [(machine, group, name, place) for machine in ("KTH", "Lublin") for group, names in groups.items()
               for place, name in enumerate(names)]
    write_csv(str(tmp_path / "months.csv"), [
        {"machine": machine, "group": group, "replay": name, "month": month,
         "utilisation": (0.5 if machine == "KTH" else 0.25) + number / 10,
         "wait_seconds": 3600 * (100 - 20 * place + number + (group == ACTUAL)),
         "important_wait_seconds": 3600 * (10 - place) if machine == "KTH" else 0,
         "backfilled": "" if group in ("references", *VARIATIONS) else 10 * place + number}
        for machine, group, name, place in replays for number, month in enumerate(["04", "05", "06"])])
    write_csv(str(tmp_path / "results.csv"), [
        {"machine": machine, "group": group, "replay": name, "jobs": 100,
         "mean_wait": 3600 * (5 - place), "max_wait": 36000, "urgent_wait_seconds": 7200 * (5 - place),
         "challenge_wait_seconds": 0, "primary_wait_seconds": 3600, "background_wait_seconds": 0}
        for machine, group, name, place in replays])
    for machine in ("KTH", "Lublin"):
        logged = machine == "KTH"
        write_csv(str(tmp_path / f"{machine}.csv"), [
            {"machine": machine, "month": month, "whole": whole, "jobs": 10, "important_jobs": 2 * logged,
             "log_wait_seconds": 36000 if logged else "", "log_important_wait_seconds": 7200 if logged else "",
             "log_utilisation": 0.25 if logged else ""} for month, whole in (("04", 1), ("05", 1), ("06", 0))])
        write_csv(str(tmp_path / f"{machine}-census.csv"), [
            {"machine": machine, "jobs": 30, "processors": 8, "background_jobs": 0, "primary_jobs": 24,
             "challenge_jobs": 0, "urgent_jobs": 6 * logged, "primary_log_wait_seconds": 86400 * 24 if logged else "",
             "urgent_log_wait_seconds": 3600 * 6 if logged else "", "mean_run_time_of_estimate": 0.291,
             "run_time_of_estimate": 0.5}])
    return {"paper": PAPER, "census": [str(tmp_path / f"{machine}-census.csv") for machine in ("KTH", "Lublin")],
            "logs": [str(tmp_path / f"{machine}.csv") for machine in ("KTH", "Lublin")],
            "months": str(tmp_path / "months.csv"), "results": str(tmp_path / "results.csv")}


@pytest.fixture(name="written")
def all_tables(tmp_path: Path, files: dict[str, Any]) -> Path:
    """The folder with all tables."""
    folder = tmp_path / "tables"
    folder.mkdir()
    tables.main(StandInJob(files, [str(folder / "logs.csv")], {
        "machines": ["KTH", "Lublin"], "loaded_alike": 0.4, "omegas": list(PAPER_OMEGAS),
        "references": ["fcfs", "easy"], "variations": VARIATIONS}))
    return folder


def test_waits_are_those_of_whole_months_and_of_all_jobs(written: Path) -> None:
    assert lines_of(written / "KTH-waits.md")[4:] == [
        "| 04 | 10 | 25.0 % | 10 | estimated | 100 | 80 | 60 | 40 | 20 |",
        "| 04 | 10 | 25.0 % | 10 | actual | 101 | 81 | 61 | 41 | 21 |",
        "| 05 | 10 | 25.0 % | 10 | estimated | 101 | 81 | 61 | 41 | 21 |",
        "| 05 | 10 | 25.0 % | 10 | actual | 102 | 82 | 62 | 42 | 22 |",
        "| total | 20 | 25.0 % | 20 | estimated | 201 | 161 | 121 | 81 | 41 |",
        "| total | 20 | 25.0 % | 20 | actual | 203 | 163 | 123 | 83 | 43 |",
        "| all jobs | 30 | - | 30 | estimated | 303 | 243 | 183 | 123 | 63 |",
        "| all jobs | 30 | - | 30 | actual | 306 | 246 | 186 | 126 | 66 |"]
    assert lines_of(written / "Lublin-waits.md")[4] == "| 04 | 10 | - | - | estimated | 100 | 80 | 60 | 40 | 20 |"


def test_other_tables_of_months(written: Path) -> None:
    assert lines_of(written / "KTH-backfilled.md")[8:] == ["| total | 20 | estimated | 1 | 21 | 41 | 61 | 81 |",
                                                           "| total | 20 | actual | 1 | 21 | 41 | 61 | 81 |"]
    assert lines_of(written / "KTH-important.md")[4:] == ["| 04 | 2 | 2 | 10 | 9 | 8 | 7 | 6 |",
                                                          "| 05 | 2 | 2 | 10 | 9 | 8 | 7 | 6 |",
                                                          "| total | 4 | 4 | 20 | 18 | 16 | 14 | 12 |"]
    assert lines_of(written / "Lublin-important.md")[6] == "| total | 0 | - | 0 | 0 | 0 | 0 | 0 |"
    assert lines_of(written / "KTH-utilisation.md")[6].startswith("| mean | 25.0 % | 55.0 % | 55.0 % | 55.0 % |")


def test_statements_are_asked_of_each_machine(written: Path) -> None:
    rows = read_csv(str(written / "statements.csv"))
    assert [row["machine"] for row in rows] == ["T3E", "O3K", "KTH", "Lublin"] * len(STATEMENTS)
    assert [row["where"] for row in rows[:4]] == ["paper", "paper", "busier", "alike"]
    assert (rows[12]["here"], rows[12]["word"]) == ("-39 %, -61 %, -70 %; 36 of 36 months", "same direction")
    assert (rows[26]["here"], rows[26]["word"]) == ("0 of 2 months, +105.0 % on average", "differs")
    assert (rows[20]["word"], rows[27]["here"], rows[27]["word"]) == ("same", "no data", "")


def test_of_larger_machines_only_waits_are_compared(tmp_path: Path, files: dict[str, Any]) -> None:
    tables.main(StandInJob(files, [str(tmp_path / "logs.csv")], {
        "machines": ["KTH"], "loaded_alike": 0.55, "omegas": list(PAPER_OMEGAS), "references": ["fcfs", "easy"],
        "variations": VARIATIONS}))
    for name in ("logs", "totals", "changes"):
        where = {row.get("machine", row.get("log")): row["where"] for row in read_csv(str(tmp_path / f"{name}.csv"))}
        assert (where["KTH"], where["Lublin"]) == ("alike", "larger")
    assert not (tmp_path / "Lublin-waits.csv").exists()
    assert {row["machine"] for row in read_csv(str(tmp_path / "statements.csv"))} == {"T3E", "O3K", "KTH"}
    assert {row["log"] for row in read_csv(str(tmp_path / "variations.csv"))} == {"KTH"}


def test_changes_are_of_totals_and_of_months(written: Path) -> None:
    rows = {(row["machine"], row["omega"], row["to"]): row for row in read_csv(str(written / "changes.csv"))}
    assert ("Lublin", "inf", "log") not in rows
    change_of = rows["KTH", "inf", "1"]
    assert float(change_of["total"]) == pytest.approx(change(41, 161))
    assert (change_of["months below"], change_of["months"]) == ("2", "2")
    assert float(rows["T3E", "inf", "log"]["average"]) == pytest.approx(-46.1, abs=0.05)


def test_logs_and_totals(written: Path) -> None:
    assert lines_of(written / "logs.md")[4] == (
        "| KTH | busier | 8 | 30 | 6 | 0 | 24 | 0 | 2 | 04 | 05 | 20 | 25.0 % | 55.0 % | 29.1 % | 50.0 % |")
    assert lines_of(written / "totals.md")[4:6] + lines_of(written / "totals.md")[8:9] == [
        "| T3E | paper | 12 | 73,902 | estimated | 288,524 | 62,513 | 37,985 | 24,228 | 18,539 |",
        "| T3E | paper | 12 | 73,902 | actual | 172,497 | 34,560 | 24,432 | 20,667 | 19,012 |",
        "| KTH | busier | 2 | 20 | estimated | 201 | 161 | 121 | 81 | 41 |"]
    assert lines_of(written / "estimates.md")[6] == "| KTH | 0.99 | 0.99 | 0.98 | 0.98 | 0.95 |"


def test_comparisons(written: Path) -> None:
    references = lines_of(written / "references.md")
    assert references[4:7] == ["| fcfs | 500 | 10 | 500 | 10 |", "| easy | 400 | 10 | 400 | 10 |",
                               "| relaxed, omega = 0 | 500 | 10 | 500 | 10 |"]
    assert references[-1] == "| relaxed, omega = infinity, first come first | 100 | 10 | 100 | 10 |"
    assert lines_of(written / "queues.md")[4:8] == [
        "| KTH | urgent | 6 | 1.0 | as the paper | 1.7 | 1.3 | 1.0 | 0.7 | 0.3 |",
        "| KTH | urgent | 6 | 1.0 | r=1 | 1.7 | 1.3 | 1.0 | 0.7 | 0.3 |",
        "| KTH | primary | 24 | 24.0 | as the paper | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 |",
        "| KTH | primary | 24 | 24.0 | r=1 | 0.0 | 0.0 | 0.0 | 0.0 | 0.0 |"]
    variations = lines_of(written / "variations.md")
    assert variations[5] == (
        "| KTH | busier | r=1 | 201 | 161 | 121 | 81 | 41 | omega = infinity | -74.5 | -74.5 | 2 of 2 | -33.3 |")
    assert variations[6] == (
        "| KTH | busier | basis=walltime | - | 201 | 161 | 121 | 81 | omega = infinity | -59.7 | -59.7 | 2 of 2 | "
        "-30.0 |")
    assert variations[8].endswith("| 2 of 2 | - |")


def test_averages_of_the_paper_come_out(written: Path) -> None:
    found = {row["what"]: row["from the tables"] for row in read_csv(str(written / "paper-averages.csv"))}
    assert found["T3E: actual wait of 2002-01, printed total less these (h)"] == "43366"
    assert round(float(found["O3K: infinity to the actual wait, mean of the months (%)"])) == -87


def test_a_machine_needs_a_whole_month(tmp_path: Path, files: dict[str, Any]) -> None:
    rows = read_csv(files["logs"][0])
    write_csv(files["logs"][0], [{**row, "whole": 0} for row in rows])
    with pytest.raises(JobError, match="KTH: no whole month"):
        tables.main(StandInJob(files, [str(tmp_path / "logs.csv")], {
            "machines": ["KTH"], "loaded_alike": 0.4, "omegas": list(PAPER_OMEGAS), "references": [],
            "variations": {}}))


def test_months_here_are_whole_ones(files: dict[str, Any]) -> None:
    months = replayed(read_csv(files["logs"][0]), read_csv(files["months"]), PAPER_OMEGAS)
    assert months.months == ["04", "05"]
    assert months.waits[ACTUAL, "inf"] == [21, 22]
    assert months.important["1"] == [9, 9]
    generated = replayed(read_csv(files["logs"][1]), read_csv(files["months"]), PAPER_OMEGAS)
    assert (generated.log_waits, generated.log_important, generated.important) == (None, None, {})


@pytest.mark.parametrize("number, titles, first_line", [
    ("1", ["Estimated run times", "Actual run times"], f"KTH,requested,0,{201 / 161}"),
    ("2", ["KTH"], "KTH,04,0,100.0")])
def test_figures(tmp_path: Path, files: dict[str, Any], number: str, titles: list[str], first_line: str) -> None:
    output = results_in(tmp_path, svg="f.svg", png="f.png", csv="f.csv")
    figures.main(StandInJob(files, output, {"omegas": list(PAPER_OMEGAS)}, {"figure": number}))
    assert lines_of(tmp_path / "f.csv")[1] == first_line
    assert (tmp_path / "f.png").stat().st_size > 0
    svg = (tmp_path / "f.svg").read_text(encoding="utf-8")
    assert all(f">{title}</text>" in svg for title in titles)


def test_figure_of_months_shows_the_log_where_it_has_waits(files: dict[str, Any]) -> None:
    months = [replayed(read_csv(file), read_csv(files["months"]), PAPER_OMEGAS) for file in files["logs"]]
    figure, _ = figures.by_month(months)
    assert [len(axes.lines) for axes in figure.axes] == [4, 3]
    figure, numbers = figures.by_omega([*months, papers(read_csv(PAPER), "T3E")])
    assert [text.get_text() for text in figure.legends[0].texts] == ["KTH", "Lublin", "T3E, the paper"]
    assert {row["wait_of_omega_1"] for row in numbers if row["omega"] == "1"} == {1}
