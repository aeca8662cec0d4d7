"""Shared hosts: demands, draws, the ways to replay, tables and figure, from small inputs."""
import json
from pathlib import Path
from typing import Any

import pytest
from common.intervals import Intervals
from common.job import JobError
from common.tables import read_csv, write_csv
from common.workbench import Workbench
from shared_hosts import demand, drawn, figures, replay, tables
from stand_ins import StandInJob, StandInProgram, results_in, write

WEEK = 7 * 86400
COLUMNS = ("job_id", "submission_time", "final_state", "waiting_time", "execution_time")
CAPACITY = {"cores": 4, "gpus": 2}
# Job 1 is stopped by its walltime after 10 s, job 2 takes whole hosts.
SHARED: dict[str, Any] = {"jobs": [
    {"id": "1", "subtime": 0, "res": 1, "walltime": 10, "profile": "d20", "per_host": {"cores": 2, "gpus": 1},
     "pools": {"burst_buffer": 30}},
    {"id": "2", "subtime": 50, "res": 2, "walltime": 90, "profile": "d20"},
    {"id": "3", "subtime": 100, "res": 2, "walltime": 90, "profile": "d20", "per_host": {"cores": 1}}],
    "profiles": {"d20": {"type": "delay", "delay": 20}}}
OF_DRAW: dict[str, Any] = {"draws": 1, "jobs": 3, "loads": {"load-0.7": 0.7}, "hosts": 4, "widest": 2,
                           "capacity": CAPACITY, "pool": {"total": 1000, "share": 0.3, "least": 50, "most": 100}}
# On 4 processors; the usual request is 10 for each.
LOG: dict[str, Any] = {"nb_res": 4, "jobs": [
    {"id": "1", "subtime": 0, "res": 2, "walltime": 60, "profile": "d40", "pools": {"memory": 20}},
    {"id": "2", "subtime": 10, "res": 1, "walltime": 60, "profile": "d40"},
    {"id": "3", "subtime": 20, "res": 1, "walltime": 60, "profile": "d40", "pools": {"memory": 25}},
    {"id": "4", "subtime": 100, "res": 4, "walltime": 60, "profile": "d40", "pools": {"memory": 40}}],
    "profiles": {"d40": {"type": "delay", "delay": 40}}}
OF_LOG: dict[str, Any] = {"logs": ["log"], "usual": 10, "pools": [100, 60],
                          "without": {"conservative": ["60 unplanned"]}}


def schedule(*lines: tuple[object, ...]) -> str:
    """A schedule with these lines."""
    return "".join(",".join(map(str, line)) + "\n" for line in (COLUMNS, *lines))


def test_the_offered_load_is_of_the_time_between_submissions() -> None:
    assert demand.run_of(SHARED, SHARED["jobs"][0]) == 10
    assert demand.run_of(SHARED, SHARED["jobs"][1]) == 20
    # (3 * 10 + 4 * 20 + 0 * 20) / (100 * 11)
    assert demand.offered(SHARED, {"1": 3, "2": 4, "3": 0}, 11) == pytest.approx(0.1)


def test_large_jobs_take_a_tenth_of_the_pool() -> None:
    assert demand.large_jobs(SHARED, "burst_buffer", 300) == {"1"}
    assert demand.large_jobs(SHARED, "burst_buffer", 301) == set()


def test_a_schedule_with_a_rejected_job_is_refused(tmp_path: Path) -> None:
    with Workbench(write(tmp_path / "batfill")) as bench:
        write(bench.path("a_jobs.csv"), schedule(("1", 0, "COMPLETED_SUCCESSFULLY", 0, 1)))
        write(bench.path("b_jobs.csv"), schedule(("7", 0, "REJECTED", 0, 0)))
        assert [line["job_id"] for line in demand.schedule_of(bench, "a")] == ["1"]
        with pytest.raises(JobError, match="b: job 7 is rejected"):
            demand.schedule_of(bench, "b")


