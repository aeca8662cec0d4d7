"""What statements are decided from, and how they say it."""
from dataclasses import dataclass
from typing import Callable, Iterable, Mapping, Optional, Sequence

from common.files import read_json
from common.job import Job
from common.tables import Show, Spread, read_csv
from dbf.results import DBF, Results, Rows, select

REGULAR, ALL = "mean_wait_regular", "mean_wait"
STRETCH, MAXIMUM = "mean_stretch_regular", "max_stretch_regular"
SDSC_BLUE, SDSC_DS, HPC2N = "SDSC-BLUE", "SDSC-DS", "HPC2N"  # the paper's names of the logs that it speaks of


@dataclass(frozen=True)
class Sources:
    """All that statements are decided from. What is by machine has the machines of the workflow."""

    results: Results
    paper: Mapping[str, float]  # numbers of its text
    tables: Mapping[str, Rows]  # its tables, by number
    conversions: Mapping[str, Mapping[str, object]]
    anomalies: Mapping[str, Mapping[str, str]]  # the rows of our Table 1
    regular_jobs: Mapping[str, Mapping[str, str]]  # those of our Table 2
    arrivals: Mapping[str, Rows]
    census: Mapping[str, Mapping[str, str]]
    timings: Mapping[str, Mapping[str, float]]  # processor seconds, by column of Table 3
    compressions: Rows
    missed: Rows

    @classmethod
    def of(cls, job: Job) -> "Sources":
        """What the workflow has made and the paper's own numbers."""
        given, machines = job.input, list(job.params.names)
        results = Results(read_csv(given.metrics), read_csv(given.distribution), read_csv(given.statistics),
                          job.params.names)
        return cls(
            results=results,
            paper={row["name"]: float(row["value"]) for row in read_csv(given.numbers)},
            tables={number: read_csv(file) for number, file in zip("123", given.paper_tables)},
            conversions={machine: read_json(file) for machine, file in zip(machines, given.conversions)},
            anomalies={row["workload"]: row for row in read_csv(given.table_1)},
            regular_jobs={row["workload"]: row for row in read_csv(given.table_2)},
            arrivals={machine: read_csv(file) for machine, file in zip(machines, given.arrivals)},
            census={machine: read_csv(file)[0] for machine, file in zip(machines, given.census)},
            timings={machine: _seconds(read_csv(file)) for machine, file in zip(machines, given.timings)},
            compressions=read_csv(given.compressions), missed=read_csv(given.missed))

    def table_row(self, number: str, machine: str) -> dict[str, float]:
        """The numbers that a table of the paper has of a machine; none if it does not have it."""
        rows = select(self.tables[number], workload=str(self.results.names[machine]))
        return {column: float(value) for row in rows for column, value in row.items() if column != "workload"}


def _seconds(timings: Rows) -> dict[str, float]:
    return {f"{DBF} {row['share']} %" if row["share"] else row["algorithm"]: float(row["processor_seconds"])
            for row in timings}


def spread(numbers: Iterable[float], show: Show) -> str:
    """`mean (least to most)` of draws, as people read it."""
    return Spread.of(numbers).text(show)


def plain(value: float) -> str:
    """A count, or a mean of counts."""
    return f"{value:,.0f}"


def two(value: float) -> str:
    """With two digits after the point."""
    return f"{value:.2f}"


def hours(seconds: float) -> str:
    """Seconds in hours."""
    return f"{seconds / 3600:.1f} h"


def minutes(seconds: float) -> str:
    """Seconds in minutes."""
    return f"{seconds / 60:.1f} min"


def each(numbers: Iterable[float], show: Show) -> str:
    """Several numbers in a row, such as those of the shares."""
    return ", ".join(map(show, numbers))


def per_machine(machines: Iterable[str], show: Callable[[str], str]) -> str:
    """What there is to say of each machine."""
    return "; ".join(f"{machine} {show(machine)}" for machine in machines)


def count(which: Sequence[bool]) -> str:
    """How many of them hold."""
    return f"{sum(which)} of {len(which)}"


def falls(numbers: Sequence[float]) -> bool:
    """Whether each number is smaller than the one before."""
    return all(b < a for a, b in zip(numbers, numbers[1:]))


def rises(numbers: Sequence[float]) -> bool:
    """Whether each number is larger than the one before."""
    return falls([-number for number in numbers])


def configurations(results: Results, machines: Optional[Sequence[str]] = None) -> list[tuple[str, str]]:
    """Machines, those of the paper unless told otherwise, with each share."""
    return [(machine, share) for machine in machines or results.of_paper for share in results.shares]
