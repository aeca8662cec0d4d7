#!/usr/bin/env python3
"""Measures what pools cost in whole replays on counted processors.

    bench/pool_replays.py [--batfill FILE] [--jobs N | --workload FILE] [--runs N] [ALGORITHM ...]

Draws jobs of Lublin and Feitelson's model for 240 processors at load 1, or takes those of a file. Prints a table as CSV
with a row for each algorithm: the median of the processor seconds (user and system) of a replay on a machine without
pools, and the ratios to these (the median of the ratios run by run) with one and with four pools that are never scarce,
of which each job takes as many units as processors, and with one of which there is too little; the largest number of
waiting jobs without pools and with the last.
"""
import argparse
import json
import os
import random
import statistics
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable, Sequence

from replays import print_row, start, usage

PROCESSORS = 240
AMPLE = 1_000_000
SCARCE = 100
POOLS: dict[str, dict[str, int]] = {
    "none": {}, "one": {"a": AMPLE}, "four": dict.fromkeys("abcd", AMPLE), "scarce": {"e": SCARCE}}


def lublin(options: argparse.Namespace, file: Path) -> dict[str, Any]:
    """Draws jobs of the model, unless a file is given; returns the workload that it wrote."""
    if options.workload:
        file.write_text(options.workload.read_text())
        return json.loads(file.read_text())
    subprocess.run([options.batfill, "generate", "lublin", "--jobs", str(options.jobs), "--processors", str(PROCESSORS),
                    "--load", "1", "--seed", "1", "-o", file], stdout=subprocess.DEVNULL, check=True)
    return json.loads(file.read_text())


def draw(options: argparse.Namespace, folder: Path) -> None:
    """Writes the jobs for each machine, with what they take of its pools."""
    drawn = lublin(options, folder / "none.json")
    numbers = random.Random(1)
    for name, pools in list(POOLS.items())[1:]:
        for job in drawn["jobs"]:
            job["pools"] = {pool: numbers.choice([0, 1, 5, 10, 40]) if total == SCARCE else job["res"]
                            for pool, total in pools.items()}
        (folder / f"{name}.json").write_text(json.dumps(drawn))


def replay(options: argparse.Namespace, algorithm: str, workload: Path) -> float:
    """The processor seconds of a replay."""
    pools = [word for pool, total in POOLS[workload.stem].items() for word in ("--pool", f"{pool}={total}")]
    return usage(start([options.batfill, "simulate", "-q", "-p", str(PROCESSORS), *pools, "-w", str(workload),
                        "-e", str(workload.with_suffix("")), "-a", algorithm]))[0]


def most_waiting(options: argparse.Namespace, workload: Path) -> str:
    """The largest number of waiting jobs of the last replay."""
    output = subprocess.run([options.batfill, "metrics", workload.with_suffix(""), "--format", "json",
                             "--metrics", "max_queue_length"], stdout=subprocess.PIPE, check=True).stdout
    return str(json.loads(output)[0]["max_queue_length"])


def print_ratios(description: str | None, names: Sequence[str], draw_all: Callable[[argparse.Namespace, Path], None],
                 replay_one: Callable[[argparse.Namespace, str, Path], float], first: str = "without") -> None:
    """Measures one algorithm after the other, with the workload of each name. The first, which the header calls so, is
    that to compare with."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("algorithms", nargs="*",
                        default=["fcfs", "easy", "relaxed", "conservative", "pc", "dc", "dbf"])
    parser.add_argument("--batfill", default="build/release/batfill")
    parser.add_argument("--jobs", default=20000, type=int)
    parser.add_argument("--workload", type=Path, help=f"jobs for {PROCESSORS} processors, instead of drawn ones")
    parser.add_argument("--runs", default=5, type=int)
    options = parser.parse_intermixed_args()
    options.batfill = os.path.abspath(options.batfill)
    print_row(["algorithm", f"seconds_{first}", *(f"ratio_{name}" for name in names[1:]), f"most_waiting_{first}",
               f"most_waiting_{names[-1]}"])
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        draw_all(options, folder)
        for algorithm in options.algorithms:
            runs = [[replay_one(options, algorithm, folder / f"{name}.json") for name in names]
                    for _ in range(options.runs)]
            ratios = [statistics.median(run[i] / run[0] for run in runs) for i in range(1, len(names))]
            print_row([algorithm, f"{statistics.median(run[0] for run in runs):.2f}",
                       *(f"{ratio:.2f}" for ratio in ratios),
                       *(most_waiting(options, folder / f"{name}.json") for name in (names[0], names[-1]))])


if __name__ == "__main__":
    print_ratios(__doc__, list(POOLS), draw, replay)
