#!/usr/bin/env python3
"""Measures what a Gantt chart takes on axes of matplotlib: `run.plot()` and drawing it, and drawing a part of it.

    bench/pictures.py [--jobs N] [--processors N] [--runs N]

Simulates jobs of Lublin and Feitelson's model under easy, by default 200,000 on 1,024 processors, and draws 8 by 5
inches at 100 dpi. Prints the medians of the seconds as CSV. matplotlib is imported before. Needs the packages batfill
and matplotlib.
"""
import argparse
import csv
import importlib
import statistics
import sys
import time


def main() -> None:
    """Draws the chart some times."""
    parser = argparse.ArgumentParser(description=(__doc__ or '').partition('\n')[0])
    parser.add_argument('--jobs', type=int, default=200_000)
    parser.add_argument('--processors', type=int, default=1024)
    parser.add_argument('--runs', type=int, default=5)
    options = parser.parse_args()
    batfill = importlib.import_module('batfill')
    importlib.import_module('matplotlib').use('agg')
    pyplot = importlib.import_module('matplotlib.pyplot')
    workload = batfill.Workload.lublin(options.jobs, options.processors, 1, load=0.9)
    run = batfill.simulate(workload, options.processors, 'easy')
    times: dict[str, list[float]] = {'whole': [], 'part': []}
    for _ in range(options.runs):
        figure, axes = pyplot.subplots(figsize=(8, 5), dpi=100)
        begin = time.perf_counter()
        run.plot('gantt', ax=axes)
        figure.canvas.draw()
        times['whole'].append(time.perf_counter() - begin)
        axes.set_xlim(1, 2)
        begin = time.perf_counter()
        figure.canvas.draw()
        times['part'].append(time.perf_counter() - begin)
        pyplot.close(figure)
    writer = csv.writer(sys.stdout, lineterminator='\n')
    writer.writerow(['picture', 'jobs', 'seconds'])
    for name, taken in times.items():
        writer.writerow([name, options.jobs, f'{statistics.median(taken):.2f}'])


if __name__ == '__main__':
    main()
