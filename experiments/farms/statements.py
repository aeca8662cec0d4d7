"""What the text of the paper says of its figures and tables, and whether it holds here by a stated bound.

The paper does not give its weights. So each statement is judged under several, and a part of the paper by those under
which most of it holds."""
from dataclasses import dataclass, field
from typing import Iterable, Mapping, Optional, Sequence

from common.comparison import Overview, Statement, relation, worst
from common.intervals import Bounds
from common.tables import Row, count, one_digit, two_digits
from farms.results import MEASURES, NAMES, PAPER, PRIORITISED, Results, scenario_of

# The parts of the paper.
LATE, USAGE, WAIT, LICENSES, LICENSES_LATE, ALL = (
    "Figure 1(a)", "Figure 1(b)", "Figure 2(a)", "Figure 2(b), first table", "Figure 2(b), second table",
    "The text, on BF_UNMOD and BF_MOD")
# The paper's high contention is at these mean inter-arrival times; at the longer ones it is low.
HIGH_CONTENTION = ("4", "6", "12")
# What is taken for "similar" late jobs, in points of per cent; for slowdowns that are not "greatly" better; and for
# "drastically" less wait.
SIMILAR = 2.0
HARDLY = 0.1
DRASTICALLY = 2.0


@dataclass
class Claim:
    """A sentence of the paper, the part of it where it stands, when it counts as held, and the cases in which it was
    and was not, each with a number that says how large it is."""

    part: str
    says: str
    bound: str
    held: list[tuple[float, str]] = field(default_factory=list)
    failed: list[tuple[float, str]] = field(default_factory=list)

    def check(self, holds: bool, size: float, case: str) -> None:
        """Notes a case, with its numbers."""
        (self.held if holds else self.failed).append((abs(size), case))

    @property
    def word(self) -> str:
        """The word for it, by whether it holds in all cases."""
        return relation(not self.failed)

    @property
    def here(self) -> str:
        """In how many of the comparisons it holds."""
        return count(self.held, self.held + self.failed)

    def row(self, weights: str) -> Row:
        """Its line in the table of statements, under these weights."""
        found = Statement(self.part, self.says, self.here, self.word, self.bound)
        return {**vars(found), "weights": weights, "not_in": "; ".join(case for _, case in self.failed)}


def overview(checked: Mapping[str, Sequence[Claim]]) -> list[Overview]:
    """The paper's figures in the overview of all, each by what the paper says of it, under the weights with the fewest
    exceptions. `checked` has the claims by weights."""
    lines: list[Overview] = []
    for part in dict.fromkeys(claim.part for claim in next(iter(checked.values()))):
        weights, ours = min(((weights, [claim for claim in claims if claim.part == part])
                             for weights, claims in checked.items()), key=lambda one: len(_failed(one[1])))
        failed = _failed(ours)
        cases = [case for claim in ours for case in claim.held] + failed
        furthest = f"; furthest: {max(failed)[1]}" if failed else ""
        lines.append(Overview(
            part, "partly", "the paper has its numbers in pictures only, and does not give its weights; what it says "
            "of the pictures is checked",
            f"with the weights `{weights}`, it does not hold in {count(failed, cases)} comparisons{furthest}",
            worst(claim.word for claim in ours)))
    return lines


def _failed(claims_of_part: Iterable[Claim]) -> list[tuple[float, str]]:
    return [case for claim in claims_of_part for case in claim.failed]


