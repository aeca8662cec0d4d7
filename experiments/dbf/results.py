"""The workflow's collected numbers, as tables, figures and statements ask for them."""
from collections import defaultdict
from statistics import fmean
from typing import Iterable, Mapping, Optional, Sequence

Rows = list[dict[str, str]]
EASY, CBF, DBF = "easy", "conservative", "dbf"


def select(rows: Rows, **wanted: str) -> Rows:
    """The rows in which the columns have these values."""
    return [row for row in rows if all(row[column] == value for column, value in wanted.items())]


def values(rows: Rows, column: str) -> list[float]:
    """A column as numbers, without the rows in which it is empty."""
    return [float(row[column]) for row in rows if row[column]]


def distinct(rows: Iterable[dict[str, str]], column: str) -> list[str]:
    """The column's values in the order in which they come first."""
    return list(dict.fromkeys(row[column] for row in rows))


def ratios(parts: Sequence[float], wholes: Sequence[float]) -> list[float]:
    """Each part of its whole, without the wholes that are nothing."""
    return [part / whole for part, whole in zip(parts, wholes) if whole > 0]


class Results:
    """What was measured on the machines, draw by draw in the order of the draws.

    `names` has, by machine, its name in the paper; machines that are there for comparison only have none.
    """

    def __init__(self, metrics: Rows, distribution: Rows, statistics: Rows, names: Mapping[str, Optional[str]]) -> None:
        self.repairs = distinct(metrics, "repair")
        self.shares = distinct(metrics, "share")
        self.names = names
        self.machines = list(names)
        self.of_paper = [machine for machine, name in names.items() if name]
        self._metrics = _by(metrics, "machine", "share", "repair", "run")
        self._levels = _by(select(distribution, repair=self.repairs[0]), "machine", "share", "level")
        self._statistics = _by(statistics, "machine", "share", "repair")

    def machine(self, name: str) -> Optional[str]:
        """The machine with this name in the paper, if it is there."""
        return next((machine for machine in self.of_paper if self.names[machine] == name), None)

    def of(self, metric: str, machine: str, share: str, run: str, repair: Optional[str] = None) -> list[float]:
        """A metric in each draw."""
        return values(self._metrics[machine, share, repair or self.repairs[0], run], metric)

    def mean(self, metric: str, machine: str, share: str, run: str) -> float:
        """The mean of a metric over the draws."""
        return fmean(self.of(metric, machine, share, run))

    def ratio(self, metric: str, machine: str, share: str, other: str) -> list[float]:
        """In each draw, a metric of dbf as a part of another algorithm's."""
        return ratios(self.of(metric, machine, share, DBF), self.of(metric, machine, share, other))

    def quantile(self, level: str, machine: str, share: str, run: str) -> list[float]:
        """The wait, in seconds, that a share of the regular jobs do not exceed, in each draw."""
        return values(self._levels[machine, share, level], run)

    def at_once(self, machine: str, share: str, run: str) -> list[float]:
        """The share of the regular jobs that count which do not wait, in each draw."""
        return ratios(self.counted(f"{run}_started_at_once", machine, share),
                      self.counted("counted_regular_jobs", machine, share))

    def counted(self, statistic: str, machine: str, share: str, repair: Optional[str] = None) -> list[float]:
        """What dbf has counted in each draw."""
        return values(self._statistics[machine, share, repair or self.repairs[0]], statistic)


def _by(rows: Rows, *columns: str) -> dict[tuple[str, ...], Rows]:
    groups: dict[tuple[str, ...], Rows] = defaultdict(list)
    for row in rows:
        groups[tuple(row[column] for column in columns)].append(row)
    return groups
