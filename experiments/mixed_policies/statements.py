"""What the paper states, what there is here and in the paper's own tables, and the words for both; and its part of the
overview of all papers."""
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any, Callable, Mapping, Sequence, TypeVar

from common.comparison import BY_NUMBER, BY_NUMBER_FROM_1, Overview, Statement, relation, word, worst
from common.intervals import Bounds
from common.page import listed, number, percent
from mixed_policies.period_values import QUIET

Lines = Sequence[Mapping[str, Any]]
# By log.
Numbers = Mapping[str, float]

# The paper's own log for most of its text, and what it prints for it in Table 2.
LOG = "SDSC-SP2"
HALF_OF_WEEKS = 0.5
UP_TO = 3.0
# Two policies are comparable if their sums differ by at most this, and one is far better than another by more.
COMPARABLE = 0.10
# What the paper means by many weeks and by a significant margin in each, by the same result, by the worst policies, and
# by poor weights: the share of the others that are better.
MANY, SIGNIFICANT, SAME_RESULT, WORST, POOR = 0.1, 0.1, 0.01, 0.5, 0.05
QUIET_WEEKS = f"FCFS and SAF at most {QUIET:g} above w*"  # a line of the table of weeks

Asked = TypeVar("Asked")


@dataclass(frozen=True)
class Stated(Statement):
    """A statement that is also asked of the paper's own tables, if they can tell."""

    own: str = ""
    own_word: str = ""


def asked(part: str, statement: str, bound: str, find: Callable[[Asked], tuple[str, bool]],
          data: tuple[Asked, Asked]) -> Stated:
    """A statement asked of our data and of the paper's, if there are any of the latter; `find` gives numbers as text,
    and whether it holds."""
    ours, papers = data
    here, holds = find(ours)
    own, held = find(papers) if papers else ("", None)
    return Stated(part, statement, here, relation(holds), bound, own, "" if held is None else relation(held))


def column(rows: Lines, what: str) -> dict[str, Any]:
    """What a table with a line for each statement has in one, by log."""
    [row] = [row for row in rows if row["what"] == what]
    return {log: value for log, value in row.items() if log not in ("what", "least", "most")}


def by_log(values: Mapping[str, Any], show: Callable[[Any], str]) -> str:
    """`SDSC-SP2 1.20, KTH-SP2 1.30`."""
    return ", ".join(f"{log} {show(value)}" for log, value in values.items())


def _two(value: float) -> str:
    return number(value, 2)


def _times(values: Numbers) -> str:
    return by_log(values, _two)


def statements(machines: Sequence[str], tables: Mapping[str, Lines], read: Mapping[str, Lines]) -> list[Stated]:
    """All statements, by the part of the paper that they are from."""
    return [*_of_pure(machines, tables), *_of_mixed(tables), *_of_learning(machines, tables),
            *_of_space(read["figure-4"]), *_of_searches(tables["searches"]), *_of_thresholds(machines, read),
            *_of_months(machines, tables["months"])]


# By log, the place of each policy in the ranking.
Places = Mapping[str, Mapping[str, int]]


def _places(machines: Sequence[str], rows: Lines, whose: str) -> Places:
    """Here or, of the logs whose tables it printed, by the paper's."""
    return {machine: {row[name]: int(row["place"]) for row in rows} for machine in machines
            if (name := f"{machine}, {whose}") in rows[0]}


def _saf_is_first(places: Places) -> tuple[str, bool]:
    return (f"place {by_log({log: of['SAF'] for log, of in places.items()}, str)}",
            all(of["SAF"] == 1 for of in places.values()))


def _spf_and_lexp_follow(places: Places) -> tuple[str, bool]:
    return ("places of SPF and LEXP: " + by_log(places, lambda of: f"{of['SPF']} and {of['LEXP']}"),
            all({of["SPF"], of["LEXP"]} == {2, 3} for of in places.values()))


def _fcfs_is_poor(places: Places) -> tuple[str, bool]:
    return (f"place {by_log({log: of['FCFS'] for log, of in places.items()}, str)}",
            all(of["FCFS"] > (1 - WORST) * len(of) for of in places.values()))


