"""Job of rule `online_tuning_replay`: replays, audits and measures schedules of one machine, week by week."""
from math import fsum
from typing import Mapping, Sequence

from common.job import Job, run_job
from common.tables import read_csv
from common.weeks import WEEK, WeeklyResults, bounded_slowdown, check_means
from common.workbench import Workbench


def weeks_of(jobs: Sequence[Mapping[str, str]]) -> list[dict[str, float]]:
    """Jobs, their bounded slowdowns and their waits in seconds, added up by the week of submission, counted from
    second 0 of the log; only weeks in which a job was submitted."""
    waits: dict[int, list[float]] = {}
    slowdowns: dict[int, list[float]] = {}
    for job in jobs:
        week = int(float(job["submission_time"]) // WEEK)
        wait, run = float(job["waiting_time"]), float(job["execution_time"])
        waits.setdefault(week, []).append(wait)
        slowdowns.setdefault(week, []).append(bounded_slowdown(wait, run))
    return [{"week": week, "jobs": len(waits[week]), "bounded_slowdown": fsum(slowdowns[week]),
             "wait": fsum(waits[week])} for week in sorted(waits)]


def main(job: Job) -> None:
    """Makes the lines of a group of schedules: of the policies, or of the seeds of one way to tune."""
    results = WeeklyResults()
    with Workbench(job.input.batfill, job.params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        for name, parameters in job.params.replays.items():
            what = {"machine": job.wildcards.machine, "way": job.wildcards.group, "replay": name}
            done = bench.replay("platform.xml", "workload.json", "easy", parameters, name)
            bench.audit(name, "workload.json", "platform.xml")
            measured = bench.metrics(f"{name}_jobs.csv")
            weeks = weeks_of(read_csv(str(bench.path(f"{name}_jobs.csv"))))
            check_means(weeks, measured)
            results.add(what, weeks, {"jobs": int(sum(week["jobs"] for week in weeks)),
                                      **{one: done.statistics.get(one, "") for one in ("tunings", "improvements")},
                                      "processor_seconds": done.processor_seconds})
        results.keep(bench, job)


if __name__ == "__main__":
    run_job(main)
