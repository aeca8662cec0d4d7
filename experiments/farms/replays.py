"""Job of rule `farms_replays`: one campaign draws farms, replays, audits and measures each with every scheduler of a
scenario."""
from itertools import groupby
from typing import Any, Mapping

from common.files import write_json
from common.job import Job, run_job
from common.tables import read_csv, write_csv
from common.workbench import Workbench


def campaign(draws: int, options: list[str], schedulers: Mapping[str, Any]) -> dict[str, Any]:
    """The campaign, with the draws' numbers as seeds."""
    settings = {name.removeprefix("--"): value for name, value in zip(options[::2], options[1::2])}
    return {
        "workloads": [{"generate": "farm", **settings, "sweep": {"seed": f"1..{draws}"}}],
        "schedulers": [
            {"name": name, "algorithm": replay["algorithm"],
             **dict(parameter.split("=", 1) for parameter in replay["parameters"])}
            for name, replay in schedulers.items()],
    }


def results_of(lines: list[dict[str, str]]) -> list[dict[str, str]]:
    """A line for each schedule, with a column for each metric that any of them has."""
    metrics = list(dict.fromkeys(line["metric"] for line in lines))
    runs = groupby(lines, key=lambda line: (line["workload.seed"], line["scheduler"]))
    return [{"draw": draw, "scheduler": scheduler, **dict.fromkeys(metrics, ""),
             **{line["metric"]: line["value"] for line in run}}
            for (draw, scheduler), run in runs]


def main(job: Job) -> None:
    """Makes the results of all draws of a scenario at one inter-arrival time."""
    scenario = job.params.scenario
    options = ["--interarrival", job.wildcards.interarrival, *scenario["options"]]
    with Workbench(job.input.batfill) as bench:
        write_json(str(bench.path("farms.yaml")), campaign(job.params.draws, options, scenario["schedulers"]))
        bench.run("campaign", "farms.yaml", "-o", "campaign", "--threads", "1")
        write_csv(str(bench.path("results.csv")), results_of(read_csv(str(bench.path("campaign/results.csv")))))
        bench.keep("results.csv", job.output.results)
        bench.keep("farms.yaml", job.output.campaign)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
