#!/usr/bin/python3
"""publish_learning.py [--batfill PROGRAM] FOLDER

Publishes what examples/python/learn.py wrote to FOLDER: tables and the figure of docs/results/learning, with intervals
over seeds. `./experiments/publish.py` then renders the page.
"""
import argparse
import math
import shutil
import statistics
import tempfile
from pathlib import Path
from types import SimpleNamespace
from typing import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

from common.files import read_json, sha256, write_json
from common.intervals import Bounds, Intervals
from common.settings import find_batfill
from common.style import MACHINES, save
from common.tables import Row, Value, read_csv, write_csv

PROJECT = Path(__file__).resolve().parents[1]
PUBLISHED = PROJECT / "docs" / "results" / "learning"
# What the agents are tested on: sequences from which they did not learn, and those of RLScheduler's paper.
SETS = ("tested", "published")
Lines = Sequence[Mapping[str, str]]


def of(lines: Lines, log: str, rule: str) -> Lines:
    """The lines of a log and a rule."""
    return [line for line in lines if (line["log"], line["rule"]) == (log, rule)]


def pairs(lines: Lines) -> list[tuple[str, str]]:
    """The logs and rules."""
    return list(dict.fromkeys((line["log"], line["rule"]) for line in lines))


def verdict(bounds: Bounds, slowdown: float) -> str:
    """What the interval says of the agents beside an order with this slowdown."""
    return bounds.mapped(lambda value: value - slowdown).verdict("worse", "better")


def agent_rows(results: Lines, orders: Lines, intervals: Intervals) -> list[Row]:
    """A line for each log, rule and set: the agents beside the order that is best on the jobs from which they learned,
    and the one that is best on the set itself."""
    rows: list[Row] = []
    for log, rule in pairs(results):
        known = min(of(orders, log, rule), key=lambda line: float(line["chosen"]))
        for tests in SETS:
            values = [float(line[tests]) for line in of(results, log, rule)]
            best = min(of(orders, log, rule), key=lambda line, tests=tests: float(line[tests]))  # type: ignore[misc]
            bounds = intervals.means({tests: values})[tests]
            rows.append({"log": log, "rule": rule, "set": tests, "seeds": len(values), **vars(bounds),
                         "least": min(values), "most": max(values),
                         "known": known["order"], "known_slowdown": float(known[tests]),
                         "beside_known": verdict(bounds, float(known[tests])),
                         "best": best["order"], "best_slowdown": float(best[tests]),
                         "beside_best": verdict(bounds, float(best[tests]))})
    return rows


def curve_rows(curve: Lines) -> list[Row]:
    """A line for each log, rule and generation, with means over all seeds and their standard errors; `best` is of the
    weights that are kept."""
    rows: list[Row] = []
    for log, rule in pairs(curve):
        lines = of(curve, log, rule)
        for generation in dict.fromkeys(line["generation"] for line in lines):
            here = [line for line in lines if line["generation"] == generation]
            row: dict[str, Value] = {"log": log, "rule": rule, "generation": int(generation), "seeds": len(here)}
            for key in ("slowdown", "best"):
                values = [float(line[key]) for line in here]
                row.update({key: statistics.fmean(values),
                            f"{key}_error": statistics.stdev(values) / math.sqrt(len(values))})
            rows.append(row)
    return rows


def draw(rows: Sequence[Row], folder: Path) -> None:
    """The training curves and their numbers: a part of the figure for each log. Bars are standard errors."""
    logs = list(dict.fromkeys(str(row["log"]) for row in rows))
    figure = Figure(figsize=(7, 2.6))
    for axes, log in zip(figure.subplots(1, len(logs), squeeze=False)[0], logs):
        for rule, look in zip(dict.fromkeys(str(row["rule"]) for row in rows), MACHINES):
            lines = [row for row in rows if (row["log"], row["rule"]) == (log, rule)]
            axes.errorbar([line["generation"] for line in lines], [line["slowdown"] for line in lines],
                          yerr=[line["slowdown_error"] for line in lines], label=f"rule {rule}", capsize=2,
                          elinewidth=0.9, **look)
        axes.set(title=log, xlabel="generation", ylabel="mean bounded slowdown", yscale="log")
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 1.2, 1.5, 2, 3, 5)))
        axes.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axes.yaxis.set_minor_locator(NullLocator())
        axes.legend()
    with tempfile.NamedTemporaryFile(suffix=".png") as unused:
        save(figure, [dict(row) for row in rows],
             SimpleNamespace(svg=folder / "curve.svg", png=unused.name, csv=str(folder / "curve.csv")))


def main() -> None:
    """Writes tables, figure and manifest."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--batfill", default="")
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    folder, intervals = asked.folder, Intervals(find_batfill(asked.batfill, PROJECT))
    results, orders, curve = (read_csv(str(folder / f"{name}.csv")) for name in ("results", "heuristics", "curve"))
    PUBLISHED.mkdir(exist_ok=True)
    for name in ("results.csv", "heuristics.csv"):
        shutil.copyfile(folder / name, PUBLISHED / name)
    write_csv(str(PUBLISHED / "agents.csv"), agent_rows(results, orders, intervals))
    draw(curve_rows(curve), PUBLISHED)
    files = sorted(file for file in PUBLISHED.iterdir() if file.name != "manifest.json")
    write_json(str(PUBLISHED / "manifest.json"), {
        **read_json(str(folder / "made.json")), "results": {file.name: sha256(str(file)) for file in files}})


if __name__ == "__main__":
    main()
