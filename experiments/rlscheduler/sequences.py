"""Sequences of jobs as RLScheduler's program takes them from a log, and as workloads."""
import gzip
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Iterator, Sequence

from common.files import read_json

UNKNOWN = -1
FAILED_RUN = 10  # what a negative run time becomes
LEAST_ESTIMATE = 0.1  # in the logarithm of F1, and as a walltime, in place of an estimate that is not positive
TINY = 1e-15  # what UNICEP adds, so that it divides by no 0


@dataclass(frozen=True)
class LoggedJob:
    """A job of a log. Times are in seconds; the estimate may be -1, where the log has neither estimate nor run time."""

    number: int
    submit: int
    run: int
    estimate: int
    processors: int

    @property
    def unstarted_wait(self) -> int:
        """The wait that WFP3 and UNICEP see: a waiting job's start is kept as -1."""
        return UNKNOWN - self.submit

    @property
    def wfp3(self) -> float:
        """The score of WFP3; the smallest goes first."""
        return -(self.unstarted_wait / self.estimate) ** 3 * self.processors

    @property
    def unicep(self) -> float:
        """The score of UNICEP; the smallest goes first."""
        return -(self.unstarted_wait + TINY) / (math.log2(self.processors + TINY) * self.estimate)


def jobs_of_log(file: str) -> list[LoggedJob]:
    """The jobs of a log by number, without those that ran for 0 s."""
    content = Path(file).read_bytes()
    text = (gzip.decompress(content) if file.endswith(".gz") else content).decode(errors="replace")
    jobs = [_job(line.split()) for line in text.splitlines() if line.strip() and not line.startswith(";")]
    return sorted((job for job in jobs if job.run > 0), key=lambda job: job.number)


def _job(fields: Sequence[str]) -> LoggedJob:
    number, submit, _wait, run, allocated, _cpu, _memory, requested, estimate = (
        int(float(field)) for field in fields[:9])
    return LoggedJob(number, submit, FAILED_RUN if run < 0 else run, run if estimate == UNKNOWN else estimate,
                     max(allocated, requested))


def jobs_of_workload(file: str) -> list[LoggedJob]:
    """The jobs of a generated workload, in whole seconds."""
    workload = read_json(file)
    runs = {name: max(1, round(profile["delay"])) for name, profile in workload["profiles"].items()}
    return [LoggedJob(number, round(job["subtime"]), runs[job["profile"]], max(1, round(job["walltime"])), job["res"])
            for number, job in enumerate(workload["jobs"], 1)]


def sequences(jobs: Sequence[LoggedJob], first: Sequence[int], length: int) -> Iterator[Sequence[LoggedJob]]:
    """The jobs from each of these places on."""
    for place in first:
        sequence = jobs[place:place + length]
        if len(sequence) < length:
            raise ValueError(f"the log has {len(jobs)} jobs, expected {place + length} or more")
        yield sequence


def workload_of(sequence: Sequence[LoggedJob], hosts: int) -> dict[str, Any]:
    """A sequence as a workload whose walltimes stop no job. Ids are padded, so that jobs of one second are submitted in
    the order of their numbers."""
    return {
        "nb_res": hosts, "walltimes": "believed",
        "jobs": [{"id": f"{job.number:08}", "subtime": job.submit, "res": job.processors,
                  "walltime": job.estimate if job.estimate > 0 else LEAST_ESTIMATE, "profile": f"d{job.run}",
                  "wfp3": job.wfp3, "unicep": job.unicep} for job in sequence],
        "profiles": {f"d{run}": {"type": "delay", "delay": run} for run in sorted({job.run for job in sequence})},
    }
