"""Job of rule `mixed_split`: a workload for each week or month of a log, or drawn where there is no folder of logs."""
from pathlib import Path
from typing import Any, Optional

from common.files import read_json, write_json
from common.job import Job, run_job
from common.workbench import Workbench


def split(bench: Workbench, log: str, options: list[str], periods: dict[str, Any]) -> dict[str, Any]:
    """Makes workloads/001.json, ... of the periods after those that are skipped; returns what the converter says."""
    conversion = bench.run_json(
        "swf", log, *options, "--count-from", "first-job", "--split", str(periods["days"]),
        "--skip", str(periods["skip"]), "--crossing", periods["crossing"], "--periods", str(periods["count"]),
        "-o", "split")
    bench.path("workloads").mkdir()
    for file in bench.path("split").iterdir():
        number = int(file.stem.rsplit("-", 1)[1]) - periods["skip"]
        file.rename(bench.path(f"workloads/{number:03}.json"))
    return conversion


def table_1(bench: Workbench, log: str, options: list[str], periods: dict[str, Any]) -> Optional[dict[str, Any]]:
    """What there is of the periods that the paper's Table 1 counts, with the jobs that cross their ends."""
    if "table_1" not in periods:
        return None
    seconds = 86400 * periods["days"]
    first, last = periods["table_1"]
    counted = bench.run_json("swf", log, *options, "--from", str((first - 1) * seconds), "--until",
                             str(last * seconds), "-o", "whole.json")
    jobs = read_json(str(bench.path("whole.json")))
    run_times = [jobs["profiles"][job["profile"]]["delay"] for job in jobs["jobs"]]
    return {"jobs": counted["kept"], "mean_run_time": sum(run_times) / len(run_times),
            "mean_size": sum(job["res"] for job in jobs["jobs"]) / len(run_times)}


def generate(bench: Workbench, options: list[str], periods: dict[str, Any]) -> dict[str, Any]:
    """Draws the periods with seeds 1, 2, ...; returns what there is to say of them."""
    bench.path("workloads").mkdir()
    for number in range(1, periods["count"] + 1):
        bench.run("generate", *options, "--jobs", str(periods["jobs"]), "--seed", str(number),
                  "-o", f"workloads/{number:03}.json")
    return {"log": None, "kept": periods["count"] * periods["jobs"], "dropped": []}


def make_workloads(bench: Workbench, logs: list[str], options: list[str], periods: dict[str, Any]) -> dict[str, Any]:
    """Makes workloads/001.json, ... from the only log or, without one, by drawing them."""
    if not logs:
        return generate(bench, options, periods)
    name = Path(logs[0]).name
    bench.link(name, logs[0])
    return {**split(bench, name, options, periods), "table_1": table_1(bench, name, options, periods)}


def main(job: Job) -> None:
    """Makes the workloads of one machine."""
    with Workbench(job.input.batfill) as bench:
        conversion = make_workloads(bench, job.input.logs, job.params.options, job.params.periods)
        write_json(str(bench.path("split.json")), conversion)
        Path(job.output.workloads).mkdir(parents=True, exist_ok=True)
        for file in sorted(bench.path("workloads").iterdir()):
            bench.keep(f"workloads/{file.name}", f"{job.output.workloads}/{file.name}")
        bench.keep("split.json", job.output.conversion)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
