"""Online tuning against policies: its replays by week, its intervals and its tables, from small inputs."""
from pathlib import Path
from typing import Any

import pytest
from common.job import JobError
from common.tables import read_csv, write_csv
from online_tuning import replay, tables
from stand_ins import StandInJob, StandInProgram, lines_where, results_in, tables_job, write

WEEK = 7 * 86400
SCHEDULE = "\n".join(["job_id,submission_time,waiting_time,execution_time", "1,0,90,10", f"2,{WEEK - 1},0,0",
                      f"3,{WEEK},30,2", f"4,{3 * WEEK},0,100\n"])


def replay_job(folder: Path, program: StandInProgram, mean_wait: str) -> StandInJob:
    """A job of rule `online_tuning_replay`, with one seed."""
    program.answer("simulate", writes={"seed-1_jobs.csv": SCHEDULE,
                                       "seed-1_statistics.csv": "statistic,value\ntunings,3\nimprovements,2\n"})
    # Bounded slowdowns 10, 1, 3.2 and 1.
    program.answer("metrics", prints=f"run,mean_wait,mean_bounded_slowdown\nx,{mean_wait},3.8\n")
    return StandInJob(
        {"batfill": str(program.file), "platform": write(folder / "platform"), "workload": write(folder / "workload")},
        results_in(folder, weeks="out.csv", results="results.csv", manifest="manifest.json"),
        {"engine": "simulate", "replays": {"seed-1": ["order=mixed", "seed=1"]}}, {"machine": "KTH", "group": "a-way"})


def test_replay_is_audited_and_added_up_by_week(tmp_path: Path, program: StandInProgram) -> None:
    replay.main(replay_job(tmp_path, program, "30"))
    assert program.calls == [
        "simulate -q -p platform.xml -w workload.json -e seed-1 -a easy -P order=mixed -P seed=1",
        "check seed-1_jobs.csv -w workload.json -p platform.xml", "metrics seed-1_jobs.csv --format csv"]
    assert [list(row.values()) for row in read_csv(str(tmp_path / "out.csv"))] == [
        ["KTH", "a-way", "seed-1", "0", "2", "11.0", "90.0"], ["KTH", "a-way", "seed-1", "1", "1", "3.2", "30.0"],
        ["KTH", "a-way", "seed-1", "3", "1", "1.0", "0.0"]]
    [result] = read_csv(str(tmp_path / "results.csv"))
    assert (result["jobs"], result["tunings"], result["improvements"]) == ("4", "3", "2")


def test_weeks_have_to_give_what_the_program_measures(tmp_path: Path, program: StandInProgram) -> None:
    with pytest.raises(JobError, match="the weeks have a mean wait of 30.0, `batfill metrics` says 30.1"):
        replay.main(replay_job(tmp_path, program, "30.1"))


def lines() -> list[dict[str, object]]:
    """24 weeks with two policies and two seeds. Tuning is better than FCFS in each week, and as good as SAF in the
    mean."""
    per_job = {("policies", "fcfs"): (9, 9), ("policies", "saf"): (4, 6), ("a-way", "seed-1"): (5, 5),
               ("a-way", "seed-2"): (6, 4)}
    return [{"machine": "KTH", "way": way, "replay": name, "week": week, "jobs": 10,
             "bounded_slowdown": 10 * values[week % 2], "wait": 600 * values[week % 2]}
            for (way, name), values in per_job.items() for week in range(24)]


RESULTS = [{"machine": "KTH", "way": "policies", "replay": "fcfs", "jobs": 240, "tunings": "", "improvements": "",
            "processor_seconds": 1}] + [
    {"machine": "KTH", "way": "a-way", "replay": f"seed-{seed}", "jobs": 240, "tunings": 11, "improvements": found,
     "processor_seconds": 22} for seed, found in ((1, 4), (2, 7))]


@pytest.fixture(name="job")
def job_of_tables(tmp_path: Path, intervals_program: str) -> StandInJob:
    """The job of rule `online_tuning_tables`."""
    return tables_job(tmp_path, intervals_program, lines(), RESULTS)


def test_tables(tmp_path: Path, job: StandInJob) -> None:
    tables.main(job)
    assert [list(row.values()) for row in lines_where(tmp_path, "machines")] == [["KTH", "240", "24", "2"]]
    [tuned] = lines_where(tmp_path, "means", way="a-way", measure="bounded_slowdown")
    assert (tuned["kind"], tuned["value"], tuned["least"], tuned["most"]) == ("tuned", "5.0", "5.0", "5.0")
    # Over the seeds, weeks have slowdowns of 5.5 and 4.5 in turn: the standard error is the root of 6 / 23 / 24.
    assert float(tuned["high"]) == pytest.approx(5 + 2 * (6 / 23 / 24) ** 0.5)
    changes = lines_where(tmp_path, "changes", way="a-way", measure="wait")
    assert [(row["policy"], row["is_best"], round(float(row["value"]), 3), row["verdict"]) for row in changes] == [
        ("fcfs", "0", -0.444, "better"), ("saf", "1", 0, "open")]
    [policy] = lines_where(tmp_path, "changes", way="fcfs", measure="wait")
    assert (policy["policy"], policy["kind"], policy["verdict"]) == ("saf", "policy", "worse")
    [searches] = lines_where(tmp_path, "searches")
    assert (searches["searches"], searches["replaced"], searches["replaced, least"], searches["replaced, most"],
            searches["processor_seconds_per_search"]) == ("11", "5.5", "4", "7", "2.0")


def test_replays_have_the_same_jobs(tmp_path: Path, job: StandInJob) -> None:
    other: list[dict[str, Any]] = lines()
    other[-1]["jobs"] = 11
    write_csv(str(tmp_path / "weeks.csv"), other)
    with pytest.raises(JobError, match="KTH, a-way, seed-2: other jobs than in the first replay"):
        tables.main(job)


def test_few_weeks_have_no_interval_and_no_verdict(tmp_path: Path, job: StandInJob) -> None:
    write_csv(job.input.weeks, [line for line in lines() if int(str(line["week"])) < 19])
    tables.main(job)
    found = read_csv(str(tmp_path / "changes.csv"))
    assert {(row["low"], row["high"], row["verdict"]) for row in found} == {("", "", "open")}
    assert all(row["value"] for row in found)
