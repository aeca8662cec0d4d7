"""Confidence intervals of means over few draws: Student's t, 95 %."""
import math
import statistics
from dataclasses import dataclass
from functools import cache
from typing import Callable, Sequence

LEVEL = 0.95
STEPS = 2000  # of the numerical integral; its error is far below what anyone reads


@dataclass(frozen=True)
class Interval:
    """A mean over draws, and half the width of its confidence interval."""

    mean: float
    half_width: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Interval":
        """The interval of at least two values, taken as draws of a normal distribution."""
        error = statistics.stdev(values) / math.sqrt(len(values))
        return cls(statistics.fmean(values), student_t(len(values) - 1) * error)

    @classmethod
    def of_difference(cls, minuend: Sequence[float], subtrahend: Sequence[float]) -> "Interval":
        """The interval of what one series has more than another, draw by draw: both have the same draws in order."""
        if len(minuend) != len(subtrahend):
            raise ValueError(f"{len(minuend)} and {len(subtrahend)} values are not pairs")
        return cls.of([one - other for one, other in zip(minuend, subtrahend)])

    @property
    def low(self) -> float:
        """The lower end."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """The upper end."""
        return self.mean + self.half_width

    @property
    def differs(self) -> bool:
        """Whether 0 is outside: of a difference, that it is not by chance."""
        return self.low > 0 or self.high < 0

    def text(self, show: Callable[[float], str]) -> str:
        """`mean ± half the width`."""
        return f"{show(self.mean)} ± {show(self.half_width)}"


@cache
def student_t(degrees: int) -> float:
    """The t that a variable with so many degrees of freedom is within, on both sides of 0, with probability LEVEL."""
    low, high = 0.0, 16.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, degrees) < LEVEL else (low, middle)
    return (low + high) / 2


def _within(limit: float, degrees: int) -> float:
    """The probability of being between -limit and limit, by Simpson's rule."""
    log_factor = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - 0.5 * math.log(degrees * math.pi)

    def density(value: float) -> float:
        return math.exp(log_factor - (degrees + 1) / 2 * math.log1p(value * value / degrees))

    width = limit / STEPS
    inner = sum((4 if step % 2 else 2) * density(step * width) for step in range(1, STEPS))
    return 2 * width / 3 * (density(0) + inner + density(limit))