class Checks:
    """Puts the paper's claims to the results under some weights."""

    def __init__(self, results: Results, weights: str) -> None:
        self._results = results
        self._weights = weights
        self._rates = results.interarrivals()
        self._high = [rate for rate in self._rates if rate in HIGH_CONTENTION]
        self._low = [rate for rate in self._rates if rate not in HIGH_CONTENTION]

    def all(self) -> list[Claim]:
        """In the order of the text."""
        return [
            self._better(LATE, "BF_MOD and BF_UNMOD have fewer late jobs than FCFS in each test", "late",
                         [(one, "fcfs") for one in PRIORITISED], self._rates),
            self._better(LATE, "BF_MOD and BF_UNMOD have fewer late jobs than BF_FCFS in each test", "late",
                         [(one, "easy") for one in PRIORITISED], self._rates),
            self._similar(),
            self._better(LATE, "At 4, 6 and 12 s, priorities lead to fewer late jobs than BF_FCFS", "late",
                         [(one, "easy") for one in PRIORITISED], self._high),
            *(claim for measure in ("system_usage_requested", "system_usage")
              for claim in self._usage(measure)),
            self._drastically_less_wait(),
            self._hardly_better(),
            *self._licenses(),
            self._mod_under_contention(),
            self._no_difference(),
        ]

    def _gain(self, measure: str, pair: tuple[str, str], rate: str, ratio: Optional[str] = None) -> Bounds:
        return self._results.gain(measure, pair, rate, scenario_of(self._weights, ratio))

    def _mean(self, measure: str, scheduler: str, rate: str) -> float:
        return self._results.mean(measure, scheduler, rate, self._weights).value

    def _better(self, part: str, says: str, measure: str, pairs: Sequence[tuple[str, str]],
                rates: Iterable[str]) -> Claim:
        claim = Claim(part, says, "the difference is better than 0 by its confidence interval")
        for rate in rates:
            for pair in pairs:
                gain = self._gain(measure, pair, rate)
                claim.check(gain.is_above_0, gain.value,
                            f"{self._pair(pair)} at {rate} s: {gain.text(MEASURES[measure].show)}{unit(measure)}")
        return claim

    def _similar(self) -> Claim:
        claim = Claim(LATE, "At 24 and 48 s, BF_FCFS is similar to both",
                      f"the mean difference is at most {SIMILAR:g} points")
        for rate in self._low:
            for scheduler in PRIORITISED:
                gain = self._gain("late", (scheduler, "easy"), rate)
                claim.check(abs(gain.value) <= SIMILAR, gain.value,
                            f"{self._pair((scheduler, 'easy'))} at {rate} s: {gain.text(one_digit)} points")
        return claim

    def _usage(self, measure: str) -> list[Claim]:
        counted = {"system_usage": "by jobs", "system_usage_requested": "by processors"}[measure]
        backfilling = ["easy", *PRIORITISED]
        rising = Claim(USAGE, "Backfilling leads to a better system usage in particular when contention is high "
                       f"({counted})",
                       "the least gain over FCFS at 4, 6 and 12 s is above the greatest at 24 and 48 s")
        for scheduler in backfilling:
            gains = {rate: self._gain(measure, (scheduler, "fcfs"), rate).value for rate in self._rates}
            least, most = min(gains[rate] for rate in self._high), max(gains[rate] for rate in self._low)
            rising.check(least > most, most - least, f"{NAMES[scheduler]}: " + ", ".join(
                f"{one_digit(gain)} at {rate} s" for rate, gain in gains.items()))
        return [
            self._better(USAGE, f"Backfilling leads to a better system usage than FCFS ({counted})", measure,
                         [(one, "fcfs") for one in backfilling], self._rates),
            rising,
            self._better(USAGE, f"BF_UNMOD and BF_MOD outperform BF_FCFS in system usage ({counted})", measure,
                         [(one, "easy") for one in PRIORITISED], self._rates),
        ]

    def _drastically_less_wait(self) -> Claim:
        claim = Claim(WAIT, "Backfilling drastically reduces the average waiting time of FCFS",
                      f"the mean wait of FCFS is at least {DRASTICALLY:g} times as long")
        for rate in self._rates:
            fcfs = self._mean("wait", "fcfs", rate)
            for scheduler in ("easy", *PRIORITISED):
                ours = self._mean("wait", scheduler, rate)
                claim.check(fcfs >= DRASTICALLY * ours, DRASTICALLY * ours - fcfs,
                            f"{NAMES[scheduler]} at {rate} s: {one_digit(ours)} s, FCFS {one_digit(fcfs)} s")
        return claim

    def _hardly_better(self) -> Claim:
        claim = Claim(WAIT, "BF_UNMOD and BF_MOD do not greatly improve the slowdown over BF_FCFS",
                      f"the mean slowdown is not more than {100 * HARDLY:g} % lower")
        for rate in self._rates:
            easy = self._mean("slowdown", "easy", rate)
            for scheduler in PRIORITISED:
                ours = self._mean("slowdown", scheduler, rate)
                claim.check(ours >= (1 - HARDLY) * easy, ours - easy,
                            f"{NAMES[scheduler]} at {rate} s: {two_digits(ours)}, BF_FCFS {two_digits(easy)}")
        return claim

    def _licenses(self) -> list[Claim]:
        more = Claim(LICENSES, "Priorities improve the use of licences where they are scarce",
                         "the difference to BF_FCFS is better than 0 by its confidence interval, at the lower half of "
                         "the ratios")
        less = Claim(LICENSES, "Priorities make the use of licences worse where they are not scarce",
                         "the difference is worse than 0 by its confidence interval, at the upper half of the ratios")
        ratios = self._results.ratios()
        for ratio in ratios:
            is_scarce = ratio in ratios[:len(ratios) // 2]
            for rate in self._results.interarrivals(f"ratio-{ratio}"):
                for scheduler in PRIORITISED:
                    gain = self._gain("license_usage", (scheduler, "easy"), rate, ratio)
                    case = f"{NAMES[scheduler]} at ratio {ratio} %, {rate} s: {gain.text(one_digit)} points"
                    if is_scarce:
                        more.check(gain.is_above_0, gain.value, case)
                    else:
                        less.check(gain.is_below_0, gain.value, case)
        return [more, less]

    def _mod_under_contention(self) -> Claim:
        claim = Claim(LICENSES_LATE, "Where licences are scarce, more jobs meet their deadline when the reservation "
                      "changes (BF_MOD) than when it does not (BF_UNMOD)",
                              "the difference is better than 0 by its confidence interval, at the lower half of the "
                              "ratios")
        ratios = self._results.ratios()
        for ratio in ratios[:len(ratios) // 2]:
            for rate in self._results.interarrivals(f"ratio-{ratio}"):
                gain = self._gain("late", ("bf-mod", "bf-unmod"), rate, ratio)
                claim.check(gain.is_above_0, gain.value, f"ratio {ratio} %, {rate} s: {gain.text(one_digit)} points")
        return claim

    def _no_difference(self) -> Claim:
        claim = Claim(ALL, "No difference between BF_UNMOD and BF_MOD could be measured",
                              "0 is in the confidence interval of the difference")
        for measure in ("late", "system_usage", "slowdown"):
            for rate in self._rates:
                gain = self._gain(measure, ("bf-mod", "bf-unmod"), rate)
                claim.check(gain.contains_0, gain.value,
                            f"{MEASURES[measure].title} at {rate} s: "
                            f"{gain.text(MEASURES[measure].show)}{unit(measure)}")
        return claim

    @staticmethod
    def _pair(pair: tuple[str, str]) -> str:
        return f"{NAMES[pair[0]]} over {NAMES[pair[1]]}"


def unit(measure: str) -> str:
    """What stands behind a difference of this measure."""
    return "" if measure == "slowdown" else " points"


def claims(results: Results, weights: str = PAPER) -> list[Claim]:
    """All that the paper says of its figures and tables, checked under these weights."""
    return Checks(results, weights).all()
