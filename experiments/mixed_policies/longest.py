"""Job of rule `mixed_longest`: the paper's Table 7, the jobs of a log that ran longest."""
from pathlib import Path
from typing import Any

from common.files import read_json
from common.job import Job, run_job
from common.tables import read_csv, write_csv
from common.workbench import Workbench


def longest(workload: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The jobs that ran longest, with what they had estimated."""
    jobs = [{"job": int(job["id"].split("-")[0]), "submit_time": job["subtime"], "processors": job["res"],
             "estimate": job["walltime"], "run_time": workload["profiles"][job["profile"]]["delay"]}
            for job in workload["jobs"]]
    return sorted(jobs, key=lambda job: (-job["run_time"], job["job"]))[:count]


def main(job: Job) -> None:
    """Lays the jobs of the log beside those of the paper."""
    paper = [{name: int(value) for name, value in row.items()} for row in read_csv(job.input.paper)]
    with Workbench(job.input.batfill) as bench:
        name = Path(job.input.log).name
        bench.link(name, job.input.log)
        bench.run("swf", name, "-o", "log.json")
        ours = longest(read_json(str(bench.path("log.json"))), len(paper))
        write_csv(str(bench.path("table-7.csv")), [
            {**{f"{name}, paper": value for name, value in theirs.items()}, **here,
             "longer": "yes" if here["run_time"] > here["estimate"] else "no",
             "same": "yes" if all(here[name] == value for name, value in theirs.items()) else "no"}
            for theirs, here in zip(paper, ours)])
        bench.keep("table-7.csv", job.output.table)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
