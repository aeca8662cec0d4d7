"""Job of rule `mixed_sums`: the sums of Tables 3 to 6 beside the paper's, and what each of our settings does to them.

The columns of the paper's tables increase from top to bottom, all of them: each was sorted by itself, away from the
names of the policies. So the k-th number of a column belongs to the policy that has the k-th smallest sum here."""
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Iterable, Mapping, Optional, Sequence

from common.job import Job, run_job
from common.tables import read_csv, write_csv
from mixed_policies.period_values import shown

# The paper's simulator prints the value of a week with three digits after the point; its tables have two of the sums.
WEEK_DIGITS, SUM_DIGITS = 3, 2
# A sum of a hundred such values may be off by this.
ROUNDING = 0.05
# Differences that a table tells one by one, and those within which the paper's numbers count as met.
NOTABLE, MET = 0.002, 0.02

# By log, threshold and policy.
Place = tuple[str, str, str]
# By policy and week, for each threshold of a log.
Weeks = Mapping[str, Mapping[int, float]]


@dataclass(frozen=True)
class Printed:
    """A number of the paper, and the row of its table that it stands in."""

    row: str
    number: float


def whose(column: Sequence[Printed], ours: Mapping[str, float]) -> dict[str, Printed]:
    """By policy the number that is its own, of a column of a table as printed: the k-th smallest number is that of the
    policy with the k-th smallest sum."""
    by_number = sorted(column, key=lambda printed: printed.number)
    return dict(zip(sorted(ours, key=lambda policy: ours[policy]), by_number))


def to_the_digit(weeks: Iterable[float], printed: float) -> bool:
    """Whether the sum of weekly values, rounded as the paper's simulator and tables do, is the printed number, but for
    one in the last digit."""
    ours = round(sum(round(value, WEEK_DIGITS) for value in weeks), SUM_DIGITS)
    return abs(ours - printed) < 1.5 * 10 ** -SUM_DIGITS


def read_weeks(file: str, **where: str) -> dict[str, dict[str, dict[int, float]]]:
    """The values of `pure.csv` by threshold, policy and week; of its rows those in which columns have these values."""
    values: dict[str, dict[str, dict[int, float]]] = {}
    for row in read_csv(file):
        if all(row[column] == wanted for column, wanted in where.items()):
            of_policy = values.setdefault(row["threshold"], {}).setdefault(row["policy"], {})
            of_policy[int(row["period"])] = float(row["value"])
    return values


def sums_of(weeks: Weeks) -> dict[str, float]:
    """The sum of each policy over all weeks."""
    return {policy: sum(values.values()) for policy, values in weeks.items()}


class Paper:
    """The columns of the paper's Tables 3 to 6."""

    def __init__(self, file: str) -> None:
        self._columns: dict[tuple[str, str], list[Printed]] = {}
        for row in read_csv(file):
            self._columns.setdefault((row["machine"], row["what"]), []).append(
                Printed(row["policy"], float(row["sum"])))

    def column(self, log: str, threshold: str) -> list[Printed]:
        """As printed, from top to bottom; nothing for a log that the paper does not have."""
        return self._columns.get((log, threshold), [])


class Draws:
    """What other orders of the jobs of one second make of the sums and weeks of a log."""

    def __init__(self, file: str) -> None:
        self._weeks: dict[tuple[str, str], dict[int, dict[int, float]]] = {}
        for row in read_csv(file):
            of_draw = self._weeks.setdefault((row["threshold"], row["policy"]), {}).setdefault(int(row["draw"]), {})
            of_draw[int(row["period"])] = float(row["value"])

    def told(self, threshold: str, policy: str, paper: Optional[float]) -> dict[str, Any]:
        """The least and the largest sum over the draws, whether the paper's is between them, and the week that differs
        most between the draws."""
        draws = list(self._weeks[threshold, policy].values())
        sums = [sum(draw.values()) for draw in draws]
        spread = {week: max(draw[week] for draw in draws) - min(draw[week] for draw in draws) for week in draws[0]}
        week = max(spread, key=lambda one: spread[one])
        inside = paper is not None and min(sums) - ROUNDING <= paper <= max(sums) + ROUNDING
        return {"draws": len(draws), "least": min(sums), "most": max(sums), "in draws": "yes" if inside else "no",
                "week": week, "week, least": min(draw[week] for draw in draws),
                "week, most": max(draw[week] for draw in draws)}


def differences(sums: Mapping[Place, float], papers: Mapping[Place, float]) -> dict[Place, float]:
    """Of each sum from the paper's, relative to that."""
    return {place: sums[place] / number - 1 for place, number in papers.items()}


