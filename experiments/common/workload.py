"""Job of rule `workload`: converts a machine's log, or draws a workload where there is no folder of logs."""
from pathlib import Path
from typing import Any

from common.files import read_json, write_json
from common.job import Job, run_job
from common.workbench import Workbench


def convert(bench: Workbench, log: str, options: list[str]) -> dict[str, Any]:
    """Makes workload.json and log-header.txt; returns what the converter says of the log."""
    name = Path(log).name
    bench.link(name, log)
    return bench.run_json("swf", name, *options, "-o", "workload.json", "--header", "log-header.txt")


def generate(bench: Workbench, options: list[str]) -> dict[str, Any]:
    """Makes workload.json and, since there is no log, an empty log-header.txt; returns what there is to say of it."""
    bench.run("generate", *options, "-o", "workload.json")
    bench.path("log-header.txt").touch()
    jobs = read_json(str(bench.path("workload.json")))["jobs"]
    return {"log": None, "kept": len(jobs), "anomalies": []}


def main(job: Job) -> None:
    """Makes the machine's workload."""
    with Workbench(job.input.batfill) as bench:
        logs, options = job.input.logs, job.params.options
        conversion = convert(bench, logs[0], options) if logs else generate(bench, options)
        write_json(str(bench.path("conversion.json")), conversion)
        bench.keep("workload.json", job.output.workload)
        bench.keep("conversion.json", job.output.conversion)
        bench.keep("log-header.txt", job.output.header)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
