"""What jobs ask of a machine."""
from math import fsum
from typing import Any, Mapping

from common.job import JobError
from common.tables import read_csv
from common.workbench import Workbench

UNPLANNED = ["plan-pools=none"]  # parameters of a replay in which a pool is not planned


def amount_of(job: Mapping[str, Any], pool: str) -> int:
    """What a job takes of a pool."""
    return job.get("pools", {}).get(pool, 0)


def large_jobs(workload: Mapping[str, Any], pool: str, total: int) -> set[str]:
    """The jobs that take at least a tenth of a pool of this size, by their ids."""
    return {job["id"] for job in workload["jobs"] if 10 * amount_of(job, pool) >= total}


def run_of(workload: Mapping[str, Any], job: Mapping[str, Any]) -> float:
    """How many seconds a job runs."""
    return min(float(workload["profiles"][job["profile"]]["delay"]), float(job["walltime"]))


def offered(workload: Mapping[str, Any], amounts: Mapping[str, int], total: int) -> float:
    """The offered load, as a share of what there is: `amounts` is what each job takes, by its id. The time is that
    between the first and the last submission."""
    jobs = workload["jobs"]
    span = max(job["subtime"] for job in jobs) - min(job["subtime"] for job in jobs)
    return fsum(amounts[job["id"]] * run_of(workload, job) for job in jobs) / (span * total)


def schedule_of(bench: Workbench, name: str) -> list[dict[str, str]]:
    """The lines of a schedule in which no job is rejected; else means would be of other jobs."""
    jobs = read_csv(str(bench.path(f"{name}_jobs.csv")))
    rejected = [job["job_id"] for job in jobs if job["final_state"] == "REJECTED"]
    if rejected:
        raise JobError(f"{name}: job {rejected[0]} is rejected")
    return jobs
