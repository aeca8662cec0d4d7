#!/usr/bin/env python3
"""Writes the tables of docs/metrics.md on how often confidence intervals err, from the files of docs/metrics/.

    bench/interval_tables.py [--check]

With --check it only says whether the page has the tables of the files. The files are those of
`build/release/bench/interval_errors`; .ci/prove-intervals makes them anew.
"""
import argparse
import csv
import sys
import textwrap
from pathlib import Path
from typing import Callable, Mapping, Sequence

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/metrics.md"
DATA = ROOT / "docs/metrics"
TITLES = {"mean_wait": "mean wait", "mean_bounded_slowdown": "mean bounded slowdown", "wait_percentile_90": "wait, P90",
          "mean_wait_worst_5_percent": "worst 5 %", "wait_percentile_99": "wait, P99", "utilisation": "utilisation"}
MEANS = ("mean_wait", "mean_bounded_slowdown", "utilisation")

Rows = Sequence[Mapping[str, str]]


def read(name: str) -> Rows:
    """The rows of a file of docs/metrics."""
    with (DATA / f"{name}.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def table(heading: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A table in Markdown; numbers stand on the right."""
    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    texts = sum(not cell[:1].isdigit() for cell in lines[0])
    rule = ["---"] * texts + ["---:"] * (len(heading) - texts)
    return "\n".join([line(heading), f"|{'|'.join(rule)}|", *map(line, lines)])


def unique(rows: Rows, column: str) -> list[str]:
    """The values of a column, in the order of the rows."""
    return list(dict.fromkeys(row[column] for row in rows))


def percent(share: str) -> str:
    """A share in per cent."""
    return f"{100 * float(share):.1f}"


def largest(rows: Rows, are_means: bool) -> float:
    """The largest share of intervals of differences without the truth, in per cent."""
    return max(100 * float(row["without_truth"]) for row in rows if (row["metric"] in MEANS) == are_means)


def errors_table(rows: Rows, groups_title: str) -> str:
    """A line for each metric, tails and schedulers, a column for each number of groups."""
    groups = unique(rows, "groups")
    found = {(row["tails"], row["schedulers"], row["metric"], row["groups"]): row for row in rows}
    lines = []
    for tails in unique(rows, "tails"):
        for pair in unique(rows, "schedulers"):
            for metric in unique(rows, "metric"):
                cells = [found.get((tails, pair, metric, number)) for number in groups]
                lines.append([tails, pair, TITLES[metric], *(
                    f"{percent(row['without_truth'])} / {100 * float(row['found']):.0f} / "
                    f"{percent(row['values_without_truth'])}" if row else "-" for row in cells)])
    return table(["tails", "schedulers", "metric", *(f"{number} {groups_title}" for number in groups)], lines)


def least_found(rows: Rows, fewest: int, most: int) -> float:
    """The smallest share of effects found with so many groups, in per cent. Where a giant job hides among few groups,
    nothing finds an effect beside it."""
    return min(100 * float(row["found"]) for row in rows
               if fewest <= int(row["groups"]) <= most and row["tails"] != "giant")


def bounds(rows: Rows) -> str:
    """The largest shares without the truth, and the smallest of effects found, in words."""
    groups = [int(number) for number in unique(rows, "groups")]
    fewest = [number for number in groups if number >= 8][:2]
    text = (f"The largest shares of differences are {largest(rows, True):.1f} % for means and "
            f"{largest(rows, False):.1f} % for percentiles and worst jobs. Without a giant job, at least "
            f"{least_found(rows, fewest[0], fewest[0]):.0f} % of the effects are found with {fewest[0]} of them, and "
            f"{least_found(rows, fewest[1], groups[-1]):.0f} % from {fewest[1]} on.")
    return textwrap.fill(text, 100, break_on_hyphens=False)


def logs_table(rows: Rows) -> str:
    """A line for each metric, a column for each log."""
    logs = unique(rows, "tails")
    found = {(row["tails"], row["metric"]): row for row in rows}
    weeks = {row["tails"]: row["groups"] for row in rows}
    pairs = max(row["intervals"] for row in rows)
    lines = [[f"`{metric}`", *(percent(found[log, metric]["without_truth"]) if (log, metric) in found else "-"
                               for log in logs)] for metric in unique(rows, "metric")]
    return f"Per cent of {pairs} pairs:\n\n" + table(["metric", *(f"{log}, {weeks[log]} weeks" for log in logs)], lines)


def tables_table(rows: Rows) -> str:
    """Marked tables: a line for tails and number of schedulers, a column for each number of workloads."""
    workloads = unique(rows, "workloads")
    found = {(row["tails"], row["schedulers"], row["workloads"]): row for row in rows}
    lines = [[tails, f"{runs} schedulers",
              *(percent(found[tails, runs, number]["with_a_mark"]) for number in workloads)]
             for tails in unique(rows, "tails") for runs in unique(rows, "schedulers")]
    return table(["tails", "", *(f"{number} workloads" for number in workloads)], lines)


def halved_table(rows: Rows) -> str:
    """From how many workloads on halved waits are told apart."""
    runs = unique(rows, "schedulers")
    found = {(row["tails"], row["schedulers"]): row["workloads"] for row in rows}
    return table(["tails", *(f"{number} schedulers" for number in runs)],
                 [[tails, *(found[tails, number] for number in runs)] for tails in unique(rows, "tails")])


PARTS: dict[str, Callable[[], str]] = {
    "workloads": lambda: bounds(read("workloads")) + "\n\n" + errors_table(read("workloads"), "workloads"),
    "weeks": lambda: bounds(read("weeks")) + "\n\n" + errors_table(read("weeks"), "weeks"),
    "queues": lambda: bounds(read("queues")) + "\n\n" + errors_table(read("queues"), "weeks"),
    "logs": lambda: logs_table(read("logs")),
    "tables": lambda: tables_table(read("tables")),
    "halved": lambda: halved_table(read("halved")),
}


def with_tables(page: str) -> str:
    """The page with its tables made anew. A missing mark is an error."""
    for name, make in PARTS.items():
        begin, end = f"<!-- intervals: {name} -->", f"<!-- end of intervals: {name} -->"
        before, rest = page.split(begin)
        after = rest.split(end)[1]
        page = f"{before}{begin}\n\n{make()}\n\n{end}{after}"
    return page


def main() -> int:
    """Writes or checks the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    page = PAGE.read_text(encoding="utf-8")
    made = with_tables(page)
    if check:
        if made != page:
            print(f"{PAGE.relative_to(ROOT)}: its tables are not those of docs/metrics/; run bench/interval_tables.py",
                  file=sys.stderr)
        return int(made != page)
    PAGE.write_text(made, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