def test_the_seed_says_who_takes_of_the_pool() -> None:
    workload: dict[str, Any] = {"jobs": [{"res": 1}, {"res": 2}, {"res": 4}]}
    drawn.give_pool(workload, OF_DRAW["pool"], 1)
    # The numbers of seed 1 are 0.134 and 0.847, 0.764, 0.255 and 0.495: 50 + 43, and 4 times 50 + 25.
    assert [job.get("pools") for job in workload["jobs"]] == [{"burst_buffer": 93}, None, {"burst_buffer": 300}]


def test_loads_count_whole_hosts() -> None:
    # Cores: 2 * 10 + 8 * 20 + 2 * 20 of 100 * 16. GPUs: 1 * 10 + 4 * 20 of 100 * 8. Pool: 30 * 10 of 100 * 1000.
    assert drawn.loads(SHARED, OF_DRAW) == pytest.approx({"cores": 0.1375, "gpus": 0.1125, "burst_buffer": 0.003})


def test_the_mean_wait_of_some_jobs() -> None:
    lines = [{"job_id": name, "waiting_time": wait} for name, wait in (("1", "10"), ("2", "70"), ("3", "20"))]
    assert drawn.mean_wait(lines, {"1", "3"}) == 15


def test_each_draw_is_replayed_in_each_way(tmp_path: Path, program: StandInProgram) -> None:
    jobs = {"jobs": [{key: value for key, value in job.items() if key != "pools"} for job in SHARED["jobs"]],
            "profiles": SHARED["profiles"]}
    program.answer("generate", writes={"shared.json": json.dumps(jobs), "counted.json": "{}"})
    lines = schedule(*((name, 0, "COMPLETED_SUCCESSFULLY", wait, 9) for name, wait in (("1", 3), ("2", 40), ("3", 5))))
    program.answer("simulate", writes={f"{way}_jobs.csv": lines
                                       for way in ("counted", "hosts", "planned", "unplanned")})
    program.answer("metrics", prints="run,mean_wait,mean_bounded_slowdown\nx,16,2\n")
    output = results_in(tmp_path, results="results.csv", manifest="manifest.json")
    drawn.main(StandInJob({"batfill": str(program.file)}, output, {"settings": OF_DRAW, "algorithms": ["easy"]},
                          {"drawn": "load-0.7"}))
    assert program.calls[0] == ("generate shared --jobs 3 --seed 1 --load 0.7 --hosts 4 --cores 4 --gpus 2 --widest 2 "
                                "-o shared.json --counted counted.json")
    assert program.calls[1::3] == [
        "simulate -q -p 16 -w counted.json -e counted -a easy",
        "simulate -q -p 4 -w shared.json -e hosts -a easy --capacity cores:4,gpus:2",
        "simulate -q -p 4 -w shared.json -e planned -a easy --capacity cores:4,gpus:2 --pool burst_buffer=1000",
        "simulate -q -p 4 -w shared.json -e unplanned -a easy -P plan-pools=none --capacity cores:4,gpus:2 "
        "--pool burst_buffer=1000"]
    assert program.calls[2::3] == [
        "check counted_jobs.csv -w counted.json -p 16",
        "check hosts_jobs.csv -w shared.json -p 4 --capacity cores:4,gpus:2",
        *(f"check {way}_jobs.csv -w shared.json -p 4 --capacity cores:4,gpus:2 --pool burst_buffer=1000"
          for way in ("planned", "unplanned"))]
    rows = read_csv(str(tmp_path / "results.csv"))
    assert [(row["way"], row["draw"], row["with_pool"], row["large"]) for row in rows] == [
        (way, "1", "2", "1") for way in ("counted", "hosts", "planned", "unplanned")]
    assert float(rows[0]["wait"]) == 16
    # Jobs 1 and 3 take 93 and 2 * 75, see test_the_seed_says_who_takes_of_the_pool: only the second is a tenth.
    assert float(rows[0]["wait_of_large"]) == 5


