"""What the paper's Figures 5 to 9 show, and the results of the replays by machine, reading of its log, and run."""
from typing import NamedTuple, Optional, Sequence

from common.tables import read_csv

MEAN_WAIT = "mean_wait"
QUIET = 60.0  # seconds: a log with a shorter mean wait under conservative decides nothing


class Shown(NamedTuple):
    """A metric's improvement over conservative with one order, and the metric's name on an axis and in a table."""

    metric: str
    order: str
    label: str
    name: str

    @property
    def runs(self) -> dict[str, str]:
        """Its runs, by their names in the figure."""
        return {"pc": f"pc-{self.order}", "dc": f"dc-{self.order}", "easy": "easy"}


FIGURES = {
    "5": Shown(MEAN_WAIT, "spf", "Mean wait", "mean wait"),
    "6": Shown("mean_wait_worst_5_percent", "spf", "Longest 5 % of waits", "longest 5 % of waits"),
    "7": Shown("mean_wait_worst_1_percent", "spf", "Longest 1 % of waits", "longest 1 % of waits"),
    "8": Shown("mean_wait_widest_10_percent", "lqf", "Mean wait of the widest 10 %", "wait of the widest 10 %"),
    "9": Shown(MEAN_WAIT, "lqf", "Mean wait", "mean wait"),
}


class Results:
    """The collected results of all replays, and the census of the workloads."""

    def __init__(self, replays: str, census: str) -> None:
        self._rows = {(row["machine"], row["reading"], row["run"]): row for row in read_csv(replays)}
        self._census = {(row["machine"], row["reading"]): row for row in read_csv(census)}

    def cases(self) -> list[tuple[str, str]]:
        """Machines with the readings of their logs, in the order of the configuration."""
        return list(self._census)

    def census(self, machine: str, reading: str) -> dict[str, str]:
        """What there is to say of a workload."""
        return self._census[machine, reading]

    def number(self, machine: str, reading: str, run: str, column: str) -> float:
        """A metric of a run."""
        return float(self._rows[machine, reading, run][column])

    def is_quiet(self, machine: str, reading: str) -> bool:
        """Whether jobs wait too little for percentages to tell anything."""
        return self.number(machine, reading, "conservative", MEAN_WAIT) < QUIET

    def improvement(self, machine: str, reading: str, run: str, metric: str = MEAN_WAIT) -> Optional[float]:
        """By how much a metric is less than under conservative, in per cent; none if nobody waits there."""
        value = self._rows[machine, reading, run][f"{metric}_improvement"]
        return 100 * float(value) if value else None

    def improvements(self, figure: str, machines: Sequence[str], reading: str) -> dict[str, dict[str, float]]:
        """What a figure shows: for each machine with this reading those of pc, dc and easy. Machines on which nobody
        waits have none, and in a figure of the widest jobs those on which all have one width."""
        shown = FIGURES[figure]
        found = {}
        for machine in machines:
            if (machine, reading) not in self._census or (
                    "widest" in shown.metric and self._census[machine, reading]["widths"] == "1"):
                continue
            values = {name: self.improvement(machine, reading, run, shown.metric) for name, run in shown.runs.items()}
            known = {name: value for name, value in values.items() if value is not None}
            if len(known) == len(values):
                found[machine] = known
        return found
