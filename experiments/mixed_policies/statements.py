"""What the paper states, what there is here, and the word for it; and its part of the overview of all papers."""
from statistics import fmean, median
from typing import Any, Callable, Mapping, Sequence

from common.comparison import Overview, Statement, relation, word, worst
from common.page import listed, number, percent

Lines = Sequence[Mapping[str, Any]]
# By log.
Numbers = Mapping[str, float]

# The paper's own log for most of its text, and what it prints for it in Table 2.
LOG = "SDSC-SP2"
HALF_OF_WEEKS = 0.5
UP_TO = 3.0
# Two policies are comparable if their sums differ by less than this, and one is far better than another by more.
COMPARABLE = 0.10


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


def statements(machines: Sequence[str], tables: Mapping[str, Lines], read: Mapping[str, Lines]) -> list[Statement]:
    """All statements, by the part of the paper that they are from."""
    return [*_of_pure(machines, tables), *_of_mixed(tables), *_of_learning(machines, tables),
            *_of_space(read["figure-4"]), *_of_searches(tables["searches"]), *_of_thresholds(machines, read),
            *_of_months(machines, tables["months"])]


def _of_pure(machines: Sequence[str], tables: Mapping[str, Lines]) -> list[Statement]:
    places = {machine: {row[f"{machine}, here"]: int(row["place"]) for row in tables["ranking"]}
              for machine in machines}
    weeks = tables["weeks"]
    total, better = column(weeks, "weeks"), column(weeks, "SAF more than 10 % above the best")
    fcfs = {machine: of["FCFS"] for machine, of in places.items()}
    return [
        Statement("Figure 1", "SAF is the best pure policy on all logs",
                  f"place {by_log({machine: of['SAF'] for machine, of in places.items()}, str)}",
                  relation(all(of["SAF"] == 1 for of in places.values()))),
        Statement("Figure 1", "SPF and LEXP follow",
                  "places of SPF and LEXP: " + by_log(places, lambda of: f"{of['SPF']} and {of['LEXP']}"),
                  relation(all({of["SPF"], of["LEXP"]} == {2, 3} for of in places.values()))),
        Statement("Figure 1", "FCFS is always among the worst", f"place {by_log(fcfs, str)}",
                  relation(all(place > 6 for place in fcfs.values()))),
        Statement("Figure 2", "In many weeks another pure policy is better than SAF by a significant margin",
                  "by more than 10 % in " + by_log({log: (better[log], total[log]) for log in total},
                                                   lambda of: f"{of[0]} of {of[1]}") + " weeks",
                  relation(all(better[log] >= 0.1 * total[log] for log in total))),
    ]


def _of_mixed(tables: Mapping[str, Lines]) -> list[Statement]:
    weeks = tables["weeks"]
    saf, best = column(weeks, "SAF / w*, sums"), column(weeks, "best pure of the week / w*, sums")
    largest, when = column(weeks, "best pure of the week / w*, largest"), column(weeks, "week of that")
    top = max(largest, key=lambda log: largest[log])
    quiet, total = column(weeks, "SAF less than 2 above w*"), column(weeks, "weeks")
    log = LOG if LOG in total else next(iter(total))
    return [
        Statement("Figure 3", "w* is far better than all pure policies on all logs",
                  f"sum of SAF by that of w*: {_times(saf)}; of the best pure policy of each week: {_times(best)}",
                  relation(all(ratio > 1 + COMPARABLE for ratio in saf.values()))),
        Statement("Figure 3", f"For some weeks up to {UP_TO:g} times better than the best pure policy",
                  f"{_two(largest[top])} times ({top}, week {when[top]})", word(largest[top], UP_TO, 1)),
        Statement("Figure 3", f"In around half of the weeks of {LOG} no optimisation is required",
                  f"SAF is less than 2 above w* in {quiet[log]} of {total[log]}",
                  word(quiet[log] / total[log], HALF_OF_WEEKS)),
    ]


