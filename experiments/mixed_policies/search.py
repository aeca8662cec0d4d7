"""Job of rules `mixed_cover` and `mixed_xnes`: the best weights for each period. Broken off, it goes on there."""
import shutil
from pathlib import Path
from typing import Any

from common.job import Job, run_job
from common.workbench import Workbench
from mixed_policies.replays import with_parameters


def scales_of(params: Any) -> list[tuple[str, float]]:
    """What the features are divided by that are weighed: the first ones."""
    features = int(params.search[params.search.index("--features") + 1])
    return list(params.scales.items())[:features]


def main(job: Job) -> None:
    """Searches the weights for all periods of a machine."""
    unfinished = Path(job.output.results).parent / "unfinished" / Path(job.output.results).stem
    with Workbench(job.input.batfill) as bench:
        bench.link("platform.xml", job.input.platform)
        workloads = bench.link_folder("workloads", job.input.workloads)
        bench.link_unfinished("search", str(unfinished))
        values = ["--values", "search/found_values.csv.gz"] if "values" in job.output.keys() else []
        scales = [word for name, scale in scales_of(job.params) for word in ("--scale", f"{name}={scale}")]
        bench.run("tune", *job.params.search, *scales, *values,
                  *with_parameters(job.params.parameters, job.params.threshold), "--tau", str(job.params.tau),
                  "-p", "platform.xml", "-o", "search/found", "--threads", str(job.threads), "-w", *workloads)
        for name, file in job.output.items():
            if name != "manifest":
                bench.keep(f"search/found_{name}.csv" + (".gz" if name == "values" else ""), file)
        bench.write_manifest(job.output.manifest)
    shutil.rmtree(unfinished)


if __name__ == "__main__":
    run_job(main)
