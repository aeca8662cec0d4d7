"""Job of rule `rounds_replay`: replays a log with one policy, with either kind of rounds and with disturbed
submissions."""
import random
from pathlib import Path
from typing import Sequence

from common.files import read_json, write_json
from common.job import Job, run_job
from common.tables import read_csv, write_csv
from common.workbench import Workbench

SECOND = 1


def disturb(workload: Path, disturbed: Path, seed: int) -> None:
    """Writes the workload with each submission as it is or a second later, by the draws of this seed."""
    whole = read_json(str(workload))
    draws = random.Random(seed)
    for job in whole["jobs"]:
        job["subtime"] += SECOND * draws.getrandbits(1)
    whole["jobs"].sort(key=lambda job: (job["subtime"], job["id"]))
    write_json(str(disturbed), whole)


def starts(file: Path) -> dict[str, str]:
    """When each job started."""
    return {row["job_id"]: row["starting_time"] for row in read_csv(str(file))}


def measure(bench: Workbench, job: Job, workload: str, rounds: str, run: str) -> dict[str, object]:
    """One replay, audited, as a line of results."""
    parameters: Sequence[str] = [*job.params.parameters, f"rounds={rounds}"]
    bench.replay("platform.xml", workload, "easy", parameters, run)
    bench.audit(run, workload, "platform.xml")
    measured = bench.metrics(f"{run}_jobs.csv", "-p", "platform.xml")
    return {"run": run, "jobs": len(starts(bench.path(f"{run}_jobs.csv"))),
            **{name: measured[name] for name in ("mean_wait", "mean_bounded_slowdown")}}


def main(job: Job) -> None:
    """Makes the lines of one log and one policy."""
    with Workbench(job.input.batfill, job.params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        rows = [measure(bench, job, "workload.json", rounds, rounds) for rounds in ("instant", "event")]
        instant, event = (starts(bench.path(f"{rounds}_jobs.csv")) for rounds in ("instant", "event"))
        others = sum(start != event[name] for name, start in instant.items())
        for seed in range(1, job.params.disturbed + 1):
            disturb(bench.path("workload.json"), bench.path("disturbed.json"), seed)
            rows.append(measure(bench, job, "disturbed.json", "instant", f"disturbed-{seed}"))
        write_csv(str(bench.path("results.csv")),
                  [{**row, "other_starts": others if row["run"] == "event" else ""} for row in rows])
        bench.keep("results.csv", job.output.results)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
