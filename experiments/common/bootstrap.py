"""Confidence intervals by bootstrap over weeks and seeds: 95 %, percentiles of what resamples give."""
import math
import random
from dataclasses import dataclass
from functools import cached_property
from math import fsum
from typing import Sequence

from common.confidence import LEVEL


@dataclass(frozen=True)
class Bounds:
    """A number and its confidence interval, which need not be in the middle of it."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, value: float, resampled: Sequence[float]) -> "Bounds":
        """The interval that leaves out as much on both sides of what the resamples give, (1 - LEVEL) / 2 of them."""
        inner = sorted(resampled)
        outside = math.floor((1 - LEVEL) / 2 * len(inner))
        return cls(value, inner[outside], inner[-1 - outside])


@dataclass(frozen=True)
class Resamples:
    """Draws of the weeks of a log, with replacement, in blocks of consecutive weeks (behind the last comes the first
    again), because what is left in the queue at the end of a week is felt in the next; and of seeds, one by one. All
    that is measured on a machine has the same draws, so that differences are paired. The draws depend on `seed` alone:
    Python's `random.random()` gives the same numbers everywhere."""

    weeks: int  # positive, as all of these
    seeds: int
    block: int
    number: int
    seed: int

    @cached_property
    def draws(self) -> list[tuple[list[int], list[int]]]:
        """Places of weeks, as many as there are, and of seeds, as many as there are, for each resample."""
        source = random.Random(self.seed)

        def below(limit: int) -> int:
            return int(source.random() * limit)

        drawn = []
        for _ in range(self.number):
            starts = [below(self.weeks) for _ in range(-(-self.weeks // self.block))]
            places = [(start + step) % self.weeks for start in starts for step in range(self.block)][:self.weeks]
            drawn.append((places, [below(self.seeds) for _ in range(self.seeds)]))
        return drawn


def mean(runs: Sequence[Sequence[float]], jobs: Sequence[float]) -> float:
    """The mean over jobs, and then over runs, of what each run has added up in each week; `jobs` are those of the
    weeks."""
    total = fsum(jobs)
    return fsum(fsum(weeks) / total for weeks in runs) / len(runs)


def means(runs: Sequence[Sequence[float]], jobs: Sequence[float], resamples: Resamples) -> list[float]:
    """The same in each resample. Of a single run, there is no seed to draw; else there are as many as seeds."""
    found = []
    for places, seeds in resamples.draws:
        total = fsum(map(jobs.__getitem__, places))
        of_runs = [fsum(map(weeks.__getitem__, places)) / total for weeks in runs]
        found.append(of_runs[0] if len(of_runs) == 1 else fsum(of_runs[seed] for seed in seeds) / len(seeds))
    return found
