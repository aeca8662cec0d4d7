"""Jobs by the week of their submission, counted from second 0 of the log: results of replays, and tables of them."""
from math import fsum, isclose
from pathlib import Path
from typing import Callable, Mapping, Protocol, Sequence

from common.intervals import Intervals
from common.job import Job, JobError
from common.tables import Lines, Row, grouped, read_csv, write_csv
from common.workbench import Workbench

WEEK = 7 * 86400
TAU = 10  # bound of the bounded slowdown, seconds
PRINTED = 1e-9  # how far numbers as the program prints them may be from those that are computed here


def bounded_slowdown(wait: float, run: float) -> float:
    """The bounded slowdown of a job that waited and ran for so many seconds."""
    return max((wait + run) / max(run, TAU), 1.0)


def check_means(weeks: Sequence[Mapping[str, float]], measured: Mapping[str, str]) -> None:
    """Fails if the weeks do not give the means over all jobs that the program prints."""
    jobs = sum(week["jobs"] for week in weeks)
    for column in ("bounded_slowdown", "wait"):
        mean = fsum(week[column] for week in weeks) / jobs
        if not isclose(mean, float(measured[f"mean_{column}"]), rel_tol=PRINTED):
            raise JobError(f"the weeks have a mean {column} of {mean}, `batfill metrics` says "
                           f"{measured[f'mean_{column}']}")


class WeeklyResults:
    """The results of a job that replays: a line for each week of each schedule, and one for each whole schedule."""

    def __init__(self) -> None:
        self._weeks: list[Mapping[str, object]] = []
        self._schedules: list[Mapping[str, object]] = []

    def add(self, what: Mapping[str, object], weeks: Sequence[Mapping[str, object]],
            whole: Mapping[str, object]) -> None:
        """Adds a schedule; all of its lines begin with `what`."""
        self._weeks.extend({**what, **week} for week in weeks)
        self._schedules.append({**what, **whole})

    def keep(self, bench: Workbench, job: Job) -> None:
        """Writes the lines of at least one schedule, and the job's manifest."""
        for name, rows, file in (("weeks.csv", self._weeks, job.output.weeks),
                                 ("results.csv", self._schedules, job.output.results)):
            write_csv(str(bench.path(name)), rows)
            bench.keep(name, file)
        bench.write_manifest(job.output.manifest)


class Measured(Protocol):
    """All that was measured on a machine, as lines of tables."""

    def extent(self) -> Row:
        """What there is of the machine."""

    def means(self) -> list[Row]:
        """The means of every way to schedule."""

    def changes(self) -> list[Row]:
        """How the ways differ."""

    def totals(self) -> list[Row]:
        """Of whole schedules."""


def write_tables(job: Job, measured: Callable[[str, Lines, Lines, Intervals], Measured]) -> None:
    """Writes machines.csv, means.csv, changes.csv and totals.csv beside the job's first output. `measured` makes a
    machine of its name and its lines of weeks and of whole schedules."""
    folder = Path(job.output[0]).parent
    results = grouped(read_csv(job.input.results), "machine")
    machines = [measured(name, weeks, results[name,], Intervals(job.input.batfill))
                for (name,), weeks in grouped(read_csv(job.input.weeks), "machine").items()]
    write_csv(str(folder / "machines.csv"), [machine.extent() for machine in machines])
    for table in ("means", "changes", "totals"):
        write_csv(str(folder / f"{table}.csv"), [row for machine in machines for row in getattr(machine, table)()])
