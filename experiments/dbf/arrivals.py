"""Job of rule `dbf_arrivals`: how many jobs arrive in each hour of the day, on average, in the machine's time zone."""
import re
from collections import Counter
from datetime import datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from common.files import read_json
from common.job import Job, run_job
from common.tables import write_csv

HEADER_FIELD = re.compile(r"^;\s*(\w+):\s*(.*?)\s*$", re.MULTILINE)


def time_zone(fields: dict[str, str]) -> tzinfo:
    """The log's time zone: its name if there is one, for daylight saving time, else its offset, else UTC."""
    try:
        return ZoneInfo(fields["TimeZoneString"])
    except (KeyError, ValueError, ZoneInfoNotFoundError):
        return timezone(timedelta(seconds=int(fields.get("TimeZone", 0))))


def arrivals(subtimes: list[float], header: str) -> list[dict[str, float]]:
    """Mean number of arrivals in each hour of the day, over the days from the first arrival's to the last's.

    Without a header, time 0 is midnight, as `batfill generate` has it.
    """
    fields = dict(HEADER_FIELD.findall(header))
    zone = time_zone(fields)
    start = int(fields.get("UnixStartTime", 0))
    times = [datetime.fromtimestamp(start + subtime, zone) for subtime in subtimes]
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
