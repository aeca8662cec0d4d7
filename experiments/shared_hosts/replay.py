"""Job of rule `shared_hosts_replay`: replays a log under one algorithm with its memory requests ignored, and as a pool
of several sizes that is planned or not."""
import json
from math import fsum
from typing import AbstractSet, Any, Mapping, Sequence

from common.files import read_json
from common.job import Job, run_job
from common.weeks import WEEK, WeeklyResults, bounded_slowdown, check_means
from common.workbench import Workbench
from shared_hosts.demand import UNPLANNED, amount_of, large_jobs, offered, schedule_of

POOL = "memory"
IGNORED = "ignored"
SUMS = ("jobs", "bounded_slowdown", "wait", "large", "wait_of_large")

Jobs = Sequence[Mapping[str, str]]
Way = tuple[Sequence[str], Sequence[str]]  # parameters and options of a replay


def totals(settings: Mapping[str, Any], processors: int) -> dict[str, int]:
    """The sizes of the pool, by the per cent of the usual request on all processors."""
    return {str(share): processors * settings["usual"] * share // 100 for share in settings["pools"]}


def ways(settings: Mapping[str, Any], processors: int) -> dict[str, Way]:
    """The replays by their names."""
    found: dict[str, Way] = {IGNORED: ([], [])}
    for share, total in totals(settings, processors).items():
        options = ["--pool", f"{POOL}={total}"]
        found |= {f"{share} planned": ([], options), f"{share} unplanned": (UNPLANNED, options)}
    return found


def fitting(workload: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    """The workload with the jobs that every pool can hold. Of a generated one, all jobs make the usual request."""
    jobs = workload["jobs"]
    if not settings["logs"]:
        jobs = [{**job, "pools": {POOL: job["res"] * settings["usual"]}} for job in jobs]
    least = min(totals(settings, workload["nb_res"]).values())
    return {**workload, "jobs": [job for job in jobs if amount_of(job, POOL) <= least]}


def extent(workload: Mapping[str, Any], kept: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, object]:
    """What there is of the log, and what it asks for."""
    jobs = kept["jobs"]
    usual, processors = settings["usual"], kept["nb_res"]
    amounts = {job["id"]: amount_of(job, POOL) for job in jobs}
    return {"processors": processors, "jobs": len(jobs), "dropped": len(workload["jobs"]) - len(jobs),
            "usual": sum(amounts[job["id"]] == usual * job["res"] for job in jobs),
            "nothing": sum(amount == 0 for amount in amounts.values()),
            "load_of_processors": offered(kept, {job["id"]: job["res"] for job in jobs}, processors),
            **{f"load_of_{share}": offered(kept, amounts, total)
               for share, total in totals(settings, processors).items()}}


def weeks_of(jobs: Jobs, large: AbstractSet[str]) -> list[dict[str, float]]:
    """A line for each week from the first submission to the last, counted from second 0 of the log: what is summed up
    over the jobs submitted in it, and over the large ones."""
    found: dict[int, list[tuple[float, float, bool]]] = {}
    for job in jobs:
        found.setdefault(int(float(job["submission_time"]) // WEEK), []).append(
            (float(job["waiting_time"]), float(job["execution_time"]), job["job_id"] in large))
    lines: list[dict[str, float]] = []
    for week in range(min(found), max(found) + 1):
        waits = found.get(week, [])
        sums = (len(waits), fsum(bounded_slowdown(wait, run) for wait, run, _ in waits),
                fsum(wait for wait, _, _ in waits), sum(is_large for _, _, is_large in waits),
                fsum(wait for wait, _, is_large in waits if is_large))
        lines.append({"week": week, **dict(zip(SUMS, sums))})
    return lines


def main(job: Job) -> None:
    """Makes the lines of one log and one algorithm."""
    settings, algorithm = job.params.settings, job.wildcards.algorithm
    results = WeeklyResults()
    with Workbench(job.input.batfill) as bench:
        bench.link("log.json", job.input.workload)
        bench.link("platform.xml", job.input.platform)
        workload = read_json(str(bench.path("log.json")))
        kept = fitting(workload, settings)
        large = large_jobs(kept, POOL, kept["nb_res"] * settings["usual"])
        bench.path("workload.json").write_text(json.dumps(kept), encoding="utf-8")
        for way, (parameters, options) in ways(settings, kept["nb_res"]).items():
            if way in settings.get("without", {}).get(algorithm, []):
                continue
            name = way.replace(" ", "-")
            bench.simulate("platform.xml", "workload.json", algorithm, parameters, name, options)
            bench.audit(name, "workload.json", "platform.xml", options)
            weeks = weeks_of(schedule_of(bench, name), large)
            measured = bench.metrics(f"{name}_jobs.csv", "-p", "platform.xml")
            check_means(weeks, measured)
            what = {"machine": job.wildcards.machine, "algorithm": algorithm, "way": way}
            results.add(what, weeks, {**extent(workload, kept, settings), "large": len(large),
                                      "utilisation": measured["utilisation"]})
        results.keep(bench, job)


if __name__ == "__main__":
    run_job(main)
