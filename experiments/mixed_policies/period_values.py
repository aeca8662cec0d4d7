"""A machine's values: the mean bounded slowdown of each week or month under each policy."""
from typing import Iterable, Optional, Sequence

from common.tables import read_csv

# A week "where there is no or a very small difference": both of the paper's pure policies are at most so far above w*.
QUIET = 5.0
# By policy and period.
Values = dict[str, dict[int, float]]
NAMES = {"w-star": "w*", "w-train": "w*_train", "w-greedy": "w_greedy", "w-star-raw": "w*, raw features",
         "w-train-raw": "w*_train, raw features"}


def shown(policy: str) -> str:
    """A policy's name, as in the paper."""
    return policy if policy.startswith("xnes") else NAMES.get(policy, policy.upper())


def read_values(file: str, **where: str) -> Values:
    """A CSV with the columns policy, period and value; of its rows those in which other columns have these values."""
    values: Values = {}
    for row in read_csv(file):
        if all(row[column] == wanted for column, wanted in where.items()):
            values.setdefault(row["policy"], {})[int(row["period"])] = float(row["value"])
    return values


class PeriodValues:
    """Values by policy and period."""

    def __init__(self, file: str, orders: Sequence[str]) -> None:
        self._values = read_values(file)
        self.orders = list(orders)
        self.periods = sorted(self._values[self.orders[0]])

    def within(self, half: Sequence[int]) -> list[int]:
        """The periods from the first to the last one of a half."""
        return [period for period in self.periods if half[0] <= period <= half[1]]

    def value(self, policy: str, period: int) -> Optional[float]:
        """None for w_greedy in a period that follows none."""
        return self._values[policy].get(period)

    def known(self, policy: str, periods: Iterable[int]) -> list[float]:
        """The values of a policy that has one in each of the periods."""
        return [self._values[policy][period] for period in periods]

    def sum(self, policy: str, periods: Sequence[int]) -> Optional[float]:
        """None if the policy has no value in one of the periods."""
        values = [self.value(policy, period) for period in periods]
        return None if None in values else sum(value for value in values if value is not None)

    def of_seeds(self, search: str, period: int) -> list[float]:
        """What a search found in a period with each of its seeds: policies `xnes3-1`, `xnes3-2`, ..."""
        return [values[period] for policy, values in self._values.items() if policy.startswith(f"{search}-")]

    def seeds(self, search: str) -> list[str]:
        """A search with each of its seeds, as policies."""
        return [policy for policy in self._values if policy.startswith(f"{search}-")]

    def best_pure(self, period: int) -> float:
        """The smallest value of a pure policy in the period."""
        return min(self._values[order][period] for order in self.orders)

    def is_quiet(self, period: int) -> bool:
        """Whether FCFS and SAF are at most QUIET above w*."""
        return max(self._values[policy][period] for policy in ("fcfs", "saf")) - self._values["w-star"][period] <= QUIET

    def ranking(self) -> list[str]:
        """The pure policies, that with the smallest sum over all periods first."""
        return sorted(self.orders, key=lambda order: sum(self._values[order].values()))
