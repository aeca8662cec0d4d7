#!/usr/bin/env python3
"""Measures whole replays as processes: reading, simulating and writing.

    bench/replays.py PLATFORM.xml WORKLOAD.json [--runs N] [--batfill FILE] [--serve] [ALGORITHM ...]

An ALGORITHM is NAME[,KEY=VALUE]...[@WORKLOAD.json]: parameters, and a workload of its own instead of the first.
Runs the algorithms in turn, N times, after one round that does not count. Prints a table as CSV: the median of the
processor seconds (user and system), its ratio to the first algorithm (the median of the ratios round by round) and the
peak memory in MiB. With --serve, `batfill simulate -s` drives the daemon instead, and the daemon is measured. The first
algorithm is the yardstick: rejecter, which reads and writes and decides nothing.
"""
import argparse
import csv
import os
import statistics
import sys
import tempfile
from typing import Sequence

Usage = tuple[float, float]


def start(command: list[str]) -> int:
    """Starts a process with these words and returns its number."""
    return os.spawnv(os.P_NOWAIT, command[0], command)


def wait_for(process: int) -> tuple[int, Usage]:
    """Waits for a process; returns its exit code, below 0 if a signal ended it, and its processor seconds and its peak
    memory in MiB."""
    _, status, resources = os.wait4(process, 0)
    return os.waitstatus_to_exitcode(status), (resources.ru_utime + resources.ru_stime, resources.ru_maxrss / 1024)


def usage(process: int) -> Usage:
    """The same of a process that must not fail: ends the script if it does."""
    status, used = wait_for(process)
    if status != 0:
        sys.exit(f'replays: a run failed with status {status}')
    return used


def replay(options: argparse.Namespace, algorithm: str, folder: str) -> Usage:
    """What one replay takes; its output goes into the folder."""
    choice, _, workload = algorithm.partition('@')
    name, *parameters = choice.split(',')
    scheduler = ['-a', name] + [word for parameter in parameters for word in ('-P', parameter)]
    simulate = [options.batfill, 'simulate', '-q', '-p', options.platform, '-w', workload or options.workload,
                '-e', os.path.join(folder, 'out')]
    if not options.serve:
        return usage(start(simulate + scheduler))
    endpoint = 'ipc://' + os.path.join(folder, 'socket')
    daemon = start([options.batfill, 'serve', '-l', 'warning', '-s', endpoint] + scheduler)
    usage(start(simulate + ['-s', endpoint]))
    return usage(daemon)


def print_row(cells: Sequence[str]) -> None:
    """Prints a row of a CSV table at once."""
    csv.writer(sys.stdout, lineterminator='\n').writerow(cells)
    sys.stdout.flush()


def table(workload: str, results: dict[str, list[Usage]]) -> list[list[str]]:
    """The runs of each algorithm in a row. The first algorithm is the yardstick: the runs of the others are compared
    with its runs, in the same order."""
    yardstick = next(iter(results.values()))
    rows = [['workload', 'algorithm', 'processor_seconds', 'ratio', 'peak_memory_mib']]
    for choice, runs in results.items():
        ratios = [run[0] / base[0] for run, base in zip(runs, yardstick)]
        algorithm, _, own = choice.partition('@')
        rows.append([os.path.basename(own or workload), algorithm, f'{statistics.median(run[0] for run in runs):.3f}',
                     f'{statistics.median(ratios):.2f}', f'{max(run[1] for run in runs):.0f}'])
    return rows


def main() -> None:
    """Runs all algorithms in turn and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('platform')
    parser.add_argument('workload')
    parser.add_argument('algorithms', nargs='*', default=['rejecter', 'fcfs', 'easy', 'conservative'])
    parser.add_argument('--runs', type=int, default=7)
    parser.add_argument('--batfill', default='build/release/batfill')
    parser.add_argument('--serve', action='store_true')
    options = parser.parse_intermixed_args()
    options.batfill = os.path.abspath(options.batfill)
    results: dict[str, list[Usage]] = {algorithm: [] for algorithm in options.algorithms}
    with tempfile.TemporaryDirectory() as folder:
        for run in range(options.runs + 1):
            for algorithm in options.algorithms:
                result = replay(options, algorithm, folder)
                if run > 0:
                    results[algorithm].append(result)
    for row in table(options.workload, results):
        print_row(row)


if __name__ == '__main__':
    main()
