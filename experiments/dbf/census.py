"""Job of rule `dbf_census`: what the paper says of a log besides its anomalies: arrivals at weekends, estimates."""
from pathlib import Path
from typing import Any, Mapping, Sequence

from common.files import read_json
from common.job import Job, run_job
from common.log_clock import LogClock
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


def main(job: Job) -> None:
    """Looks at a machine's workload."""
    workload = read_json(job.input.workload)
    header = Path(job.input.header).read_text(encoding="utf-8", errors="replace")
    write_csv(job.output[0], [{"jobs": len(workload["jobs"]),
                               **weekend([one["subtime"] for one in workload["jobs"]], header),
                               **overestimates(workload)}])


if __name__ == "__main__":
    run_job(main)