def _of_learning(machines: Sequence[str], tables: Mapping[str, Lines]) -> list[Statement]:
    weeks = tables["weeks"]
    log = LOG if LOG in machines else machines[0]
    papers = {(row["policy"], half): row[f"{half}, paper"] for row in tables["table-2"] if row["log"] == LOG
              for half in ("training", "testing")}
    said = []
    for what, policy, other, half, text in (
            ("w*_train / SAF, training", "w*_train", "SAF", "training",
             "w*_train is slightly better than SAF in training"),
            ("w*_train / SAF, testing", "w*_train", "SAF", "testing", "In testing SAF outperforms w*_train"),
            ("w*_train / w*, training", "w*_train", "w*", "training", "w*_train is far from w* even in training"),
            ("w_greedy / SAF, testing", "w_greedy", "SAF", "testing", "The weights of the week before are not good")):
        ours = column(weeks, what)
        paper = papers[policy, half] / papers[other, half] if papers else 1.0
        said.append(Statement("Table 2", f"{text}: {what} {_two(paper)} on {LOG}", _times(ours),
                              word(ours[log], paper, 1)))
    trained = {row["log"]: row["place in testing"] - 1 for row in tables["table-2"] if row["policy"] == "w*_train"}
    ratio = column(weeks, "w*_train / SAF, testing")
    below, above = (column(weeks, f"w_greedy more than 10 % {side} SAF") for side in ("below", "above"))
    total = column(weeks, "weeks after another")
    return [
        *said,
        Statement("Figure 3", "In testing w*_train is comparable to SAF on all logs", _times(ratio),
                  relation(all(abs(one - 1) <= COMPARABLE for one in ratio.values()))),
        Statement("Figure 3", "In testing w*_train is the best or the second best on all logs (beside w*)",
                  f"place {by_log(trained, str)}", relation(all(place <= 2 for place in trained.values()))),
        Statement("Figure 3", "w_greedy is sometimes better and sometimes worse than SAF",
                  "more than 10 % below and above in " + by_log(
                      {one: (below[one], above[one], total[one]) for one in total},
                      lambda of: f"{of[0]} and {of[1]} of {of[2]}") + " weeks",
                  relation(all(below[one] > 0 and above[one] > 0 for one in total))),
    ]


def _of_space(rows: Lines) -> list[Statement]:
    if not rows:
        return []
    sides = {row["week"]: (float(row["median, q <= 0"]), float(row["median, q >= 0"])) for row in rows}
    before = {row["week"]: float(row["share_below_these"]) for row in rows if row["share_below_these"]}
    return [
        Statement("Figure 4", "The half with q >= 0 has the lower slowdowns",
                  "medians of both halves: " + ", ".join(f"week {week} {_two(below)} and {_two(above)}"
                                                        for week, (below, above) in sides.items()),
                  relation(all(above < below for below, above in sides.values()))),
        Statement("Figure 4", "The optimum of a week is poor in the next",
                  "share of the weights that are better: " + ", ".join(
                      f"week {week} {percent(share)}" for week, share in before.items()),
                  relation(all(share > 0.05 for share in before.values()))),
    ]


