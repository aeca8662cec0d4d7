"""What the paper states, each with a bound that says when it holds, asked of any machine's months."""
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean
from typing import Callable, Mapping, Optional, Sequence

from common.comparison import BY_NUMBER, DIFFERS, Overview, relation, word, worst
from common.tables import per_cent
from relaxed.monthly import ACTUAL, ESTIMATED, Monthly

# What there is to say of a machine: whether the statement holds there, and by which numbers. None: it has no such data.
Finding = Optional[tuple[bool, str]]

# The parts of the paper: each has a table for either of its machines.
WAITS, BACKFILLED, IMPORTANT = "Tables 1 and 4", "Tables 2 and 5", "Tables 3 and 6"

FEW_EXCEPTIONS = 0.9  # of the steps
SMALL_EFFECT = 10  # per cent


@dataclass(frozen=True)
class Statement:
    """One thing that the paper says, the part of it with the numbers, and when it holds. If it has numbers, they are
    changes in per cent, one for each of the paper's machines; what is found is compared with them by the mean of the
    months."""

    part: str
    paper: str
    bound: str
    find: Callable[[Monthly], Finding]
    numbers: Mapping[str, float] = field(default_factory=dict)
    average: Callable[[Monthly], float] = lambda _: 0.0

    def word(self, months: Monthly) -> str:
        """The word for what is found on a machine; none without data. A machine that is not the paper's has to do with
        the numbers of both."""
        finding = self.find(months)
        if finding is None or not self.numbers:
            return "" if finding is None else relation(finding[0])
        numbers = [self.numbers[months.machine]] if months.machine in self.numbers else self.numbers.values()
        return worst(word(self.average(months), number, 0) for number in numbers)


def of_all(found: int, everything: int) -> str:
    """How many, in words."""
    return f"{found} of {everything}"


def change(value: float, base: float) -> float:
    """By how much a value is above its base, in per cent; 0 over nothing."""
    return 100 * (value / base - 1) if base > 0 else 0.0


def average_change(values: Sequence[float], bases: Sequence[float]) -> float:
    """The mean of the changes, in per cent, without bases of nothing."""
    known = [change(value, base) for value, base in zip(values, bases) if base > 0]
    return fmean(known) if known else 0.0


def below(values: Sequence[float], bases: Sequence[float]) -> int:
    """How many values are below their base."""
    return sum(value < base for value, base in zip(values, bases))


def months_with_smallest(months: Monthly, estimates: str, omega: str) -> int:
    """In how many months this omega's wait is below that of every other one."""
    others = [months.waits[estimates, other] for other in months.omegas if other != omega]
    return sum(ours < min(theirs) for ours, theirs in zip(months.waits[estimates, omega], zip(*others)))


def _poorest(months: Monthly) -> Finding:
    columns = [[months.waits[estimates, omega] for omega in months.omegas] for estimates in (ESTIMATED, ACTUAL)]
    longest = [sum(first > max(rest) for first, *rest in zip(*one)) for one in columns]
    number = len(months.months)
    return min(longest) == number, f"{of_all(longest[0], number)} months, {longest[1]} with actual times"


def _steps(rows: Sequence[Sequence[float]], is_step: Callable[[float, float], bool]) -> tuple[int, int]:
    steps = [is_step(before, after) for before_all, after_all in pairwise(rows)
             for before, after in zip(before_all, after_all)]
    return sum(steps), len(steps)


def _falls(months: Monthly) -> Finding:
    columns = [months.waits[ESTIMATED, omega] for omega in months.omegas]
    found, steps = _steps(columns, lambda before, after: after < before)
    return found >= FEW_EXCEPTIONS * steps, f"{of_all(found, steps)} steps"


def _infinity_is_shortest(months: Monthly) -> Finding:
    totals = {omega: sum(months.waits[ESTIMATED, omega]) for omega in months.omegas}
    found, number = months_with_smallest(months, ESTIMATED, "inf"), len(months.months)
    best = min(totals, key=lambda omega: totals[omega])
    return (best == "inf" and 2 * found > number,
            f"smallest total: {'infinity' if best == 'inf' else best}; {of_all(found, number)} months")


