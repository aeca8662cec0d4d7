#!/usr/bin/env python3
"""Measures what limits of users cost in whole replays on counted processors.

    bench/limit_replays.py [--batfill FILE] [--jobs N | --workload FILE] [--runs N] [ALGORITHM ...]

Draws jobs of Lublin and Feitelson's model for 240 processors at load 1, or takes those of a file; they are of 1,000
users, of whom a few have most jobs. Prints a table as CSV as `pool_replays.py` does: without limits, with two for each
user that are never reached, and with two that hold jobs back.
"""
import argparse
import json
import random
from pathlib import Path

from pool_replays import PROCESSORS, lublin, print_ratios
from replays import start, usage

USERS = 1000
MOST: dict[str, dict[str, int]] = {
    "none": {}, "never": {"processors": 1_000_000, "jobs": 1_000_000}, "binding": {"processors": PROCESSORS, "jobs": 3}}


def draw(options: argparse.Namespace, folder: Path) -> None:
    """Writes the jobs, under the name of each case, and the limits."""
    drawn = lublin(options, folder / "none.json")
    numbers = random.Random(1)
    for job in drawn["jobs"]:
        job["user"] = f"u{int(USERS * numbers.random() ** 4)}"
    for name, most in MOST.items():
        (folder / f"{name}.json").write_text(json.dumps(drawn))
        (folder / f"{name}.limits").write_text(json.dumps({"of": "user", "most": most}) + "\n")


def replay(options: argparse.Namespace, algorithm: str, workload: Path) -> float:
    """The processor seconds of a replay."""
    limits = ["--limits", str(workload.with_suffix(".limits"))] if MOST[workload.stem] else []
    return usage(start([options.batfill, "simulate", "-q", "-p", str(PROCESSORS), *limits, "-w", str(workload),
                        "-e", str(workload.with_suffix("")), "-a", algorithm]))[0]


if __name__ == "__main__":
    print_ratios(__doc__, list(MOST), draw, replay)
