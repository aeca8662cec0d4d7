"""Job of rule `mixed_pure`: the mean bounded slowdown of each period under each pure policy, with each threshold."""
from common.job import Job, run_job
from common.tables import write_csv
from common.workbench import Workbench
from mixed_policies.replays import pure_policies


def main(job: Job) -> None:
    """Replays all periods of a machine under all pure policies."""
    with Workbench(job.input.batfill) as bench:
        bench.link("platform.xml", job.input.platform)
        workloads = bench.link_folder("workloads", job.input.workloads)
        write_csv(str(bench.path("pure.csv")), pure_policies(bench, workloads, job.params.settings, job.threads))
        bench.keep("pure.csv", job.output.values)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
