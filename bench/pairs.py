#!/usr/bin/env python3
"""Measures schedulers with the real Batsim: what either side of the pair takes.

    bench/pairs.py BATSIM PLATFORM.xml WORKLOAD.json [--batsched FILE] [--batfill FILE] [--limit SECONDS] SCHEDULER...

A SCHEDULER is NAME[,KEY=VALUE]..., an algorithm of `batfill serve`, or batsched:VARIANT, which batsched and then
`batfill batsched` run. Prints a table as CSV with a row for each run, one after the other: the processor seconds (user
and system) and the peak memory in MiB of the scheduler and of Batsim, the ratio of the seconds, and how many jobs start
when they do with batsched, of how many. A run in which either side takes more than the limit is stopped.
"""
import argparse
import csv
import os
import resource
import signal
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Optional, Sequence

from replays import print_row

VARIANT = 'batsched:'
HEAD = ['scheduler', 'scheduler_seconds', 'scheduler_mib', 'batsim_seconds', 'batsim_mib', 'ratio', 'same_starts',
        'jobs']


@dataclass(frozen=True)
class Usage:
    """What a process took: processor seconds and its peak memory in MiB."""

    seconds: float
    memory: float


@dataclass(frozen=True)
class Run:
    """What both sides of a pair took, and when each job started; nothing of a run that was stopped."""

    name: str
    scheduler: Optional[Usage] = None
    batsim: Optional[Usage] = None
    starts: Optional[dict[str, str]] = None


def start(command: list[str], output: Path) -> int:
    """Starts a process that writes to a file; returns its number."""
    where = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    process = os.posix_spawn(command[0], command, os.environ,
                             file_actions=[(os.POSIX_SPAWN_DUP2, where, 1), (os.POSIX_SPAWN_DUP2, where, 2)])
    os.close(where)
    return process


def wait_for_both(pair: Sequence[int]) -> Optional[list[Usage]]:
    """What two processes that talk to each other took, in the order of the pair; nothing if one of them came to its
    limit, and the other was stopped for that. Ends the script if one fails otherwise."""
    used: dict[int, Usage] = {}
    stopped = False
    while len(used) < len(pair):
        process, status, resources = os.wait3(0)
        used[process] = Usage(resources.ru_utime + resources.ru_stime, resources.ru_maxrss / 1024)
        code = os.waitstatus_to_exitcode(status)
        if code == 0 or stopped:
            continue
        for other in set(pair) - set(used):
            os.kill(other, signal.SIGKILL)
        stopped = code in (-signal.SIGXCPU, -signal.SIGKILL)
        if not stopped:
            for other in set(pair) - set(used):
                os.waitpid(other, 0)
            sys.exit(f'pairs: {("the scheduler", "Batsim")[pair.index(process)]} failed with status {code}')
    return None if stopped else [used[process] for process in pair]


def starts(jobs: Path) -> dict[str, str]:
    """When each job of a schedule started, as the file has it."""
    with open(jobs, encoding='utf-8', newline='') as stream:
        return {line['job_id']: line['starting_time'] for line in csv.DictReader(stream)}


def run_pair(options: argparse.Namespace, name: str, scheduler: list[str], folder: Path) -> Run:
    """Runs one scheduler with Batsim."""
    endpoint = f'ipc://{folder}/socket'
    (folder / 'out_jobs.csv').unlink(missing_ok=True)
    pair = [start([*scheduler, '-s', endpoint], folder / 'scheduler.log'),
            start([options.batsim, '-q', '-p', options.platform, '-w', options.workload, '-s', endpoint,
                   '-e', f'{folder}/out', '--disable-schedule-tracing', '--disable-machine-state-tracing'],
                  folder / 'batsim.log')]
    used = wait_for_both(pair)
    return Run(name, used[0], used[1], starts(folder / 'out_jobs.csv')) if used else Run(name)


def runs_of(options: argparse.Namespace, scheduler: str, folder: Path) -> list[Run]:
    """The run of an algorithm, or both of a variant, batsched's first."""
    if not scheduler.startswith(VARIANT):
        name, *parameters = scheduler.split(',')
        words = [word for parameter in parameters for word in ('-P', parameter)]
        return [run_pair(options, scheduler, [options.batfill, 'serve', '-l', 'warning', '-a', name, *words], folder)]
    variant = scheduler.removeprefix(VARIANT)
    words = ['--verbosity', 'silent', '-v', variant]
    return [run_pair(options, f'batsched {variant}', [options.batsched, *words], folder),
            run_pair(options, f'batfill batsched {variant}', [options.batfill, 'batsched', *words], folder)]


def row(run: Run, limit: int, other: Optional[Run] = None) -> list[str]:
    """A run as a row of the table, compared with the other program's of the same variant."""
    if run.scheduler is None or run.batsim is None or run.starts is None:
        return [run.name, f'more than {limit}', '', '', '', '', '', '']
    same = ''
    if other is not None and other.starts is not None:
        same = str(sum(other.starts.get(job) == instant for job, instant in run.starts.items()))
    return [run.name, f'{run.scheduler.seconds:.2f}', f'{run.scheduler.memory:.0f}', f'{run.batsim.seconds:.2f}',
            f'{run.batsim.memory:.0f}', f'{run.scheduler.seconds / run.batsim.seconds:.2f}', same, str(len(run.starts))]


def main() -> None:
    """Runs all pairs and prints the table, each row when it is known."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('batsim')
    parser.add_argument('platform')
    parser.add_argument('workload')
    parser.add_argument('schedulers', nargs='+')
    parser.add_argument('--batsched', default='')
    parser.add_argument('--batfill', default='build/release/batfill')
    parser.add_argument('--limit', type=int, default=600)
    options = parser.parse_intermixed_args()
    if not options.batsched and any(name.startswith(VARIANT) for name in options.schedulers):
        parser.error(f'{VARIANT}VARIANT needs --batsched')
    options.batsim, options.batfill = os.path.abspath(options.batsim), os.path.abspath(options.batfill)
    options.batsched = os.path.abspath(options.batsched)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a run that is stopped leaves no memory on the disk
    resource.setrlimit(resource.RLIMIT_CPU, (options.limit, options.limit + 1))
    print_row(HEAD)
    with tempfile.TemporaryDirectory() as folder:
        for scheduler in options.schedulers:
            done = runs_of(options, scheduler, Path(folder))
            print_row(row(done[0], options.limit))
            for run in done[1:]:
                print_row(row(run, options.limit, done[0]))


if __name__ == '__main__':
    main()
