"""What the text of the paper says of its figures and counts, and whether it holds here by a stated bound."""
from dataclasses import dataclass
from typing import Callable, Mapping, Optional, Sequence

from common.comparison import relation, word
from common.tables import Row, count, one_digit, read_csv
from pc_dc.results import Results

# What is taken for a big or significant difference: of Figure 7 the paper says that 10 % are comparable. What is taken
# for many, and for a case in which it is not unclear any more which of two is better.
BIG, SMALL = 10.0, 2.0
MANY, CLEAR = 0.2, 0.75
NOBODY_WAITS = 60  # seconds: a mean wait below it
# The paper's log on which both algorithms are worse than conservative, and the number of its logs.
LOST = "DAS2-fs3"

# What there is to say with one reading of the logs: the numbers, and the word. None: it is not about any of them.
Finding = Optional[tuple[str, str]]
Values = Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Stated:
    """One thing that the paper says in a part of it, and how to find out."""

    part: str
    statement: str
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
    """The results with one reading of the logs, as the statements ask for them."""

    def __init__(self, results: Results, machines: Sequence[str], reading: str, orders: Sequence[str],
                 paper: Mapping[str, float]) -> None:
        self._results = results
        self.reading = reading
        self.machines = [machine for machine in machines if (machine, reading) in results.cases()]
        self.paper = paper
        self._runs = [f"{algorithm}-{order}" for algorithm in ("pc", "dc") for order in orders]

    def figure(self, number: str) -> Values:
        """What a figure shows."""
        return self._results.improvements(number, self.machines, self.reading)

    def combinations(self) -> dict[tuple[str, str], float]:
        """The improvement of the mean wait, by run and machine."""
        found = {(run, machine): self._results.improvement(machine, self.reading, run)
                 for machine in self.machines for run in self._runs}
        return {key: value for key, value in found.items() if value is not None}

    def mean_wait(self, machine: str) -> float:
        """Under conservative, in seconds."""
        return self._results.number(machine, self.reading, "conservative", "mean_wait")


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
        return (pair(values[machine]), relation(holds(values[machine]))) if machine in values else None

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
            share > 0.5 if clear else 1 - CLEAR <= share <= CLEAR)

    return find


def no_others(figure: str, named: Sequence[str], exception: Callable[[Mapping[str, float]], bool]
              ) -> Callable[[Findings], Finding]:
    """None of the logs that are not named is such an exception."""
    def find(findings: Findings) -> Finding:
        found = [f"{machine} ({pair(shown)})" for machine, shown in findings.figure(figure).items()
                 if machine not in named and exception(shown)]
        return "; ".join(found) or "none", relation(not found)

    return find


def _share_worse(findings: Findings) -> Finding:
    values = findings.combinations()
    worse = [key for key, value in values.items() if value < 0]
    papers = findings.paper["combinations worse than conservative"] / findings.paper["combinations"]
    return (f"{count(worse, list(values))} ({100 * len(worse) / len(values):.0f} %)",
            word(len(worse) / len(values), papers))


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
                relation(2 * len(found) > len(chosen)))

    return find


def _worst(findings: Findings) -> Finding:
    """The worst combination, and if nobody waits there, the worst of the others as well."""
    values = findings.combinations()
    worst = min(values, key=lambda key: values[key])
    texts = [f"{values[worst]:.0f} % ({worst[0]} on {worst[1]})"]
    if findings.mean_wait(worst[1]) < NOBODY_WAITS:
        others = {key: value for key, value in values.items() if findings.mean_wait(key[1]) >= NOBODY_WAITS}
        texts[0] += f", of a mean wait of {one_digit(findings.mean_wait(worst[1]))} s"
        if others:
            second = min(others, key=lambda key: others[key])
            texts.append(f"where the mean wait is a minute or more {others[second]:.0f} % ({second[0]} on {second[1]})")
    return "; ".join(texts), word(values[worst], findings.paper["worst improvement (%)"], 0)


def dc_shortest_first(papers: str, holds: Callable[[float, float], bool]) -> Callable[[Findings], Finding]:
    """On how many logs dc with shortest first is so, by its improvement and that of easy. The paper's number is of all
    its logs. On the log where it is worse than both, dc wins nothing; the others that are missing here may count or
    not, and so there is a range that the number here can be in."""
    def find(findings: Findings) -> Finding:
        values = findings.figure("5")
        found = [machine for machine, shown in values.items() if holds(shown["dc"], shown["easy"])]
        number, logs = int(findings.paper[papers]), int(findings.paper["traces"])
        missing = logs - len(values)
        lost = holds(-2, -1)  # whether the log that is lost to both is one of them
        unsure = missing - (LOST not in values)
        sure = number - (lost and LOST not in values)
        least, most = max(0, sure - unsure), min(sure, len(values))
        if missing < 0:
            return None
        span = f"{least}" if least == most else f"{least} to {most}"
        names = f" ({', '.join(found)})" if 0 < len(found) < len(values) else ""
        return (f"{count(found, list(values))}{names}; the paper's number leaves {span} for these logs",
                relation(least <= len(found) <= most))

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