def _of_pure(machines: Sequence[str], tables: Mapping[str, Lines]) -> list[Stated]:
    data = (_places(machines, tables["ranking"], "here"), _places(machines, tables["ranking"], "printed"))
    weeks = tables["weeks"]
    total, better = column(weeks, "weeks"), column(weeks, "SAF more than 10 % above the best")
    return [
        asked("Figure 1", "SAF is the best pure policy on all logs", "first on each log", _saf_is_first, data),
        asked("Figure 1", "SPF and LEXP follow", "second and third on each log", _spf_and_lexp_follow, data),
        asked("Figure 1", "FCFS is always among the worst", f"among the last {percent(WORST)} on each log",
              _fcfs_is_poor, data),
        Stated("Figure 2", "In many weeks another pure policy is better than SAF by a significant margin",
               f"by more than {percent(SIGNIFICANT)} in " + by_log(
                   {log: (better[log], total[log]) for log in total}, lambda of: f"{of[0]} of {of[1]}") + " weeks",
               relation(all(better[log] >= MANY * total[log] for log in total)),
               f"by more than {percent(SIGNIFICANT)} in at least {percent(MANY)} of the weeks, on each log"),
    ]


def _of_mixed(tables: Mapping[str, Lines]) -> list[Stated]:
    weeks = tables["weeks"]
    saf, best = column(weeks, "SAF / w*, sums"), column(weeks, "best pure of the week / w*, sums")
    largest, when = column(weeks, "best pure of the week / w*, largest"), column(weeks, "week of that")
    top = max(largest, key=lambda log: largest[log])
    quiet, total = column(weeks, QUIET_WEEKS), column(weeks, "weeks of training and testing")
    log = LOG if LOG in total else next(iter(total))
    papers = _papers_sums(tables["table-2"])
    own = {LOG: sum(papers["SAF"].values()) / sum(papers["w*"].values())} if papers else {}
    return [
        asked("Figure 3", "w* is far better than all pure policies on all logs",
              f"the sum of SAF is more than {_two(1 + COMPARABLE)} times that of w*, on each log",
              lambda ratios: (f"sum of SAF by that of w*: {_times(ratios)}",
                              all(ratio > 1 + COMPARABLE for ratio in ratios.values())), (saf, own)),
        Stated("Figure 3", f"For some weeks up to {UP_TO:g} times better than the best pure policy",
               f"{_two(largest[top])} times ({top}, week {when[top]}); by the sums of all weeks {_times(best)}",
               word(largest[top], UP_TO, 1), BY_NUMBER_FROM_1),
        Stated("Figure 3", f"In around half of the weeks of {LOG} no optimisation is required",
               f"{QUIET_WEEKS} in {quiet[log]} of {total[log]}", word(quiet[log] / total[log], HALF_OF_WEEKS),
               BY_NUMBER),
    ]


def _papers_sums(table_2: Lines) -> dict[str, dict[str, float]]:
    """The sums of training and testing in the paper's Table 2, by policy; none without its log."""
    halves = ("training", "testing")
    return {row["policy"]: {half: row[f"{half}, paper"] for half in halves} for row in table_2
            if row["log"] == LOG and "raw" not in row["policy"] and all(row[f"{half}, paper"] for half in halves)}


def _are_comparable(ratios: Numbers) -> tuple[str, bool]:
    return _times(ratios), all(abs(one - 1) <= COMPARABLE for one in ratios.values())


def _of_learning(machines: Sequence[str], tables: Mapping[str, Lines]) -> list[Stated]:
    weeks = tables["weeks"]
    log = LOG if LOG in machines else machines[0]
    papers = _papers_sums(tables["table-2"])
    said = []
    for what, policy, other, half, text in (
            ("w*_train / SAF, training", "w*_train", "SAF", "training",
             "w*_train is slightly better than SAF in training"),
            ("w*_train / SAF, testing", "w*_train", "SAF", "testing", "In testing SAF outperforms w*_train"),
            ("w*_train / w*, training", "w*_train", "w*", "training", "w*_train is far from w* even in training"),
            ("w_greedy / SAF, testing", "w_greedy", "SAF", "testing", "The weights of the week before are not good")):
        ours = column(weeks, what)
        paper = papers[policy][half] / papers[other][half] if papers else 1.0
        said.append(Stated("Table 2", f"{text}: {what} {_two(paper)} on {LOG}", _times(ours),
                           word(ours[log], paper, 1), BY_NUMBER_FROM_1))
    trained = {row["log"]: row["place in testing"] - 1 for row in tables["table-2"] if row["policy"] == "w*_train"}
    ratio = column(weeks, "w*_train / SAF, testing")
    own_ratio, own_place = {}, {}
    if papers:
        testing = {policy: sums["testing"] for policy, sums in papers.items()}
        own_ratio = {LOG: testing["w*_train"] / testing["SAF"]}
        own_place = {LOG: sorted(testing, key=lambda policy: testing[policy]).index("w*_train")}
    return [
        *said,
        asked("Figure 3", "In testing w*_train is comparable to SAF on all logs",
              f"within {percent(COMPARABLE)} of it, on each log", _are_comparable, (ratio, own_ratio)),
        asked("Figure 3", "In testing w*_train is the best or the second best on all logs (beside w*)",
              "first or second on each log", lambda places: (
                  f"place {by_log(places, str)}", all(place <= 2 for place in places.values())), (trained, own_place)),
        _of_greedy(weeks),
    ]


