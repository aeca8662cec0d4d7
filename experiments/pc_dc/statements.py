"""What the text of the paper says of its figures and counts, and whether it holds here by a stated bound."""
from dataclasses import dataclass
from typing import Callable, Mapping, Optional, Sequence

from common.comparison import BY_NUMBER_FROM_0, relation, word
from common.tables import Row, count, one_digit, per_cent, read_csv
from pc_dc.results import MEAN_WAIT, Results

# What is taken for a big or significant difference: of Figure 7 the paper says that 10 % are comparable. What is taken
# for many, and for a case in which it is not unclear any more which of two is better.
BIG, SMALL = 10.0, 2.0
MANY, CLEAR, MOST = 0.2, 0.75, 0.5
# The paper's log on which both algorithms are worse than conservative, and the number of its logs.
LOST = "DAS2-fs3"

# What there is to say with one reading of the logs: the numbers, and the word, empty if the log decides nothing. None:
# it is not about any of them.
Finding = Optional[tuple[str, str]]
Values = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Stated:
    """One thing that the paper says in a part of it, when that holds here, and how to find out."""

    part: str
    statement: str
    bound: str
    find: Callable[["Findings"], Finding]


def of_logs(found: Sequence[str], machines: Sequence[str]) -> str:
    """On how many of the logs, and if on most of them, on which not."""
    missing = [machine for machine in machines if machine not in found]
    exceptions = f", not on {', '.join(missing)}" if missing and len(missing) < len(machines) else ""
    return f"{count(found, machines)}{exceptions}"


def pair(values: Mapping[str, float]) -> str:
    """The improvements of both algorithms."""
    return f"PC {values['pc']:+.1f} %, DC {values['dc']:+.1f} %"


class Findings:
    """The results with one reading of the logs that decide something, as the statements ask for them."""

    def __init__(self, results: Results, machines: Sequence[str], reading: str, orders: Sequence[str],
                 paper: Mapping[str, float]) -> None:
        self._results = results
        self._reading = reading
        known = [machine for machine in machines if (machine, reading) in results.cases()]
        self.machines = [machine for machine in known if not results.is_quiet(machine, reading)]
        self._quiet = [machine for machine in known if machine not in self.machines]
        self.paper = paper
        self._runs = [f"{algorithm}-{order}" for algorithm in ("pc", "dc") for order in orders]

    def figure(self, number: str) -> Values:
        """What a figure shows."""
        return self._results.improvements(number, self.machines, self._reading)

    def combinations(self) -> dict[tuple[str, str], float]:
        """The improvement of the mean wait, by run and machine."""
        found = {(run, machine): self._results.improvement(machine, self._reading, run)
                 for machine in self.machines for run in self._runs}
        return {key: value for key, value in found.items() if value is not None}

    def quiet(self, number: str, machine: str) -> Finding:
        """What a figure shows of a log that decides nothing, and no word."""
        if machine not in self._quiet:
            return None
        wait = self._results.number(machine, self._reading, "conservative", MEAN_WAIT)
        shown = self._results.improvements(number, [machine], self._reading)
        return ", ".join([*map(pair, shown.values()), f"of a mean wait of {one_digit(wait)} s"]), ""


def better(figure: str, other: str, bound: float, exceptions: Sequence[str] = ()) -> Callable[[Findings], Finding]:
    """Both algorithms are better than another one in a figure: each on more than this share of the logs, or with a
    bound of 1 on all but the exceptions, on which they are not."""
    def find(findings: Findings) -> Finding:
        values = findings.figure(figure)
        texts, held = [], []
        for ours in ("pc", "dc"):
            found = [machine for machine, one in values.items() if one[ours] > one.get(other, 0.0)]
            texts.append(f"{ours.upper()} on {of_logs(found, list(values))}")
            if bound < 1:
                held.append(len(found) > bound * len(values))
            else:
                held.append(set(values) - set(found) == set(values) & set(exceptions))
        return ("; ".join(texts), relation(all(held))) if values else None

    return find


def on_log(figure: str, machine: str, holds: Callable[[Mapping[str, float]], bool]) -> Callable[[Findings], Finding]:
    """What a figure shows of one log."""
    def find(findings: Findings) -> Finding:
        values = findings.figure(figure)
        if machine not in values:
            return findings.quiet(figure, machine)
        return pair(values[machine]), relation(holds(values[machine]))

    return find


def is_outlier(figure: str, machine: str) -> Callable[[Findings], Finding]:
    """EASY is ahead of both algorithms on this log, and by more than on any other."""
    def find(findings: Findings) -> Finding:
        values = findings.figure(figure)
        if machine not in values:
            return None
        ahead = {one: easy_ahead(shown) for one, shown in values.items()}
        most = max(ahead, key=lambda one: ahead[one])
        text = f"EASY {values[machine]['easy']:+.1f} %, {pair(values[machine])}; EASY is furthest ahead on {most}"
        return text, relation(most == machine and ahead[most] > 0)

    return find


