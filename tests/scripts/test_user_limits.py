"""Limits of users: who is heavy, how long limits hold jobs, what is summed up by week, tables and figure."""
import json
from pathlib import Path

import pytest
from common.job import JobError
from common.tables import read_csv
from stand_ins import StandInJob, StandInProgram, lines_where, results_in, tables_job, write
from user_limits import figures, replay, tables

Run = tuple[str, int, int, int, int]

WEEK = 7 * 86400
COLUMNS = ("job_id", "submission_time", "requested_number_of_resources", "starting_time", "execution_time",
           "finish_time", "waiting_time")
# Of ann: job 2 waits for her limit of 2 processors until 100, and then until 130 for the machine. Job 4 is in week 1.
RUNS: list[Run] = [("1", 0, 2, 0, 100), ("2", 10, 1, 130, 50), ("3", 20, 1, 20, 110), ("4", WEEK + 5, 1, WEEK + 15, 5)]
USERS = {"1": "ann", "2": "ann", "3": "bob", "4": "bob"}


def jobs(runs: list[Run]) -> list[dict[str, str]]:
    """Lines of a schedule as they are read."""
    return [dict(zip(COLUMNS, map(str, (id, submit, size, start, run, start + run, start - submit))))
            for id, submit, size, start, run in runs]


def test_heavy_users_have_half_of_the_work() -> None:
    assert replay.heavy_users({"a": 5, "b": 3, "c": 2}) == {"a"}
    assert replay.heavy_users({"a": 4, "b": 3, "c": 3}) == {"a", "b"}
    assert replay.heavy_users({"b": 1, "a": 1}) == {"a"}


def test_a_limit_holds_a_job_while_others_leave_too_little() -> None:
    assert replay.held_by_limit(jobs(RUNS[:2]), 2) == {"1": 0, "2": 90}
    assert replay.held_by_limit(jobs(RUNS[:2]), 3) == {"1": 0, "2": 0}


def test_weeks_have_waits_of_users_and_the_time_of_the_machine() -> None:
    first, second = replay.weeks_of(jobs(RUNS), USERS, {"ann"}, 2)
    assert first == {"week": 0, "jobs": 3, "bounded_slowdown": 1 + 170 / 50 + 1, "wait": 120, "jobs_heavy": 2,
                     "wait_heavy": 120, "jobs_light": 1, "wait_light": 0, "held": 90, "busy": 200 + 50 + 110}
    assert second == {"week": 1, "jobs": 1, "bounded_slowdown": 1.5, "wait": 10, "jobs_heavy": 0, "wait_heavy": 0,
                      "jobs_light": 1, "wait_light": 10, "held": 0, "busy": 0}


def test_jobs_that_a_limit_would_reject_are_left_out() -> None:
    workload = {"jobs": [{"id": 1, "res": 3}, {"id": 2, "res": 2, "user": "x"}, {"id": 3, "res": 1}]}
    left = replay.prepared(workload, 2, 5)["jobs"]
    assert [job["id"] for job in left] == [2, 3]
    assert left[0]["user"] == "x" and left[1]["user"] in {"0", "1", "2", "3", "4"}


