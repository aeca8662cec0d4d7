"""Job of rule `pc_dc_replay`: replays, audits and measures one schedule, compared with that of conservative."""
import resource

from common.job import Job, run_job
from common.tables import write_csv
from common.workbench import Workbench


def processor_seconds_so_far() -> float:
    """Of this job and all that it has run."""
    return sum(usage.ru_utime + usage.ru_stime
               for usage in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def main(job: Job) -> None:
    """Makes one schedule's line of results."""
    replay = job.params.replay
    with Workbench(job.input.batfill, job.params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        bench.link("conservative_jobs.csv.gz", job.input.baseline)
        done = bench.replay("platform.xml", "workload.json", replay["algorithm"], replay["parameters"], "schedule")
        bench.audit("schedule", "workload.json", "platform.xml")
        measured = bench.metrics("schedule_jobs.csv", "--baseline", "conservative_jobs.csv.gz", "-p", "platform.xml")
        write_csv(str(bench.path("results.csv")), [{
            **measured, "machine": job.params.machine, "reading": job.params.reading, "run": job.wildcards.run,
            "replay_wall_seconds": round(done.wall_seconds, 2),
            "replay_processor_seconds": round(done.processor_seconds, 2),
            "job_processor_seconds": round(processor_seconds_so_far(), 2),
        }])
        bench.keep("results.csv", job.output.results)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
