"""Job of rule `rounds_tables`: by how much rounds for each event move the metrics, beside what disturbances do."""
from dataclasses import dataclass
from pathlib import Path
from typing import Mapping, Sequence

from common.job import Job, run_job
from common.tables import Row, Value, read_csv, write_csv, write_table
from rounds.words import in_words

METRICS = {"wait": "mean_wait", "slowdown": "mean_bounded_slowdown"}
NOTABLE = 1.0  # per cent


@dataclass(frozen=True)
class Change:
    """A metric with rounds for each instant and for each event, and by how many per cent it changes with the latter and
    with each disturbance; by nothing where it is 0."""

    instant: float
    event: float
    disturbed: Sequence[float]

    @classmethod
    def of(cls, metric: str, runs: Mapping[str, Mapping[str, str]]) -> "Change":
        """The change of a metric, from the lines of all runs by their names."""
        values = {run: float(line[metric]) for run, line in runs.items()}
        return cls(values["instant"], values["event"], [
            _percent(value, values["instant"]) for run, value in values.items() if run.startswith("disturbed")])

    @property
    def percent(self) -> float:
        """The change with rounds for each event."""
        return _percent(self.event, self.instant)

    @property
    def is_beyond(self) -> bool:
        """Whether it is outside all that the disturbances do."""
        return not min(0, *self.disturbed) <= self.percent <= max(0, *self.disturbed)


def _percent(value: float, base: float) -> float:
    return 100 * (value / base - 1) if base > 0 else 0.0


@dataclass(frozen=True)
class Compared:
    """What one log and one policy say."""

    machine: str
    policy: str
    words: str
    jobs: int
    other_starts: int
    changes: Mapping[str, Change]

    @classmethod
    def of(cls, lines: Sequence[Mapping[str, str]], words: str) -> "Compared":
        """From the lines of its replays, and the policy in words."""
        runs = {line["run"]: line for line in lines}
        event = runs["event"]
        return cls(event["machine"], event["policy"], words, int(event["jobs"]), int(event["other_starts"]),
                   {name: Change.of(metric, runs) for name, metric in METRICS.items()})

    def row(self) -> Row:
        """As a line of the table."""
        row: dict[str, Value] = {"machine": self.machine, "policy": self.policy, "in words": self.words,
                                  "jobs": self.jobs, "other starts": self.other_starts,
                                  "other starts, per cent": 100 * self.other_starts / self.jobs}
        for name, change in self.changes.items():
            row |= {f"{name}, instant": change.instant, f"{name}, event": change.event,
                    f"{name}, change": change.percent, f"{name}, disturbed least": min(change.disturbed),
                    f"{name}, disturbed most": max(change.disturbed),
                    f"{name}, beyond": "yes" if change.is_beyond else "no"}
        return row


def summary(compared: Sequence[Compared], metric: str) -> Row:
    """What a policy does to a metric on all logs together."""
    changes = {one.machine: one.changes[metric] for one in compared}
    largest = max(changes, key=lambda machine: abs(changes[machine].percent))
    return {
        "policy": compared[0].policy, "in words": compared[0].words, "metric": metric, "logs": len(compared),
        "logs with other starts": sum(one.other_starts > 0 for one in compared),
        "larger": sum(change.percent > 0 for change in changes.values()),
        "smaller": sum(change.percent < 0 for change in changes.values()),
        "notable from, per cent": NOTABLE,
        "notable": sum(abs(change.percent) > NOTABLE for change in changes.values()),
        "largest change": changes[largest].percent, "log of the largest change": largest,
        "beyond disturbances": sum(change.is_beyond for change in changes.values()),
    }


def main(job: Job) -> None:
    """Writes both tables."""
    replays = read_csv(job.input[0])
    pairs = dict.fromkeys((line["machine"], line["policy"]) for line in replays)
    words = {policy: in_words(parameters) for policy, parameters in job.params.policies.items()}
    compared = [Compared.of([line for line in replays if (line["machine"], line["policy"]) == pair], words[pair[1]])
                for pair in pairs]
    folder = Path(job.output[0]).parent
    write_table(str(folder / "rounds"), "One round for each instant or for each event",
                [one.row() for one in compared], "{:,.2f}".format)
    write_csv(str(folder / "summary.csv"), [
        summary([one for one in compared if one.policy == policy], metric)
        for policy in dict.fromkeys(policy for _, policy in pairs) for metric in METRICS])


if __name__ == "__main__":
    run_job(main)