def test_each_limit_is_replayed_and_audited(tmp_path: Path, program: StandInProgram) -> None:
    text = "\n".join([",".join(COLUMNS), *(",".join(line.values()) for line in jobs(RUNS))]) + "\n"
    program.answer("simulate", writes={"none_jobs.csv": text, "half_jobs.csv": text})
    measured = f"{130 / 4!r},{(1 + 170 / 50 + 1 + 1.5) / 4!r}"
    program.answer("metrics", prints="run,mean_wait,mean_bounded_slowdown,utilisation,max_wait,limit_wait_share\n"
                                     f"x,{measured},0.5,120,{90 / 130!r}\n")
    workload = {"nb_res": 4, "profiles": {"p": {"delay": 100}},
                "jobs": [{"id": id, "user": USERS[id], "res": size, "walltime": run, "profile": "p"}
                         for id, _, size, _, run in RUNS]}
    job = StandInJob(
        {"batfill": str(program.file), "platform": write(tmp_path / "platform"),
         "workload": write(tmp_path / "workload", json.dumps(workload))},
        results_in(tmp_path, weeks="weeks.csv", results="results.csv", manifest="manifest.json"),
        {"settings": {"shares": {"half": 2}}}, {"machine": "KTH", "algorithm": "easy"})
    with pytest.raises(JobError, match="limits hold 0.0 of all waiting"):
        replay.main(job)  # without limits, none of the waiting is theirs
    program.answer("metrics", prints="run,mean_wait,mean_bounded_slowdown,utilisation,max_wait,limit_wait_share\n"
                                     f"x,{measured},0.5,120,\n")
    with pytest.raises(JobError, match="limits hold 0.69"):
        replay.main(job)
    assert program.calls[-3:] == [
        "simulate -q -p platform.xml -w workload.json -e half -a easy --limits half.limits",
        "check half_jobs.csv -w workload.json -p platform.xml --limits half.limits",
        "metrics half_jobs.csv -p platform.xml -w workload.json --limits half.limits --format csv"]


@pytest.fixture(name="written")
def all_tables(tmp_path: Path, intervals_program: str) -> Path:
    """The folder with the tables of a log of 24 weeks on 4 processors, of which half are busy, or with a limit a
    quarter: heavy users wait twice as long with it, light ones half as long."""
    weeks: list[dict[str, object]] = []
    results: list[dict[str, object]] = []
    for share, heavy, light, held, busy in (("none", 100, 40, 0, 0.5), ("half", 200, 20, 150, 0.25)):
        what = {"machine": "KTH", "algorithm": "easy", "share": share}
        for week in range(24):
            weeks.append({**what, "week": week, "jobs": 10, "bounded_slowdown": 10 * heavy,
                          "wait": 4 * heavy + 6 * light, "jobs_heavy": 4, "wait_heavy": 4 * heavy, "jobs_light": 6,
                          "wait_light": 6 * light, "held": 4 * held, "busy": busy * 4 * WEEK if week < 23 else 0})
        results.append({**what, "processors": 4, "most": 2, "users": 9, "heavy": 3, "held": 0.5, "utilisation": busy,
                        "max_wait": 300})
    tables.main(tables_job(tmp_path, intervals_program, weeks, results))
    return tmp_path


def test_means_and_changes_are_of_users_and_of_the_machine(written: Path) -> None:
    assert [list(row.values()) for row in lines_where(written, "machines")] == [
        ["KTH", "4", "240", "24", "9", "3", "96"]]
    means = {(row["share"], row["measure"]): tuple(round(float(row[part]), 6) for part in ("value", "low", "high"))
             for row in lines_where(written, "means")}
    assert means["none", "wait_heavy"] == (100, 100, 100)
    assert means["half", "utilisation"] == (0.25, 0.25, 0.25)
    assert means["half", "held"] == (round(600 / 920, 6),) * 3
    assert ("none", "held") not in means
    changes = {(row["share"], row["measure"]): (round(float(row["value"]), 6), row["verdict"])
               for row in lines_where(written, "changes")}
    assert changes["half", "wait_heavy"] == (1, "more")
    assert changes["half", "wait_light"] == (-0.5, "less")
    assert changes["half", "utilisation"] == (-0.25, "less")


def test_the_figure_has_a_point_for_each_limit(written: Path) -> None:
    output = results_in(written, svg="figure.svg", png="figure.png", csv="figure.csv")
    figures.main(StandInJob({name: str(written / f"{name}.csv") for name in ("changes", "means")}, output,
                            {"words": {"half": "half of the machine"}}))
    assert {(row["measure"], round(float(row["value"]))) for row in read_csv(output["csv"])} == {
        ("wait_light", -50), ("wait_heavy", 100), ("utilisation", -25), ("held", 65)}
    assert "half of the machine" in Path(output["svg"]).read_text(encoding="utf-8")
