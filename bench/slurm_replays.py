#!/usr/bin/env python3
"""Measures what the algorithm slurm costs in whole replays, beside easy and conservative.

    bench/slurm_replays.py [--batfill FILE] [--sizes HOSTSxJOBS,...] [--limit SECONDS] [ALGORITHM ...]

Draws jobs with `batfill generate shared`: of whole hosts for select=linear, else of cores, memory and GPUs. Prints a
table as CSV with a row for each size and algorithm: the processor seconds (user and system) of a whole replay and its
peak memory in MiB; the mean and the largest number of waiting jobs; and of slurm the runs of the main scheduler, the
cycles of backfill, the jobs that these tried, all their tries, and the seconds of the replay divided by the tries, in
microseconds. A replay that takes more than the limit is stopped.
"""
import argparse
import csv
from pathlib import Path

from host_replays import CAPACITY, draw, measure_sizes, queue, replay
from replays import print_row

COUNTS = ["main-runs", "backfill-cycles", "backfill-tested", "backfill-tries"]


def counts_of(prefix: Path) -> dict[str, int]:
    """The statistics of a run; nothing of one that counts nothing."""
    path = Path(f"{prefix}_statistics.csv")
    if not path.exists():
        return {}
    with path.open(encoding="utf-8") as rows:
        return {row["statistic"]: int(row["value"]) for row in csv.DictReader(rows)}


def measure(options: argparse.Namespace, hosts: int, jobs: int, folder: Path) -> None:
    """Prints the rows of a size."""
    for scheduler in options.algorithms:
        draw(options.batfill, hosts, jobs, folder, ["--whole-host-jobs", "100"] if "select=linear" in scheduler else [])
        workload = folder / "shared.json"
        used = replay(options, scheduler, workload, [str(hosts), "--capacity", CAPACITY])
        if not used:
            print_row([str(hosts), str(jobs), scheduler, f"more than {options.limit}"])
            continue
        counts = counts_of(workload.with_suffix(""))
        tries = counts.get("backfill-tries", 0)
        print_row([str(hosts), str(jobs), scheduler, f"{used[0]:.2f}", f"{used[1]:.0f}",
                   *queue(options, workload), *(str(counts.get(name, "")) for name in COUNTS),
                   f"{used[0] / tries * 1e6:.2f}" if tries else ""])


if __name__ == "__main__":
    measure_sizes(__doc__, ["slurm,select=linear", "slurm,select=cons-tres", "easy", "conservative"],
                  "1000x6000,1000x20000",
                  ["hosts", "jobs", "algorithm", "processor_seconds", "peak_memory_mib", "mean_waiting",
                   "most_waiting", "main_runs", "cycles", "tested_jobs", "tries", "microseconds_per_try"], measure)