def beats_the_other(figure: str, clear: bool) -> Callable[[Findings], Finding]:
    """DC is better than PC: on most logs or, not `clear`, not by far on most, and neither is PC."""
    def find(findings: Findings) -> Finding:
        values = findings.figure(figure)
        found = [machine for machine, shown in values.items() if shown["dc"] > shown["pc"]]
        share = len(found) / len(values) if values else 0
        return f"DC on {of_logs(found, list(values))}", relation(
            share > MOST if clear else 1 - CLEAR <= share <= CLEAR)

    return find


def no_others(figure: str, named: Sequence[str], exception: Callable[[Mapping[str, float]], bool]
              ) -> Callable[[Findings], Finding]:
    """None of the logs that are not named is such an exception."""
    def find(findings: Findings) -> Finding:
        found = [f"{machine} ({pair(shown)})" for machine, shown in findings.figure(figure).items()
                 if machine not in named and exception(shown)]
        return "; ".join(found) or "none", relation(not found)

    return find


def left_for(papers: float, of: int, here: int, lost: Optional[tuple[int, int]]) -> tuple[int, int]:
    """The least and the most that a number of the paper, which is of so many cases, leaves for those that are here. The
    others may count or not, but for the lost ones: how many these are, and how many of them the paper counted."""
    known, counted = lost or (0, 0)
    unsure = of - here - known
    return max(0, int(papers) - counted - unsure), max(0, min(int(papers) - counted, here))


def against_range(found: int, papers: tuple[int, int], of_what: str) -> tuple[str, str]:
    """The range that a number of the paper leaves, in words, and whether the number here is in it."""
    least, most = papers
    return (f"the paper's number leaves {least if least == most else f'{least} to {most}'} for these {of_what}",
            relation(least <= found <= most))


def _share_worse(findings: Findings) -> Finding:
    """With shortest first, both algorithms are worse on the log that the paper names."""
    values, total = findings.combinations(), int(findings.paper["combinations"])
    if len(values) > total:
        return None
    worse = [key for key, value in values.items() if value < 0]
    text, its_word = against_range(len(worse), left_for(
        findings.paper["combinations worse than conservative"], total, len(values),
        None if LOST in findings.machines else (2, 2)), "combinations")
    return f"{count(worse, list(values))} ({per_cent(len(worse) / len(values))}); {text}", its_word


def share_of(limit: float, bound: float) -> Callable[[Findings], Finding]:
    """More than this share of the combinations differ by less than the limit."""
    def find(findings: Findings) -> Finding:
        values = findings.combinations()
        found = [value for value in values.values() if abs(value) < limit]
        return count(found, list(values.values())), relation(len(found) > bound * len(values))

    return find


def orders_of(select: Callable[[float], bool], orders: Sequence[str]) -> Callable[[Findings], Finding]:
    """Most of the combinations that are selected by their value have one of these orders."""
    def find(findings: Findings) -> Finding:
        chosen = [run for (run, _), value in findings.combinations().items() if select(value)]
        found = [run for run in chosen if run.split("-")[1] in orders]
        by_order: dict[str, int] = {}
        for run in chosen:
            by_order[run.split("-")[1]] = by_order.get(run.split("-")[1], 0) + 1
        listed = ", ".join(f"{one} {by_order[one]}" for one in sorted(by_order))
        return (f"{count(found, chosen)}: {listed}" if chosen else "none",
                relation(len(found) > MOST * len(chosen)))

    return find


def _worst(findings: Findings) -> Finding:
    values = findings.combinations()
    worst = min(values, key=lambda key: values[key])
    return (f"{values[worst]:.0f} % ({worst[0]} on {worst[1]})",
            word(values[worst], findings.paper["worst improvement (%)"], 0))


def dc_shortest_first(papers: str, holds: Callable[[float, float], bool]) -> Callable[[Findings], Finding]:
    """On how many logs dc with shortest first is so, by its improvement and that of easy. The paper's number is of all
    its logs, on one of which dc is worse than both."""
    def find(findings: Findings) -> Finding:
        values, logs = findings.figure("5"), int(findings.paper["traces"])
        if len(values) > logs:
            return None
        found = [machine for machine, shown in values.items() if holds(shown["dc"], shown["easy"])]
        names = f" ({', '.join(found)})" if 0 < len(found) < len(values) else ""
        text, its_word = against_range(len(found), left_for(
            findings.paper[papers], logs, len(values), None if LOST in values else (1, int(holds(-2, -1)))), "logs")
        return f"{count(found, list(values))}{names}; {text}", its_word

    return find


