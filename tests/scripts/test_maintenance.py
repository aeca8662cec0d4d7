"""Maintenance: its calendars, what is summed up by week, its tables and its figure, from small inputs."""
import json
from pathlib import Path

import pytest
from common.log_clock import LogClock
from common.tables import read_csv
from maintenance import figures, replay, tables
from stand_ins import StandInJob, StandInProgram, lines_where, results_in, tables_job, write

Run = tuple[str, int, int, str, int, int, int]

WEEK = 7 * 86400
HOUR = 3600
COLUMNS = ("job_id", "submission_time", "requested_number_of_resources", "final_state", "starting_time",
           "execution_time", "finish_time")
# Job 2 is killed at 100, has run for 40 s on 2 of 4 processors, and ends at 190 in its second run.
WITHOUT: list[Run] = [("1", 0, 1, "COMPLETED_SUCCESSFULLY", 0, 30, 30),
                      ("2", 10, 2, "COMPLETED_SUCCESSFULLY", 60, 50, 110),
                      ("3", WEEK, 4, "COMPLETED_SUCCESSFULLY", WEEK + 60, 5, WEEK + 65)]
WITH: list[Run] = [WITHOUT[0], ("2", 10, 2, "COMPLETED_KILLED", 60, 40, 100),
                   ("2#1", 100, 2, "COMPLETED_SUCCESSFULLY", 140, 50, 190), WITHOUT[2]]
WINDOWS = [{"from": 100, "until": 140}]


def jobs(lines: list[Run]) -> list[dict[str, str]]:
    """Lines of a schedule as they are read."""
    return [{name: str(value) for name, value in zip(COLUMNS, line)} for line in lines]


def test_maintenance_begins_at_the_hour_of_the_local_clock() -> None:
    stockholm = LogClock.of("; UnixStartTime: 843480031\n; TimeZoneString: Europe/Stockholm\n")  # 14:00:31
    assert replay.first_begin(stockholm, 0, 8) == 18 * HOUR - 31
    assert replay.first_begin(stockholm, 2, 8) == 2 * 86400 + 18 * HOUR - 31
    assert replay.first_begin(stockholm, 0, 15) == HOUR - 31
    assert replay.first_begin(LogClock.of(""), 3, 0) == 3 * 86400


def test_a_job_that_was_killed_has_waited_until_its_last_run() -> None:
    assert sorted(replay.last_runs(jobs(WITH))) == [(0, 0, 30), (10, 130, 50), (WEEK, 60, 5)]


def test_what_is_taken_in_a_stretch() -> None:
    boxes = replay.boxes_of(jobs(WITHOUT))
    assert replay.busy(boxes, 20, 70) == 10 * 1 + 10 * 2
    assert replay.busy(boxes, 30, 60) == 0


def test_weeks_have_jobs_and_windows() -> None:
    first, second = replay.weeks_of(jobs(WITH), replay.boxes_of(jobs(WITHOUT)), WINDOWS, 90)
    assert first == {"week": 0, "jobs": 2, "bounded_slowdown": 1 + 180 / 50, "wait": 130, "windows": 1, "lost": 80,
                     "drained": 0}
    assert second == {"week": 1, "jobs": 1, "bounded_slowdown": 6.5, "wait": 60, "windows": 0, "lost": 0, "drained": 0}
    drained, _ = replay.weeks_of(jobs(WITHOUT[:1] + WITHOUT[2:]), replay.boxes_of(jobs(WITHOUT)), WINDOWS, 90)
    assert drained["drained"] == 80


def schedule(lines: list[Run]) -> str:
    """The lines as a file."""
    return "\n".join([",".join(COLUMNS), *(",".join(map(str, line)) for line in lines)]) + "\n"


def test_each_calendar_is_replayed_and_audited(tmp_path: Path, program: StandInProgram) -> None:
    program.answer("simulate", writes={"none_jobs.csv": schedule(WITHOUT), "with_jobs.csv": schedule(WITH)})
    program.answer("generate", writes={"calendar.json": json.dumps(WINDOWS[0]) + "\n"})
    # Of the schedule without maintenance: waits 0, 50 and 60; slowdowns 1, 2 and 6.5.
    program.answer("metrics", prints="run,mean_wait,mean_bounded_slowdown,utilisation\n"
                                     f"x,{110 / 3!r},{9.5 / 3!r},0.5\n")
    workload = {"nb_res": 4, "jobs": [{"subtime": 0, "walltime": 60}, {"subtime": WEEK, "walltime": 90}]}
    replay.main(StandInJob(
        {"batfill": str(program.file), "platform": write(tmp_path / "platform"), "header": write(tmp_path / "header"),
         "workload": write(tmp_path / "workload", json.dumps(workload))},
        results_in(tmp_path, weeks="weeks.csv", results="results.csv", manifest="manifest.json"),
        {"settings": {"announced": {"week": "7d", "surprise": 0}, "every": "30d", "length": "8h", "hour": 8,
                      "days": [1], "drain": 90}}, {"machine": "KTH", "algorithm": "easy"}))
    assert program.calls[:3] == [
        "simulate -q -p platform.xml -w workload.json -e none -a easy",
        "check none_jobs.csv -w workload.json -p platform.xml", "metrics none_jobs.csv -p platform.xml --format csv"]
    assert program.calls[3:6] == [
        "generate windows --hosts all --running requeue --every 30d --length 8h --announced 7d --first 115200 --until "
        f"{WEEK} -o calendar.json",
        "simulate -q -p platform.xml -w workload.json -e with -a easy --windows calendar.json",
        "check with_jobs.csv -w workload.json -p platform.xml --windows calendar.json"]
    assert [(row["announced"], row["calendar"], row["windows"], row["killed"], row["longest_walltime"])
            for row in read_csv(str(tmp_path / "results.csv"))] == [
                ("none", "0", "0", "0", "90"), ("week", "1", "1", "1", "90"), ("surprise", "1", "1", "1", "90")]
    assert [(row["announced"], row["week"], row["lost"]) for row in read_csv(str(tmp_path / "weeks.csv"))] == [
        (announced, week, lost) for announced, lost in (("none", "0.0"), ("week", "80.0"), ("surprise", "80.0"))
        for week, lost in (("0", lost), ("1", "0.0"))]


