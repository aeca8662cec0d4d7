"""Job of rule `shared_hosts_tables`: waits and slowdowns in each way to plan, and by how much the ways differ; with
intervals over draws, or over the weeks of a log."""
import math
from itertools import combinations
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

from common.bootstrap import Bounds, Resamples, mean, means
from common.confidence import Interval
from common.job import Job, run_job
from common.tables import Row, read_csv, write_csv

# By measure, what it is a mean of: all jobs, or those that take much of the pool.
MEASURES = {"wait": "jobs", "bounded_slowdown": "jobs", "wait_of_large": "large"}

Lines = Sequence[Mapping[str, str]]
# What was measured in a way: a number for each draw, or the mean of the log and that of each resample.
Means = Callable[[Any], Bounds]
Changes = Callable[[Any, Any], Bounds]


def grouped(lines: Lines, *columns: str) -> dict[tuple[str, ...], list[Mapping[str, str]]]:
    """The lines by what they have in these columns."""
    found: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for line in lines:
        found.setdefault(tuple(line[column] for column in columns), []).append(line)
    return found


def mean_of_draws(values: Sequence[float]) -> Bounds:
    """The mean over draws."""
    interval = Interval.of(values)
    return Bounds(interval.mean, interval.low, interval.high)


def change_of_draws(ours: Sequence[float], theirs: Sequence[float]) -> Bounds:
    """By what share the geometric mean changes: ten times as long in one draw and a tenth in another are no change. The
    interval is of the logarithms, draw by draw. All numbers are positive."""
    interval = Interval.of_difference([math.log(one) for one in ours], [math.log(one) for one in theirs])
    return Bounds(*(math.expm1(one) for one in (interval.mean, interval.low, interval.high)))


def mean_of_weeks(measured: tuple[float, Sequence[float]]) -> Bounds:
    """The mean over jobs of a log."""
    return Bounds.of(*measured)


def change_of_weeks(ours: tuple[float, Sequence[float]], theirs: tuple[float, Sequence[float]]) -> Bounds:
    """By what share that changes, resample by resample."""
    return Bounds.of(ours[0] / theirs[0] - 1, [one / other - 1 for one, other in zip(ours[1], theirs[1])])


def rows_of(what: Mapping[str, str], measured: Mapping[str, Any], mean_of: Means,
            change_of: Changes) -> tuple[list[Row], list[Row]]:
    """Of what was measured in each way, the means, and by how much each way is above those before it."""
    changes: list[Row] = []
    for than, way in combinations(measured, 2):
        change = change_of(measured[way], measured[than])
        verdict = "more" if change.low > 0 else "less" if change.high < 0 else "open"
        changes.append({**what, "way": way, "than": than, **vars(change), "verdict": verdict})
    return [{**what, "way": way, **vars(mean_of(one))} for way, one in measured.items()], changes


def of_draws(lines: Lines) -> tuple[list[Row], list[Row]]:
    """Means and changes of all drawn machines."""
    all_means: list[Row] = []
    all_changes: list[Row] = []
    for (machine, algorithm), found in grouped(lines, "machine", "algorithm").items():
        for measure in MEASURES:
            measured = {way: [float(line[measure]) for line in of_way]
                        for (way,), of_way in grouped(found, "way").items()}
            means_of, changes = rows_of({"machine": machine, "algorithm": algorithm, "measure": measure}, measured,
                                        mean_of_draws, change_of_draws)
            all_means += means_of
            all_changes += changes
    return all_means, all_changes


def of_logs(lines: Lines, bootstrap: Mapping[str, Any]) -> tuple[list[Row], list[Row]]:
    """Means and changes of all logs, with the same draws of weeks for all that is measured on one."""
    all_means: list[Row] = []
    all_changes: list[Row] = []
    for (machine,), of_machine in grouped(lines, "machine").items():
        resamples = Resamples(len({line["week"] for line in of_machine}), 1, **bootstrap)
        for (algorithm,), found in grouped(of_machine, "algorithm").items():
            for measure, number in MEASURES.items():
                measured: dict[str, tuple[float, list[float]]] = {}
                for (way,), weeks in grouped(found, "way").items():
                    sums, jobs = [[float(week[measure]) for week in weeks]], [float(week[number]) for week in weeks]
                    measured[way] = mean(sums, jobs), means(sums, jobs, resamples)
                means_of, changes = rows_of({"machine": machine, "algorithm": algorithm, "measure": measure}, measured,
                                            mean_of_weeks, change_of_weeks)
                all_means += means_of
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
    of_drawn, of_logged = of_draws(draws), of_logs(weeks, job.params.bootstrap)
    for table, rows in (("drawn", drawn_rows(draws)), ("log", log_rows(read_csv(job.input.results), weeks)),
                        ("means", of_drawn[0] + of_logged[0]), ("changes", of_drawn[1] + of_logged[1])):
        write_csv(str(folder / f"{table}.csv"), rows)


if __name__ == "__main__":
    run_job(main)
