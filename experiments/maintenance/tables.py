"""Job of rule `maintenance_tables`: what maintenance costs under each algorithm, announced in each way, and by how much
the ways differ; with intervals over weeks. Calendars are averaged within each week."""
from itertools import combinations
from math import fsum
from typing import Mapping, Sequence

from common.intervals import Bounds, Intervals
from common.job import Job, run_job
from common.tables import Lines, Row, Spread, grouped
from common.weeks import write_tables
from maintenance.replay import HOUR, NONE

OF_JOBS = ("wait", "bounded_slowdown")
OF_WINDOWS = ("drained", "lost", "taken")  # the last: both

Way = tuple[str, ...]


class Machine:
    """All that was measured on a machine. A way is an algorithm and how maintenance is announced."""

    def __init__(self, name: str, weeks: Lines, results: Lines, intervals: Intervals) -> None:
        self._name = name
        self._intervals = intervals
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
        self._windows = [fsum(float(run[week]["windows"]) for run in most) / len(most) for week in range(len(first))]
        self._calendars = len(most)

    def _weights(self, measure: str) -> Sequence[float]:
        """The number of jobs or of windows of each week."""
        return self._jobs if measure in OF_JOBS else self._windows

    def _sums(self, measure: str) -> dict[Way, list[float]]:
        """The sums of each week, as means over the calendars. Without maintenance there are no windows."""
        return {way: [fsum(self._sum(week, measure) for week in of_calendars) / len(runs)
                      for of_calendars in zip(*runs)]
                for way, runs in self._runs.items() if measure in OF_JOBS or way[1] != NONE}

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
                "weeks": len(self._jobs), "calendars": self._calendars, "windows, least": int(windows.least),
                "windows, most": int(windows.most), "longest_walltime": float(lines[0]["longest_walltime"])}

    def means(self) -> list[Row]:
        """The means of every way, with their intervals."""
        found = {measure: self._intervals.weekly_means(self._weights(measure), self._sums(measure))
                 for measure in OF_JOBS + OF_WINDOWS}
        return [{**self._what(way), "measure": measure, **vars(found[measure][way])}
                for way in self._ways for measure in OF_JOBS + OF_WINDOWS if way in found[measure]]

    def changes(self) -> list[Row]:
        """By how much each way is above those before it with the same algorithm: of jobs as a share, of windows in
        hours."""
        found: dict[tuple[str, Way], dict[Way, Bounds]] = {}
        for measure in OF_JOBS + OF_WINDOWS:
            sums = self._sums(measure)
            for other in sums:
                found[measure, other] = self._intervals.weekly_changes(self._weights(measure), sums, other,
                                                                       measure in OF_JOBS)
        rows: list[Row] = []
        for other, way in combinations(self._ways, 2):
            if way[0] == other[0]:
                for measure in OF_JOBS + (OF_WINDOWS if other[1] != NONE else ()):
                    change = found[measure, other][way]
                    rows.append({**self._what(way), "than": other[1], "measure": measure, **vars(change),
                                 "verdict": change.verdict("more", "less")})
        return rows

    def totals(self) -> list[Row]:
        """Of whole schedules: utilisation and killed jobs, over the calendars."""
        return [{**self._what(way), **{f"{name}, {part}": value for name in ("utilisation", "killed")
                                       for part, value in vars(Spread.of(float(line[name]) for line in lines)).items()}}
                for way, lines in self._results.items()]

    def _what(self, way: Way) -> dict[str, str]:
        return {"machine": self._name, "algorithm": way[0], "announced": way[1]}


def main(job: Job) -> None:
    """Writes all tables."""
    write_tables(job, Machine)


if __name__ == "__main__":
    run_job(main)
