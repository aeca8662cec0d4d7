"""Job of rule `mixed_variant`: what the pure policies give with other settings than the paper's."""
from typing import Any, Mapping

from common.job import Job, run_job
from common.tables import write_csv
from common.workbench import Workbench
from mixed_policies.replays import pure_policies
from mixed_policies.split import make_workloads


def lay_over(settings: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The settings with the changes, which name only what they change, at any depth."""
    return {**settings, **{name: lay_over(settings[name], change) if isinstance(change, Mapping) else change
                           for name, change in changes.items()}}


def main(job: Job) -> None:
    """Makes the weeks of a machine anew and replays them under all pure policies."""
    settings = lay_over({**job.params.settings, "weeks": job.params.periods}, job.params.changes)
    with Workbench(job.input.batfill) as bench:
        bench.link("platform.xml", job.input.platform)
        make_workloads(bench, job.input.logs, job.params.options, settings["weeks"])
        workloads = sorted(f"workloads/{file.name}" for file in bench.path("workloads").iterdir())
        write_csv(str(bench.path("variant.csv")), pure_policies(bench, workloads, settings, job.threads))
        bench.keep("variant.csv", job.output.values)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