def _each_improves(months: Monthly) -> Finding:
    aggressive = months.waits[ESTIMATED, "1"]
    larger = [months.waits[ESTIMATED, omega] for omega in months.omegas[months.omegas.index("1") + 1:]]
    found = sum(below(waits, aggressive) for waits in larger)
    text = ", ".join(f"{change(sum(waits), sum(aggressive)):+.0f} %" for waits in larger)
    return (all(sum(waits) < sum(aggressive) for waits in larger),
            f"{text}; {of_all(found, len(larger) * len(aggressive))} months")


def _below_in_all(values: Sequence[float], bases: Optional[Sequence[float]]) -> Finding:
    if bases is None:
        return None
    found, average = below(values, bases), average_change(values, bases)
    return found == len(values), f"{of_all(found, len(values))} months, {average:+.1f} % on average"


def _below_log(months: Monthly) -> Finding:
    return _below_in_all(months.waits[ESTIMATED, "inf"], months.log_waits)


def _below_aggressive(months: Monthly) -> Finding:
    return _below_in_all(months.waits[ESTIMATED, "inf"], months.waits[ESTIMATED, "1"])


def _average_to_aggressive(months: Monthly) -> float:
    return average_change(months.waits[ESTIMATED, "inf"], months.waits[ESTIMATED, "1"])


def _far_below_aggressive(months: Monthly) -> Finding:
    total = change(sum(months.waits[ESTIMATED, "inf"]), sum(months.waits[ESTIMATED, "1"]))
    average = _average_to_aggressive(months)
    return average < 0, f"{average:+.1f} % on average, {total:+.1f} % in total"


def _average_to_log(months: Monthly) -> float:
    return average_change(months.waits[ESTIMATED, "inf"], months.log_waits or [])


def _far_below_log(months: Monthly) -> Finding:
    average = _average_to_log(months)
    return (average < 0, f"{average:+.1f} % on average") if months.log_waits else None


def _estimates_do_not_matter(months: Monthly) -> Finding:
    estimated, actual = months.waits[ESTIMATED, "inf"], months.waits[ACTUAL, "inf"]
    average = average_change(estimated, actual)
    return (abs(average) <= SMALL_EFFECT,
            f"{average:+.1f} % on average; less in {of_all(below(estimated, actual), len(estimated))} months")


def _more_are_backfilled(months: Monthly) -> Finding:
    columns = [months.backfilled[ESTIMATED, omega] for omega in months.omegas if omega != "0"]
    found, steps = _steps(columns, lambda before, after: after > before)
    return found == steps, f"{of_all(found, steps)} steps"


def _important_fall(months: Monthly) -> Finding:
    if not months.important:
        return None
    columns = [months.important[omega] for omega in months.omegas]
    falling = sum(all(after < before for before, after in pairwise(hours)) for hours in zip(*columns))
    found, steps = _steps(columns, lambda before, after: after < before)
    number = len(months.months)
    return falling >= number - 1, f"{of_all(falling, number)} months, {of_all(found, steps)} steps"


def _important_do_not_pay(months: Monthly) -> Finding:
    if not months.important:
        return None
    relaxed, aggressive = months.important["inf"], months.important["1"]
    return (sum(relaxed) < sum(aggressive),
            f"{change(sum(relaxed), sum(aggressive)):+.0f} % in total; "
            f"{of_all(below(relaxed, aggressive), len(relaxed))} months")


def _important_below_log(months: Monthly) -> Finding:
    if not months.important or months.log_important is None:
        return None
    relaxed, log = months.important["inf"], months.log_important
    found, total = below(relaxed, log), change(sum(relaxed), sum(log))
    return found >= len(relaxed) - 1, f"{total:+.0f} % in total; {of_all(found, len(relaxed))} months"