def _of_greedy(weeks: Lines) -> Stated:
    below, above = (column(weeks, f"w_greedy more than 10 % {side} SAF") for side in ("below", "above"))
    total = column(weeks, "weeks after another")
    return Stated("Figure 3", "w_greedy is sometimes better and sometimes worse than SAF",
                  f"more than {percent(SIGNIFICANT)} below and above in " + by_log(
                      {one: (below[one], above[one], total[one]) for one in total},
                      lambda of: f"{of[0]} and {of[1]} of {of[2]}") + " weeks",
                  relation(all(below[one] > 0 and above[one] > 0 for one in total)),
                  f"by more than {percent(SIGNIFICANT)} in some week each, on each log")


def _of_space(rows: Lines) -> list[Stated]:
    if not rows:
        return []
    sides = {row["week"]: (float(row["median, q <= 0"]), float(row["median, q >= 0"])) for row in rows}
    before = {row["week"]: float(row["share_below_these"]) for row in rows if row["share_below_these"]}
    return [
        Stated("Figure 4", "The half with q >= 0 has the lower slowdowns",
               "medians of both halves: " + ", ".join(f"week {week} {_two(below)} and {_two(above)}"
                                                     for week, (below, above) in sides.items()),
               relation(all(above < below for below, above in sides.values())), "the lower median in each week"),
        Stated("Figure 4", "The optimum of a week is poor in the next",
               "share of the weights that are better: " + ", ".join(
                   f"week {week} {percent(share, 1)}" for week, share in before.items()),
               relation(all(share > POOR for share in before.values())),
               f"more than {percent(POOR)} of the weights are better, in each week"),
    ]


def _of_searches(rows: Lines) -> list[Stated]:
    same = {row["log"]: (row["weeks"] - row["xnes3, w*: weeks below"] - row["xnes3, w*: weeks above"], row["weeks"])
            for row in rows}
    lower = {row["log"]: row["xnes3, w*: weeks below"] for row in rows}
    six = {row["log"]: (Bounds(*(row[f"xnes6 above xnes3{part}"] for part in ("", ", low", ", high"))), row["verdict"])
           for row in rows}
    worse = {row["log"]: row["xnes6, xnes3: weeks above"] for row in rows}
    within = percent(SAME_RESULT)
    return [
        Stated("Figure 5", "For most weeks xnes3 and w* give the same result",
               f"within {within} in " + by_log(same, lambda of: f"{of[0]} of {of[1]}") + " weeks",
               relation(all(2 * found > total for found, total in same.values())),
               f"within {within} in more than half of the weeks, on each log"),
        Stated("Figure 5", "In a few weeks xnes3 is slightly better than w*",
               f"more than {within} below in {by_log(lower, str)} weeks", relation(all(lower.values())),
               f"by more than {within} in some week, on each log"),
        Stated("Figure 5", "On average xnes6 is better than xnes3, not by a large margin",
               "difference of the sums in per cent: " + by_log(six, lambda of: of[0].text("{:+.1f}".format)),
               relation(all(verdict == "less" and of.value >= -100 * COMPARABLE for of, verdict in six.values())),
               f"lower by its confidence interval, and by at most {percent(COMPARABLE)}, on each log"),
        Stated("Figure 5", "In rare weeks xnes3 is better than xnes6",
               f"more than {within} in {by_log(worse, str)} weeks", relation(all(worse.values())),
               f"by more than {within} in some week, on each log"),
    ]


