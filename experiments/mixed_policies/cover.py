"""The values of all weights of a space covering, as `batfill tune --method cover --values` writes them."""
import csv
import gzip
from array import array
from typing import Iterable

Weights = tuple[float, ...]
# What a mixed policy weighs, in the order of its weights.
FEATURES = ("q", "p", "wait", "ratio", "expansion", "area")


class Cover:
    """The same weights for every period, and their value there."""

    def __init__(self, file: str) -> None:
        self.weights: list[Weights] = []
        self._values: "dict[int, array[float]]" = {}
        with gzip.open(file, "rt", encoding="utf-8", newline="") as stream:
            lines = csv.reader(stream)
            next(lines)
            for period, evaluation, value, *weights in lines:
                if int(evaluation) > len(self.weights):
                    self.weights.append(tuple(map(float, weights)))
                self._values.setdefault(int(period), array("d")).append(float(value))

    @property
    def periods(self) -> list[int]:
        """The numbers of the periods."""
        return sorted(self._values)

    def value(self, period: int, index: int) -> float:
        """Of the weights with this index."""
        return self._values[period][index]

    def values(self, period: int) -> "array[float]":
        """Of all weights, in the order of `weights`."""
        return self._values[period]

    def best(self, periods: Iterable[int]) -> int:
        """Index of the weights with the smallest sum over some periods; of equals, the first."""
        sums = [sum(values) for values in zip(*(self._values[period] for period in periods))]
        return sums.index(min(sums))


def size(points: int) -> int:
    """How many weights a cover of q, p and wait has with so many points per dimension: two for each pair of the other
    two that leaves something to that of q, and one for each that leaves nothing."""
    steps = range(1 - points, points, 2)
    left = [points - 1 - abs(estimate) - abs(wait) for estimate in steps for wait in steps]
    return sum(2 if one > 0 else 1 for one in left if one >= 0)