@pytest.fixture(name="written")
def all_tables(tmp_path: Path, intervals_program: str) -> Path:
    """The folder with the tables of a log of 24 weeks and two calendars: windows are in weeks 0, 2, ... or in weeks
    1, 3, ... Announced, 3 hours of the whole machine of 4 processors are drained, else 2 are lost."""
    weeks: list[dict[str, object]] = []
    results: list[dict[str, object]] = []
    for announced, wait, drained, lost in (("none", 100, 0, 0), ("week", 120, 3, 0), ("surprise", 90, 0, 2)):
        for calendar in (0,) if announced == "none" else (1, 2):
            what = {"machine": "KTH", "algorithm": "easy", "announced": announced, "calendar": calendar}
            for week in range(24):
                windows = int(announced != "none" and week % 2 == calendar - 1)
                weeks.append({**what, "week": week, "jobs": 10, "bounded_slowdown": 10 + wait, "wait": 10 * wait,
                              "windows": windows, "lost": windows * lost * 4 * HOUR,
                              "drained": windows * drained * 4 * HOUR})
            results.append({**what, "processors": 4, "windows": 0 if announced == "none" else 6, "killed": 5 * calendar,
                            "longest_walltime": 7200, "utilisation": 0.5 + calendar / 10})
    tables.main(tables_job(tmp_path, intervals_program, weeks, results))
    return tmp_path


def test_means_are_of_jobs_or_of_windows(written: Path) -> None:
    assert [list(row.values()) for row in lines_where(written, "machines")] == [
        ["KTH", "4", "240", "24", "2", "6", "6", "7200.0"]]
    # All weeks are the same: calendar 1 has the windows that calendar 2 has not.
    found = {(row["announced"], row["measure"]): tuple(round(float(row[part]), 6) for part in ("value", "low", "high"))
             for row in lines_where(written, "means")}
    assert found["week", "wait"] == (120, 120, 120)
    assert found["week", "drained"] == (3, 3, 3)
    assert found["surprise", "lost"] == (2, 2, 2)
    assert found["surprise", "taken"] == (2, 2, 2)
    assert ("none", "drained") not in found


def test_changes_are_shares_of_jobs_and_hours_of_windows(written: Path) -> None:
    found = {(row["announced"], row["than"], row["measure"]): (round(float(row["value"]), 6), row["verdict"])
             for row in lines_where(written, "changes")}
    assert found["week", "none", "wait"] == (0.2, "more")
    assert found["surprise", "none", "wait"] == (-0.1, "less")
    assert found["surprise", "week", "wait"] == (-0.25, "less")
    assert found["surprise", "week", "taken"] == (-1, "less")
    assert found["surprise", "week", "lost"] == (2, "more")
    assert {(announced, than) for announced, than, _ in found} == {
        ("week", "none"), ("surprise", "none"), ("surprise", "week")}


def test_totals_are_over_the_calendars(written: Path) -> None:
    [total] = lines_where(written, "totals", announced="week")
    assert [total[f"killed, {part}"] for part in ("mean", "least", "most")] == ["7.5", "5.0", "10.0"]
    assert float(total["utilisation, mean"]) == pytest.approx(0.65)


def test_the_figure_has_changes_and_hours(written: Path) -> None:
    output = results_in(written, svg="figure.svg", png="figure.png", csv="figure.csv")
    figures.main(StandInJob({name: str(written / f"{name}.csv") for name in ("changes", "means")}, output,
                            {"words": {"week": "a week before", "surprise": "not at all"}}))
    numbers = read_csv(output["csv"])
    assert [(row["announced"], row["measure"]) for row in numbers] == [
        (announced, measure) for measures in (("wait", "bounded_slowdown"), ("drained", "lost"))
        for announced in ("week", "surprise") for measure in measures]
    assert float(numbers[0]["value"]) == pytest.approx(20)
    assert "not at all" in Path(output["svg"]).read_text(encoding="utf-8")
