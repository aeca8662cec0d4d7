"""Job of rule `mixed_pure`: the mean bounded slowdown of each period under each pure policy, with one threshold."""
import re

from common.job import Job, run_job
from common.tables import read_csv, write_csv
from common.workbench import Workbench


def main(job: Job) -> None:
    """Replays all periods of a machine under all pure policies."""
    with Workbench(job.input.batfill) as bench:
        bench.link("platform.xml", job.input.platform)
        workloads = bench.link_folder("workloads", job.input.workloads)
        threshold = "" if job.wildcards.threshold == "none" else f",threshold={job.wildcards.threshold}"
        schedulers = [f"easy,order={order},backfill-order={job.params.backfill_order}{threshold}"
                      for order in job.params.orders]
        bench.run("compare", *schedulers, "-p", "platform.xml", "-o", "compare.csv", "--threads", str(job.threads),
                  "-w", *workloads)
        orders = {scheduler: re.search("order=([a-z]+)", scheduler) for scheduler in schedulers}
        write_csv(str(bench.path("pure.csv")), [
            {"period": int(row["workload"]), "policy": order[1], "value": row[scheduler]}
            for row in read_csv(str(bench.path("compare.csv"))) for scheduler, order in orders.items() if order])
        bench.keep("pure.csv", job.output.values)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