def widest_in_all(findings: Findings) -> Finding:
    """Figure 9: losses and gains, none of the losses big."""
    values = findings.figure("9")
    texts, held = [], []
    for ours in ("pc", "dc"):
        losses = [(shown[ours], machine) for machine, shown in values.items() if shown[ours] < 0]
        gains = [machine for machine, shown in values.items() if shown[ours] > 0]
        texts.append(f"{ours.upper()} better on {len(gains)}, worse on {len(losses)}"
                     + (f" (at most by {-min(losses)[0]:.1f} %, {min(losses)[1]})" if losses else ""))
        held.append(bool(gains) and all(loss >= -BIG for loss, _ in losses))
    return ("; ".join(texts), relation(all(held))) if values else None


def _worse(shown: Mapping[str, float]) -> bool:
    return shown["pc"] < 0 and shown["dc"] < 0


def _big_gain(shown: Mapping[str, float]) -> bool:
    return min(shown["pc"], shown["dc"]) > BIG


def _big_loss(shown: Mapping[str, float]) -> bool:
    return max(shown["pc"], shown["dc"]) < -BIG


def _better(shown: Mapping[str, float]) -> bool:
    return min(shown["pc"], shown["dc"]) > 0


def _beyond(shown: Mapping[str, float]) -> bool:
    return _big_gain(shown) or _big_loss(shown)


NAMED_IN_7 = ("DAS2-fs2", "DAS2-fs4", "LLNL-Atlas", "LPC-EGEE", "LANL-CM5", "SDSC-SP2")
ON_MOST = f"each on more than {per_cent(MOST)} of the logs"
IN_RANGE = "in the range that the paper's number leaves"
STATED = [
    Stated("Figure 5", "PC and DC are better than conservative on all logs but DAS2-fs3",
           "each on all others, and not there", better("5", "conservative", 1, [LOST])),
    Stated("Figure 5", "They are better than EASY in the majority of cases", ON_MOST, better("5", "easy", MOST)),
    Stated("Figure 5", "The most notable exception is LLNL-Thunder",
           "there EASY is ahead of both, and further than elsewhere", is_outlier("5", "LLNL-Thunder")),
    Stated("Figure 5", "DC generally beats PC", f"on more than {per_cent(MOST)} of the logs",
           beats_the_other("5", clear=True)),
    Stated("Figure 6", "Both are generally better than conservative", ON_MOST, better("6", "conservative", MOST)),
    *(Stated("Figure 6", f"Both are worse on {machine}", "both below 0 %", on_log("6", machine, _worse))
      for machine in (LOST, "LANL-CM5", "SDSC-SP2")),
    Stated("Figure 6", "Both are worse on no other log", "nowhere else both below 0 %",
           no_others("6", (LOST, "LANL-CM5", "SDSC-SP2"), _worse)),
    Stated("Figure 6", "Both are generally better than EASY", ON_MOST, better("6", "easy", MOST)),
    Stated("Figure 6", "LLNL-Thunder is the outlier again", "there EASY is ahead of both, and further than elsewhere",
           is_outlier("6", "LLNL-Thunder")),
    *(Stated("Figure 7", f"Both are significantly better on {machine}", f"both above {BIG:.0f} %",
             on_log("7", machine, _big_gain)) for machine in NAMED_IN_7[:4]),
    *(Stated("Figure 7", f"Both are significantly worse on {machine}", f"both below -{BIG:.0f} %",
             on_log("7", machine, _big_loss)) for machine in NAMED_IN_7[4:]),
    Stated("Figure 7", f"On no other log both are better, or both worse, by more than {BIG:.0f} %",
           f"nowhere else both above {BIG:.0f} % or both below -{BIG:.0f} %", no_others("7", NAMED_IN_7, _beyond)),
    Stated("Figure 8", "Both are better than conservative on all logs but LLNL-Thunder",
           "each on all others, and not there", better("8", "conservative", 1, ["LLNL-Thunder"])),
    Stated("Figure 8", "It is unclear which of them is preferable",
           f"neither wins on more than {per_cent(CLEAR)} of the logs", beats_the_other("8", clear=False)),
    Stated("Figure 8", "Both outperform EASY", "each on all logs", better("8", "easy", 1)),
    Stated("Figure 9", "The results are mixed, and the losses are fairly small",
           f"each is better on some log, and no loss is above {BIG:.0f} %", widest_in_all),
    Stated("section 4.1", "49 of 150 combinations of log, algorithm and order are worse than conservative (33 %)",
           IN_RANGE, _share_worse),
    Stated("section 4.1", f"Most differences are below {BIG:.0f} %", f"more than {per_cent(MOST)} of them",
           share_of(BIG, MOST)),
    Stated("section 4.1", f"Many are below {SMALL:.0f} %", f"more than {per_cent(MANY)} of them",
           share_of(SMALL, MANY)),
    Stated("section 4.1", "A majority of the big improvements is with shortest first",
           f"more than {per_cent(MOST)} of those of at least {BIG:.0f} %",
           orders_of(lambda value: value >= BIG, ["spf"])),
    Stated("section 4.1", "Significantly negative values are generally with longest or widest first",
           f"more than {per_cent(MOST)} of those of at most -{BIG:.0f} %",
           orders_of(lambda value: value <= -BIG, ["lpf", "lqf"])),
    Stated("section 4.1", "The worst value is -38 %, of DC with longest first", BY_NUMBER_FROM_0, _worst),
    Stated("section 4.1", "DC with shortest first is better than conservative and EASY on 11 of 15 logs", IN_RANGE,
           dc_shortest_first("traces on which dc-spf is better than conservative and easy",
                             lambda ours, easy: ours > max(0, easy))),
    Stated("section 4.1", "It is worse than both on 1 of 15", IN_RANGE,
           dc_shortest_first("traces on which dc-spf is worse than both", lambda ours, easy: ours < min(0, easy))),
    Stated("section 4.1", "It is worse than EASY alone on 3 of 15", IN_RANGE,
           dc_shortest_first("traces on which dc-spf is worse than easy alone", lambda ours, easy: 0 <= ours < easy)),
]

