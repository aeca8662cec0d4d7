"""Job of rule `online_tuning_tables`: means of the policies and of the ways to tune, and how they differ, with
intervals over weeks; how often weights were replaced, and what that cost. Seeds are averaged within each week."""
from dataclasses import dataclass
from math import fsum
from pathlib import Path
from typing import Mapping, Sequence

from common.intervals import Bounds, Intervals
from common.job import Job, JobError, run_job
from common.tables import Row, Spread, read_csv, write_csv

MEASURES = ("bounded_slowdown", "wait")
POLICIES = "policies"  # the group of replays that does not tune


@dataclass(frozen=True)
class Way:
    """A way to schedule: a policy, or a way to tune with all of its seeds. For each measure, the sums of each run in
    each week."""

    name: str
    is_tuned: bool
    sums: Mapping[str, Sequence[Sequence[float]]]


class Machine:
    """All that was measured on a machine."""

    def __init__(self, name: str, rows: Sequence[Mapping[str, str]], intervals: Intervals) -> None:
        self.name = name
        self._intervals = intervals
        runs: dict[tuple[str, str], list[Mapping[str, str]]] = {}
        for row in rows:
            runs.setdefault((row["way"], row["replay"]), []).append(row)
        # Every replay has the same jobs.
        first = next(iter(runs.values()))
        self._weeks = [row["week"] for row in first]
        self._jobs = [float(row["jobs"]) for row in first]
        grouped: dict[str, list[Sequence[Mapping[str, str]]]] = {}
        for (group, replay), weeks in runs.items():
            if [(row["week"], float(row["jobs"])) for row in weeks] != list(zip(self._weeks, self._jobs)):
                raise JobError(f"{name}, {group}, {replay}: other jobs than in the first replay")
            grouped.setdefault(replay if group == POLICIES else group, []).append(weeks)
        policies = {replay for group, replay in runs if group == POLICIES}
        self.ways = [Way(way, way not in policies, {
            measure: [[float(row[measure]) for row in weeks] for weeks in found] for measure in MEASURES})
            for way, found in grouped.items()]
        self._seeds = max(len(found) for found in grouped.values())

    def extent(self) -> Row:
        """What there is of the machine."""
        return {"machine": self.name, "jobs": int(sum(self._jobs)), "weeks": len(self._weeks),
                "seeds": self._seeds}

    def _sums(self, measure: str) -> dict[str, list[float]]:
        """The sums of each week by way, as means over the seeds."""
        return {way.name: [fsum(of_seeds) / len(of_seeds) for of_seeds in zip(*way.sums[measure])]
                for way in self.ways}

    def means(self) -> list[Row]:
        """The means of every way with their intervals and, where there are several seeds, the least and the most of
        them."""
        rows: list[Row] = []
        found = {measure: self._intervals.weekly_means(self._jobs, self._sums(measure)) for measure in MEASURES}
        for way in self.ways:
            for measure in MEASURES:
                spread = Spread.of(fsum(run) / fsum(self._jobs) for run in way.sums[measure])
                rows.append({**self._what(way, measure), **vars(found[measure][way.name]), "least": spread.least,
                             "most": spread.most})
        return rows

    def changes(self) -> list[Row]:
        """By which share every way is above (below 0: better than) every policy. The best of the policies is the one
        whose mean turned out smallest here."""
        rows: list[Row] = []
        for measure in MEASURES:
            policies = [way for way in self.ways if not way.is_tuned]
            sums = self._sums(measure)
            best = min(policies, key=lambda policy, sums=sums: fsum(sums[policy.name]))  # type: ignore[misc]
            found: dict[str, dict[str, Bounds]] = {
                policy.name: self._intervals.weekly_changes(self._jobs, sums, policy.name) for policy in policies}
            for way in self.ways:
                for policy in policies:
                    if way is not policy:
                        change = found[policy.name][way.name]
                        rows.append({**self._what(way, measure), "policy": policy.name, "is_best": int(policy is best),
                                     **vars(change), "verdict": change.verdict("worse", "better")})
        return rows

    def _what(self, way: Way, measure: str) -> Row:
        return {"machine": self.name, "way": way.name, "kind": "tuned" if way.is_tuned else "policy",
                "measure": measure}


def searches(results: Sequence[Mapping[str, str]]) -> list[Row]:
    """How often the tuned replays of each way looked for weights and replaced them, and the processor seconds for each
    search, of the whole replay: means over the seeds, the least and the most."""
    tuned: dict[tuple[str, str], list[Mapping[str, str]]] = {}
    for row in results:
        if row["tunings"]:
            tuned.setdefault((row["machine"], row["way"]), []).append(row)
    rows: list[Row] = []
    for (machine, way), seeds in tuned.items():
        replaced = Spread.of(int(row["improvements"]) for row in seeds)
        seconds = Spread.of(float(row["processor_seconds"]) / int(row["tunings"]) for row in seeds)
        rows.append({"machine": machine, "way": way, "searches": int(seeds[0]["tunings"]), "replaced": replaced.mean,
                     "replaced, least": int(replaced.least), "replaced, most": int(replaced.most),
                     "processor_seconds_per_search": seconds.mean})
    return rows


def main(job: Job) -> None:
    """Writes all tables."""
    folder = Path(job.output[0]).parent
    weeks = read_csv(job.input.weeks)
    intervals = Intervals(job.input.batfill)
    machines = [Machine(name, [row for row in weeks if row["machine"] == name], intervals)
                for name in dict.fromkeys(row["machine"] for row in weeks)]
    write_csv(str(folder / "machines.csv"), [machine.extent() for machine in machines])
    write_csv(str(folder / "means.csv"), [row for machine in machines for row in machine.means()])
    write_csv(str(folder / "changes.csv"), [row for machine in machines for row in machine.changes()])
    write_csv(str(folder / "searches.csv"), searches(read_csv(job.input.results)))


if __name__ == "__main__":
    run_job(main)
