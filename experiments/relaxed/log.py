"""Job of rule `relaxed_log`: a machine's log month by month, and what there is to say of all of its jobs."""
from collections import Counter
from pathlib import Path
from typing import Optional, Sequence

import numpy

from common.files import read_json
from common.job import Job, run_job
from common.log_clock import LogClock
from common.swf import log_number, log_waits
from common.tables import write_csv
from relaxed.months import Months, Numbers
from relaxed.workload_jobs import QUEUES, WorkloadJobs


def waits_of(log: str, jobs: WorkloadJobs, times: Numbers) -> Optional[Numbers]:
    """How long each job waited by its line in the log; none if the log does not know it of every job."""
    found = log_waits(log)
    waits = numpy.array([found[log_number(one), submit, time]
                         for one, submit, time in zip(jobs.ids, jobs.submits, times)])
    return waits if (waits >= 0).all() else None


def months_of(jobs: WorkloadJobs, clock: LogClock, times: Numbers,
              waits: Optional[Numbers]) -> list[dict[str, object]]:
    """The log month by month; what a log without waits does not know is empty."""
    months, important = Months.of(jobs.submits, clock), jobs.important
    columns: dict[str, Sequence[object]] = {
        "month": months.names, "whole": [int(whole) for whole in months.whole],
        "jobs": [int(number) for number in months.sums(jobs.submits)],
        "important_jobs": [int(number) for number in months.sums(jobs.submits[important])],
        "log_wait_seconds": [], "log_important_wait_seconds": [], "log_utilisation": [],
    }
    if waits is not None:
        starts = jobs.submits + waits
        columns |= {
            "log_wait_seconds": months.sums(jobs.submits, waits),
            "log_important_wait_seconds": months.sums(jobs.submits[important], waits[important]),
            "log_utilisation": months.utilisation(starts, starts + times, jobs.sizes, jobs.processors),
        }
    return [{name: values[place] if values else "" for name, values in columns.items()}
            for place in range(len(months.names))]


def census(jobs: WorkloadJobs, times: Numbers, estimates: Numbers, waits: Optional[Numbers]) -> dict[str, object]:
    """How many jobs there are, how long they waited in the log, and how long they run within their estimates."""
    queues = Counter(jobs.queues)
    run = numpy.minimum(times, estimates)
    return {"jobs": len(jobs.ids), "processors": jobs.processors,
            **{f"{queue}_jobs": queues[queue] for queue in QUEUES},
            **{f"{queue}_log_wait_seconds": "" if waits is None else jobs.sums_by_queue(waits)[queue]
               for queue in QUEUES},
            "mean_run_time_of_estimate": float((run / estimates).mean()),
            "run_time_of_estimate": float(run.sum() / estimates.sum())}


def main(job: Job) -> None:
    """Writes the machine's months and its census."""
    workload = read_json(job.input.workload)
    jobs = WorkloadJobs.of(workload)
    header = Path(job.input.header).read_text(encoding="utf-8", errors="replace")
    delays = {name: float(profile["delay"]) for name, profile in workload["profiles"].items()}
    of_job = {one["id"]: one for one in workload["jobs"]}
    times = numpy.array([delays[of_job[one]["profile"]] for one in jobs.ids])
    estimates = numpy.array([float(of_job[one]["walltime"]) for one in jobs.ids])
    waits = waits_of(job.input.logs[0], jobs, times) if job.input.logs else None
    machine = {"machine": job.wildcards.machine}
    write_csv(job.output.months, [machine | row for row in months_of(jobs, LogClock.of(header), times, waits)])
    write_csv(job.output.census, [machine | census(jobs, times, estimates, waits)])


if __name__ == "__main__":
    run_job(main)