def summary(setting: str, of: Mapping[Place, float], digits: Optional[int] = None) -> dict[str, Any]:
    """How far sums are from the paper's with some setting; without numbers of the paper, nothing is known."""
    worst = max(of, key=lambda place: abs(of[place]), default=None)
    sizes = [abs(difference) for difference in of.values()]
    return {"setting": setting, "numbers": len(of), "to the digit": digits, "median": median(sizes) if sizes else None,
            "median_percent": 100 * median(sizes) if sizes else None, "largest": of[worst] if worst else None,
            "largest_percent": 100 * of[worst] if worst else None,
            "where": f"{worst[0]}, {worst[1]}, {shown(worst[2])}" if worst else None,
            "within 2 %": sum(size <= MET for size in sizes) / len(sizes) if sizes else None,
            "within 2 %, count": sum(size <= MET for size in sizes)}


class Sums:
    """The sums of all logs with the paper's settings, and whose the paper's numbers are."""

    def __init__(self, weeks: Mapping[str, Mapping[str, Weeks]], paper: Paper) -> None:
        self.weeks = {(log, threshold, policy): list(values.values()) for log, thresholds in weeks.items()
                      for threshold, policies in thresholds.items() for policy, values in policies.items()}
        self.sums: dict[Place, float] = {place: sum(values) for place, values in self.weeks.items()}
        self.printed: dict[Place, float] = {}  # in the row with the policy's name
        self.own: dict[Place, Printed] = {}
        for log, thresholds in weeks.items():
            for threshold, policies in thresholds.items():
                column = paper.column(log, threshold)
                self.printed.update({(log, threshold, one.row): one.number for one in column})
                self.own.update({(log, threshold, policy): printed
                                 for policy, printed in whose(column, sums_of(policies)).items()})

    @property
    def papers(self) -> dict[Place, float]:
        """The paper's numbers by whose they are."""
        return {place: printed.number for place, printed in self.own.items()}

    def rows(self, draws: Mapping[str, Draws]) -> list[dict[str, Any]]:
        """All sums, by log and threshold the smallest first."""
        rows = []
        for place in sorted(self.sums, key=lambda one: (list(draws).index(one[0]), one[1], self.sums[one])):
            log, threshold, policy = place
            own = self.papers.get(place)
            difference = self.sums[place] / own - 1 if own else None
            rows.append({
                "log": log, "threshold": threshold, "policy": shown(policy), "here": self.sums[place],
                "printed": self.printed.get(place), "paper": own, "ratio": self.sums[place] / own if own else None,
                "difference": difference,
                "to the digit": "yes" if own and to_the_digit(self.weeks[place], own) else "no",
                "notable": "yes" if difference is not None and abs(difference) > NOTABLE else "no",
                **draws[log].told(threshold, policy, own)})
        return rows

    def key(self) -> list[dict[str, Any]]:
        """Which printed number is whose. It is sure where the number is nearer to the sum of this policy than to that
        of any other."""
        rows = []
        for (log, threshold, policy), printed in self.own.items():
            _, nearest = min((abs(value - printed.number), other) for (one, at, other), value in self.sums.items()
                             if (one, at) == (log, threshold))
            rows.append({"log": log, "threshold": threshold, "printed": printed.number, "row": shown(printed.row),
                         "policy": shown(policy), "here": self.sums[log, threshold, policy],
                         "moved": "no" if printed.row == policy else "yes",
                         "sure": "yes" if nearest == policy else "no"})
        return rows or [{"log": None, "threshold": None, "printed": None, "row": None, "policy": None, "here": None,
                         "moved": None, "sure": None}]

    def digits(self) -> int:
        """How many sums are the paper's, but for one in the last digit."""
        return sum(to_the_digit(self.weeks[place], number) for place, number in self.papers.items())


def of_variant(weeks: Mapping[str, Mapping[str, Weeks]], paper: Paper) -> dict[Place, float]:
    """The differences from the paper's columns, each sorted, with other settings."""
    other = Sums(weeks, paper)
    return differences(other.sums, other.papers)


def main(job: Job) -> None:
    """Writes the sums, the key to the paper's tables, and what each setting does."""
    machines, paper = job.params.machines, Paper(job.input.paper)
    sums = Sums({machine: read_weeks(file) for machine, file in zip(machines, job.input.pure)}, paper)
    draws = {machine: Draws(file) for machine, file in zip(machines, job.input.same_second)}
    files = iter(job.input.variants)
    compared = [summary("the paper's", differences(sums.sums, sums.papers), sums.digits()),
                summary("the same, numbers by the row in which they are printed",
                        differences(sums.sums, sums.printed))]
    for variant in job.params.variants:
        weeks = {machine: read_weeks(next(files)) for machine in machines}
        compared.append(summary(variant, of_variant(weeks, paper), Sums(weeks, paper).digits()))
    folder = Path(job.output[0]).parent
    write_csv(str(folder / "sums.csv"), sums.rows(draws))
    write_csv(str(folder / "key.csv"), sums.key())
    write_csv(str(folder / "differences.csv"), compared)


if __name__ == "__main__":
    run_job(main)
