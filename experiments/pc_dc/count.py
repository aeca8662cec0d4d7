"""Job of rule `pc_dc_count`: how many events of the profile plain forms of the algorithms examine in a workload."""
from common.job import Job, run_job
from common.tables import write_csv
from common.workbench import Workbench

STATISTICS = ("compressions", "moves", "profile_events", "profile_starts_and_ends", "profile_starts_and_ends_anew")


def main(job: Job) -> None:
    """Counts in the replays of one workload."""
    with Workbench(job.input.batfill, job.params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        rows = []
        for run, replay in job.params.runs.items():
            done = bench.replay("platform.xml", "workload.json", replay["algorithm"],
                                [*replay["parameters"], "count-events=yes"], run)
            bench.audit(run, "workload.json", "platform.xml")
            rows.append({"machine": job.params.machine, "reading": job.params.reading, "run": run,
                         "replay_processor_seconds": round(done.processor_seconds, 2),
                         **{name: done.statistics.get(name, "") for name in STATISTICS}})
            bench.path(f"{run}_jobs.csv").unlink(missing_ok=True)
        write_csv(str(bench.path("results.csv")), rows)
        bench.keep("results.csv", job.output.results)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
