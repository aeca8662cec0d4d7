#!/usr/bin/env python3
"""write_cases.py FILE.jsonl.gz...: writes tests/unit/schedulers/slurm_cases.txt anew.

It takes the cases that few others can replace, and of each file the shortest ones in which some jobs do not start at
once, until there are 300. What a case says stays; its form is that of the tests.
"""

import gzip
import json
import sys
from pathlib import Path
from typing import Any

CASES = 300
# Each of these is among the shortest cases that one of these rules decides, which short cases seldom need:
# - the last running job on the chosen nodes, and tries with the weakest nodes left out
# - the closed end of a span, and the successor of a span behind the limit
# - the size of the table, and the end of the window
RARE = ["run_cores-82-26.11", "share1_rr-16-26.11", "cores_lic_off-82-26.11", "run_cores_linear-56-26.11",
        "run_lic_on-28-22.05", "run_lic_on-0-26.11", "run_whole_rr-0-26.11", "test5-64-26.11", "lic_on-32-22.05"]
TEXT = Path(__file__).parents[1] / "unit" / "schedulers" / "slurm_cases.txt"
HEAD = """\
# Queues, and what Slurm's backfill made of them. tests/slurm/write_cases.py has chosen them among many more.
# Times are seconds since the first cycle of a case, limits are minutes. `-` stands for none.
# case NAME VERSION NODES CORES whole|shared NOW SETTINGS [LICENCES]
#   CORES: of each node; whole: the partition gives whole nodes; NOW: Unix time of the first cycle
# running ID LIMIT TASKS START NODES [cores=N,N...] [whole] [LICENCES]: since START; whole nodes if no cores are given
# at TIME [ID...]: a cycle, after the end of these jobs
# job ID LIMIT TASKS NODES PRIORITY [user=N] [whole] [submit=TIME] [LICENCES]: submitted before the cycle above it
# > ID started|planned|none [START] [NODES] [CORES]: what the cycle makes of a job
"""


def licenses(of: dict[str, Any]) -> str:
    """The licences of a case or of a job, as name=count."""
    return ",".join(f"{name}={count}" for name, count in of.get("licenses", {}).items())


def line(*words: object) -> str:
    """The words that say something, in a line."""
    return " ".join(str(word) for word in words if word != "") + "\n"


def job_line(job: dict[str, Any], is_first: bool) -> str:
    """A job that is submitted. Only before the first cycle does the time of its submission count."""
    submit = job.get("submit_s") if is_first else None
    return line(
        "job",
        job["id"],
        job["limit_min"],
        job.get("tasks", job["nodes"]),
        job["nodes"],
        job["priority"],
        f"user={job['user']}" if "user" in job else "",
        "whole" if job.get("whole") else "",
        "" if submit is None else f"submit={submit}",
        licenses(job),
    )


def running_line(job: dict[str, Any]) -> str:
    """A job that runs before the first cycle."""
    tasks = job.get("tasks", job["nodes"].count(",") + 1)
    cores = f"cores={job['cores']}" if "cores" in job else ""
    whole = "whole" if job.get("whole") else ""
    return line(
        "running", job["id"], job["limit_min"], tasks, job["start_s"], job["nodes"], cores, whole, licenses(job)
    )


def text(case: dict[str, Any]) -> str:
    """A case as the tests read it."""
    share = "whole" if case.get("exclusive", True) else "shared"
    version = case.get("version", "26.11")
    name = f"{case['id']}-{version}"
    settings = case["settings"] or "-"
    lines = line(
        "case", name, version, case["nodes"], case.get("cores", 1), share, case["now"], settings, licenses(case)
    )
    lines += "".join(map(running_line, case.get("running", [])))
    cycles = [{"t": 0, "submit": case["jobs"], "result": case["result"]}, *case.get("steps", [])]
    for number, cycle in enumerate(cycles):
        lines += line("at", cycle["t"], *cycle.get("end", []))
        lines += "".join(job_line(job, number == 0) for job in cycle.get("submit", []))
        for decision in cycle["result"]:
            words = (decision.get(word, "") for word in ("start_s", "nodes", "cores"))
            lines += line(">", decision["id"], decision["state"], *words)
    return lines


def name_of(one: str) -> str:
    """The name of a case by its text."""
    return one.split()[1]


def is_rare(one: str) -> bool:
    """Whether this case is always taken."""
    return name_of(one) in RARE


def chosen(files: list[str]) -> list[str]:
    """The texts of the chosen cases: the shortest of each file, then its second shortest, and so on."""
    of_files = []
    for file in files:
        with gzip.open(file, "rt", encoding="utf-8") as cases:
            texts = [text(json.loads(case)) for case in cases]
        of_files.append(sorted((one for one in texts if one.count(" planned ") > 1 or is_rare(one)), key=len))
    ranked = sorted((rank, number) for number, of_file in enumerate(of_files) for rank in range(len(of_file)))
    picked = [one for of_file in of_files for one in of_file if is_rare(one)]
    for rank, number in ranked:
        if len(picked) < CASES and of_files[number][rank] not in picked:
            picked.append(of_files[number][rank])
    return sorted(picked, key=name_of)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("write_cases.py: expected the files of cases")
    TEXT.write_text(HEAD + "".join(chosen(sys.argv[1:])), encoding="utf-8")