NAMED_IN_7 = ("DAS2-fs2", "DAS2-fs4", "LLNL-Atlas", "LPC-EGEE", "LANL-CM5", "SDSC-SP2")
STATED = [
    Stated("Figure 5", "PC and DC are better than conservative on all logs but DAS2-fs3",
           better("5", "conservative", 1, [LOST])),
    Stated("Figure 5", "They are better than EASY in the majority of cases", better("5", "easy", 0.5)),
    Stated("Figure 5", "The most notable exception is LLNL-Thunder", is_outlier("5", "LLNL-Thunder")),
    Stated("Figure 5", "DC generally beats PC", beats_the_other("5", clear=True)),
    Stated("Figure 6", "Both are generally better than conservative", better("6", "conservative", 0.5)),
    *(Stated("Figure 6", f"Both are worse on {machine}", on_log("6", machine, _worse))
      for machine in (LOST, "LANL-CM5", "SDSC-SP2")),
    Stated("Figure 6", "Both are worse on no other log",
           no_others("6", (LOST, "LANL-CM5", "SDSC-SP2"), _worse)),
    Stated("Figure 6", "Both are generally better than EASY", better("6", "easy", 0.5)),
    Stated("Figure 6", "LLNL-Thunder is the outlier again", is_outlier("6", "LLNL-Thunder")),
    *(Stated("Figure 7", f"Both are significantly better on {machine}", on_log("7", machine, _big_gain))
      for machine in NAMED_IN_7[:4]),
    *(Stated("Figure 7", f"Both are significantly worse on {machine}", on_log("7", machine, _big_loss))
      for machine in NAMED_IN_7[4:]),
    Stated("Figure 7", "On no other log both are better, or both worse, by more than 10 %",
           no_others("7", NAMED_IN_7, lambda shown: _big_gain(shown) or _big_loss(shown))),
    Stated("Figure 8", "Both are better than conservative on all logs but LLNL-Thunder",
           better("8", "conservative", 1, ["LLNL-Thunder"])),
    Stated("Figure 8", "It is unclear which of them is preferable (neither wins on more than three quarters)",
           beats_the_other("8", clear=False)),
    Stated("Figure 8", "Both outperform EASY (on every log)", better("8", "easy", 1)),
    Stated("Figure 9", "The results are mixed, and the losses are fairly small (at most 10 %)", widest_in_all),
    Stated("section 4.1", "49 of 150 combinations of log, algorithm and order are worse than conservative (33 %)",
           _share_worse),
    Stated("section 4.1", "Most differences are below 10 %", share_of(BIG, 0.5)),
    Stated("section 4.1", "Many are below 2 % (more than a fifth)", share_of(SMALL, MANY)),
    Stated("section 4.1", "A majority of the big improvements (10 % or more) is with shortest first",
           orders_of(lambda value: value >= BIG, ["spf"])),
    Stated("section 4.1", "Significantly negative values (-10 % or less) are generally with longest or widest first",
           orders_of(lambda value: value <= -BIG, ["lpf", "lqf"])),
    Stated("section 4.1", "The worst value is -38 %, of DC with longest first", _worst),
    Stated("section 4.1", "DC with shortest first is better than conservative and EASY on 11 of 15 logs",
           dc_shortest_first("traces on which dc-spf is better than conservative and easy",
                             lambda ours, easy: ours > max(0, easy))),
    Stated("section 4.1", "It is worse than both on 1 of 15",
           dc_shortest_first("traces on which dc-spf is worse than both", lambda ours, easy: ours < min(0, easy))),
    Stated("section 4.1", "It is worse than EASY alone on 3 of 15",
           dc_shortest_first("traces on which dc-spf is worse than easy alone", lambda ours, easy: 0 <= ours < easy)),
]

# What must hold of a log that the paper does not name as an exception anywhere.
MOST_NOTABLE = "LLNL-Thunder"
NOT_NAMED: list[tuple[str, str, str, Callable[[Mapping[str, float]], bool]]] = [
    ("Figure 6", "Both are not worse than conservative", "6", lambda shown: min(shown["pc"], shown["dc"]) >= 0),
    ("Figure 7", "They are within 10 % of conservative, or mixed", "7",
     lambda shown: not _big_gain(shown) and not _big_loss(shown)),
    ("Figure 8", "Both are better than conservative", "8", lambda shown: min(shown["pc"], shown["dc"]) > 0),
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
            rows.append({"part": stated.part, "statement": stated.statement, "here": here, "word": its_word,
                         "cut": cut, "cut_word": cut_word})
    return rows


def hypothesis(results: Results, reading: str, machines: Sequence[str]) -> list[Row]:
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
