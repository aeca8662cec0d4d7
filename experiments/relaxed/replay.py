"""Job of rule `relaxed_replay`: replays, audits and measures schedules of one machine, month by month."""
from pathlib import Path
from typing import Any, Optional

from common.files import read_json
from common.job import Job, JobError, run_job
from common.log_clock import LogClock
from common.tables import write_csv
from common.workbench import Workbench
from relaxed.backfilled import Priorities, backfilled
from relaxed.months import Months
from relaxed.monthly import ACTUAL, ESTIMATED
from relaxed.workload_jobs import ScheduledJobs, WorkloadJobs

Rows = list[dict[str, Any]]


def months_of(jobs: WorkloadJobs, schedule: ScheduledJobs, months: Months,
              priorities: Optional[Priorities]) -> dict[str, list[Any]]:
    """Columns with an entry for each month; jobs are counted as backfilled if there are priorities to tell them by."""
    waits = schedule.starts - jobs.submits
    columns: dict[str, list[Any]] = {
        "wait_seconds": months.sums(jobs.submits, waits),
        "important_wait_seconds": months.sums(jobs.submits[jobs.important], waits[jobs.important]),
        "utilisation": months.utilisation(schedule.starts, schedule.ends, jobs.sizes, jobs.processors),
        "backfilled": [""] * len(months.names),
    }
    if priorities:
        submits = jobs.submits[backfilled(jobs, schedule, priorities)]
        columns["backfilled"] = [int(number) for number in months.sums(submits)]
    return columns


def priorities_of(group: str, jobs: WorkloadJobs, schedule: ScheduledJobs, period: float) -> Optional[Priorities]:
    """The priorities of the paper's own schedules; none of variations."""
    times = {ESTIMATED: schedule.walltimes, ACTUAL: schedule.ends - schedule.starts}
    return Priorities.of(jobs, times[group], period) if group in times else None


def check_count(counted: list[int], by_the_algorithm: int) -> None:
    """Fails if the months' backfilled jobs are not as many as the algorithm has counted itself."""
    if sum(counted) != by_the_algorithm:
        raise JobError(f"the schedule has {sum(counted)} backfilled jobs, the algorithm counted {by_the_algorithm}")


def main(job: Job) -> None:
    """Makes the lines of results of a group of schedules."""
    machine, group = job.wildcards.machine, job.wildcards.group
    jobs = WorkloadJobs.of(read_json(job.input.workload))
    header = Path(job.input.header).read_text(encoding="utf-8", errors="replace")
    months = Months.of(jobs.submits, LogClock.of(header))
    by_month: Rows = []
    results: Rows = []
    with Workbench(job.input.batfill, job.params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        for name, replay in job.params.replays.items():
            what = {"machine": machine, "group": group, "replay": name}
            done = bench.replay("platform.xml", "workload.json", replay["algorithm"], replay["parameters"], name)
            bench.audit(name, "workload.json", "platform.xml")
            measured = bench.metrics(f"{name}_jobs.csv", "-p", "platform.xml")
            schedule = ScheduledJobs.read(str(bench.path(f"{name}_jobs.csv")), jobs)
            priorities = priorities_of(group, jobs, schedule, job.params.period)
            columns = months_of(jobs, schedule, months, priorities)
            if priorities:
                check_count(columns["backfilled"], done.statistics["backfilled"])
            by_month += [{**what, "month": month, **{column: values[place] for column, values in columns.items()}}
                         for place, month in enumerate(months.names)]
            results.append({
                **what, "jobs": len(jobs.ids), "backfilled": done.statistics.get("backfilled", ""),
                **{one: measured[one] for one in ("mean_wait", "max_wait", "utilisation")},
                **{f"{queue}_wait_seconds": seconds
                   for queue, seconds in jobs.sums_by_queue(schedule.starts - jobs.submits).items()}})
        write_csv(str(bench.path("months.csv")), by_month)
        write_csv(str(bench.path("results.csv")), results)
        bench.keep("months.csv", job.output.months)
        bench.keep("results.csv", job.output.results)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
