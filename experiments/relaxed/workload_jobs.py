"""The jobs of a workload and what became of them, in columns."""
import csv
from dataclasses import dataclass
from typing import Any, Mapping

import numpy
from numpy.typing import NDArray

from relaxed.months import Numbers

# The paper's queues with their numbers. A job of any other queue, or of none, counts as one of the primary queue.
QUEUES: Mapping[str, int] = {"background": -1, "primary": 0, "challenge": 1, "urgent": 2}
IMPORTANT = ("challenge", "urgent")


@dataclass(frozen=True)
class WorkloadJobs:
    """The jobs of a workload in the order of their submission, those of one instant by id, as Batsim has them."""

    ids: list[str]
    submits: Numbers
    sizes: Numbers
    queues: list[str]  # one of the paper's
    processors: int

    @classmethod
    def of(cls, workload: Mapping[str, Any]) -> "WorkloadJobs":
        """The jobs of a Batsim workload."""
        jobs = sorted(workload["jobs"], key=lambda job: (job["subtime"], job["id"]))
        queues = [job.get("queue", "") for job in jobs]
        return cls([job["id"] for job in jobs], numpy.array([float(job["subtime"]) for job in jobs]),
                   numpy.array([float(job["res"]) for job in jobs]),
                   [queue if queue in QUEUES else "primary" for queue in queues], workload["nb_res"])

    def sums_by_queue(self, amounts: Numbers) -> dict[str, float]:
        """The sum of a number of each job, by queue."""
        queues = numpy.array(self.queues)
        return {queue: float(amounts[queues == queue].sum()) for queue in QUEUES}

    @property
    def important(self) -> NDArray[numpy.bool_]:
        """Which jobs are of the challenge or the urgent queue."""
        return numpy.array([queue in IMPORTANT for queue in self.queues])


@dataclass(frozen=True)
class ScheduledJobs:
    """Starts, ends and estimates of a workload's jobs, in its order."""

    starts: Numbers
    ends: Numbers
    walltimes: Numbers

    @classmethod
    def read(cls, file: str, jobs: WorkloadJobs) -> "ScheduledJobs":
        """The schedule of a PREFIX_jobs.csv, in which each of the jobs has started."""
        names = ("starting_time", "finish_time", "requested_time")
        with open(file, encoding="utf-8", newline="") as stream:
            lines = csv.reader(stream)
            header = next(lines)
            job_id, *columns = (header.index(name) for name in ("job_id", *names))
            rows = {line[job_id].split("!")[-1]: [float(line[column]) for column in columns] for line in lines}
        starts, ends, walltimes = numpy.array([rows[one] for one in jobs.ids]).T
        return cls(starts, ends, walltimes)
