"""Job of rule `pc_dc_replays`: replays, audits and measures all schedules of a workload, compared with
conservative's."""
import resource
from typing import Any

from common.job import Job, run_job
from common.tables import write_csv
from common.workbench import Workbench


def processor_seconds_so_far() -> float:
    """Of this job and all that it has run."""
    return sum(usage.ru_utime + usage.ru_stime
               for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def results_of(bench: Workbench, run: str, replay: dict[str, Any]) -> dict[str, object]:
    """One schedule's line of results. That of conservative is what the others are compared with, and the first."""
    before = processor_seconds_so_far()
    done = bench.replay("platform.xml", "workload.json", replay["algorithm"], replay["parameters"], run)
    bench.audit(run, "workload.json", "platform.xml")
    measured = bench.metrics(f"{run}_jobs.csv", "--baseline", "conservative_jobs.csv", "-p", "platform.xml")
    if run != "conservative":
        bench.path(f"{run}_jobs.csv").unlink(missing_ok=True)
    return {
        **measured, "replay_wall_seconds": round(done.wall_seconds, 2),
        "replay_processor_seconds": round(done.processor_seconds, 2),
        "job_processor_seconds": round(processor_seconds_so_far() - before, 2),
    }


def main(job: Job) -> None:
    """Makes a workload's lines of results."""
    with Workbench(job.input.batfill, job.params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        write_csv(str(bench.path("results.csv")), [
            {**results_of(bench, run, replay), "machine": job.params.machine, "reading": job.params.reading, "run": run}
            for run, replay in job.params.runs.items()])
        bench.keep("results.csv", job.output.results)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
