"""Job of rule `rlscheduler_replay`: replays the sequences of a log by one rule, with each of its policies."""
import csv
import gzip
from typing import Mapping, Optional, Sequence

from common.files import write_json
from common.job import Job, run_job
from common.tables import read_csv, write_csv
from common.workbench import Workbench
from rlscheduler.sequences import LoggedJob, jobs_of_log, jobs_of_workload, sequences, workload_of

TAU = 10  # of bounded slowdowns, in seconds

# Starts by the number of the job.
Starts = Mapping[int, float]


def mean_bounded_slowdown(sequence: Sequence[LoggedJob], starts: Starts) -> float:
    """Of all jobs of a sequence."""
    return sum(max(1.0, (starts[job.number] - job.submit + job.run) / max(job.run, TAU))
               for job in sequence) / len(sequence)


def utilisation(sequence: Sequence[LoggedJob], starts: Starts, hosts: int) -> float:
    """The share of the machine from the first submission to the last start, as the program measures it."""
    span = max(starts.values()) - sequence[0].submit
    return sum(job.run * job.processors for job in sequence) / (span * hosts) if span else 0.0


def published_starts(file: str, trace: str, backfill: int) -> dict[tuple[str, int], dict[int, float]]:
    """The starts of the program itself, by policy and sequence."""
    found: dict[tuple[str, int], dict[int, float]] = {}
    with gzip.open(file, "rt") as lines:
        for line in csv.DictReader(lines):
            if line["trace"] == trace and line["backfill"] == str(backfill):
                key = (line["policy"], int(line["sequence"]))
                found.setdefault(key, {})[int(line["job_id"])] = float(line["start"])
    return found


def other_starts(starts: Starts, published: Optional[Starts]) -> object:
    """How many starts differ; nothing if there are none to compare with."""
    return "" if published is None else sum(starts[number] != start for number, start in published.items())


def replayed(bench: Workbench, workload: str, hosts: int, parameters: Sequence[str], run: str) -> dict[int, float]:
    """The starts of one replay, audited."""
    bench.simulate(str(hosts), workload, "easy", parameters, run)
    bench.audit(run, workload, str(hosts))
    return {int(row["job_id"]): float(row["starting_time"]) for row in read_csv(str(bench.path(f"{run}_jobs.csv")))}


def main(job: Job) -> None:
    """Makes the lines of one log and one rule."""
    [log] = [job.input.log] if isinstance(job.input.log, str) else job.input.log
    jobs = jobs_of_workload(log) if log.endswith(".json") else jobs_of_log(log)
    rule, hosts = job.params.rule, job.params.hosts
    compared = [job.input.starts] if isinstance(job.input.starts, str) else list(job.input.starts)
    published = published_starts(compared[0], job.params.trace, rule["compared"]) \
        if compared and "compared" in rule else {}
    rows = []
    with Workbench(job.input.batfill) as bench:
        for file in [log, *compared]:
            bench.link(file.rsplit("/", 1)[-1], file)
        for number, sequence in enumerate(sequences(jobs, job.params.first, job.params.jobs)):
            workload = f"sequence-{number}.json"
            write_json(str(bench.path(workload)), workload_of(sequence, hosts))
            for policy, order in job.params.policies.items():
                starts = replayed(bench, workload, hosts, [*order["parameters"], *rule["parameters"]], "run")
                rows.append({"policy": policy, "sequence": number, "jobs": len(sequence),
                             "bounded_slowdown": mean_bounded_slowdown(sequence, starts),
                             "utilisation": utilisation(sequence, starts, hosts),
                             "other_starts": other_starts(starts, published.get((order.get("published", ""), number)))})
        table = bench.path("sequences.csv")
        write_csv(str(table), rows)
        bench.keep(table.name, job.output.results)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
