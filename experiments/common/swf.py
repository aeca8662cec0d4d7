"""Logs in the Standard Workload Format, line by line."""
import gzip
from typing import Iterator

# Fields, from 0.
NUMBER, SUBMIT, WAIT, RUN_TIME = range(4)

# Number, submission and run time of a job: some logs use a number twice.
JobKey = tuple[int, float, float]


def log_lines(log: str) -> Iterator[list[str]]:
    """The fields of each line of a log, gzipped or not."""
    with (gzip.open(log, "rt", encoding="utf-8", errors="replace") if log.endswith(".gz")
          else open(log, encoding="utf-8", errors="replace")) as lines:
        for line in lines:
            if line.strip() and not line.startswith(";"):
                yield line.split()


def log_waits(log: str) -> dict[JobKey, float]:
    """How long each job waited by its line in the log, in seconds; negative where the log does not know it."""
    return {(int(fields[NUMBER]), float(fields[SUBMIT]), float(fields[RUN_TIME])): float(fields[WAIT])
            for fields in log_lines(log)}


def log_number(job_id: str) -> int:
    """The number in the log of a workload's job; the second job with a number is called `NUMBER-2`."""
    return int(job_id.split("-", maxsplit=1)[0])
