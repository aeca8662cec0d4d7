"""Accounting data of the centre as they are, and the jobs that ElastiSim was given."""
import csv
import gzip
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence

UNKNOWN = "None"


@dataclass(frozen=True)
class Record:
    """A line of the accounting data. Times are seconds since 1970; `start` is None if the job never started."""

    name: str
    cores: int
    nodes: int
    submit: int
    start: Optional[int]
    end: int

    @property
    def ran(self) -> bool:
        """Whether the job took processors for any time."""
        return self.start is not None and self.end > self.start

    @property
    def size(self) -> tuple[int, int]:
        """Cores and nodes."""
        return self.cores, self.nodes


def lines_of(file: str) -> list[dict[str, str]]:
    """The lines of a CSV, gzipped or not."""
    with (gzip.open(file, "rt", encoding="utf-8") if file.endswith(".gz")
          else open(file, encoding="utf-8", newline="")) as stream:
        return list(csv.DictReader(stream))


def records_of(file: str) -> list[Record]:
    """The accounting data, in the order of the file."""
    return [Record(line["JobID"], int(line["NCPUS"]), int(line["NNodes"]), int(line["Submit"]),
                   None if line["Start"] == UNKNOWN else int(line["Start"]), int(line["End"]))
            for line in lines_of(file)]


@dataclass(frozen=True)
class Given:
    """A job as ElastiSim was given it, in its unit of time."""

    name: str
    submit: int
    cores: int
    run: int


def converted(records: Sequence[Record], unit: int) -> list[Given]:
    """The records as ElastiSim's jobs: times from the first submission, in whole units, rounded down. Jobs that ran for
    less than a unit are left out."""
    zero = min(one.submit for one in records)
    return [Given(one.name, (one.submit - zero) // unit, one.cores, (one.end - one.start) // unit)
            for one in records if one.start is not None and one.end - one.start >= unit]


def given_of(lines: Sequence[Mapping[str, str]]) -> list[Given]:
    """The jobs in ElastiSim's own file."""
    return [Given(line["jobid"], int(line["submit"]), int(line["cores"]), int(line["run"])) for line in lines]


def workload_of(jobs: Sequence[Given], processors: int) -> dict[str, Any]:
    """The jobs as a workload whose seconds are the unit. A job is called by its place, from 0, with zeros in front: of
    jobs of one instant, the first by name is the first. Its walltime is its run time, at which FCFS does not look."""
    return {"nb_res": processors,
            "jobs": [{"id": f"{place:06}", "subtime": job.submit, "res": job.cores, "walltime": job.run,
                      "profile": f"d{job.run}"} for place, job in enumerate(jobs)],
            "profiles": {f"d{run}": {"type": "delay", "delay": run} for run in sorted({job.run for job in jobs})}}
