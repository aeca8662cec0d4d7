"""Calendar months of a log, and what falls into each."""
from dataclasses import dataclass
from typing import Optional

import numpy
from numpy.typing import NDArray

from common.log_clock import LogClock

Numbers = NDArray[numpy.float64]


@dataclass(frozen=True)
class Months:
    """The months in which jobs were submitted, from the first to the last."""

    names: list[str]
    edges: Numbers  # the seconds of the log at which they begin, and at which the last one ends
    whole: list[bool]  # jobs were submitted up to its first day and from its last one on

    @classmethod
    def of(cls, submits: Numbers, clock: LogClock) -> "Months":
        """The months of at least one submission, in seconds of the log."""
        first, last = (clock.local(float(instant)) for instant in (submits.min(), submits.max()))
        numbers = range(12 * first.year + first.month - 1, 12 * last.year + last.month)
        edges = [clock.second_of(number // 12, number % 12 + 1) for number in (*numbers, numbers.stop)]
        day = 86400
        return cls([f"{number // 12}-{number % 12 + 1:02}" for number in numbers], numpy.array(edges),
                   [bool(submits.min() < begin + day and submits.max() >= end - day)
                    for begin, end in zip(edges, edges[1:])])

    def sums(self, instants: Numbers, amounts: Optional[Numbers] = None) -> list[float]:
        """The sum of the amounts, or the number of instants, in each month. No instant lies outside."""
        months = numpy.searchsorted(self.edges, instants, "right") - 1
        found: list[float] = numpy.bincount(months, amounts, len(self.names)).tolist()
        return found

    def utilisation(self, starts: Numbers, ends: Numbers, sizes: Numbers, processors: int) -> list[float]:
        """The share of the processors' time in which they had jobs, in each month."""
        return [float((sizes * numpy.clip(numpy.minimum(ends, end) - numpy.maximum(starts, begin), 0, None)).sum())
                / (processors * (end - begin)) for begin, end in zip(self.edges, self.edges[1:])]
