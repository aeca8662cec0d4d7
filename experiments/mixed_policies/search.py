"""Job of rules `mixed_cover` and `mixed_xnes`: the best weights for each period. Broken off, it goes on there."""
import shutil
from pathlib import Path

from common.job import Job, run_job
from common.workbench import Workbench


def main(job: Job) -> None:
    """Searches the weights for all periods of a machine."""
    unfinished = Path(job.output.results).parent / "unfinished" / "-".join(job.params.search).replace("--", "")
    with Workbench(job.input.batfill) as bench:
        bench.link("platform.xml", job.input.platform)
        workloads = bench.link_folder("workloads", job.input.workloads)
        bench.link_unfinished("search", str(unfinished))
        values = ["--values", "search/found_values.csv.gz"] if "values" in job.output.keys() else []
        bench.run("tune", *job.params.search, *values, "-P", f"backfill-order={job.params.backfill_order}",
                  "-P", f"threshold={job.params.threshold}", "-p", "platform.xml", "-o", "search/found",
                  "--threads", str(job.threads), "-w", *workloads)
        for name, file in job.output.items():
            if name != "manifest":
                bench.keep(f"search/found_{name}.csv" + (".gz" if name == "values" else ""), file)
        bench.write_manifest(job.output.manifest)
    shutil.rmtree(unfinished)


if __name__ == "__main__":
    run_job(main)
