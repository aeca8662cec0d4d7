#!/usr/bin/env python3
"""Measures how the replays of queue and plan algorithms grow with the number of jobs.

    bench/growth.py [--batfill FILE] [--jobs N,N...] [--cases NAME,NAME...] [--limit SECONDS] [ALGORITHM ...]

An ALGORITHM is NAME[,KEY=VALUE]... Prints a table as CSV with a row for each case, algorithm and number of jobs: the
processor seconds (user and system) of a whole replay, the peak memory in MiB, and the exponent of the seconds in the
number of jobs, fitted to all of them by least squares. A replay that takes more than the limit is stopped, and those
with more jobs are left out.

The cases are load-L, jobs of `batfill generate lublin --seed 3` at an offered load of L, and six in which all jobs are
submitted at once: instant-equal, jobs that are all alike; instant-long, jobs with walltimes ten times as long as they
run; instant-random, jobs of random widths and walltimes that run for a part of these; instant-scarce, the same, which
take of a pool of which there is too little; instant-serial, jobs of one processor that are all alike; instant-chain,
the same, each of which waits for the one before it. The machine is platforms/hpc2n.xml, which has 240 processors.
"""
import argparse
import json
import math
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Optional, Sequence

from replays import Usage, print_row, start, wait_for

PLATFORM = Path(__file__).resolve().parent.parent / "platforms/hpc2n.xml"
PROCESSORS = 240
SCARCE = 100
CASES = ["load-0.9", "load-1.2", "instant-equal", "instant-long", "instant-random", "instant-scarce", "instant-serial",
         "instant-chain"]
ALGORITHMS = ["rejecter", "fcfs", "easy", "easy,order=saf", "easy,order=lexp", "easy,order=sexp",
              "easy,order=mixed,weights=1,-2,3,1,-1,1", "conservative", "dbf", "dc", "pc"]


def shapes(case: str, jobs: int) -> list[tuple[int, int, int]]:
    """The processors, the walltime and the run time, in seconds, of each of the jobs that are submitted at once."""
    draws = random.Random(1)
    if case == "instant-equal":
        return [(4, 3600, 3600)] * jobs
    if case in ("instant-serial", "instant-chain"):
        return [(1, 20, 10)] * jobs
    if case == "instant-long":
        return [(width, 36000, 3600) for width in (draws.randint(1, 32) for _ in range(jobs))]
    if case in ("instant-random", "instant-scarce"):
        drawn = [(draws.randint(1, 64), draws.randint(600, 86400)) for _ in range(jobs)]
        return [(width, walltime, draws.randint(300, walltime)) for width, walltime in drawn]
    sys.exit(f"growth: unknown case {case}, known: load-L, {', '.join(CASES[2:])}")


def workload_at_once(case: str, jobs: int) -> dict[str, Any]:
    """A workload as Batsim reads it."""
    drawn = shapes(case, jobs)
    draws = random.Random(2)
    pools = {number: {"pools": {"scarce": draws.choice([0, 1, 5, 10, 40])}}
             for number in range(jobs if case == "instant-scarce" else 0)}
    waits = {number: {"after": [f"ok:{number - 1}"]} for number in range(1, jobs if case == "instant-chain" else 0)}
    return {
        "nb_res": PROCESSORS,
        "jobs": [{"id": number, "subtime": 0, "walltime": walltime, "res": width, "profile": str(runs),
                  **waits.get(number, {}), **pools.get(number, {})}
                 for number, (width, walltime, runs) in enumerate(drawn)],
        "profiles": {str(runs): {"type": "delay", "delay": runs} for _, _, runs in drawn},
    }


def write_workload(batfill: str, case: str, jobs: int, file: Path) -> None:
    """Writes the workload of a case. Ends the script if that fails."""
    if case.startswith("load-"):
        command = [batfill, "generate", "lublin", "--seed", "3", "--jobs", str(jobs), "--processors", str(PROCESSORS),
                   "--load", case.removeprefix("load-"), "-o", str(file)]
        status = subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode
        if status != 0:
            sys.exit(f"growth: generate failed with status {status}")
    else:
        file.write_text(json.dumps(workload_at_once(case, jobs)), encoding="utf-8")


def replay(options: argparse.Namespace, algorithm: str, workload: Path, pools: list[str]) -> Optional[Usage]:
    """The processor seconds and the peak memory in MiB of a replay on a machine with these pools, as options; nothing
    if it took longer than the limit."""
    name, *parameters = re.split(",(?=[a-z-]+=)", algorithm)
    process = start([
        "/usr/bin/prlimit", f"--cpu={options.limit}:{options.limit}", options.batfill, "simulate", "-q",
        "-p", str(PLATFORM), *pools, "-w", str(workload), "-e", str(workload.with_suffix("")), "-a", name,
        *(word for parameter in parameters for word in ("-P", parameter))])
    status, used = wait_for(process)
    if status < 0:
        return None
    if status != 0:
        sys.exit(f"growth: {algorithm} failed with status {status}")
    return used


def exponent(sizes: Sequence[float], seconds: list[float]) -> Optional[float]:
    """The slope of the straight line through the logarithms, by least squares; nothing for fewer than two sizes."""
    points = [(math.log(size), math.log(value)) for size, value in zip(sizes, seconds)]
    if len(points) < 2:
        return None
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def rows(algorithm: str, sizes: list[int], results: list[Usage], limit: int) -> list[list[str]]:
    """The results of the first sizes in a row each. The next size took too long; the sizes after it were not tried."""
    slope = exponent(sizes, [seconds for seconds, _ in results])
    shown = "" if slope is None else f"{slope:.2f}"
    cells = [[algorithm, str(size), f"{seconds:.2f}", f"{memory:.0f}", shown]
             for size, (seconds, memory) in zip(sizes, results)]
    stopped = sizes[len(results):][:1]
    return cells + [[algorithm, str(size), f"more than {limit}", "", shown] for size in stopped]


def measure(options: argparse.Namespace, case: str, folder: Path) -> None:
    """Prints the rows of a case, those of an algorithm when they are known."""
    for size in options.jobs:
        write_workload(options.batfill, case, size, folder / f"{size}.json")
    pools = ["--pool", f"scarce={SCARCE}"] if case == "instant-scarce" else []
    for algorithm in options.algorithms:
        results: list[Usage] = []
        for size in options.jobs:
            result = replay(options, algorithm, folder / f"{size}.json", pools)
            if result is None:
                break
            results.append(result)
        for row in rows(algorithm, options.jobs, results, options.limit):
            print_row([case, *row])


def main() -> None:
    """Measures one case after the other."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("algorithms", nargs="*", default=ALGORITHMS)
    parser.add_argument("--batfill", default="build/release/batfill")
    parser.add_argument("--jobs", default="25000,100000", type=lambda text: sorted(int(n) for n in text.split(",")))
    parser.add_argument("--cases", default=CASES, type=lambda text: text.split(","))
    parser.add_argument("--limit", default=60, type=int, help="processor seconds for each replay")
    options = parser.parse_intermixed_args()
    options.batfill = os.path.abspath(options.batfill)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a replay that is stopped leaves no memory on the disk
    print_row(["case", "algorithm", "jobs", "processor_seconds", "peak_memory_mib", "exponent"])
    for case in options.cases:
        with tempfile.TemporaryDirectory() as folder:
            measure(options, case, Path(folder))


if __name__ == "__main__":
    main()