def _of_searches(rows: Lines) -> list[Statement]:
    same = {row["log"]: (row["weeks"] - row["xnes3, w*: weeks below"] - row["xnes3, w*: weeks above"], row["weeks"])
            for row in rows}
    lower = {row["log"]: row["xnes3, w*: weeks below"] for row in rows}
    six = {row["log"]: (row["xnes6 above xnes3"], row["xnes6 above xnes3, half width"], row["surely"]) for row in rows}
    worse = {row["log"]: row["xnes6, xnes3: weeks above"] for row in rows}
    return [
        Statement("Figure 5", "For most weeks xnes3 and w* give the same result",
                  "within 1 % in " + by_log(same, lambda of: f"{of[0]} of {of[1]}") + " weeks",
                  relation(all(2 * within > total for within, total in same.values()))),
        Statement("Figure 5", "In a few weeks xnes3 is slightly better than w*",
                  f"more than 1 % below in {by_log(lower, str)} weeks", relation(all(lower.values()))),
        Statement("Figure 5", "On average xnes6 is better than xnes3, not by a large margin",
                  "difference of the sums: " + by_log(
                      six, lambda of: f"{of[0]:+.1f} ± {of[1]:.1f} %"),
                  relation(all(sure == "less" for _, _, sure in six.values()))),
        Statement("Figure 5", "In rare weeks xnes3 is better than xnes6",
                  f"more than 1 % in {by_log(worse, str)} weeks", relation(all(worse.values()))),
    ]


def _of_thresholds(machines: Sequence[str], read: Mapping[str, Lines]) -> list[Statement]:
    sums = {(row["log"], row["threshold"], row["policy"]): float(row["here"]) for row in read["sums"]}
    names = list(dict.fromkeys(threshold for _, threshold, _ in sums))
    none, low = "none", "72000"
    spans = {log: {threshold: sums[log, threshold, "LAF"] / sums[log, threshold, "SAF"] for threshold in names}
             for log in machines}
    apart = {log: {threshold: fmean(abs(value / sums[log, threshold, "FCFS"] - 1)
                                    for (one, at, _), value in sums.items() if (one, at) == (log, threshold))
                   for threshold in names} for log in machines}
    said = [
        Statement("Tables 3 to 6", "Without a threshold the policies differ most",
                  "LAF / SAF without and with 72,000 s: " + by_log(
                      spans, lambda of: f"{_two(of[none])} and {_two(of[low])}"),
                  relation(all(of[none] >= max(of.values()) - 0.01 for of in spans.values()))),
        Statement("Tables 3 to 6", "With 20 hours all come closer to FCFS",
                  "mean distance from FCFS with 200,000 and 72,000 s: " + by_log(
                      apart, lambda of: f"{percent(of['200000'], 1)} and {percent(of[low], 1)}"),
                  relation(all(of[low] < of["200000"] for of in apart.values()))),
    ]
    if any(row["printed"] for row in read["key"]):
        said.append(_of_fcfs(read["key"]))
    return said


def _of_fcfs(key: Lines) -> Statement:
    """A threshold cannot change FCFS."""
    rows = sorted({row["log"] for row in key if len({one["printed"] for one in key if one["log"] == row["log"]
                                                     and one["row"] == "FCFS"}) > 1})
    own = sorted({row["log"] for row in key if len({one["printed"] for one in key if one["log"] == row["log"]
                                                    and one["policy"] == "FCFS"}) > 1})
    return Statement("Tables 3 to 6",
                     f"A threshold cannot change FCFS; in its row the numbers differ on {listed(rows)}",
                     f"by the key they differ on {listed(own)}", relation(not own))


def _of_months(machines: Sequence[str], rows: Lines) -> list[Statement]:
    def ratio(policy: str, other: str, halves: Sequence[str]) -> dict[str, float]:
        of = {(row["log"], row["policy"]): sum(row[half] for half in halves) for row in rows
              if all(row[half] is not None for half in halves)}
        return {log: of[log, policy] / of[log, other] for log in machines}

    both = ("training", "testing")
    star, trained = ratio("w*", "SAF", both), ratio("w*_train", "SAF", ("testing",))
    return [
        Statement("Figure 15", "w* is better than all other policies by a large margin", f"w* / SAF: {_times(star)}",
                  relation(all(one < 1 - COMPARABLE for one in star.values()))),
        Statement("Figure 15", "w*_train and SAF are comparable", f"w*_train / SAF in testing: {_times(trained)}",
                  relation(all(abs(one - 1) <= COMPARABLE for one in trained.values()))),
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
