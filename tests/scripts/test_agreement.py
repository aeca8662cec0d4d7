"""The real Batsim and the embedded simulator: windows, comparisons and tables from small inputs."""
import json
from pathlib import Path
from typing import Any, Optional

import pytest
import yaml
from agreement import pair, tables, window
from common.files import read_json, write_json
from common.job import JobError
from common.tables import read_csv, write_csv
from stand_ins import StandInJob, StandInProgram, lines_of, results_in, write

PROJECT = Path(__file__).resolve().parents[2]
JOBS = [{"id": f"{number:02}", "subtime": 100 + number // 3, "res": 1, "walltime": 60, "profile": f"d{number % 2}"}
        for number in range(12)]
PROFILES = {"d0": {"type": "delay", "delay": 30}, "d1": {"type": "delay", "delay": 60},
            "unused": {"type": "delay", "delay": 1}}
WORKLOAD: dict[str, Any] = {"nb_res": 4, "jobs": JOBS, "profiles": PROFILES}
PLATFORM = '<host id="master_host" coordinates="0 0 0"/>\n<host id="node0" coordinates="0 0 0"/>\n'
RUN = {"batsim_version": "v4.2.1", "makespan": "9.0", "scheduling_time": "1.5", "simulation_time": "2.5"}


def ran(job: str, start: float, execution: float, **changes: str) -> dict[str, str]:
    """A line about a job that was submitted at 0."""
    times = {"starting_time": start, "execution_time": execution, "finish_time": start + execution,
             "waiting_time": start, "turnaround_time": start + execution, "stretch": (start + execution) / execution}
    return {"job_id": job, "workload_name": "w0", "success": "1", "final_state": "COMPLETED_SUCCESSFULLY",
            **{name: f"{value:.6f}" for name, value in times.items()}, "allocated_resources": "0-3", **changes}


def test_a_window_begins_at_its_first_job() -> None:
    made = window.cut(WORKLOAD, 4, 6)
    assert [job["id"] for job in made["jobs"]] == ["04", "05", "06", "07", "08", "09"]
    assert [job["subtime"] for job in made["jobs"]] == [0, 0, 1, 1, 1, 2]
    assert set(made["profiles"]) == {"d0", "d1"}
    assert JOBS[4]["subtime"] == 101  # the whole workload is as it was
    with pytest.raises(JobError, match=r"12 jobs, fewer than the 8 \+ 5 of the window"):
        window.cut(WORKLOAD, 8, 5)


@pytest.mark.parametrize("ticks", [10, 1_000_000])
def test_fractions_are_ticks_and_less_than_a_second(ticks: int) -> None:
    made = window.with_fractions(WORKLOAD, ticks)
    before = {job["id"]: job for job in JOBS}
    for job in made["jobs"]:
        delay = made["profiles"][job["profile"]]["delay"]
        for after, whole in ((job["subtime"], before[job["id"]]["subtime"]), (job["walltime"], 60),
                             (delay, WORKLOAD["profiles"][before[job["id"]]["profile"]]["delay"])):
            assert 0 <= after - whole < 1
            assert after * ticks == pytest.approx(round(after * ticks), abs=1e-3)
    assert [job["subtime"] for job in made["jobs"]] == sorted(job["subtime"] for job in made["jobs"])
    assert len({job["walltime"] for job in made["jobs"]}) > 3
    assert made == window.with_fractions(WORKLOAD, ticks)


def test_latency_is_half_in_each_access_link() -> None:
    assert window.with_latency(PLATFORM, 0.001) == PLATFORM.replace("0 0 0", "0 0 0.5")
    with pytest.raises(JobError, match="cannot be given a latency"):
        window.with_latency("<platform/>", 0.001)


@pytest.mark.parametrize("scenario, coordinates, failures", [
    ({}, "0 0 0", None), ({"latency": 0.002}, "0 0 1", None), ({"failures": "--mtbf 5 --seed 1"}, "0 0 0", "3")])
def test_a_scenario_has_its_inputs(tmp_path: Path, program: StandInProgram, scenario: dict[str, Any], coordinates: str,
                                   failures: Optional[str]) -> None:
    workload = str(tmp_path / "whole.json")
    write_json(workload, WORKLOAD)
    program.answer("deadlines", writes={"deadlines.json": json.dumps(window.cut(WORKLOAD, 0, 12))})
    program.answer("generate", writes={"events.json": "one\n"})
    output = results_in(tmp_path, workload="w.json", platform="p.xml", batsim_platform="b.xml", events="e.json",
                        manifest="m.json")
    window.main(StandInJob({"batfill": str(program.file), "workload": workload,
                            "platform": write(tmp_path / "platform.xml", PLATFORM.rstrip())}, output,
                           {"window": {"skip": 0, "jobs": 12}, "scenario": scenario, "deadlines": "--share 1"}))
    assert len(read_json(output["workload"])["jobs"]) == 12
    assert Path(output["platform"]).read_text(encoding="utf-8") == PLATFORM
    assert f'coordinates="{coordinates}"' in Path(output["batsim_platform"]).read_text(encoding="utf-8")
    assert bool(lines_of(Path(output["events"]))) == bool(failures)
    drawn = [call for call in program.calls if call.startswith("generate")]
    assert drawn == ([f"generate failures -p platform.xml --until {failures} --mtbf 5 --seed 1 -o events.json"]
                     if failures else [])


def test_equal_schedules_have_no_differences() -> None:
    lines = [ran("1", 0, 10), ran("2", 3, 10)]
    assert not pair.differences(lines, [dict(line) for line in lines])


def test_a_stretch_may_fall_to_either_side_by_the_error_of_doubles() -> None:
    half = ran("1", 8887.7, 12.8)  # 695.3515625 exactly
    below, above = {**half, "stretch": "695.351562"}, {**half, "stretch": "695.351563"}
    for one, other in ((below, above), (above, below)):
        assert [found.kind for found in pair.differences([one], [other])] == ["doubles"]
    assert not pair.is_stretch_of("695.351561", half) and not pair.is_stretch_of("695.351564", half)
    late = ran("2", 1062981.6, 7.1)  # half a unit in the last place of its start is 1.6e-11 of its run time
    assert pair.is_stretch_of(f"{float(late['stretch']) + 2e-6:.6f}", late)
    assert not pair.is_stretch_of(f"{float(late['stretch']) + 2e-5:.6f}", late)


def test_what_is_not_the_same_otherwise_is_unexplained() -> None:
    line = ran("1", 3, 10)
    for column, other in (("starting_time", "3.000001"), ("allocated_resources", "0-2 4"), ("stretch", "1.4"),
                          ("stretch", ""), ("final_state", "COMPLETED_KILLED")):
        found = pair.differences([{**line, column: other}], [line])
        assert [(one.job, one.column, one.kind) for one in found] == [("w0!1", column, "unexplained")]
    assert [(one.job, one.column, one.batsim, one.simulate, one.kind)
            for one in pair.differences([line], [line, ran("2", 0, 1)])] == [
                ("w0!2", "row", "no", "yes", "unexplained")]


def exchange(start: float, *allocated: str) -> list[dict[str, str]]:
    """Jobs that start at this instant, on these processors."""
    return [ran(str(number), start, 10, allocated_resources=text) for number, text in enumerate(allocated)]


def test_jobs_of_one_instant_may_exchange_processors_by_doubles_only_between_seconds() -> None:
    def kinds(start: float, *allocated: str) -> list[str]:
        return [one.kind for one in pair.differences(exchange(start, "0-1 5", "2"), exchange(start, *allocated))]

    assert kinds(3.1, "0-2", "5") == ["doubles", "doubles"]
    assert kinds(3, "0-2", "5") == ["unexplained", "unexplained"]
    assert kinds(3.1, "0-2", "6") == ["unexplained", "unexplained"]
    apart = [*exchange(3.1, "0-1 5"), ran("1", 3.2, 10, allocated_resources="2")]
    assert {one.kind for one in pair.differences(apart, exchange(3.1, "0-2", "5"))} == {"unexplained"}


def test_latency_explains_all_but_what_the_workload_says() -> None:
    line = {**ran("1", 3, 10), "submission_time": "0.000000"}
    other = {**line, "starting_time": "3.004000", "allocated_resources": "4", "final_state": "COMPLETED_KILLED"}
    assert [one.kind for one in pair.differences([other], [line], True)] == ["latency"] * 3
    assert [one.kind for one in pair.differences([{**line, "submission_time": "1"}], [line], True)] == ["unexplained"]


def test_runs_are_the_same_to_nine_digits() -> None:
    assert not pair.run_differences({**RUN, "makespan": "9.000000008"}, {**RUN, "batsim_version": "batfill-1"})
    assert pair.run_differences({**RUN, "makespan": "9.00000001"}, RUN) == ["makespan"]


def test_a_comparison_counts_jobs_by_what_explains_them_least() -> None:
    simulate = [ran("1", 0, 10), ran("2", 8887.7, 12.8, stretch="695.351562"), ran("3", 10, 10), ran("4", 20, 5),
                ran("5#1", 1, 1, final_state="COMPLETED_KILLED")]
    batsim = [simulate[1] | {"stretch": "695.351563"}, simulate[0], ran("3", 12, 10), ran("4", 20.25, 5), simulate[4]]
    row = pair.compare(batsim, simulate, [RUN, {**RUN, "makespan": "8.0", "batsim_version": "batfill"}],
                       pair.differences(batsim, simulate), 1)
    assert {name: row[name] for name in ("jobs", "equal", "doubles", "latency", "unexplained", "same order",
                                         "differences of the run", "killed", "resubmitted", "other starts",
                                         "notable starts", "median shift", "largest shift")} == {
        "jobs": 5, "equal": 2, "doubles": 1, "latency": 0, "unexplained": 2, "same order": "no",
        "differences of the run": "makespan", "killed": 1, "resubmitted": 1, "other starts": 2, "notable starts": 1,
        "median shift": 1.125, "largest shift": 2.0}
    assert row["mean wait, batsim"] == pytest.approx((8887.7 + 0 + 12 + 20.25 + 1) / 5)
    assert row["word"] == "same"


def test_a_comparison_of_rejected_jobs_has_no_wait() -> None:
    rejected = {**ran("1", 0, 1), **dict.fromkeys(["starting_time", "waiting_time"], ""), "final_state": "REJECTED"}
    row = pair.compare([rejected], [rejected], [RUN, RUN], [], 1)
    assert (row["mean wait, batsim"], row["word"], row["rejected"], row["equal"]) == (None, "same", 1, 1)


def test_both_simulators_replay_each_algorithm(tmp_path: Path, program: StandInProgram) -> None:
    batsim = StandInProgram(tmp_path, "batsim")
    header = ",".join(ran("1", 0, 10))
    files = {}
    for side in ("batsim", "simulate"):
        start = 0 if side == "batsim" else 4
        files[side] = {f"{side}-dbf_jobs.csv": f"{header}\n{','.join(ran('1', start, 10).values())}\n",
                       f"{side}-dbf_schedule.csv": f"{','.join(RUN)}\n{','.join(RUN.values())}\n"}
    batsim.answer("-q", writes=files["batsim"])
    program.answer("simulate", writes=files["simulate"])
    output = results_in(tmp_path, results="r.csv", differences="d.csv", manifest="m.json")
    inputs = {name: write(tmp_path / f"{name}.in", name)
              for name in ("workload", "platform", "batsim_platform", "events")}
    pair.main(StandInJob({**inputs, "batfill": str(program.file)}, output, {
        "batsim": str(batsim.file), "notable": 1, "schedules": {"dbf": {"algorithm": "dbf", "parameters": ["a=1"]}},
        "scenario": {"parameters": ["b=2"], "options": ["--enable-dynamic-jobs"]}}))
    [row] = read_csv(output["results"])
    assert (row["schedule"], row["events"], row["unexplained"]) == ("dbf", "1", "1")
    assert len(read_csv(output["differences"])) == 5
    assert "serve -a dbf -P a=1 -P b=2" in program.calls[0]
    assert program.calls[1].endswith("-a dbf -P a=1 -P b=2 --events events.json")
    assert batsim.calls[0].endswith("--events events.json --enable-dynamic-jobs")
    assert "-p platform-batsim.xml" in batsim.calls[0]


def test_tables_add_up(tmp_path: Path) -> None:
    lines, moved = [ran("1", 0, 10)], [ran("1", 5, 10)]
    results, differences = [], []
    for machine, scenario, batsim in (("A", "whole", lines), ("B", "whole", moved), ("A", "latency", moved)):
        folder = tmp_path / machine / scenario
        folder.mkdir(parents=True)
        found = pair.differences(batsim, lines, scenario == "latency")
        results.append(str(folder / "results.csv"))
        write_csv(results[-1], [{"schedule": "easy", "algorithm": "easy", "events": 0,
                                 **pair.compare(batsim, lines, [RUN, RUN], found, 1)}])
        differences.append(write(folder / "differences.csv", ",".join(pair.DIFFERENCE),
                                 *(f"easy,{one.job},{one.column},{one.batsim},{one.simulate},{one.kind}"
                                   for one in found if one.kind == "unexplained")))
    output = results_in(tmp_path, agreement="a.csv", scenarios="s.csv", algorithms="g.csv", differences="d.csv")
    tables.main(StandInJob({"results": results, "differences": differences}, output))
    assert [(row["machine"], row["scenario"]) for row in read_csv(output["agreement"])] == [
        ("A", "whole"), ("B", "whole"), ("A", "latency")]
    whole, latency = read_csv(output["scenarios"])
    assert (whole["comparisons"], whole["all equal"], whole["jobs"], whole["unexplained"]) == ("2", "1", "2", "1")
    assert (whole["machines"], whole["word"]) == ("2", "differs")
    assert (latency["latency"], latency["unexplained"], latency["largest shift"]) == ("1", "0", "5.0")
    [easy] = read_csv(output["algorithms"])
    assert (easy["algorithm"], easy["comparisons"]) == ("easy", "2")  # without latency
    assert {row["machine"] for row in read_csv(output["differences"])} == {"B"}
    tables.main(StandInJob({"results": results[:1], "differences": differences[:1]}, output))
    assert lines_of(Path(output["differences"])) == ["machine,scenario," + ",".join(pair.DIFFERENCE)]


def test_every_algorithm_is_compared() -> None:
    section = yaml.safe_load((PROJECT / "experiments" / "config.yaml").read_text(encoding="utf-8"))["batsim-agreement"]
    compared = {one["algorithm"] for one in (*section["schedules"].values(), *section["farm"]["schedules"].values())}
    sources = [source for source in (PROJECT / "schedulers").rglob("*.cpp")
               if "Registration registration(" in source.read_text(encoding="utf-8")]
    # The jobs of submitter are in no workload, and easy-sleeper needs a platform with energy: both are tested on
    # recordings (unit/batsched_recordings_test.cpp, unit/sleeping_processors_test.cpp). slurm is compared with Slurm.
    others = {"submitter", "easy-sleeper", "slurm"}
    assert {source.stem.replace("_", "-") for source in sources} - others == compared
