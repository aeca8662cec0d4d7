"""Job of rule `shared_hosts_drawn`: draws jobs and replays them on counted cores, on hosts that they share, and with a
burst buffer that is planned or not."""
import json
import random
from math import fsum
from typing import AbstractSet, Any, Mapping, Sequence

from common.files import read_json
from common.job import Job, run_job
from common.tables import write_csv
from common.workbench import Workbench
from shared_hosts.demand import UNPLANNED, amount_of, large_jobs, offered, schedule_of

POOL = "burst_buffer"
# Platform, workload, parameters and options of a replay.
Way = tuple[str, str, Sequence[str], Sequence[str]]


def give_pool(workload: Mapping[str, Any], settings: Mapping[str, Any], seed: int) -> None:
    """Gives some jobs an amount of the pool for each of their hosts. The draws depend on `seed` alone: Python's
    `random.random()` gives the same numbers everywhere."""
    source = random.Random(seed)
    for job in workload["jobs"]:
        if source.random() < settings["share"]:
            for_each = settings["least"] + int(source.random() * (settings["most"] - settings["least"] + 1))
            job["pools"] = {POOL: for_each * job["res"]}


def ways(settings: Mapping[str, Any]) -> dict[str, Way]:
    """The replays of a draw by their names."""
    capacity = settings["capacity"]
    hosts = str(settings["hosts"])
    shared = ["--capacity", ",".join(f"{name}:{amount}" for name, amount in capacity.items())]
    with_pool = [*shared, "--pool", f"{POOL}={settings['pool']['total']}"]
    return {"counted": (str(settings["hosts"] * capacity["cores"]), "counted.json", [], []),
            "hosts": (hosts, "shared.json", [], shared),
            "planned": (hosts, "shared.json", [], with_pool),
            "unplanned": (hosts, "shared.json", UNPLANNED, with_pool)}


def loads(workload: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, float]:
    """The offered load of each amount of the hosts, and of the pool. Jobs without `per_host` take whole hosts."""
    capacity = settings["capacity"]
    found: dict[str, float] = {
        name: offered(workload, {job["id"]: job["res"] * job.get("per_host", capacity).get(name, 0)
                                 for job in workload["jobs"]}, settings["hosts"] * total)
        for name, total in capacity.items()}
    amounts = {job["id"]: amount_of(job, POOL) for job in workload["jobs"]}
    return {**found, POOL: offered(workload, amounts, settings["pool"]["total"])}


def mean_wait(schedule: Sequence[Mapping[str, str]], jobs: AbstractSet[str]) -> float:
    """The mean wait of these jobs, seconds. At least one of them is in the schedule."""
    waits = [float(line["waiting_time"]) for line in schedule if line["job_id"] in jobs]
    return fsum(waits) / len(waits)


def draw(bench: Workbench, settings: Mapping[str, Any], load: float, seed: int) -> Mapping[str, Any]:
    """Makes `shared.json`, and `counted.json` with the same jobs for processors; returns the first."""
    capacity = [word for name, amount in settings["capacity"].items() for word in (f"--{name}", str(amount))]
    bench.run("generate", "shared", "--jobs", str(settings["jobs"]), "--seed", str(seed), "--load", str(load),
              "--hosts", str(settings["hosts"]), *capacity, "--widest", str(settings["widest"]), "-o", "shared.json",
              "--counted", "counted.json")
    workload = read_json(str(bench.path("shared.json")))
    give_pool(workload, settings["pool"], seed)
    bench.path("shared.json").write_text(json.dumps(workload), encoding="utf-8")
    return workload


def main(job: Job) -> None:
    """Makes the lines of the machine with one load."""
    settings = job.params.settings
    rows: list[dict[str, object]] = []
    with Workbench(job.input.batfill) as bench:
        for seed in range(1, settings["draws"] + 1):
            workload = draw(bench, settings, settings["loads"][job.wildcards.drawn], seed)
            large = large_jobs(workload, POOL, settings["pool"]["total"])
            of_draw: dict[str, object] = {
                "draw": seed, "jobs": len(workload["jobs"]),
                "with_pool": sum("pools" in one for one in workload["jobs"]), "large": len(large),
                **{f"load_of_{name}": load for name, load in loads(workload, settings).items()}}
            for algorithm in job.params.algorithms:
                for name, (platform, file, parameters, options) in ways(settings).items():
                    bench.simulate(platform, file, algorithm, parameters, name, options)
                    bench.audit(name, file, platform, options)
                    schedule = schedule_of(bench, name)
                    measured = bench.metrics(f"{name}_jobs.csv")
                    rows.append({"algorithm": algorithm, "way": name, **of_draw, "wait": measured["mean_wait"],
                                 "bounded_slowdown": measured["mean_bounded_slowdown"],
                                 "wait_of_large": mean_wait(schedule, large)})
        write_csv(str(bench.path("draws.csv")), rows)
        bench.keep("draws.csv", job.output.results)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
