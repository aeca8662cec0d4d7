#!/usr/bin/env python3
"""Measures what a window costs in whole replays if it names hosts.

    bench/window_replays.py [--batfill FILE] [--jobs N | --workload FILE] [--runs N] [ALGORITHM ...]

Draws jobs of Lublin and Feitelson's model for 240 processors at load 1, or takes those of a file, and draws a day of
maintenance in their middle. Prints a table as CSV as `pool_replays.py` does: with a window that takes one processor,
and with one that names a host. Then plans are for particular hosts, so schedules differ.
"""
import argparse
import json
from pathlib import Path

from pool_replays import PROCESSORS, lublin, print_ratios
from replays import start, usage

WINDOWS: dict[str, dict[str, int | str]] = {"count": {"processors": 1}, "host": {"hosts": "0"}}


def draw(options: argparse.Namespace, folder: Path) -> None:
    """Writes the jobs, under the name of each case, and the windows."""
    drawn = lublin(options, folder / "count.json")
    middle = int(drawn["jobs"][len(drawn["jobs"]) // 2]["subtime"])
    for name, takes in WINDOWS.items():
        (folder / f"{name}.json").write_text(json.dumps(drawn))
        (folder / f"{name}.windows").write_text(
            json.dumps({"name": "maintenance", "from": middle, "until": middle + 86400, **takes}) + "\n")


def replay(options: argparse.Namespace, algorithm: str, workload: Path) -> float:
    """The processor seconds of a replay."""
    return usage(start([options.batfill, "simulate", "-q", "-p", str(PROCESSORS),
                        "--windows", str(workload.with_suffix(".windows")), "-w", str(workload),
                        "-e", str(workload.with_suffix("")), "-a", algorithm]))[0]


if __name__ == "__main__":
    print_ratios(__doc__, list(WINDOWS), draw, replay, "count")
