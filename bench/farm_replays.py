#!/usr/bin/env python3
"""Measures how the replay of a farm grows with machines, licences and the queue.

    bench/farm_replays.py [--jobs N] [--machines N] [--licenses N] [--runs N] [--batfill FILE]

Draws farms with `batfill generate farm` in which one of the three varies, and prints a table as CSV: for each
scheduler, the median of the processor seconds (user and system) of whole replays. A job needs six licences on average.
The offered load is the same for all numbers of machines; the queue varies with the load: above what the farm can do,
it grows until the last submission.
"""
import argparse
import os
import statistics
import sys
import tempfile

from replays import print_row, start, usage

# The mean seconds between jobs that one machine of the model can just not keep up with: jobs and machines have as many
# processors, and a job runs for 1750 seconds.
SECONDS_PER_MACHINE = 1750
LICENSES_OF_JOB = 6
SCHEDULERS = (('fcfs', 'placement=machine'), ('easy', 'placement=machine'), ('bf-unmod', ''), ('bf-mod', ''))


def draw(options: argparse.Namespace, folder: str, machines: int, licenses: int, load: float) -> None:
    """Writes w.json and p.xml into the folder."""
    command = [options.batfill, 'generate', 'farm', '--seed', '1', '--jobs', str(options.jobs),
               '--machines', str(machines), '--licenses', str(licenses),
               '--license-needs', str(round(100 * LICENSES_OF_JOB / licenses)),
               '--interarrival', f'{SECONDS_PER_MACHINE / machines / load:.6f}',
               '-o', os.path.join(folder, 'w.json'), '--platform', os.path.join(folder, 'p.xml')]
    sys.stdout.flush()
    output = os.open(os.path.join(folder, 'generate.txt'), os.O_WRONLY | os.O_CREAT)
    process = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, output, 1)])
    os.close(output)
    usage(process)


def measure(options: argparse.Namespace, folder: str) -> list[float]:
    """The median of the processor seconds of each scheduler."""
    medians = []
    for name, parameter in SCHEDULERS:
        command = [options.batfill, 'simulate', '-q', '-p', os.path.join(folder, 'p.xml'),
                   '-w', os.path.join(folder, 'w.json'), '-e', os.path.join(folder, 'out'), '-a', name]
        command += ['-P', parameter] if parameter else []
        medians.append(statistics.median(usage(start(command))[0] for _ in range(options.runs)))
    return medians


def main() -> None:
    """Draws and measures one farm after the other, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--jobs', type=int, default=100_000)
    parser.add_argument('--machines', type=int, default=1000)
    parser.add_argument('--licenses', type=int, default=200)
    parser.add_argument('--runs', type=int, default=3)
    parser.add_argument('--batfill', default='build/release/batfill')
    options = parser.parse_args()
    options.batfill = os.path.abspath(options.batfill)
    farms = [(options.machines // divisor, options.licenses, 0.85) for divisor in (8, 4, 2, 1)]
    farms += [(options.machines, options.licenses // divisor, 0.85) for divisor in (8, 4, 2)]
    farms += [(options.machines, options.licenses, load) for load in (0.95, 1.0, 1.05)]
    print_row(['machines', 'licences', 'load', *(','.join(filter(None, scheduler)) for scheduler in SCHEDULERS)])
    for machines, licenses, load in farms:
        with tempfile.TemporaryDirectory() as folder:
            draw(options, folder, machines, licenses, load)
            seconds = measure(options, folder)
        print_row([str(machines), str(licenses), f'{load:.2f}', *(f'{value:.2f}' for value in seconds)])


if __name__ == '__main__':
    main()
