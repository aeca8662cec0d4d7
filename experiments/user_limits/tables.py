"""Job of rule `user_limits_tables`: what limits cost and whom they serve under each algorithm, with intervals over
weeks."""
from common.intervals import Bounds, Intervals
from common.job import Job, run_job
from common.tables import Lines, Row, grouped
from common.weeks import WEEK, write_tables
from user_limits.replay import NONE

# What is summed up over a week, and what it is divided by there.
MEASURES = {"wait": "jobs", "wait_heavy": "jobs_heavy", "wait_light": "jobs_light", "bounded_slowdown": "jobs",
            "utilisation": "room", "held": "wait"}

Way = tuple[str, str]


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
    write_tables(job, Machine)


if __name__ == "__main__":
    run_job(main)