# What must hold of a log that the paper does not name as an exception anywhere, by the bounds above.
MOST_NOTABLE = "LLNL-Thunder"
NOT_NAMED: list[tuple[str, str, str, Callable[[Mapping[str, float]], bool]]] = [
    ("Figure 5", "Both are better than conservative", "5", _better),
    ("Figure 6", "Not both are worse than conservative", "6", lambda shown: not _worse(shown)),
    ("Figure 7", f"Not both are better, or both worse, by more than {BIG:.0f} %", "7",
     lambda shown: not _beyond(shown)),
    ("Figure 8", "Both are better than conservative", "8", _better),
    ("Figure 8", "Both are better than EASY", "8", lambda shown: min(shown["pc"], shown["dc"]) > shown["easy"]),
]


def statements(results: Results, machines: Sequence[str], readings: Sequence[str], orders: Sequence[str],
               paper: str) -> list[Row]:
    """All of them with the first reading, and beside that with the second one."""
    numbers = {row["what"]: float(row["value"]) for row in read_csv(paper)}
    findings = [Findings(results, machines, reading, orders, numbers) for reading in readings[:2]]
    rows: list[Row] = []
    for stated in STATED:
        first, second = (stated.find(one) if one.machines else None for one in findings)
        if first is not None:
            here, its_word = first
            cut, cut_word = second or ("", "")
            rows.append({"part": stated.part, "statement": stated.statement, "bound": stated.bound, "here": here,
                         "word": its_word, "cut": cut, "cut_word": cut_word})
    return rows


def sizes(results: Results, reading: str, machines: Sequence[str]) -> list[Row]:
    """What the paper's figures must show of a log on machines of different sizes, if the text names all exceptions. In
    Figure 5, EASY is further ahead on LLNL-Thunder, the most notable one."""
    rows: list[Row] = []
    shown_in_5 = results.improvements("5", [*machines, MOST_NOTABLE], reading)
    if MOST_NOTABLE in shown_in_5 and len(shown_in_5) > 1:
        limit = easy_ahead(shown_in_5.pop(MOST_NOTABLE))
        rows.append(_row_of("Figure 5", f"EASY is less far ahead of both than on {MOST_NOTABLE} ({limit:.1f} points)",
                            shown_in_5, lambda shown: easy_ahead(shown) < limit))
    for part, statement, figure, holds in NOT_NAMED:
        values = results.improvements(figure, machines, reading)
        if values:
            rows.append(_row_of(part, statement, values, holds))
    return rows


def easy_ahead(shown: Mapping[str, float]) -> float:
    """By how many points EASY is better than the better one of both algorithms."""
    return shown["easy"] - max(shown["pc"], shown["dc"])


def _row_of(part: str, statement: str, values: Values, holds: Callable[[Mapping[str, float]], bool]) -> Row:
    row: dict[str, str] = {"part": part, "statement": statement}
    for machine, shown in values.items():
        row[machine] = f"{pair(shown)}, EASY {shown['easy']:+.1f} %"
        row[f"{machine} word"] = relation(holds(shown))
    return row
