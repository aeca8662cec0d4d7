"""Job of rule `dbf_census`: what the paper says of a log besides its anomalies: arrivals at weekends, estimates, and
the stretch of its jobs."""
from pathlib import Path
from statistics import fmean
from typing import Any, Mapping, Optional, Sequence

from common.files import read_json
from common.job import Job, run_job
from common.log_clock import LogClock
from common.swf import log_number, log_waits
from common.tables import write_csv

SATURDAY = 5
TIMES = (10, 100, 1000)


def weekend(subtimes: Sequence[float], header: str) -> dict[str, float]:
    """Mean arrivals per day of the weekend and per other day, over the days from the first arrival's to the last's."""
    clock = LogClock.of(header)
    days = [clock.local(subtime).date() for subtime in subtimes]
    first, last = min(days).toordinal(), max(days).toordinal()
    # Day 1 of the calendar was a Monday.
    calendar = [(day - 1) % 7 >= SATURDAY for day in range(first, last + 1)]
    arrived = [day.weekday() >= SATURDAY for day in days]
    return {f"jobs_per_{name}": arrived.count(of_weekend) / max(calendar.count(of_weekend), 1)
            for name, of_weekend in (("weekend_day", True), ("other_day", False))}


def overestimates(workload: Mapping[str, Any]) -> dict[str, float]:
    """The shares of the jobs whose walltime is more than so many times their run time, and the largest such ratio."""
    profiles = workload["profiles"]
    known = [job["walltime"] / profiles[job["profile"]]["delay"] for job in workload["jobs"] if job.get("walltime")]
    return {**{f"share_above_{times}": sum(ratio > times for ratio in known) / max(len(known), 1) for times in TIMES},
            "largest": max(known, default=0.0)}


def mean_stretch(workload: Mapping[str, Any], log: str) -> Optional[float]:
    """The paper's mean stretch of the workload's jobs, with the waits that the log has of them: (wait + walltime) /
    walltime. None if it has none. Jobs without a known wait are left out."""
    waits, profiles = log_waits(log), workload["profiles"]
    known = [(waits[log_number(one["id"]), one["subtime"], profiles[one["profile"]]["delay"]], one["walltime"])
             for one in workload["jobs"] if one.get("walltime")]
    stretches = [1 + wait / walltime for wait, walltime in known if wait >= 0]
    return fmean(stretches) if stretches else None


def main(job: Job) -> None:
    """Looks at a machine's workload."""
    workload, logs = read_json(job.input.workload), job.input.logs
    header = Path(job.input.header).read_text(encoding="utf-8", errors="replace")
    write_csv(job.output[0], [{"jobs": len(workload["jobs"]),
                               **weekend([one["subtime"] for one in workload["jobs"]], header),
                               **overestimates(workload),
                               "mean_stretch_in_log": mean_stretch(workload, logs[0]) if logs else None}])


if __name__ == "__main__":
    run_job(main)
