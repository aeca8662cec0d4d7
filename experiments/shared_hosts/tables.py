"""Job of rule `shared_hosts_tables`: waits and slowdowns in each way to plan, and by how much the ways differ; with
intervals over draws, or over the weeks of a log."""
import math
from itertools import combinations
from pathlib import Path
from typing import Callable, Mapping, Sequence

from common.intervals import Bounds, Intervals
from common.job import Job, run_job
from common.tables import Lines, Row, grouped, read_csv, write_csv

# By measure, what it is a mean of: all jobs, or those that take much of the pool.
MEASURES = {"wait": "jobs", "bounded_slowdown": "jobs", "wait_of_large": "large"}

# The change of each way from one of them.
Changes = Callable[[str], Mapping[str, Bounds]]


def changes_of_draws(intervals: Intervals, measured: Mapping[str, Sequence[float]], than: str) -> dict[str, Bounds]:
    """By what share the geometric mean of each way is above that of another: ten times as long in one draw and a tenth
    in another are no change. The interval is of the logarithms, draw by draw. All numbers are positive."""
    logarithms = {way: [math.log(ours / theirs) for ours, theirs in zip(values, measured[than])]
                  for way, values in measured.items()}
    return {way: change.mapped(math.expm1) for way, change in intervals.means(logarithms).items()}


def rows_of(what: Mapping[str, str], means: Mapping[str, Bounds], changes_from: Changes) -> tuple[list[Row], list[Row]]:
    """The means of all ways, and by how much each way is above those before it."""
    changes_from_each = {way: changes_from(way) for way in means}
    changes: list[Row] = []
    for than, way in combinations(means, 2):
        change = changes_from_each[than][way]
        changes.append({**what, "way": way, "than": than, **vars(change), "verdict": change.verdict("more", "less")})
    return [{**what, "way": way, **vars(one)} for way, one in means.items()], changes


def of_draws(lines: Lines, intervals: Intervals) -> tuple[list[Row], list[Row]]:
    """Means and changes of all drawn machines."""
    all_means: list[Row] = []
    all_changes: list[Row] = []
    for (machine, algorithm), found in grouped(lines, "machine", "algorithm").items():
        for measure in MEASURES:
            measured = {way: [float(line[measure]) for line in of_way]
                        for (way,), of_way in grouped(found, "way").items()}
            means, changes = rows_of({"machine": machine, "algorithm": algorithm, "measure": measure},
                                     intervals.means(measured),
                                     lambda than, measured=measured:  # type: ignore[misc]
                                     changes_of_draws(intervals, measured, than))
            all_means += means
            all_changes += changes
    return all_means, all_changes


def of_logs(lines: Lines, intervals: Intervals) -> tuple[list[Row], list[Row]]:
    """Means and changes of all logs. All ways have the same jobs."""
    all_means: list[Row] = []
    all_changes: list[Row] = []
    for (machine, algorithm), found in grouped(lines, "machine", "algorithm").items():
        by_way = {way: weeks for (way,), weeks in grouped(found, "way").items()}
        for measure, number in MEASURES.items():
            jobs = [float(week[number]) for week in next(iter(by_way.values()))]
            sums = {way: [float(week[measure]) for week in weeks] for way, weeks in by_way.items()}
            means, changes = rows_of({"machine": machine, "algorithm": algorithm, "measure": measure},
                                     intervals.weekly_means(jobs, sums),
                                     lambda than, jobs=jobs, sums=sums:  # type: ignore[misc]
                                     intervals.weekly_changes(jobs, sums, than))
            all_means += means
            all_changes += changes
    return all_means, all_changes


def drawn_rows(lines: Lines) -> list[Row]:
    """What was drawn: number of draws, jobs and offered loads, as means over draws."""
    rows: list[Row] = []
    for (machine,), found in grouped(lines, "machine").items():
        draws = [of_draw[0] for of_draw in grouped(found, "draw").values()]
        rows.append({"machine": machine, "draws": len(draws), "jobs": int(draws[0]["jobs"]),
                     **{name: math.fsum(float(line[name]) for line in draws) / len(draws)
                        for name in draws[0] if name in ("with_pool", "large") or name.startswith("load_of_")}})
    return rows


def log_rows(results: Lines, weeks: Lines) -> list[Row]:
    """What there is of each log. All of its schedules have the same jobs."""
    return [{**{name: value for name, value in found[0].items() if name not in ("algorithm", "way", "utilisation")},
             "weeks": len({week["week"] for week in weeks if week["machine"] == machine})}
            for (machine,), found in grouped(results, "machine").items()]


def main(job: Job) -> None:
    """Writes all tables."""
    folder = Path(job.output[0]).parent
    draws, weeks = read_csv(job.input.draws), read_csv(job.input.weeks)
    intervals = Intervals(job.input.batfill)
    of_drawn, of_logged = of_draws(draws, intervals), of_logs(weeks, intervals)
    for table, rows in (("drawn", drawn_rows(draws)), ("log", log_rows(read_csv(job.input.results), weeks)),
                        ("means", of_drawn[0] + of_logged[0]), ("changes", of_drawn[1] + of_logged[1])):
        write_csv(str(folder / f"{table}.csv"), rows)


if __name__ == "__main__":
    run_job(main)