# By log and threshold, the sum of each policy.
Sums = Mapping[str, Mapping[str, Mapping[str, float]]]
NONE, DEFAULT, LOW = "none", "200000", "72000"
SAME_SPAN = 0.01  # within which two ratios are the same


def _sums(machines: Sequence[str], rows: Lines, whose: str) -> Sums:
    """Here, or as the paper printed them."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows:
        if row["log"] in machines and row.get(whose):
            found.setdefault(row["log"], {}).setdefault(row["threshold"], {})[row["policy"]] = float(row[whose])
    return {log: found[log] for log in machines if log in found}


def _policies_differ_most_without(sums: Sums) -> tuple[str, bool]:
    spans = {log: {threshold: by_policy["LAF"] / by_policy["SAF"] for threshold, by_policy in of.items()}
             for log, of in sums.items()}
    return ("LAF / SAF without and with 72,000 s: " + by_log(spans, lambda of: f"{_two(of[NONE])} and {_two(of[LOW])}"),
            all(of[NONE] >= max(of.values()) - SAME_SPAN for of in spans.values()))


def _low_comes_closer(sums: Sums) -> tuple[str, bool]:
    apart = {log: {threshold: {policy: abs(value / by_policy["FCFS"] - 1) for policy, value in by_policy.items()
                               if policy != "FCFS"} for threshold, by_policy in of.items()} for log, of in sums.items()}
    closer = {log: [distance < of[DEFAULT][policy] for policy, distance in of[LOW].items()]
              for log, of in apart.items()}
    means = {log: " and ".join(percent(fmean(of[threshold].values()), 1) for threshold in (DEFAULT, LOW))
             for log, of in apart.items()}
    counts = {log: f"{sum(of)} of {len(of)}" for log, of in closer.items()}
    return (f"{by_log(counts, str)} policies; mean distance with 200,000 and 72,000 s: "
            f"{by_log(means, str)}", all(map(all, closer.values())))


def _of_thresholds(machines: Sequence[str], read: Mapping[str, Lines]) -> list[Stated]:
    data = (_sums(machines, read["sums"], "here"), _sums(machines, read["sums"], "printed"))
    said = [
        asked("Tables 3 to 6", "Without a threshold the policies differ most",
              f"LAF / SAF is then the largest of all thresholds, or less by at most {SAME_SPAN}, on each log",
              _policies_differ_most_without, data),
        asked("Tables 3 to 6", "With 20 hours all come closer to FCFS",
              "each other policy is closer than with 200,000 s, on each log", _low_comes_closer, data),
    ]
    if any(row["printed"] for row in read["key"]):
        said.append(_of_fcfs(read["key"]))
    return said


def _of_fcfs(key: Lines) -> Stated:
    """A threshold cannot change FCFS."""
    rows = sorted({row["log"] for row in key if len({one["printed"] for one in key if one["log"] == row["log"]
                                                     and one["row"] == "FCFS"}) > 1})
    own = sorted({row["log"] for row in key if len({one["printed"] for one in key if one["log"] == row["log"]
                                                    and one["policy"] == "FCFS"}) > 1})
    return Stated("Tables 3 to 6",
                  f"A threshold cannot change FCFS; in its row the numbers differ on {listed(rows)}",
                  f"by the key they differ on {listed(own)}", relation(not own), "by the key they differ on no log")


def _of_months(machines: Sequence[str], rows: Lines) -> list[Stated]:
    def ratio(policy: str, other: str, halves: Sequence[str]) -> dict[str, float]:
        of = {(row["log"], row["policy"]): sum(row[half] for half in halves) for row in rows
              if all(row[half] is not None for half in halves)}
        return {log: of[log, policy] / of[log, other] for log in machines}

    both = ("training", "testing")
    star, trained = ratio("w*", "SAF", both), ratio("w*_train", "SAF", ("testing",))
    text, comparable = _are_comparable(trained)
    return [
        Stated("Figure 15", "w* is better than all other policies by a large margin", f"w* / SAF: {_times(star)}",
               relation(all(one < 1 - COMPARABLE for one in star.values())),
               f"less than {_two(1 - COMPARABLE)} on each log"),
        Stated("Figure 15", "w*_train and SAF are comparable", f"w*_train / SAF in testing: {text}",
               relation(comparable), f"within {percent(COMPARABLE)}, on each log"),
    ]


def _signed(difference: float) -> str:
    return f"{100 * difference:+.2f} %"


def overview(tables: Mapping[str, Lines], read: Mapping[str, Lines], said: Sequence[Statement]) -> list[Overview]:
    """A line for each table and figure of the paper."""
    if not any(row["paper"] for row in read["sums"]):
        return [Overview("all", "no", "workloads are drawn: the paper's numbers are about its logs")]
    return [_of_table_1(tables["table-1"]), *_of_table_2(tables["table-2"]), *_of_sums(read),
            _of_table_7(read["table-7"]), *_of_figures(said, tables["named-weeks"])]


def _of_table_1(rows: Lines) -> Overview:
    known = [row for row in rows if row["jobs, here"] and row["jobs, paper"]]
    far = max(known, key=lambda row: abs(row["difference"]))
    words = [word(row[f"{what}, here"], row[f"{what}, paper"]) for row in known for what in ("jobs", "mean run time")]
    return Overview("Table 1", "yes", "", f"jobs {_signed(far['difference'])} ({far['log']})", worst(words))


def _of_table_2(rows: Lines) -> list[Overview]:
    lines = []
    for name, mixed in (("pure policies", False), ("w*, w*_train, w_greedy", True)):
        known = [(row[half] / row[f"{half}, paper"], row["policy"], half) for row in rows
                 for half in ("training", "testing") if row[half] and row[f"{half}, paper"]
                 and "raw" not in row["policy"] and row["policy"].startswith("w") == mixed]
        if known:
            ratio, policy, half = max(known, key=lambda one: abs(one[0] - 1))
            lines.append(Overview(f"Table 2, {name}", "yes", "", f"{_signed(ratio - 1)} ({policy}, {half})",
                                  worst(word(one, 1) for one, _, _ in known)))
    return lines


def _of_sums(read: Mapping[str, Lines]) -> list[Overview]:
    known = [row for row in read["sums"] if row["paper"]]
    all_of = next(row for row in read["differences"])
    lines = [Overview(
        "Tables 3 to 6, columns sorted", "yes", "",
        f"{all_of['numbers']} sums: median {100 * float(all_of['median']):.3f} %, "
        f"{percent(float(all_of['within 2 %']), 1)} within 2 %, {all_of['to the digit']} to 0.01",
        word(1 + median(abs(float(row["difference"])) for row in known), 1))]
    for table, log in zip((3, 4, 5, 6), ("SDSC-SP2", "SDSC-BLUE", "KTH-SP2", "CTC-SP2")):
        of_log = [row for row in known if row["log"] == log]
        if of_log:
            far = max(of_log, key=lambda row: abs(float(row["difference"])))
            lines.append(Overview(
                f"Table {table}", "yes", "",
                f"{_signed(float(far['difference']))} ({far['policy']}, threshold {far['threshold']})",
                worst(word(float(row["here"]), float(row["paper"])) for row in of_log)))
        else:
            lines.append(Overview(f"Table {table}", "no", "its log was not there"))
    return lines


def _of_table_7(rows: Lines) -> Overview:
    if not rows:
        return Overview("Table 7", "no", "its log was not there")
    same = sum(row["same"] == "yes" for row in rows)
    return Overview("Table 7", "yes", "", f"{same} of {len(rows)} rows are the paper's",
                    relation(same == len(rows)) if same < len(rows) else "same")


def _of_figures(said: Sequence[Statement], named: Lines) -> list[Overview]:
    lines = []
    for figures, part in (("Figure 1", "Figure 1"), ("Figures 2, 6, 9 and 12", "Figure 2"),
                          ("Figures 3, 7, 10 and 13", "Figure 3"), ("Figure 4", "Figure 4"),
                          ("Figures 5, 8, 11 and 14", "Figure 5"), ("Figure 15", "Figure 15")):
        words = [one.word for one in said if one.part == part]
        if words:
            kept = sum(one != "differs" for one in words)
            lines.append(Overview(figures, "yes", "", f"{kept} of {len(words)} statements of the text hold",
                                  worst(words)))
    words = [row["word"] for row in named if row["word"]]
    if words:
        kept = sum(one != "differs" for one in words)
        lines.append(Overview("weeks that the text names", "yes", "", f"{kept} of {len(words)} statements hold",
                              worst(words)))
    return lines
