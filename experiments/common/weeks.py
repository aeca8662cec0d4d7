"""Jobs by the week of their submission, counted from second 0 of the log."""
from math import fsum, isclose
from typing import Mapping, Sequence

from common.job import Job, JobError
from common.tables import write_csv
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


def keep_results(bench: Workbench, job: Job, weeks: Sequence[Mapping[str, object]],
                 schedules: Sequence[Mapping[str, object]]) -> None:
    """Writes the results of a job: the lines of weeks, those of whole schedules, and its manifest."""
    for name, rows, file in (("weeks.csv", weeks, job.output.weeks), ("results.csv", schedules, job.output.results)):
        write_csv(str(bench.path(name)), rows)
        bench.keep(name, file)
    bench.write_manifest(job.output.manifest)
