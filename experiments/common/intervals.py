"""Means and differences with 95 % confidence intervals, from `batfill intervals`; docs/metrics.md has the method."""
import csv
import io
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Iterable, Mapping, Optional, Sequence, TypeVar

from common.job import JobError

LEVEL = 0.95  # of each interval by itself

Key = TypeVar("Key")  # whatever a caller's samples are known by
Numbers = Sequence[float]


@dataclass(frozen=True)
class Bounds:
    """A number and its confidence interval, which need not be symmetric. No interval if there are too few rows."""

    value: float
    low: Optional[float]
    high: Optional[float]

    @property
    def is_above_0(self) -> bool:
        """Whether the whole interval is above 0. False without an interval."""
        return self.low is not None and self.low > 0

    @property
    def is_below_0(self) -> bool:
        """The same for below 0."""
        return self.high is not None and self.high < 0

    @property
    def contains_0(self) -> bool:
        """Whether 0 is in the interval. False without an interval."""
        return self.low is not None and self.high is not None and self.low <= 0 <= self.high

    def verdict(self, above: str, below: str) -> str:
        """What the interval says of the sign: the word for above 0, that for below 0, or `open`."""
        return above if self.is_above_0 else below if self.is_below_0 else "open"

    def mapped(self, function: Callable[[float], float]) -> "Bounds":
        """The same on another scale. The function must be increasing."""
        return Bounds(function(self.value), *(None if end is None else function(end) for end in (self.low, self.high)))

    def text(self, show: Callable[[float], str]) -> str:
        """`value (low to high)`."""
        if self.low is None or self.high is None:
            return f"{show(self.value)} (no interval)"
        return f"{show(self.value)} ({show(self.low)} to {show(self.high)})"


class Intervals:
    """Asks the program `batfill` for intervals."""

    def __init__(self, batfill: str) -> None:
        self._batfill = batfill

    def means(self, samples: Mapping[Key, Numbers]) -> dict[Key, Bounds]:
        """The mean of each sample of independent values. All samples have the same number of values."""
        return self._ask(samples, "value")

    def weekly_means(self, jobs: Numbers, sums: Mapping[Key, Numbers]) -> dict[Key, Bounds]:
        """The mean over jobs of each sample of sums over the jobs of a week. Weeks are in order; those without jobs do
        not count."""
        return self._ask(_with_jobs(jobs, sums), "value", "--weeks", "--jobs", "jobs", jobs=_positive(jobs))

    def weekly_changes(self, jobs: Numbers, sums: Mapping[Key, Numbers], than: Key,
                       relative: bool = True) -> dict[Key, Bounds]:
        """By how much the mean of each sample is above that of the sample `than`, week by week: as a share of it, or as
        a difference."""
        place = list(sums).index(than)
        return self._ask(_with_jobs(jobs, sums), "difference", "--weeks", "--jobs", "jobs", "--baseline", _name(place),
                         *(["--relative"] if relative else []), jobs=_positive(jobs))

    def _ask(self, samples: Mapping[Key, Numbers], what: str, *options: str,
             jobs: Optional[Numbers] = None) -> dict[Key, Bounds]:
        columns: dict[str, Numbers] = {} if jobs is None else {"jobs": jobs}
        columns |= {_name(place): values for place, values in enumerate(samples.values())}
        if len({len(values) for values in columns.values()}) != 1:
            raise ValueError("samples are not of the same length")
        rows = {line["name"]: line for line in self._run(columns, options)}
        return {key: _bounds(rows[_name(place)], what) for place, key in enumerate(samples)}

    def _run(self, columns: Mapping[str, Numbers], options: Iterable[str]) -> list[dict[str, str]]:
        with tempfile.TemporaryDirectory(prefix="batfill-") as folder:
            table = Path(folder) / "values.csv"
            with open(table, "w", encoding="utf-8", newline="") as stream:
                writer = csv.writer(stream, lineterminator="\n")
                writer.writerow(["row", *columns])
                writer.writerows([place, *values] for place, values in enumerate(zip(*columns.values())))
            done = subprocess.run([self._batfill, "intervals", str(table), *options, "--format", "csv"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if done.returncode != 0:
            raise JobError(f"`batfill intervals` ended with status {done.returncode}\n{done.stderr.rstrip()}")
        return list(csv.DictReader(io.StringIO(done.stdout)))


def _name(place: int) -> str:
    return f"sample-{place}"


def _positive(jobs: Numbers) -> list[float]:
    return [number for number in jobs if number > 0]


def _with_jobs(jobs: Numbers, sums: Mapping[Key, Numbers]) -> dict[Key, Numbers]:
    return {key: [value for value, number in zip(values, jobs) if number > 0] for key, values in sums.items()}


def _bounds(line: Mapping[str, str], what: str) -> Bounds:
    prefix = "" if what == "value" else f"{what}_"
    if not line[what]:
        raise JobError(f"`batfill intervals` printed no {what}: the mean of the baseline is 0, or no row has jobs")
    low, high = (float(line[prefix + end]) if line[prefix + end] else None for end in ("low", "high"))
    return Bounds(float(line[what]), low, high)
