#!/usr/bin/env python3
"""Measures what pools cost in whole replays on counted processors.

    bench/pool_replays.py [--batfill FILE] [--jobs N] [--runs N] [ALGORITHM ...]

Draws jobs of Lublin and Feitelson's model for 240 processors at load 1. Each takes as many units of the pools a, b, c and
d as processors, and some of the pool e, of which there is too little. Prints a table as CSV with a row for each
algorithm: the median of the processor seconds (user and system) of a replay on a machine without pools, and the ratios
to these with the pool a, which is never scarce, with a, b, c and d, and with e, the median of the ratios run by run; the
largest number of waiting jobs without and with e.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
from pathlib import Path

from replays import print_row, start, usage

PROCESSORS = 240
AMPLE = ["--pool", "a=1000000", "--pool", "b=1000000", "--pool", "c=1000000", "--pool", "d=1000000"]
MACHINES = {"none": [], "one": AMPLE[:2], "four": AMPLE, "scarce": ["--pool", "e=100"]}


def draw(options: argparse.Namespace, workload: Path) -> None:
    """Writes the jobs, with what they take of pools."""
    subprocess.run([options.batfill, "generate", "lublin", "--jobs", str(options.jobs), "--processors", str(PROCESSORS),
                    "--load", "1", "--seed", "1", "-o", workload], stdout=subprocess.DEVNULL, check=True)
    drawn = json.loads(workload.read_text())
    numbers = random.Random(1)
    for job in drawn["jobs"]:
        job["pools"] = {**dict.fromkeys("abcd", job["res"]), "e": numbers.choice([0, 1, 5, 10, 40])}
    workload.write_text(json.dumps(drawn))


def replay(options: argparse.Namespace, algorithm: str, workload: Path, pools: list[str]) -> float:
    """The processor seconds of a replay."""
    return usage(start([options.batfill, "simulate", "-q", "-p", str(PROCESSORS), *pools, "-w", str(workload),
                        "-e", str(workload.with_suffix("")), "-a", algorithm]))[0]


def most_waiting(options: argparse.Namespace, workload: Path) -> str:
    """The largest number of waiting jobs of the last replay."""
    output = subprocess.run([options.batfill, "metrics", workload.with_suffix(""), "--format", "json",
                             "--metrics", "max_queue_length"], stdout=subprocess.PIPE, check=True).stdout
    return str(json.loads(output)[0]["max_queue_length"])


def main() -> None:
    """Measures one algorithm after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("algorithms", nargs="*",
                        default=["fcfs", "easy", "relaxed", "conservative", "pc", "dc", "dbf"])
    parser.add_argument("--batfill", default="build/release/batfill")
    parser.add_argument("--jobs", default=20000, type=int)
    parser.add_argument("--runs", default=5, type=int)
    options = parser.parse_intermixed_args()
    options.batfill = os.path.abspath(options.batfill)
    print_row(["algorithm", "seconds_without", *(f"ratio_{name}" for name in list(MACHINES)[1:]), "most_waiting_without",
               "most_waiting_scarce"])
    with tempfile.TemporaryDirectory() as folder:
        workload = Path(folder) / "workload.json"
        draw(options, workload)
        for algorithm in options.algorithms:
            seconds: dict[str, list[float]] = {name: [] for name in MACHINES}
            waiting = {}
            for _ in range(options.runs):
                for name, pools in MACHINES.items():
                    seconds[name].append(replay(options, algorithm, workload, pools))
                    waiting[name] = most_waiting(options, workload)
            ratios = [statistics.median(run / without for run, without in zip(seconds[name], seconds["none"]))
                      for name in list(MACHINES)[1:]]
            print_row([algorithm, f"{statistics.median(seconds['none']):.2f}", *(f"{ratio:.2f}" for ratio in ratios),
                       waiting["none"], waiting["scarce"]])


if __name__ == "__main__":
    main()
