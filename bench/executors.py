#!/usr/bin/env python3
"""Measures what it costs to replay by an executor: `batfill.compare` by threads, by processes, and by Dask's workers.

    bench/executors.py [--workloads N] [--jobs N] [--runs N] [--cores N]

Replays workloads of Lublin and Feitelson's model under 100 schedulers that differ in a number, by default 100 workloads
of so many jobs that a replay takes about 1 ms. Prints a table as CSV: the median of the seconds, and of the ratios to
threads round by round. The executors run before the clock starts. Needs the packages batfill and, for Dask,
distributed.
"""
import argparse
import concurrent.futures
import contextlib
import csv
import importlib
import multiprocessing
import statistics
import sys
import time
from typing import Any, Iterator

SCHEDULERS = [f'easy,threshold={1000 + number}' for number in range(100)]


@contextlib.contextmanager
def ways(cores: int) -> Iterator[dict[str, dict[str, Any]]]:
    """The ways to replay, as keywords of `compare`."""
    with contextlib.ExitStack() as stack:
        spawn = multiprocessing.get_context('spawn')
        found: dict[str, dict[str, Any]] = {
            'threads': {'threads': cores},
            'processes': {'executor': stack.enter_context(
                concurrent.futures.ProcessPoolExecutor(cores, mp_context=spawn))},
        }
        try:
            distributed = importlib.import_module('distributed')
        except ImportError:
            print('executors: distributed is not installed, so Dask is left out', file=sys.stderr)
        else:
            cluster = stack.enter_context(distributed.LocalCluster(
                n_workers=cores, threads_per_worker=1, dashboard_address=None))
            found['dask'] = {'executor': stack.enter_context(distributed.Client(cluster)).get_executor()}
        yield found


def main() -> None:
    """Takes the times of all ways in turn."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--workloads', type=int, default=100)
    parser.add_argument('--jobs', type=int, default=700)
    parser.add_argument('--runs', type=int, default=3)
    parser.add_argument('--cores', type=int, default=2)
    options = parser.parse_args()
    batfill = importlib.import_module('batfill')
    with ways(options.cores) as found:
        times: dict[str, list[float]] = {name: [] for name in found}
        for run in range(options.runs + 1):
            # New workloads in each round: workers remember those that they have had.
            workloads = [batfill.Workload.lublin(options.jobs, 128, 1 + run * options.workloads + number, load=0.9)
                         for number in range(options.workloads if run > 0 else 1)]
            tables = set()
            for name, how in found.items():
                begin = time.perf_counter()
                tables.add(batfill.compare(workloads, SCHEDULERS, 'mean_wait', **how).table('csv'))
                if run > 0:
                    times[name].append(time.perf_counter() - begin)
            assert len(tables) == 1
    writer = csv.writer(sys.stdout, lineterminator='\n')
    writer.writerow(['way', 'replays', 'seconds', 'ratio'])
    for name, taken in times.items():
        ratio = statistics.median(one / threads for one, threads in zip(taken, times['threads']))
        writer.writerow([name, options.workloads * len(SCHEDULERS), f'{statistics.median(taken):.2f}', f'{ratio:.2f}'])


if __name__ == '__main__':
    main()
