"""Job of rule `pc_dc_count`: how many events of the profile a plain form of the algorithm examines in a replay."""
from common.job import Job, run_job
from common.tables import write_csv
from common.workbench import Workbench

STATISTICS = ("compressions", "moves", "profile_events", "profile_starts_and_ends", "profile_starts_and_ends_anew")


def main(job: Job) -> None:
    """Counts in one replay."""
    replay = job.params.replay
    with Workbench(job.input.batfill, job.params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        done = bench.replay("platform.xml", "workload.json", replay["algorithm"],
                            [*replay["parameters"], "count-events=yes"], "schedule")
        bench.audit("schedule", "workload.json", "platform.xml")
        write_csv(str(bench.path("results.csv")), [{
            "machine": job.params.machine, "reading": job.params.reading, "run": job.wildcards.run,
            "replay_processor_seconds": round(done.processor_seconds, 2),
            **{name: done.statistics.get(name, "") for name in STATISTICS},
        }])
        bench.keep("results.csv", job.output.results)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
