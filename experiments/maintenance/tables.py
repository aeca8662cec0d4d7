"""Job of rule `maintenance_tables`: what maintenance costs under each algorithm, announced in each way, and by how much
the ways differ; with intervals over weeks and calendars."""
from itertools import combinations
from pathlib import Path
from typing import Any, Mapping, Sequence

from common.bootstrap import Bounds, Resamples, mean, means
from common.job import Job, run_job
from common.tables import Row, Spread, read_csv, write_csv
from maintenance.replay import HOUR, NONE

OF_JOBS = ("wait", "bounded_slowdown")
OF_WINDOWS = ("drained", "lost", "taken")  # the last: both

Lines = Sequence[Mapping[str, str]]


def grouped(lines: Lines, *columns: str) -> dict[tuple[str, ...], list[Mapping[str, str]]]:
    """The lines by what they have in these columns."""
    found: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for line in lines:
        found.setdefault(tuple(line[column] for column in columns), []).append(line)
    return found


class Machine:
    """All that was measured on a machine, with the same draws of weeks and calendars for everything. A way is an
    algorithm and how maintenance is announced."""

    def __init__(self, name: str, weeks: Lines, results: Lines, bootstrap: Mapping[str, Any]) -> None:
        self._name = name
        self._results = grouped(results, "algorithm", "announced")
        self._processors = int(results[0]["processors"])
        runs = {way: list(grouped(lines, "calendar").values())
                for way, lines in grouped(weeks, "algorithm", "announced").items()}
        self._runs = runs
        self._ways = list(runs)
        first = next(iter(runs.values()))[0]
        self._jobs = [float(week["jobs"]) for week in first]
        most = max(runs.values(), key=len)
        # Of the windows of a week, the mean of all calendars.
        self._windows = [sum(float(run[week]["windows"]) for run in most) / len(most) for week in range(len(first))]
        self._resamples = Resamples(len(first), len(most), **bootstrap)
        self._resampled: dict[tuple[tuple[str, ...], str], tuple[float, list[float]]] = {}

    def measured(self, way: tuple[str, ...], measure: str) -> tuple[float, list[float]]:
        """The mean, of jobs or of windows, and that of each resample."""
        if (way, measure) not in self._resampled:
            weights = self._jobs if measure in OF_JOBS else self._windows
            sums = [[self._sum(week, measure) for week in run] for run in self._runs[way]]
            self._resampled[way, measure] = mean(sums, weights), means(sums, weights, self._resamples)
        return self._resampled[way, measure]

    def _sum(self, week: Mapping[str, str], measure: str) -> float:
        """What was summed up in a week: of windows, in hours of the whole machine."""
        if measure in OF_JOBS:
            return float(week[measure])
        parts = OF_WINDOWS[:2] if measure == "taken" else (measure,)
        return sum(float(week[part]) for part in parts) / (HOUR * self._processors)

    def extent(self) -> Row:
        """What there is of the machine."""
        lines = [line for found in self._results.values() for line in found if line["announced"] != NONE]
        windows = Spread.of(int(line["windows"]) for line in lines)
        return {"machine": self._name, "processors": self._processors, "jobs": int(sum(self._jobs)),
                "weeks": len(self._jobs), "calendars": self._resamples.seeds, "windows, least": int(windows.least),
                "windows, most": int(windows.most), "longest_walltime": float(lines[0]["longest_walltime"])}

    def means(self) -> list[Row]:
        """The means of every way, with their intervals."""
        return [{**self._what(way), "measure": measure, **vars(Bounds.of(*self.measured(way, measure)))}
                for way in self._ways for measure in OF_JOBS + (OF_WINDOWS if way[1] != NONE else ())]

    def changes(self) -> list[Row]:
        """By how much each way is above those before it with the same algorithm: of jobs as a share, of windows in
        hours."""
        rows: list[Row] = []
        for other, way in combinations(self._ways, 2):
            if way[0] == other[0]:
                for measure in OF_JOBS + (OF_WINDOWS if other[1] != NONE else ()):
                    change = self._change(self.measured(way, measure), self.measured(other, measure),
                                          measure in OF_JOBS)
                    verdict = "more" if change.low > 0 else "less" if change.high < 0 else "open"
                    rows.append({**self._what(way), "than": other[1], "measure": measure, **vars(change),
                                 "verdict": verdict})
        return rows

    @staticmethod
    def _change(ours: tuple[float, list[float]], theirs: tuple[float, list[float]], is_share: bool) -> Bounds:
        def change(one: float, other: float) -> float:
            return one / other - 1 if is_share else one - other

        return Bounds.of(change(ours[0], theirs[0]), [change(*pair) for pair in zip(ours[1], theirs[1])])

    def totals(self) -> list[Row]:
        """Of whole schedules: utilisation and killed jobs, over the calendars."""
        return [{**self._what(way), **{f"{name}, {part}": value for name in ("utilisation", "killed")
                                       for part, value in vars(Spread.of(float(line[name]) for line in lines)).items()}}
                for way, lines in self._results.items()]

    def _what(self, way: tuple[str, ...]) -> dict[str, str]:
        return {"machine": self._name, "algorithm": way[0], "announced": way[1]}


def main(job: Job) -> None:
    """Writes all tables."""
    folder = Path(job.output[0]).parent
    results = grouped(read_csv(job.input.results), "machine")
    machines = [Machine(name, weeks, results[name,], job.params.bootstrap)
                for (name,), weeks in grouped(read_csv(job.input.weeks), "machine").items()]
    write_csv(str(folder / "machines.csv"), [machine.extent() for machine in machines])
    for table in ("means", "changes", "totals"):
        write_csv(str(folder / f"{table}.csv"), [row for machine in machines for row in getattr(machine, table)()])


if __name__ == "__main__":
    run_job(main)
