"""Job of rule `maintenance_replay`: replays a log under one algorithm without maintenance, and with each calendar of
maintenance, announced in each way."""
import json
from datetime import datetime, timedelta
from math import fsum
from pathlib import Path
from typing import Any, Mapping, Sequence

from common.files import read_json
from common.job import Job, run_job
from common.log_clock import LogClock
from common.tables import read_csv
from common.weeks import WEEK, WeeklyResults, bounded_slowdown, check_means
from common.workbench import Workbench

DAY = 86400
HOUR = 3600
NONE = "none"  # no maintenance
KILLED = "COMPLETED_KILLED"
SUMS = ("jobs", "bounded_slowdown", "wait", "windows", "lost", "drained")

Jobs = Sequence[Mapping[str, str]]
Boxes = Sequence[tuple[float, float, int]]
Windows = Sequence[Mapping[str, Any]]


def first_begin(clock: LogClock, day: int, hour: int) -> int:
    """The first second of the log from this day on at which clocks beside the machine show this hour."""
    local = clock.local(day * DAY)
    begin = datetime(local.year, local.month, local.day, hour, tzinfo=clock.zone)
    if begin < local:
        begin += timedelta(days=1)
    return round(begin.timestamp()) - clock.start


def last_runs(jobs: Jobs) -> list[tuple[float, float, float]]:
    """Of each job its first submission, its wait and its run time. If it was killed and submitted again, it has waited
    all the time until its end that its last run did not take."""
    submissions: dict[str, float] = {}
    ends: dict[str, tuple[float, float]] = {}
    for job in jobs:
        name = job["job_id"].split("#")[0]
        submission = float(job["submission_time"])
        end = (float(job["finish_time"]), float(job["execution_time"]))
        submissions[name] = min(submission, submissions.get(name, submission))
        ends[name] = max(end, ends.get(name, end))
    return [(submissions[name], end - run - submissions[name], run) for name, (end, run) in ends.items()]


def boxes_of(jobs: Jobs) -> Boxes:
    """When the jobs ran, and on how many processors."""
    return [(float(job["starting_time"]), float(job["finish_time"]), int(job["requested_number_of_resources"]))
            for job in jobs]


def busy(boxes: Boxes, begin: float, end: float) -> float:
    """The processor seconds that are taken from one instant to another."""
    return fsum((min(end, finish) - max(begin, start)) * size for start, finish, size in boxes
                if finish > begin and start < end)


def weeks_of(jobs: Jobs, without: Boxes, windows: Windows, stretch: float) -> list[dict[str, float]]:
    """A line for each week from the first submission to the last, counted from second 0 of the log: what is summed up
    over the jobs submitted in it and the windows that begin in it, of these in processor seconds. `lost`: what killed
    jobs had taken. `drained`: by how much less is busy in so many seconds before a window than without any."""
    runs = last_runs(jobs)
    weeks = [int(submission // WEEK) for submission, _, _ in runs]
    sums: dict[int, dict[str, list[float]]] = {week: {} for week in range(min(weeks), max(weeks) + 1)}

    def add(second: float, **values: float) -> None:
        for name, value in values.items():
            sums[int(second // WEEK)].setdefault(name, []).append(value)

    for submission, wait, run in runs:
        add(submission, jobs=1, bounded_slowdown=bounded_slowdown(wait, run), wait=wait)
    boxes, killed = boxes_of(jobs), boxes_of([job for job in jobs if job["final_state"] == KILLED])
    for begin in (float(window["from"]) for window in windows):
        add(begin, windows=1, lost=fsum((end - start) * size for start, end, size in killed if end == begin),
            drained=busy(without, begin - stretch, begin) - busy(boxes, begin - stretch, begin))
    return [{"week": week, **{name: fsum(found.get(name, [])) for name in SUMS}} for week, found in sums.items()]


def calendar(bench: Workbench, settings: Mapping[str, Any], announced: str, first: int, until: float) -> Windows:
    """Makes the file `calendar.json`."""
    bench.run("generate", "windows", "--hosts", "all", "--running", "requeue", "--every", settings["every"], "--length",
              settings["length"], "--announced", announced, "--first", str(first), "--until", str(until), "-o",
              "calendar.json")
    return [json.loads(line) for line in bench.path("calendar.json").read_text(encoding="utf-8").splitlines()]


def replay(bench: Workbench, algorithm: str, name: str, *options: str) -> Jobs:
    """A schedule, audited."""
    bench.simulate("platform.xml", "workload.json", algorithm, [], name, options)
    bench.audit(name, "workload.json", "platform.xml", options)
    return read_csv(str(bench.path(f"{name}_jobs.csv")))


def main(job: Job) -> None:
    """Makes the lines of one log and one algorithm."""
    settings, algorithm = job.params.settings, job.wildcards.algorithm
    results = WeeklyResults()
    with Workbench(job.input.batfill) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        workload = read_json(str(bench.path("workload.json")))
        clock = LogClock.of(Path(job.input.header).read_text(encoding="utf-8"))
        jobs_without = replay(bench, algorithm, NONE)
        without = boxes_of(jobs_without)

        def note(announced: str, day: int, jobs: Jobs, windows: Windows) -> None:
            what = {"machine": job.wildcards.machine, "algorithm": algorithm, "announced": announced, "calendar": day}
            weeks = weeks_of(jobs, without, windows, settings["drain"])
            killed = sum(one["final_state"] == KILLED for one in jobs)
            measured = bench.metrics(f"{NONE if announced == NONE else 'with'}_jobs.csv", "-p", "platform.xml")
            if killed == 0:  # else the program measures each run of a job
                check_means(weeks, measured)
            results.add(what, weeks, {"processors": workload["nb_res"], "windows": len(windows), "killed": killed,
                                      "longest_walltime": max(one["walltime"] for one in workload["jobs"]),
                                      "utilisation": measured["utilisation"]})

        note(NONE, 0, jobs_without, [])
        for announced, ahead in settings["announced"].items():
            for day in settings["days"]:
                windows = calendar(bench, settings, str(ahead), first_begin(clock, day, settings["hour"]),
                                   max(one["subtime"] for one in workload["jobs"]))
                note(announced, day, replay(bench, algorithm, "with", "--windows", "calendar.json"), windows)
        results.keep(bench, job)


if __name__ == "__main__":
    run_job(main)
