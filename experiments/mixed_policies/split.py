"""Job of rule `mixed_split`: a workload for each week or month of a log, or drawn where there is no folder of logs."""
from pathlib import Path
from typing import Any, Optional

from common.files import read_json, write_json
from common.job import Job, run_job
from common.workbench import Workbench


def split(bench: Workbench, log: str, options: list[str], periods: dict[str, Any]) -> dict[str, Any]:
    """Makes workloads/001.json, ... of the periods after those that are skipped; returns what the converter says."""
    name = Path(log).name
    bench.link(name, log)
    conversion = bench.run_json(
        "swf", name, *options, "--split", str(periods["days"]), "--skip", str(periods["skip"]),
        "--periods", str(periods["count"]), "-o", "split")
    bench.path("workloads").mkdir()
    for file in bench.path("split").iterdir():
        number = int(file.stem.rsplit("-", 1)[1]) - periods["skip"]
        file.rename(bench.path(f"workloads/{number:03}.json"))
    return {**conversion, "whole": whole_log(bench, name, options, periods)}


def whole_log(bench: Workbench, log: str, options: list[str], periods: dict[str, Any]) -> Optional[dict[str, Any]]:
    """What there is from the first period that is not skipped to the last whole one, periods apart: Table 1."""
    if "whole" not in periods:
        return None
    seconds = 86400 * periods["days"]
    counted = bench.run_json("swf", log, *options, "--from", str(periods["skip"] * seconds), "--until",
                             str(periods["whole"] * seconds), "-o", "whole.json")
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


def main(job: Job) -> None:
    """Makes the workloads of one machine."""
    logs, options, periods = job.input.logs, job.params.options, job.params.periods
    with Workbench(job.input.batfill) as bench:
        conversion = split(bench, logs[0], options, periods) if logs else generate(bench, options, periods)
        write_json(str(bench.path("split.json")), conversion)
        Path(job.output.workloads).mkdir(parents=True, exist_ok=True)
        for file in sorted(bench.path("workloads").iterdir()):
            bench.keep(f"workloads/{file.name}", f"{job.output.workloads}/{file.name}")
        bench.keep("split.json", job.output.conversion)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