def test_pools_are_shares_of_the_usual_request() -> None:
    assert replay.totals(OF_LOG, 4) == {"100": 40, "60": 24}
    assert replay.ways(OF_LOG, 4) == {
        "ignored": ([], []),
        "100 planned": ([], ["--pool", "memory=40"]), "100 unplanned": (["plan-pools=none"], ["--pool", "memory=40"]),
        "60 planned": ([], ["--pool", "memory=24"]), "60 unplanned": (["plan-pools=none"], ["--pool", "memory=24"])}


def test_jobs_that_no_pool_holds_are_dropped_in_all_ways() -> None:
    kept = replay.fitting(LOG, OF_LOG)
    assert [job["id"] for job in kept["jobs"]] == ["1", "2"]
    assert replay.extent(LOG, kept, OF_LOG) == pytest.approx({
        "processors": 4, "jobs": 2, "dropped": 2, "usual": 1, "nothing": 1,
        "load_of_processors": 3 * 40 / (10 * 4), "load_of_100": 20 * 40 / (10 * 40), "load_of_60": 20 * 40 / (10 * 24)})


def test_generated_jobs_make_the_usual_request() -> None:
    kept = replay.fitting(LOG, {**OF_LOG, "logs": []})
    assert [(job["id"], job["pools"]["memory"]) for job in kept["jobs"]] == [("1", 20), ("2", 10), ("3", 10)]


def test_weeks_without_jobs_are_lines_too() -> None:
    jobs = [{"job_id": name, "submission_time": str(second), "waiting_time": str(wait), "execution_time": "20"}
            for name, second, wait in (("a", WEEK, 60), ("b", WEEK + 5, 0), ("c", 3 * WEEK - 1, 80),
                                       ("d", 3 * WEEK, 5))]
    large = {"a", "c"}
    assert replay.weeks_of(jobs, large) == [
        {"week": 1, "jobs": 2, "bounded_slowdown": 5, "wait": 60, "large": 1, "wait_of_large": 60},
        {"week": 2, "jobs": 1, "bounded_slowdown": 5, "wait": 80, "large": 1, "wait_of_large": 80},
        {"week": 3, "jobs": 1, "bounded_slowdown": 1.25, "wait": 5, "large": 0, "wait_of_large": 0}]
    assert replay.weeks_of(jobs[:1] + jobs[3:], large)[1] == {"week": 2, "jobs": 0, "bounded_slowdown": 0, "wait": 0,
                                                        "large": 0, "wait_of_large": 0}


def test_a_log_is_replayed_in_each_way_but_those_left_out(tmp_path: Path, program: StandInProgram) -> None:
    lines = schedule(("1", 0, "COMPLETED_SUCCESSFULLY", 0, 40), ("2", 10, "COMPLETED_SUCCESSFULLY", 60, 40))
    program.answer("simulate", writes={f"{way}_jobs.csv": lines for way in ("ignored", "100-planned", "100-unplanned",
                                                                            "60-planned")})
    program.answer("metrics", prints="run,mean_wait,mean_bounded_slowdown,utilisation\nx,30,1.75,0.5\n")
    replay.main(StandInJob(
        {"batfill": str(program.file), "platform": write(tmp_path / "platform"),
         "workload": write(tmp_path / "workload", json.dumps(LOG))},
        results_in(tmp_path, weeks="weeks.csv", results="results.csv", manifest="manifest.json"),
        {"settings": OF_LOG}, {"machine": "HPC2N", "algorithm": "conservative"}))
    assert program.calls[:3] == ["simulate -q -p platform.xml -w workload.json -e ignored -a conservative",
                                 "check ignored_jobs.csv -w workload.json -p platform.xml",
                                 "metrics ignored_jobs.csv -p platform.xml --format csv"]
    assert program.calls[6] == ("simulate -q -p platform.xml -w workload.json -e 100-unplanned -a conservative "
                                "-P plan-pools=none --pool memory=40")
    assert program.calls[10] == "check 60-planned_jobs.csv -w workload.json -p platform.xml --pool memory=24"
    assert [row["way"] for row in read_csv(str(tmp_path / "results.csv"))] == [
        "ignored", "100 planned", "100 unplanned", "60 planned"]
    assert [(row["way"], row["jobs"], row["wait"]) for row in read_csv(str(tmp_path / "weeks.csv"))] == [
        (way, "2", "60.0") for way in ("ignored", "100 planned", "100 unplanned", "60 planned")]


