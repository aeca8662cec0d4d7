#!/usr/bin/env python3
"""Measures how replays grow with hosts that jobs share and with the number of jobs.

    bench/host_replays.py [--batfill FILE] [--sizes HOSTSxJOBS,...] [--limit SECONDS] [ALGORITHM ...]

Draws jobs with `batfill generate shared`, and the same jobs counted in cores. Prints a table as CSV with a row for each
size and algorithm: the processor seconds (user and system) of a whole replay and its peak memory in MiB; the seconds of
the same jobs counted in cores, and the ratio to these; of both, the mean and the largest number of waiting jobs. A
replay that takes more than the limit is stopped.
"""
import argparse
import json
import os
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import Callable, Sequence

from replays import Usage, print_row, start, wait_for

CORES = 32
CAPACITY = f"cores:{CORES},gpus:4,memory:256"
SIZES = "1000x20000,1000x60000,1000x230000,10000x60000"


def draw(batfill: str, hosts: int, jobs: int, folder: Path, more: Sequence[str] = ()) -> None:
    """Writes shared.json and counted.json into the folder, with more options of the generator."""
    subprocess.run([batfill, "generate", "shared", "--seed", "1", "--hosts", str(hosts), "--jobs", str(jobs),
                    "-o", folder / "shared.json", "--counted", folder / "counted.json", *more],
                   stdout=subprocess.DEVNULL, check=True)


def replay(options: argparse.Namespace, algorithm: str, workload: Path, machine: list[str]) -> Usage | None:
    """What a replay takes; nothing if it took longer than the limit."""
    status, used = wait_for(start([
        "/usr/bin/prlimit", f"--cpu={options.limit}:{options.limit}", options.batfill, "simulate", "-q",
        "-p", *machine, "-w", str(workload), "-e", str(workload.with_suffix("")), "-a", algorithm]))
    if status > 0:
        raise SystemExit(f"host_replays: {algorithm} failed with status {status}")
    return used if status == 0 else None


def queue(options: argparse.Namespace, workload: Path) -> list[str]:
    """The mean and the largest number of waiting jobs of the last replay."""
    output = subprocess.run([options.batfill, "metrics", workload.with_suffix(""), "--format", "json",
                             "--metrics", "mean_queue_length,max_queue_length"],
                            stdout=subprocess.PIPE, check=True).stdout
    metrics = json.loads(output)[0]
    return [f"{metrics['mean_queue_length']:.1f}", str(metrics["max_queue_length"])]


def measure(options: argparse.Namespace, hosts: int, jobs: int, folder: Path) -> None:
    """Prints the rows of a size."""
    draw(options.batfill, hosts, jobs, folder)
    for algorithm in options.algorithms:
        counted = replay(options, algorithm, folder / "counted.json", [str(CORES * hosts)])
        counted_queue = queue(options, folder / "counted.json") if counted else ["", ""]
        shared = replay(options, algorithm, folder / "shared.json", [str(hosts), "--capacity", CAPACITY])
        shared_queue = queue(options, folder / "shared.json") if shared else ["", ""]
        print_row([
            str(hosts), str(jobs), algorithm,
            *([f"{shared[0]:.2f}", f"{shared[1]:.0f}"] if shared else [f"more than {options.limit}", ""]),
            f"{counted[0]:.2f}" if counted else f"more than {options.limit}",
            f"{shared[0] / counted[0]:.1f}" if shared and counted else "",
            *shared_queue, *counted_queue])


def measure_sizes(description: str, algorithms: list[str], sizes: str, header: list[str],
                  rows_of: Callable[[argparse.Namespace, int, int, Path], None]) -> None:
    """Reads the command line, prints the header, and calls rows_of(OPTIONS, HOSTS, JOBS, FOLDER) for each size."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("algorithms", nargs="*", default=algorithms)
    parser.add_argument("--batfill", default="build/release/batfill")
    parser.add_argument("--sizes", default=sizes,
                        type=lambda text: [tuple(map(int, size.split("x"))) for size in text.split(",")])
    parser.add_argument("--limit", default=600, type=int, help="processor seconds for each replay")
    options = parser.parse_intermixed_args()
    options.batfill = os.path.abspath(options.batfill)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a replay that is stopped leaves no memory on the disk
    print_row(header)
    for hosts, jobs in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            rows_of(options, hosts, jobs, Path(folder))


if __name__ == "__main__":
    measure_sizes(__doc__, ["easy", "conservative"], SIZES,
                  ["hosts", "jobs", "algorithm", "processor_seconds", "peak_memory_mib", "counted_seconds", "ratio",
                   "mean_waiting", "most_waiting", "counted_mean_waiting", "counted_most_waiting"], measure)
