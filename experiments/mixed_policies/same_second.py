"""Job of rule `mixed_same_second`: the pure policies when the jobs that were submitted in one second come in another
order. Which of them came first is not in a log; it decides between equal scores."""
from random import Random
from typing import Any

from common.files import read_json, write_json
from common.job import Job, run_job
from common.tables import write_csv
from common.workbench import Workbench
from mixed_policies.replays import pure_policies


def shuffle(workload: dict[str, Any], random: Random) -> dict[str, Any]:
    """The workload with the ids of jobs of one second handed out among them at random: these jobs come in the order of
    their ids."""
    of_second: dict[float, list[dict[str, Any]]] = {}
    for job in workload["jobs"]:
        of_second.setdefault(job["subtime"], []).append(job)
    ids = {}
    for together in of_second.values():
        drawn = [job["id"] for job in together]
        random.shuffle(drawn)
        ids.update({job["id"]: other for job, other in zip(together, drawn)})
    return {**workload, "jobs": [{**job, "id": ids[job["id"]]} for job in workload["jobs"]]}


def main(job: Job) -> None:
    """Replays all periods of a machine with several orders of the jobs of one second."""
    rows: list[dict[str, Any]] = []
    with Workbench(job.input.batfill) as bench:
        bench.link("platform.xml", job.input.platform)
        workloads = bench.link_folder("workloads", job.input.workloads)
        bench.path("shuffled").mkdir()
        for draw in range(1, job.params.draws + 1):
            random = Random(draw)
            for workload in workloads:
                name = workload.split("/")[-1]
                write_json(str(bench.path(f"shuffled/{name}")), shuffle(read_json(str(bench.path(workload))), random))
            shuffled = [workload.replace("workloads/", "shuffled/") for workload in workloads]
            rows += [{"draw": draw, **row}
                     for row in pure_policies(bench, shuffled, job.params.settings, job.threads)]
        write_csv(str(bench.path("same-second.csv")), rows)
        bench.keep("same-second.csv", job.output.values)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