def test_changes_of_draws_are_of_geometric_means(intervals_program: str) -> None:
    intervals = Intervals(intervals_program)
    doubled = tables.changes_of_draws(intervals, {"one": [2, 8, 6, 4, 2], "two": [1, 4, 3, 2, 1]}, "two")["one"]
    assert list(vars(doubled).values()) == pytest.approx([1, 1, 1])
    # Logarithms are +ln 10 and -ln 10 in turn: their mean is 0, and the standard error ln 10 / root of 5.
    balanced = tables.changes_of_draws(intervals, {"one": [10, 1] * 3, "two": [1, 10] * 3}, "two")["one"]
    assert balanced.value == pytest.approx(0)
    assert [balanced.low, balanced.high] == pytest.approx([10 ** (-2 / 5 ** 0.5) - 1, 10 ** (2 / 5 ** 0.5) - 1])


@pytest.fixture(name="written")
def all_tables(tmp_path: Path, intervals_program: str) -> Path:
    """The folder with the tables of five draws, and of a log of 40 weeks whose waits are the same in every week. Every
    second week has large jobs."""
    draws = [{"machine": "load-0.7", "algorithm": "easy", "way": way, "draw": draw, "jobs": 30, "with_pool": 9 + draw,
              "large": 3 * draw, "load_of_gpus": 0.25 + draw / 4, "wait": draw * wait, "bounded_slowdown": slowdown,
              "wait_of_large": draw * wait * 2}
             for way, wait, slowdown in (("counted", 100, 2), ("hosts", 150, 2), ("planned", 300, 4))
             for draw in (1, 2, 3, 4, 5)]
    ways = (("ignored", 100), ("80 planned", 90), ("80 unplanned", 135))
    weeks = [{"machine": "HPC2N", "algorithm": "easy", "way": way, "week": week, "jobs": 10, "wait": 10 * wait,
              "bounded_slowdown": 10 * (3 + week % 2), "large": 5 * (week % 2),
              "wait_of_large": 10 * wait * (week % 2)} for way, wait in ways for week in range(11, 51)]
    results = [{"machine": "HPC2N", "algorithm": "easy", "way": way, "processors": 240, "jobs": 400, "load_of_80": 0.75,
                "utilisation": 0.6} for way, _ in ways]
    files = {name: str(tmp_path / f"{name}.csv") for name in ("draws", "weeks", "results")}
    for name, rows in (("draws", draws), ("weeks", weeks), ("results", results)):
        write_csv(files[name], rows)
    tables.main(StandInJob({**files, "batfill": intervals_program}, [str(tmp_path / "drawn.csv")]))
    return tmp_path


def changes_in(folder: Path) -> dict[tuple[str, ...], dict[str, str]]:
    """The lines of the table of changes."""
    return {tuple(row[column] for column in ("machine", "way", "than", "measure")): row
            for row in read_csv(str(folder / "changes.csv"))}


def test_tables_say_what_there_was(written: Path) -> None:
    assert [list(row.values()) for row in read_csv(str(written / "drawn.csv"))] == [
        ["load-0.7", "5", "30", "12.0", "9.0", "1.0"]]
    assert read_csv(str(written / "log.csv")) == [
        {"machine": "HPC2N", "processors": "240", "jobs": "400", "load_of_80": "0.75", "weeks": "40"}]


