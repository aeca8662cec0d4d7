"""What the text of the paper says of its figures and tables, and whether it holds here by a stated bound."""
from dataclasses import dataclass, field
from typing import Iterable, Sequence

from common.tables import Row, count, one_digit, two_digits
from farms.results import MEASURES, NAMES, PRIORITISED, Results

# The paper's high contention is at these mean inter-arrival times; at the longer ones it is low.
HIGH_CONTENTION = ("4", "6", "12")
# What is taken for "similar" late jobs, in points of per cent; for "hardly better" and "drastically better" slowdowns.
SIMILAR = 2.0
HARDLY = 0.1
DRASTICALLY = 2.0


@dataclass
class Statement:
    """A sentence of the paper, when it counts as held, and the cases in which it was and was not."""

    says: str
    bound: str
    held: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def check(self, holds: bool, case: str) -> None:
        """Notes a case, with its numbers."""
        (self.held if holds else self.failed).append(case)

    def row(self) -> Row:
        """Its line in the table."""
        cases = self.held + self.failed
        return {"the paper": self.says, "holds where": self.bound, "holds": count(self.held, cases),
                "not in": "; ".join(self.failed) or "-"}


class Checks:
    """Puts the paper's statements to the results."""

    def __init__(self, results: Results) -> None:
        self._results = results
        self._rates = results.interarrivals()
        self._high = [rate for rate in self._rates if rate in HIGH_CONTENTION]
        self._low = [rate for rate in self._rates if rate not in HIGH_CONTENTION]

    def all(self) -> list[Statement]:
        """In the order of the text."""
        return [
            self._better("Figure 1(a): BF_MOD and BF_UNMOD have fewer late jobs than FCFS in each test", "late",
                         [(one, "fcfs") for one in PRIORITISED], self._rates),
            self._better("... and fewer than BF_FCFS in each test", "late", [(one, "easy") for one in PRIORITISED],
                         self._rates),
            self._similar(),
            self._better("At 4, 6 and 12, priorities lead to fewer late jobs than BF_FCFS", "late",
                         [(one, "easy") for one in PRIORITISED], self._high),
            *(statement for measure in ("system_usage", "system_usage_requested")
              for statement in self._usage(measure)),
            self._hardly_better(),
            self._drastically_better(),
            *self._licenses(),
            self._mod_under_contention(),
            self._no_difference(),
        ]

    def _better(self, says: str, measure: str, pairs: Sequence[tuple[str, str]], rates: Iterable[str]) -> Statement:
        statement = Statement(says, "the difference is better than 0 by its confidence interval")
        for rate in rates:
            for pair in pairs:
                gain = self._results.gain(measure, pair, rate)
                statement.check(gain.low > 0, f"{self._pair(pair)} at {rate}: {gain.text(MEASURES[measure].show)}")
        return statement

    def _similar(self) -> Statement:
        statement = Statement("At 24 and 48, BF_FCFS is similar to both (late jobs)",
                              f"the mean difference is at most {SIMILAR:g} points")
        for rate in self._low:
            for scheduler in PRIORITISED:
                gain = self._results.gain("late", (scheduler, "easy"), rate)
                statement.check(abs(gain.mean) <= SIMILAR,
                                f"{self._pair((scheduler, 'easy'))} at {rate}: {gain.text(one_digit)}")
        return statement

    def _usage(self, measure: str) -> list[Statement]:
        title = MEASURES[measure].title
        backfilling = ["easy", *PRIORITISED]
        rising = Statement(f"... in particular when contention is high ({title})",
                           "the least gain over FCFS at 4, 6 and 12 is above the greatest at 24 and 48")
        for scheduler in backfilling:
            gains = {rate: self._results.gain(measure, (scheduler, "fcfs"), rate).mean for rate in self._rates}
            rising.check(min(gains[rate] for rate in self._high) > max(gains[rate] for rate in self._low),
                         f"{NAMES[scheduler]}: " + ", ".join(f"{gain:.1f} at {rate}" for rate, gain in gains.items()))
        return [
            self._better(f"Figure 1(b): backfilling leads to a better system usage than FCFS ({title})", measure,
                         [(one, "fcfs") for one in backfilling], self._rates),
            rising,
            self._better(f"BF_UNMOD and BF_MOD outperform BF_FCFS in system usage ({title})", measure,
                         [(one, "easy") for one in PRIORITISED], self._rates),
        ]

    def _hardly_better(self) -> Statement:
        statement = Statement("Figure 2(a): their slowdown is not greatly better than that of BF_FCFS",
                              f"the mean is not more than {100 * HARDLY:g} % lower")
        for rate in self._rates:
            easy = self._results.mean("slowdown", "easy", rate).mean
            for scheduler in PRIORITISED:
                ours = self._results.mean("slowdown", scheduler, rate).mean
                statement.check(ours >= (1 - HARDLY) * easy,
                                f"{NAMES[scheduler]} at {rate}: {two_digits(ours)}, BF_FCFS {two_digits(easy)}")
        return statement

    def _drastically_better(self) -> Statement:
        statement = Statement("Backfilling drastically reduces the slowdown of FCFS",
                              f"the mean of FCFS is at least {DRASTICALLY:g} times as high")
        for rate in self._rates:
            fcfs = self._results.mean("slowdown", "fcfs", rate).mean
            for scheduler in ("easy", *PRIORITISED):
                ours = self._results.mean("slowdown", scheduler, rate).mean
                statement.check(fcfs >= DRASTICALLY * ours,
                                f"{NAMES[scheduler]} at {rate}: {two_digits(ours)}, FCFS {two_digits(fcfs)}")
        return statement

    def _licenses(self) -> list[Statement]:
        more = Statement("Figure 2(b), first table: priorities improve the use of licences where they are scarce",
                         "the difference to BF_FCFS is better than 0 by its confidence interval, at the lower half of "
                         "the ratios")
        less = Statement("... and make it worse where they are not",
                         "the difference is worse than 0 by its confidence interval, at the upper half of the ratios")
        ratios = self._results.ratios()
        for ratio in ratios:
            is_scarce = ratio in ratios[:len(ratios) // 2]
            for rate in self._results.interarrivals(f"ratio-{ratio}"):
                for scheduler in PRIORITISED:
                    gain = self._results.gain("license_usage", (scheduler, "easy"), rate, f"ratio-{ratio}")
                    case = f"{NAMES[scheduler]} at ratio {ratio} %, {rate}: {gain.text(one_digit)}"
                    if is_scarce:
                        more.check(gain.low > 0, case)
                    else:
                        less.check(gain.high < 0, case)
        return [more, less]

    def _mod_under_contention(self) -> Statement:
        statement = Statement("Second table: the scarcer licences are, the more jobs meet their deadline when the "
                              "reservation changes (BF_MOD) than when it does not (BF_UNMOD)",
                              "the difference is better than 0 by its confidence interval, at the lower half of the "
                              "ratios")
        ratios = self._results.ratios()
        for ratio in ratios[:len(ratios) // 2]:
            for rate in self._results.interarrivals(f"ratio-{ratio}"):
                gain = self._results.gain("late", ("bf-mod", "bf-unmod"), rate, f"ratio-{ratio}")
                statement.check(gain.low > 0, f"ratio {ratio} %, {rate}: {gain.text(one_digit)}")
        return statement

    def _no_difference(self) -> Statement:
        statement = Statement("No difference between BF_UNMOD and BF_MOD could be measured",
                              "0 is in the confidence interval of the difference")
        for measure in ("late", "system_usage", "slowdown"):
            for rate in self._rates:
                gain = self._results.gain(measure, ("bf-mod", "bf-unmod"), rate)
                statement.check(not gain.differs,
                                f"{MEASURES[measure].title} at {rate}: {gain.text(MEASURES[measure].show)}")
        return statement

    @staticmethod
    def _pair(pair: tuple[str, str]) -> str:
        return f"{NAMES[pair[0]]} over {NAMES[pair[1]]}"


def statements(results: Results) -> list[Statement]:
    """All that the paper says of its figures and tables, checked."""
    return Checks(results).all()