STATEMENTS = (
    Statement(WAITS, "No backfilling performs the poorest.",
              "omega = 0 waits longest of all in every month, with estimated and with actual times", _poorest),
    Statement(WAITS, "With few exceptions, wait decreases as backfilling is relaxed.",
              f"in at least {per_cent(FEW_EXCEPTIONS)} of the steps from one omega to the next, month by month",
              _falls),
    Statement(WAITS, "Wait is typically shortest for omega = infinity.",
              "the smallest total, and the smallest wait in more than half of the months", _infinity_is_shortest),
    Statement(WAITS, "Every omega > 1 improves on aggressive backfilling.",
              "the totals of all of them are below that of omega = 1", _each_improves),
    Statement(WAITS, "Infinity reduces the wait against aggressive backfilling in every month ...",
              "below omega = 1 in every month", _below_aggressive),
    Statement(WAITS, "... by 67 % (T3E) and 62 % (O3K) on average.",
              f"{BY_NUMBER}, mean of the months", _far_below_aggressive,
              {"T3E": -67, "O3K": -62}, _average_to_aggressive),
    Statement(WAITS, "Infinity reduces the wait against the actual one in every month ...",
              "below the log's own wait in every month", _below_log),
    Statement(WAITS, "... by 46 % (T3E) and 87 % (O3K) on average.",
              f"{BY_NUMBER}, mean of the months", _far_below_log,
              {"T3E": -46, "O3K": -87}, _average_to_log),
    Statement(WAITS, "Estimates do little harm at infinity: less wait than with run times in 6 of 12 months (T3E), "
              "9 % more on average (O3K).",
              f"within {SMALL_EFFECT} % of the wait with actual times, mean of the months", _estimates_do_not_matter),
    Statement(BACKFILLED, "More jobs are backfilled with each omega in every month.",
              "more in every step from one omega to the next, month by month", _more_are_backfilled),
    Statement(IMPORTANT, "Waits of challenge and urgent jobs decrease as omega grows, but in one month.",
              "in all months but one they fall in every step", _important_fall),
    Statement(IMPORTANT, "Decreased waits do not come at the expense of high priority jobs.",
              "the total wait of challenge and urgent jobs at infinity is below that at omega = 1",
              _important_do_not_pay),
    Statement(IMPORTANT, "At infinity they wait less than in the log, but in one month.",
              "below the log's own wait in all months but one", _important_below_log),
)


def _exceptions(machines: Sequence[Monthly], part: str) -> tuple[list[str], str]:
    """The words for what is stated in a part of the paper and there are data of, and in how many cases it fails."""
    words = [found for one in STATEMENTS for machine in machines if one.part == part and (found := one.word(machine))]
    return words, of_all(words.count(DIFFERS), len(words))


def overview(alike: Sequence[Monthly], busier: Sequence[Monthly]) -> list[Overview]:
    """The paper's tables and figures in the overview of all, its tables by what it states of them and is found on the
    machines loaded like its own. The busier ones are only mentioned."""
    lines = [Overview("Figure 1", "no", "it draws five jobs under three policies, without numbers"),
             Overview("Figure 2", "no", "it is the algorithm, which `relaxed` follows")]
    for part in (WAITS, BACKFILLED, IMPORTANT):
        words, failed = _exceptions(alike, part)
        if not words:
            lines.append(Overview(part, "no", "there are no data for it on machines that are no busier than its own"))
            continue
        largest = f"what it states does not hold in {failed} cases on {' and '.join(one.machine for one in alike)}"
        if part == WAITS:
            changes = [f"{change(sum(one.waits[ESTIMATED, 'inf']), sum(one.waits[ESTIMATED, '1'])):+.0f} %"
                       for one in alike]
            largest += f"; omega = infinity to omega = 1: {', '.join(changes)} in total"
        if busier:
            largest += f"; on busier machines in {_exceptions(busier, part)[1]}"
        lines.append(Overview(part, "partly", "its logs are not public; logs of the archive stand in for them", largest,
                              worst(words)))
    return lines
