"""Job of rule `user_limits_tables`: what limits cost and whom they serve under each algorithm, with intervals over
weeks."""
from pathlib import Path
from typing import Mapping, Sequence

from common.intervals import Bounds, Intervals
from common.job import Job, run_job
from common.tables import Row, read_csv, write_csv
from common.weeks import WEEK
from user_limits.replay import NONE

# What is summed up over a week, and what it is divided by there.
MEASURES = {"wait": "jobs", "wait_heavy": "jobs_heavy", "wait_light": "jobs_light", "bounded_slowdown": "jobs",
            "utilisation": "room", "held": "wait"}

Lines = Sequence[Mapping[str, str]]
Way = tuple[str, str]


def grouped(lines: Lines, *columns: str) -> dict[tuple[str, ...], list[Mapping[str, str]]]:
    """The lines by what they have in these columns."""
    found: dict[tuple[str, ...], list[Mapping[str, str]]] = {}
    for line in lines:
        found.setdefault(tuple(line[column] for column in columns), []).append(line)
    return found


class Machine:
    """All that was measured on a machine. A way is an algorithm and a share of the machine."""

    def __init__(self, name: str, weeks: Lines, results: Lines, intervals: Intervals) -> None:
        self._name = name
        self._intervals = intervals
        self._results = results
        self._room = float(results[0]["processors"]) * WEEK
        self._weeks: dict[Way, Lines] = {
            (algorithm, share): lines for (algorithm, share), lines in grouped(weeks, "algorithm", "share").items()}

    def _sums(self, way: Way, name: str) -> list[float]:
        """The sums of each week. The machine has its time in all weeks but the last, in which submissions end."""
        weeks = self._weeks[way]
        if name == "room":
            return [self._room] * (len(weeks) - 1) + [0 if len(weeks) > 1 else self._room]
        return [float(week["busy" if name == "utilisation" else name]) for week in weeks]

    def _mean(self, way: Way, measure: str) -> Bounds:
        """The measure with its interval. Where nobody waits, no limit holds anybody."""
        return self._intervals.weekly_means(self._sums(way, MEASURES[measure]),
                                            {way: self._sums(way, measure)})[way]

    def extent(self) -> Row:
        """What there is of the machine."""
        weeks = next(iter(self._weeks.values()))
        return {"machine": self._name, "processors": int(self._results[0]["processors"]),
                "jobs": int(sum(float(week["jobs"]) for week in weeks)), "weeks": len(weeks),
                "users": int(self._results[0]["users"]), "heavy": int(self._results[0]["heavy"]),
                "jobs_heavy": int(sum(float(week["jobs_heavy"]) for week in weeks))}

    def means(self) -> list[Row]:
        """The means of every way, with their intervals."""
        return [{**self._what(way), "measure": measure, **vars(self._mean(way, measure))}
                for way in self._weeks for measure in MEASURES if measure != "held" or way[1] != NONE]

    def changes(self) -> list[Row]:
        """By how much each way is above that without limits: of waits and slowdowns as a share, of utilisation as a
        difference."""
        rows: list[Row] = []
        for way in self._weeks:
            without = (way[0], NONE)
            for measure, of in MEASURES.items():
                if way == without or measure == "held":
                    continue
                sums = {one: self._sums(one, measure) for one in (without, way)}
                change = self._intervals.weekly_changes(self._sums(way, of), sums, without,
                                                        measure != "utilisation")[way]
                rows.append({**self._what(way), "measure": measure, **vars(change),
                             "verdict": change.verdict("more", "less")})
        return rows

    def totals(self) -> list[Row]:
        """Of whole schedules."""
        return [{**self._what((line["algorithm"], line["share"])),
                 **{name: line[name] for name in ("most", "held", "utilisation", "max_wait")}}
                for line in self._results]

    def _what(self, way: Way) -> dict[str, str]:
        return {"machine": self._name, "algorithm": way[0], "share": way[1]}


def main(job: Job) -> None:
    """Writes all tables."""
    folder = Path(job.output[0]).parent
    results = grouped(read_csv(job.input.results), "machine")
    machines = [Machine(name, weeks, results[name,], Intervals(job.input.batfill))
                for (name,), weeks in grouped(read_csv(job.input.weeks), "machine").items()]
    write_csv(str(folder / "machines.csv"), [machine.extent() for machine in machines])
    for table in ("means", "changes", "totals"):
        write_csv(str(folder / f"{table}.csv"), [row for machine in machines for row in getattr(machine, table)()])


if __name__ == "__main__":
    run_job(main)
