#!/usr/bin/env python3
"""Measures how many steps a second the environments for learning take, beside RLScheduler's own.

    bench/environments.py LOG --rlscheduler FOLDER [--seconds N] [--count N]

LOG is a log in the Standard Workload Format, FOLDER a clone of https://github.com/DIR-LAB/deep-batch-scheduler. Its
environment runs unchanged, on stubs of gym, TensorFlow and SciPy, of which a step needs nothing. All environments step
the same ten sequences of 1,024 jobs without backfilling, always with the job that was submitted first, and build the
observation of each step with 128 places for jobs. One thread each; a table as CSV: steps per second, how many times as
many as RLScheduler's, steps, and processor seconds. The package batfill must be installed.
"""
import argparse
import contextlib
import gzip
import importlib
import io
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import Any, Callable, Iterator, Sequence

import numpy

FIRST = (1981, 2756, 4299, 8850, 3316, 2714, 5228, 7762, 4022, 7085)
JOBS = 1024

# Takes some steps, and says how many.
Stepper = Callable[[], int]


def their_environment(folder: str, log: str) -> Any:
    """RLScheduler's environment, whose sequences are FIRST in turn."""
    def stub(*_: Any, **__: Any) -> None:
        """In place of a class that describes a space."""

    stubs: dict[str, dict[str, Any]] = {
        'gym': {'Env': object}, 'gym.spaces': {'Box': stub, 'Discrete': stub}, 'gym.utils': {},
        'gym.utils.seeding': {}, 'tensorflow': {}, 'scipy': {}, 'scipy.signal': {}}
    for name, members in stubs.items():
        module = types.ModuleType(name)
        module.__dict__.update(members)
        sys.modules[name] = module
        parent, _, last = name.rpartition('.')
        if parent:
            sys.modules[parent].__dict__[last] = module
    sys.path.insert(0, folder)
    program = __import__('HPCSimPickJobs')
    with contextlib.redirect_stdout(io.StringIO()):
        environment = program.HPCEnv()
        environment.my_init(log)
    firsts = turns(FIRST)
    environment.np_random = types.SimpleNamespace(randint=lambda *_: next(firsts))
    return environment


def turns(numbers: Sequence[int]) -> Iterator[int]:
    """The numbers again and again."""
    while True:
        yield from numbers


def theirs(environment: Any) -> Stepper:
    """Steps a sequence."""
    def step() -> int:
        environment.reset_for_test(JOBS, 0)
        environment.build_observation()
        done, steps = False, 0
        while not done:
            _, _, done, _ = environment.step_for_test(0)
            steps += 1
        return steps
    return step


def single(environment: Any, episodes: Iterator[int]) -> Stepper:
    """Steps an episode."""
    def step() -> int:
        environment.reset(options={'episode': next(episodes)})
        done, steps = False, 0
        while not done:
            _, _, done, _, _ = environment.step(0)
            steps += 1
        return steps
    return step


def together(environment: Any, count: int) -> Stepper:
    """Steps so many environments a number of times."""
    environment.reset()
    actions = numpy.zeros(count, numpy.int64)

    def step() -> int:
        for _ in range(100):
            environment.step(actions)
        return 100 * count
    return step


def measure(step: Stepper, least: float) -> tuple[int, float]:
    """Steps and processor seconds, after a first call."""
    step()
    steps, begin = 0, time.process_time()
    while time.process_time() - begin < least or steps < len(FIRST) * JOBS:
        steps += step()
    return steps, time.process_time() - begin


def windows(log: Any) -> list[Any]:
    """The sequences as workloads."""
    batfill = importlib.import_module('batfill')
    found = []
    for first in FIRST:
        part = slice(first, first + JOBS)
        table = {'submit': log.submit[part] - log.submit[first],
                 'processors': log.nodes[part] * log.processors_per_node,
                 'walltime': log.workload.jobs['walltime'][part], 'run_time': log.run_time[part]}
        found.append(batfill.Workload.from_dataframe(table, processors=log.workload.processors, walltimes='believed'))
    return found


def main() -> None:
    """Measures one environment after the other, and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('log')
    parser.add_argument('--rlscheduler', required=True)
    parser.add_argument('--seconds', type=float, default=10, help='least processor seconds of each measurement')
    parser.add_argument('--count', type=int, default=64, help='environments that are stepped together')
    options = parser.parse_args()
    gym, rlscheduler = importlib.import_module('batfill.gym'), importlib.import_module('batfill.rlscheduler')
    log = rlscheduler.Log(options.log)
    sequences = windows(log)
    with tempfile.NamedTemporaryFile('w', suffix='.swf') as plain:
        opened: Any = gzip.open if options.log.endswith('.gz') else open
        with opened(options.log, 'rt', errors='replace') as lines:
            plain.write(lines.read())
        plain.flush()
        steppers = [('RLScheduler', 1, theirs(their_environment(str(Path(options.rlscheduler)), plain.name)))]
    steppers += [
        ('RLSchedulerEnv', 1, single(rlscheduler.RLSchedulerEnv(log, jobs=JOBS), turns(FIRST))),
        ('PickEnv', 1, single(gym.PickEnv(sequences, backfilling='none'), turns(range(len(FIRST))))),
        ('VectorPickEnv', options.count,
         together(gym.VectorPickEnv(options.count, sequences, backfilling='none', threads=1), options.count))]
    print('environment,together,steps_per_second,ratio,steps,seconds')
    reference = None
    for name, count, step in steppers:
        steps, seconds = measure(step, options.seconds)
        rate = steps / seconds
        reference = reference or rate
        print(f'{name},{count},{rate:.0f},{rate / reference:.1f},{steps},{seconds:.2f}', flush=True)


if __name__ == '__main__':
    main()
