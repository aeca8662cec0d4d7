"""Job of rule `pc_dc_census`: the jobs of a log that the paper's filter keeps, and those that are replayed."""
import gzip
from collections import Counter
from pathlib import Path
from typing import Any, Iterator, Optional

from common.files import read_json
from common.job import Job, run_job
from common.tables import write_csv

# Fields of the Standard Workload Format, from 0.
RUN_TIME, ALLOCATED, ESTIMATE, STATUS = 3, 4, 8, 10
PARTIAL, CANCELLED = (2, 3, 4), 5


def log_jobs(log: str) -> Iterator[list[float]]:
    """The numbers of each line of a log."""
    packed = log.endswith(".gz")
    with gzip.open(log, "rb") if packed else open(log, "rb") as lines:
        for line in lines:
            if line.strip() and not line.startswith(b";"):
                yield [float(field) for field in line.split()]


def papers_filter(log: str) -> Counter[str]:
    """How many jobs the paper's filter keeps of a log: `counted`, some of which `run_time_0`.

    The paper names partial executions, jobs that were cancelled before they started, and some of unknown run time.
    Its counts show that it left out jobs without processors as well.
    """
    counts: Counter[str] = Counter()
    for job in log_jobs(log):
        if job[STATUS] in PARTIAL or (job[STATUS] == CANCELLED and job[RUN_TIME] <= 0):
            counts["partial_or_cancelled"] += 1
        elif job[ALLOCATED] <= 0:
            counts["without_processors"] += 1
        elif job[RUN_TIME] < 0:
            counts["run_time_unknown"] += 1
        else:
            counts["counted"] += 1
            counts["counted_with_estimate"] += job[ESTIMATE] > 0
            counts["run_time_0"] += job[RUN_TIME] == 0
    return counts


def replayed(workload: dict[str, Any], conversion: dict[str, Any]) -> dict[str, Optional[int]]:
    """What is replayed, which is what the converter says of it."""
    notes = {note["what"]: note["jobs"] for note in conversion.get("noted", [])}
    jobs = workload["jobs"]
    return {
        "replayed": len(jobs),
        "replayed_with_exact_estimate": notes.get("no requested time: the run time is the walltime", 0),
        "replayed_longer_than_estimate": notes.get("run time > walltime: stopped at the walltime when run", 0),
        "widths": len({job["res"] for job in jobs}),
        "processors": workload["nb_res"],
    }


def main(job: Job) -> None:
    """Writes a machine's census."""
    logs = job.input.logs
    found = papers_filter(logs[0]) if logs else Counter()
    columns = ("partial_or_cancelled", "without_processors", "run_time_unknown", "counted", "counted_with_estimate",
               "run_time_0")
    write_csv(job.output[0], [{
        "machine": job.params.machine, "reading": job.params.reading, "log": Path(logs[0]).name.split(".swf")[0] if logs else "",
        **{column: found[column] if logs else "" for column in columns},
        **replayed(read_json(job.input.workload), read_json(job.input.conversion)),
    }])


if __name__ == "__main__":
    run_job(main)
