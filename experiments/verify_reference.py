#!/usr/bin/python3
"""verify_reference.py [--logs FOLDER] [--batfill PROGRAM] [--publish]

Replays the workloads of "batfill-reference 1" under its schedulers, and compares what comes out with the published
tables, docs/results/reference/: every difference is a line, and the exit status is then 1. FOLDER has logs of the
Parallel Workloads Archive; without it, and for logs that are not in it, only generated workloads are replayed.
--publish writes the tables anew; it needs all logs.
"""
import argparse
import gzip
import hashlib
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from os import cpu_count
from pathlib import Path
from typing import Optional, Sequence

from common.files import sha256, write_json
from common.tables import read_csv, write_csv

TOP = Path(__file__).resolve().parents[1]
PUBLISHED = TOP / "docs" / "results" / "reference"
VERSION = "batfill-reference 1"
LOGS = ("ANL-Theta-2022-cqsim", "CTC-SP2-1996-3.1-cln", "HPC2N-2002-2.2-cln", "KTH-SP2-1996-2.1-cln",
        "LANL-CM5-1994-4.1-cln", "LLNL-Atlas-2006-2.1-cln", "LLNL-Thunder-2007-1.1-cln", "LPC-EGEE-2004-1.2-cln",
        "SDSC-BLUE-2000-4.2-cln", "SDSC-DS-2004-2.1-cln", "SDSC-SP2-1998-4.2-cln")
LUBLIN = ("generate", "lublin", "--jobs")
DRAWN: dict[str, Sequence[Sequence[str]]] = {
    "lublin-1": [[*LUBLIN, "5000", "--processors", "128", "--load", "0.7", "--seed", "1"]],
    "lublin-2": [[*LUBLIN, "5000", "--processors", "256", "--load", "0.9", "--seed", "2"]],
    "lublin-3": [[*LUBLIN, "3000", "--processors", "64", "--load", "1.1", "--seed", "3", "--estimates", "exact"]],
    "lublin-4": [[*LUBLIN, "3000", "--processors", "1024", "--load", "0.8", "--seed", "4",
                  "--estimates", "factor:3"]],
    "lublin-5": [[*LUBLIN, "3000", "--processors", "128", "--load", "0.9", "--seed", "5"],
                 ["deadlines", "--share", "0.2", "--seed", "5"]],
    "farm-6": [["generate", "farm", "--jobs", "1000", "--seed", "6"]],
}
FARM = "farm-6"
# What is replayed on all workloads but the farm, and on the farm.
SCHEDULERS = ("fcfs", "easy", "easy,backfill-order=spf", "easy,order=saf,backfill-order=spf",
              "easy,prediction=last-two,backfill-order=predicted", "easy,rounds=event", "conservative", "pc", "dc",
              "dbf", "relaxed", "filler")
ON_FARM = ("fcfs,placement=machine", "bf-unmod", "bf-mod")
METRICS = ("mean_wait", "mean_bounded_slowdown", "utilisation")


@dataclass(frozen=True)
class Work:
    """A workload that has been made, and the machine that replays it."""

    name: str
    file: Path
    platform: str
    row: dict[str, str]


def run(program: Path, *arguments: str) -> str:
    """What batfill prints."""
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"verify_reference.py: batfill {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def sha256_of_log(log: Path) -> str:
    """The hash of the log's text, however it is packed."""
    with gzip.open(log) if log.suffix == ".gz" else open(log, "rb") as text:
        return hashlib.sha256(text.read()).hexdigest()


def find_log(logs: Optional[Path], name: str) -> Optional[Path]:
    """The log's file in the folder, if it is there."""
    for ending in (".swf.gz", ".swf"):
        if logs is not None and (logs / (name + ending)).is_file():
            return logs / (name + ending)
    return None


def described(name: str, how: str, file: Path, platform: str, source: str) -> Work:
    """The workload with its line of the table."""
    workload = json.loads(file.read_text(encoding="utf-8"))
    row = {"workload": name, "made by": how, "input sha256": source, "workload sha256": sha256(str(file)),
           "jobs": str(len(workload["jobs"])), "processors": str(workload["nb_res"])}
    return Work(name, file, platform or row["processors"], row)


def draw(program: Path, name: str, folder: Path) -> Work:
    """Makes a generated workload."""
    file = folder / f"{name}.json"
    platform = str(folder / f"{name}.xml") if name == FARM else ""
    for command in DRAWN[name]:
        own = [*command, *(["--platform", platform] if platform else []), "-o", str(file)]
        run(program, *([own[0], str(file), *own[1:]] if own[0] == "deadlines" else own))
    how = "; ".join("batfill " + " ".join(command) for command in DRAWN[name])
    return described(name, how, file, platform, "")