def test_means_are_of_draws_or_of_jobs(written: Path) -> None:
    means = {(row["machine"], row["way"], row["measure"]): [float(row[part]) for part in ("value", "low", "high")]
             for row in read_csv(str(written / "means.csv"))}
    # 100, 200, ..., 500: the standard error is the root of 25000 / 5.
    assert means["load-0.7", "counted", "wait"] == pytest.approx([300, 300 - 2 * 5000 ** 0.5, 300 + 2 * 5000 ** 0.5])
    assert means["load-0.7", "hosts", "wait_of_large"][0] == 900
    assert means["HPC2N", "80 unplanned", "wait"] == pytest.approx([135, 135, 135])
    assert means["HPC2N", "ignored", "bounded_slowdown"][0] == pytest.approx(3.5)
    # Only every second week has large jobs.
    assert means["HPC2N", "80 unplanned", "wait_of_large"][0] == pytest.approx(270)


def test_changes_have_verdicts(written: Path) -> None:
    found = {key: (round(float(row["value"]), 6), row["verdict"]) for key, row in changes_in(written).items()}
    assert found["load-0.7", "hosts", "counted", "wait"] == (0.5, "more")
    assert found["load-0.7", "hosts", "counted", "bounded_slowdown"] == (0, "open")
    assert found["load-0.7", "planned", "hosts", "wait_of_large"] == (1, "more")
    assert found["HPC2N", "80 planned", "ignored", "wait"] == (-0.1, "less")
    assert found["HPC2N", "80 unplanned", "80 planned", "wait"] == (0.5, "more")
    assert found["HPC2N", "80 unplanned", "ignored", "bounded_slowdown"] == (0, "open")
    assert ("HPC2N", "ignored", "80 planned", "wait") not in found


def test_a_change_that_differs_from_draw_to_draw_is_open(intervals_program: str) -> None:
    rows = [{"machine": "load-0.7", "algorithm": "easy", "way": way, "draw": str(draw),
             **{measure: str(value) for measure in tables.MEASURES}}
            for way, values in (("counted", (10,) * 6), ("hosts", (40, 10, 5) * 2))
            for draw, value in enumerate(values)]
    _, changes = tables.of_draws(rows, Intervals(intervals_program))
    # Logarithms to base 2 are 2, 0 and -1, twice: their mean is 1/3, and 0 is within two standard errors.
    assert changes[0]["value"] == pytest.approx(2 ** (1 / 3) - 1)
    assert changes[0]["verdict"] == "open"


def test_a_few_draws_have_no_interval_and_no_verdict(intervals_program: str) -> None:
    rows = [{"machine": "load-0.7", "algorithm": "easy", "way": way, "draw": str(draw),
             **{measure: str(value) for measure in tables.MEASURES}}
            for way, value in (("counted", 10), ("hosts", 40)) for draw in range(4)]
    means, changes = tables.of_draws(rows, Intervals(intervals_program))
    assert (means[1]["value"], means[1]["low"], means[1]["high"]) == (40, None, None)
    assert changes[0]["value"] == pytest.approx(3)
    assert (changes[0]["low"], changes[0]["high"], changes[0]["verdict"]) == (None, None, "open")


def test_words_are_of_pairs_that_are_drawn() -> None:
    assert figures.words_of("unplanned", "planned") == "buffer unplanned against planned"
    assert figures.words_of("60 unplanned", "60 planned") == "memory 60 %, unplanned against planned"
    assert figures.words_of("100 planned", "ignored") == "memory 100 %, planned against ignored"
    assert figures.words_of("60 planned", "100 planned") == figures.words_of("planned", "counted") == ""


def test_the_figure_has_a_row_for_each_pair(written: Path) -> None:
    output = results_in(written, svg="figure.svg", png="figure.png", csv="figure.csv")
    figures.main(StandInJob({"changes": str(written / "changes.csv")}, output))
    rows = read_csv(output["csv"])
    places = ["load 0.7: hosts against counted cores", "load 0.7: buffer planned against ignored",
              "HPC2N: memory 80 %, planned against ignored", "HPC2N: memory 80 %, unplanned against planned"]
    assert list(dict.fromkeys(row["place"] for row in rows)) == places
    assert {row["measure"] for row in rows} == {"wait", "bounded_slowdown", "wait_of_large"}
    assert float(rows[0]["value"]) == pytest.approx(1.5)
    assert all(place in Path(output["svg"]).read_text(encoding="utf-8") for place in places)
