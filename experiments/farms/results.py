"""The workflow's collected numbers of the farms, as tables and figures ask for them."""
from dataclasses import dataclass
from itertools import combinations
from typing import Callable, Mapping, Optional

from common.intervals import Bounds, Intervals
from common.tables import Show, one_digit, read_csv, two_digits

Line = Mapping[str, str]

# The schedulers under the paper's names, and those with priorities.
NAMES = {"fcfs": "FCFS", "easy": "BF_FCFS", "bf-unmod": "BF_UNMOD", "bf-mod": "BF_MOD"}
PRIORITISED = ["bf-unmod", "bf-mod"]
# The scenario that has the paper's settings, and the defaults as the weights, which the paper does not give.
PAPER = "paper"
RATIO = "ratio-"


def scenario_of(weights: str, ratio: Optional[str] = None) -> str:
    """What the workflow calls the paper's farms, or those with a licence ratio in per cent, under some weights."""
    if ratio is None:
        return weights
    return RATIO + ratio if weights == PAPER else f"{weights}-{RATIO}{ratio}"


def _farms_of(scenario: str) -> str:
    """The scenario with the same farms and the defaults as weights, for one that only changes weights."""
    _, found, ratio = scenario.rpartition(RATIO)
    return found + ratio if found else PAPER


@dataclass(frozen=True)
class Measure:
    """What is measured of a schedule, as people read it in tables and on an axis, and whether more of it is better."""

    title: str
    label: str
    of: Callable[[Line], float]
    more_is_better: bool
    show: Show = one_digit


MEASURES = {
    "late": Measure("late jobs (% of those with a deadline)", "Late jobs (%)",
                    lambda line: 100 * float(line["deadline_violations"]) / float(line["deadline_jobs"]), False),
    "system_usage": Measure("system usage, by jobs (%)", "System usage, by jobs (%)",
                            lambda line: 100 * float(line["system_usage"]), True),
    "system_usage_requested": Measure("system usage, by processors (%)", "System usage, by processors (%)",
                                      lambda line: 100 * float(line["system_usage_requested"]), True),
    "utilisation": Measure("utilisation (%)", "Utilisation (%)", lambda line: 100 * float(line["utilisation"]), True),
    "wait": Measure("mean wait (s)", "Mean wait (s)", lambda line: float(line["mean_wait"]), False),
    "slowdown": Measure("slowdown", "Slowdown", lambda line: float(line["mean_slowdown"]), False, two_digits),
    "license_usage": Measure("licence usage (%)", "Licence usage (%)",
                             lambda line: 100 * float(line["license_usage"]), True),
}


class Results:
    """All lines that the workflow has collected. Draws are in order, so that equal places are the same farm."""

    def __init__(self, file: str, batfill: str) -> None:
        self._intervals = Intervals(batfill)
        self._found: dict[tuple[str, str, str], dict[tuple[str, ...], Bounds]] = {}
        self._lines: dict[tuple[str, str, str], list[Line]] = {}
        for line in read_csv(file):
            self._lines.setdefault((line["scenario"], line["interarrival"], line["scheduler"]), []).append(line)

    def interarrivals(self, scenario: str = PAPER) -> list[str]:
        """The scenario's mean inter-arrival times."""
        return list(dict.fromkeys(rate for found, rate, _ in self._lines if found == scenario))

    def ratios(self) -> list[str]:
        """The per cents of the scenarios that have one licence ratio."""
        return list(dict.fromkeys(found.removeprefix(RATIO) for found, _, _ in self._lines if found.startswith(RATIO)))

    def values(self, measure: str, scheduler: str, interarrival: str, scenario: str = PAPER) -> list[float]:
        """What is measured, draw by draw. Where a scenario only changes weights, schedulers without any are those of
        the same farms."""
        key = scenario, interarrival, scheduler
        lines = self._lines.get(key) or self._lines[_farms_of(scenario), interarrival, scheduler]
        return [MEASURES[measure].of(line) for line in lines]

    def mean(self, measure: str, scheduler: str, interarrival: str, scenario: str = PAPER) -> Bounds:
        """The mean over the draws."""
        return self._bounds(measure, interarrival, scenario)[scheduler,]

    def gain(self, measure: str, pair: tuple[str, str], interarrival: str, scenario: str = PAPER) -> Bounds:
        """By how much the first scheduler is better than the second, draw by draw: above 0 where it is. The first
        comes after the second in NAMES."""
        return self._bounds(measure, interarrival, scenario)[pair]

    def _bounds(self, measure: str, interarrival: str, scenario: str) -> Mapping[tuple[str, ...], Bounds]:
        """The means of all schedulers, and the gains of all pairs."""
        key = measure, interarrival, scenario
        if key not in self._found:
            values = {scheduler: self.values(measure, scheduler, interarrival, scenario) for scheduler in NAMES}
            sign = 1 if MEASURES[measure].more_is_better else -1
            samples: dict[tuple[str, ...], list[float]] = {(scheduler,): found for scheduler, found in values.items()}
            for second, first in combinations(NAMES, 2):
                samples[first, second] = [sign * (ours - theirs)
                                          for ours, theirs in zip(values[first], values[second])]
            self._found[key] = self._intervals.means(samples)
        return self._found[key]
