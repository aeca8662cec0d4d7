"""Job of rule `dbf_timing`: what replays take, with dbf at every share and with the algorithms it is compared with."""
import statistics
from typing import Any

from common.job import Job, run_job
from common.tables import write_csv
from common.workbench import Replay, Workbench


def measured_replays(params: Any) -> dict[tuple[str, str], tuple[str, str, list[str]]]:
    """By name and share: workload, algorithm and parameters of the replays to measure."""
    replays = {("dbf", str(share)): (f"deadlines-{share}.json", "dbf", [f"repair={params.repair}"])
               for share in params.shares}
    for name, schedule in params.schedules.items():
        replays[name, ""] = ("workload.json", schedule["algorithm"], schedule["parameters"])
    return replays


def summary(key: tuple[str, str], replays: list[Replay]) -> dict[str, Any]:
    """A line of the result: medians of the replays of one kind."""
    return {
        "algorithm": key[0], "share": key[1], "runs": len(replays),
        "wall_seconds": round(statistics.median(replay.wall_seconds for replay in replays), 3),
        "processor_seconds": round(statistics.median(replay.processor_seconds for replay in replays), 3),
    }


def main(job: Job) -> None:
    """Runs all replays in turn, as often as told, so that a slow moment of the machine does not hit one alone."""
    params = job.params
    measured = measured_replays(params)
    taken: dict[tuple[str, str], list[Replay]] = {key: [] for key in measured}
    with Workbench(job.input.batfill, params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        for share in params.shares:
            bench.run("deadlines", "workload.json", "-o", f"deadlines-{share}.json", "--share", str(share / 100),
                      "--seed", "1")
        for _ in range(params.runs):
            for key, (workload, algorithm, parameters) in measured.items():
                taken[key].append(bench.replay("platform.xml", workload, algorithm, parameters, "out"))
        write_csv(str(bench.path("timing.csv")),
                  [{"machine": job.wildcards.machine, **summary(key, replays)} for key, replays in taken.items()])
        bench.keep("timing.csv", job.output.times)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
