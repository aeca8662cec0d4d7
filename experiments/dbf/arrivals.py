"""Job of rule `dbf_arrivals`: how many jobs arrive in each hour of the day, on average, in the machine's time zone."""
from collections import Counter
from pathlib import Path

from common.files import read_json
from common.job import Job, run_job
from common.log_clock import LogClock
from common.tables import write_csv


def arrivals(subtimes: list[float], header: str) -> list[dict[str, float]]:
    """Mean number of arrivals in each hour of the day, over the days from the first arrival's to the last's.

    Without a header, time 0 is midnight, as `batfill generate` has it.
    """
    clock = LogClock.of(header)
    times = [clock.local(subtime) for subtime in subtimes]
    days = (max(times).date() - min(times).date()).days + 1
    hours = Counter(time.hour for time in times)
    return [{"hour": hour, "arrivals_per_hour": hours[hour] / days} for hour in range(24)]


def main(job: Job) -> None:
    """Counts a machine's arrivals."""
    jobs = read_json(job.input.workload)["jobs"]
    header = Path(job.input.header).read_text(encoding="utf-8", errors="replace")
    write_csv(job.output[0], arrivals([one["subtime"] for one in jobs], header))


if __name__ == "__main__":
    run_job(main)
