"""Job of rule `farms_replays`: draws farms, replays, audits and measures each with every scheduler of a scenario."""
from typing import Any, Mapping

from common.job import Job, run_job
from common.tables import write_csv
from common.workbench import Workbench


def measure_draw(bench: Workbench, draw: int, options: list[str],
                 schedulers: Mapping[str, Any]) -> list[dict[str, object]]:
    """A line of results for each scheduler, of the farm that is drawn with the draw's number as seed."""
    workload, platform = f"farm-{draw}.json", f"farm-{draw}.xml"
    bench.run("generate", "farm", "--seed", str(draw), *options, "-o", workload, "--platform", platform)
    results: list[dict[str, object]] = []
    for scheduler, replay in schedulers.items():
        prefix = f"{scheduler}-{draw}"
        bench.replay(platform, workload, replay["algorithm"], replay["parameters"], prefix)
        bench.audit(prefix, workload, platform)
        measured = bench.metrics(f"{prefix}_jobs.csv", "-w", workload, "-p", platform)
        results.append({"draw": draw, "scheduler": scheduler, **measured})
    return results


def main(job: Job) -> None:
    """Makes the results of all draws of a scenario at one inter-arrival time."""
    scenario = job.params.scenario
    options = ["--interarrival", job.wildcards.interarrival, *scenario["options"]]
    with Workbench(job.input.batfill, job.params.engine) as bench:
        write_csv(str(bench.path("results.csv")), [
            line for draw in range(1, job.params.draws + 1)
            for line in measure_draw(bench, draw, options, scenario["schedulers"])])
        bench.keep("results.csv", job.output.results)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
