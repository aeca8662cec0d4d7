#!/usr/bin/env python3
"""Measures how what a submission and a completion cost grows with the queue and the machine, where jobs share hosts.

    bench/queue_growth.py [--benchmarks FILE] [--repetitions N]

Runs the benchmarks of `queue_bench.cpp`. Prints a table as CSV with a row for each: what grows (waiting, hosts or
cores, those of a host), the algorithm, the event, the hosts, the cores of each, the waiting jobs, the running jobs on a
host on average, and the mean milliseconds of a round of such an event (the median of the repetitions). The exponent is
that of the milliseconds in the number of waiting jobs, of hosts, or of running jobs on a host, fitted to all rows of
what grows by least squares.
"""
import argparse
import json
import subprocess
from typing import Any, NamedTuple

from growth import exponent
from replays import print_row

BASES = {"waiting": {"hosts": 1000, "cores": 32}, "hosts": {"cores": 32, "waiting": 1250},
         "cores": {"hosts": 125, "waiting": 1250}}


class Row(NamedTuple):
    """What one benchmark measured."""
    algorithm: str
    event: str
    size: dict[str, int]
    running: float  # jobs on a host
    milliseconds: float


def read(benchmark: dict[str, Any]) -> Row:
    """The name is queue/EVENT_ALGORITHM/hosts:N/cores:N/waiting:N/..."""
    _, what, *words = benchmark["run_name"].split("/")
    event, algorithm = what.split("_")
    size = {name: int(number) for name, _, number in (word.partition(":") for word in words) if name in BASES}
    return Row(algorithm, event, size, benchmark["running"] / size["hosts"], benchmark["real_time"] / 1000)


def print_series(grows: str, rows: list[Row]) -> None:
    """Prints the rows of one algorithm and event in which only this grows."""
    some = sorted((row for row in rows if BASES[grows].items() <= row.size.items()), key=lambda row: row.size[grows])
    sizes = [row.running if grows == "cores" else row.size[grows] for row in some]
    slope = exponent(sizes, [row.milliseconds for row in some])
    for row in some:
        print_row([grows, row.algorithm, row.event, *(str(row.size[name]) for name in ("hosts", "cores", "waiting")),
                   f"{row.running:.1f}", f"{row.milliseconds:.3f}", f"{slope:.2f}"])


def main() -> None:
    """Runs the benchmarks and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--benchmarks", default="build/release/bench/benchmarks")
    parser.add_argument("--repetitions", default=5, type=int)
    options = parser.parse_args()
    output = subprocess.run([options.benchmarks, "--benchmark_filter=^queue/", "--benchmark_format=json",
                             f"--benchmark_repetitions={options.repetitions}"],
                            stdout=subprocess.PIPE, check=True).stdout
    rows = [read(one) for one in json.loads(output)["benchmarks"] if one.get("aggregate_name") == "median"]
    print_row(["grows", "algorithm", "event", "hosts", "cores", "waiting", "running_on_a_host", "milliseconds",
               "exponent"])
    for grows in BASES:
        for algorithm, event in dict.fromkeys((row.algorithm, row.event) for row in rows):
            print_series(grows, [row for row in rows if (row.algorithm, row.event) == (algorithm, event)])


if __name__ == "__main__":
    main()
