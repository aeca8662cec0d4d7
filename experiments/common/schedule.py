"""Job of rule `schedule`: replays a machine's workload with one algorithm and audits the schedule."""
from common.job import Job, run_job
from common.workbench import Workbench


def main(job: Job) -> None:
    """Makes one schedule."""
    replay = job.params.replay
    with Workbench(job.input.batfill, job.params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        bench.replay("platform.xml", "workload.json", replay["algorithm"], replay["parameters"], "schedule")
        bench.audit("schedule", "workload.json", "platform.xml")
        bench.keep("schedule_jobs.csv", job.output.jobs)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