def convert(program: Path, log: Path, folder: Path) -> Work:
    """Makes a workload of a log."""
    name = log.name.removesuffix(".gz").removesuffix(".swf")
    file = folder / f"{name}.json"
    run(program, "swf", str(log), "-o", str(file))
    return described(name, f"batfill swf {name}.swf.gz", file, "", sha256_of_log(log))


def starts(file: Path) -> list[str]:
    """A line for each job that started, its id and its start in seconds with six decimals, sorted."""
    rows = read_csv(str(file))
    return sorted(f"{row['job_id']} {row['starting_time']}\n" for row in rows if row["starting_time"])


def replay(program: Path, work: Work, scheduler: str, folder: Path) -> dict[str, str]:
    """A line of the table: the metrics of a replay, and the hash of its starts."""
    prefix = folder / f"{work.name}-{hashlib.sha256(scheduler.encode()).hexdigest()[:12]}"
    run(program, "simulate", "-q", "-a", scheduler, "-p", work.platform, "-w", str(work.file), "-o", str(prefix))
    jobs = Path(f"{prefix}_jobs.csv")
    lines = starts(jobs)
    measured = json.loads(run(program, "metrics", str(jobs), "-p", work.platform, "--format", "json"))[0]
    for file in folder.glob(f"{prefix.name}_*"):
        file.unlink()
    return {"workload": work.name, "scheduler": scheduler, "started": str(len(lines)),
            **{metric: repr(measured[metric]) for metric in METRICS},
            "starts sha256": hashlib.sha256("".join(lines).encode()).hexdigest()}


def schedulers_of(work: Work) -> Sequence[str]:
    """What is replayed on a workload."""
    return ON_FARM if work.name == FARM else SCHEDULERS


def measure(program: Path, logs: Optional[Path]) -> tuple[list[dict[str, str]], list[dict[str, str]]]:
    """The lines of both tables, of workloads and of replays. Uses all cores."""
    with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(cpu_count()) as pool:
        folder = Path(name)
        found = [log for log in (find_log(logs, name) for name in LOGS) if log is not None]
        works = [*pool.map(lambda log: convert(program, log, folder), found),
                 *pool.map(lambda drawn: draw(program, drawn, folder), DRAWN)]
        pairs = [(work, scheduler) for work in works for scheduler in schedulers_of(work)]
        return [work.row for work in works], list(
            pool.map(lambda pair: replay(program, pair[0], pair[1], folder), pairs))


def differences(table: str, keys: Sequence[str], rows: Sequence[dict[str, str]]) -> list[str]:
    """What is not as published, a line for each value."""
    published = {tuple(row[key] for key in keys): row for row in read_csv(str(PUBLISHED / table))}
    found = []
    for row in rows:
        place = tuple(row[key] for key in keys)
        expected = published.get(place, {})
        found += [f"{', '.join(place)}: {column} is {value}, published {expected.get(column, 'nothing')}"
                  for column, value in row.items() if value != expected.get(column)]
    return found


def publish(program: Path, works: Sequence[dict[str, str]], rows: Sequence[dict[str, str]]) -> None:
    """Writes the tables and their manifest."""
    PUBLISHED.mkdir(parents=True, exist_ok=True)
    write_csv(str(PUBLISHED / "workloads.csv"), works)
    write_csv(str(PUBLISHED / "reference.csv"), rows)
    write_json(str(PUBLISHED / "manifest.json"), {
        "name": VERSION,
        "batfill": run(program, "--version").strip(),
        "results": {name: sha256(str(PUBLISHED / name)) for name in ("reference.csv", "workloads.csv")},
    })


def main() -> None:
    """Verifies, or publishes."""
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--logs", type=Path)
    parser.add_argument("--batfill", type=Path, default=TOP / "build" / "release" / "batfill")
    parser.add_argument("--publish", action="store_true")
    asked = parser.parse_args()
    missing = [name for name in LOGS if find_log(asked.logs, name) is None]
    if asked.publish and missing:
        sys.exit(f"verify_reference.py: --publish needs all logs, missing: {', '.join(missing)}")
    works, rows = measure(asked.batfill.resolve(), asked.logs)
    if asked.publish:
        publish(asked.batfill, works, rows)
        return
    found = [*differences("workloads.csv", ["workload"], works),
             *differences("reference.csv", ["workload", "scheduler"], rows)]
    print("".join(f"{line}\n" for line in found), end="")
    left_out = f"; {len(missing)} logs are not there" if missing else ""
    print(f"{VERSION}: {len(rows)} replays of {len(works)} workloads, {len(found)} differences{left_out}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
