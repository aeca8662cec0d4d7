"""Job of rule `online_tuning_tables`: means of the policies and of the ways to tune, how they differ, how often weights
were replaced, and what that cost; all with intervals."""
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Mapping, Sequence

from common.bootstrap import Bounds, Resamples, mean, means
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
    """All that was measured on a machine, with the same draws of weeks and seeds for everything."""

    def __init__(self, name: str, rows: Sequence[Mapping[str, str]], bootstrap: Mapping[str, Any]) -> None:
        self.name = name
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
        seeds = max(len(found) for found in grouped.values())
        self._resamples = Resamples(len(self._weeks), seeds, **bootstrap)
        self._resampled = {(way.name, measure): means(way.sums[measure], self._jobs, self._resamples)
                           for way in self.ways for measure in MEASURES}

    def extent(self) -> Row:
        """What there is of the machine."""
        return {"machine": self.name, "jobs": int(sum(self._jobs)), "weeks": len(self._weeks),
                "seeds": self._resamples.seeds}

    def mean(self, way: Way, measure: str) -> float:
        """The mean over all jobs, and over the seeds."""
        return mean(way.sums[measure], self._jobs)

    def means(self) -> list[Row]:
        """The means of every way with their intervals and, where there are several seeds, the least and the most of
        them."""
        rows: list[Row] = []
        for way in self.ways:
            for measure in MEASURES:
                bounds = Bounds.of(self.mean(way, measure), self._resampled[way.name, measure])
                spread = Spread.of(mean([run], self._jobs) for run in way.sums[measure])
                rows.append({**self._what(way, measure), **vars(bounds), "least": spread.least, "most": spread.most})
        return rows

    def changes(self) -> list[Row]:
        """By which share every way is above (below 0: better than) every policy. The best of the policies is the one
        whose mean turned out smallest here."""
        rows: list[Row] = []
        for measure in MEASURES:
            policies = [way for way in self.ways if not way.is_tuned]
            found = [self.mean(policy, measure) for policy in policies]
            best = policies[found.index(min(found))]
            for way in self.ways:
                for policy in policies:
                    if way is not policy:
                        change = self._change(way, policy, measure)
                        rows.append({**self._what(way, measure), "policy": policy.name, "is_best": int(policy is best),
                                     **vars(change), "verdict": verdict(change)})
        return rows

    def _change(self, way: Way, policy: Way, measure: str) -> Bounds:
        pairs = zip(self._resampled[way.name, measure], self._resampled[policy.name, measure])
        return Bounds.of(self.mean(way, measure) / self.mean(policy, measure) - 1,
                         [ours / theirs - 1 for ours, theirs in pairs])

    def _what(self, way: Way, measure: str) -> Row:
        return {"machine": self.name, "way": way.name, "kind": "tuned" if way.is_tuned else "policy",
                "measure": measure}


def verdict(change: Bounds) -> str:
    """What an interval says of the sign of a change."""
    if change.high < 0:
        return "better"
    return "worse" if change.low > 0 else "open"


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
    machines = [Machine(name, [row for row in weeks if row["machine"] == name], job.params.bootstrap)
                for name in dict.fromkeys(row["machine"] for row in weeks)]
    write_csv(str(folder / "machines.csv"), [machine.extent() for machine in machines])
    write_csv(str(folder / "means.csv"), [row for machine in machines for row in machine.means()])
    write_csv(str(folder / "changes.csv"), [row for machine in machines for row in machine.changes()])
    write_csv(str(folder / "searches.csv"), searches(read_csv(job.input.results)))


if __name__ == "__main__":
    run_job(main)
