#!/usr/bin/env python3
"""Counts the jobs that start at another time in Batsim 5 than in Batsim 4, both as `batfill simulate --like` has them.

    bench/like_batsim5.py WORKLOAD.json PLATFORM ALGORITHM... [--round SECONDS] [--scale DECIMAL] [--batfill FILE]

An ALGORITHM is NAME[,KEY=VALUE]... --round puts submissions and run times up to whole multiples of so many seconds, so
that many jobs meet in an instant; --scale then multiplies all times, so that they are no longer whole seconds. Prints a
table as CSV with a row for each algorithm: the messages that the scheduler gets in either, and the jobs whose start
differs, first by any amount, then by a millisecond and more, which the rounding of calls alone does not do.
"""
import argparse
import csv
import json
import math
import subprocess
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any, Optional, Sequence

from replays import print_row

MILLISECOND = Decimal('0.001')


def changed(workload: dict[str, Any], unit: int, scale: Decimal) -> dict[str, Any]:
    """The workload with its submissions and run times rounded up to the unit, and all times scaled."""

    def length(seconds: float, rounded: bool) -> float:
        exact = Decimal(str(seconds))
        return float((Decimal(math.ceil(exact / unit) * unit) if rounded else exact) * scale)

    for job in workload['jobs']:
        job['subtime'] = length(job['subtime'], unit > 1)
        if 'walltime' in job:
            job['walltime'] = length(job['walltime'], unit > 1)
    for profile in workload['profiles'].values():
        profile['delay'] = length(profile['delay'], unit > 1)
    return workload


def simulated(batfill: str, like: str, workload: Path, platform: str, algorithm: str) -> tuple[int, dict[str, Decimal]]:
    """The number of messages and the start of each job that ran."""
    folder = workload.parent / like
    folder.mkdir(exist_ok=True)
    name, *parameters = algorithm.split(',')
    said = subprocess.run([batfill, 'simulate', '-p', platform, '-w', str(workload), '-a', name, '--like', like,
                           '-e', str(folder) + '/'] + [word for one in parameters for word in ('-P', one)],
                          check=True, capture_output=True, text=True).stdout
    messages = int(said.split(' messages')[0].split()[-1])
    jobs = next(folder.glob('*jobs.csv'))
    with jobs.open(encoding='utf-8') as file:
        rows = csv.DictReader(file)
        return messages, {row['job_id']: Decimal(row['starting_time']) for row in rows if row['starting_time']}


def main(arguments: Optional[Sequence[str]] = None) -> None:
    """Prints a row for each algorithm."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('workload', type=Path)
    parser.add_argument('platform')
    parser.add_argument('algorithms', nargs='+', metavar='ALGORITHM')
    parser.add_argument('--round', type=int, default=1, metavar='SECONDS', dest='unit')
    parser.add_argument('--scale', type=Decimal, default=Decimal(1))
    parser.add_argument('--batfill', default='build/release/batfill')
    options = parser.parse_args(arguments)
    workload = changed(json.loads(options.workload.read_text(encoding='utf-8')), options.unit, options.scale)
    print_row(['algorithm', 'messages_of_4', 'messages_of_5', 'jobs', 'other_starts', 'other_by_1_ms'])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / 'workload.json'
        file.write_text(json.dumps(workload), encoding='utf-8')
        for algorithm in options.algorithms:
            (messages4, starts4), (messages5, starts5) = (
                simulated(options.batfill, like, file, options.platform, algorithm) for like in ('batsim4', 'batsim5'))
            ids = starts4.keys() | starts5.keys()
            other = [job for job in ids if starts4.get(job) != starts5.get(job)]
            much = [job for job in other if job not in starts4 or job not in starts5
                    or abs(starts4[job] - starts5[job]) >= MILLISECOND]
            print_row([algorithm, *map(str, (messages4, messages5, len(ids), len(other), len(much)))])


if __name__ == '__main__':
    main()
