"""Job of rule `dbf_closer`: one draw in which conservative backfilling is replaced by each of its variants, and the
load of the machine when those jobs were submitted that missed their deadlines."""
from typing import Any, Mapping, Sequence

import numpy

from common.files import read_json
from common.job import Job, run_job
from common.tables import read_csv, write_csv
from common.workbench import Workbench

MEASURED = ("mean_wait_regular", "mean_stretch_regular", "max_stretch_regular", "regular_jobs")


def load_over_time(jobs: Sequence[Mapping[str, str]]) -> tuple[Any, Any]:
    """The instants at which the processors that waiting and running jobs ask for change, and how many they are from
    each on."""
    asked = numpy.array([float(job["requested_number_of_resources"]) for job in jobs])
    submitted = numpy.array([float(job["submission_time"]) for job in jobs])
    ended = numpy.array([float(job["finish_time"]) for job in jobs])
    instants, place = numpy.unique(numpy.concatenate([submitted, ended]), return_inverse=True)
    changes = numpy.bincount(place, weights=numpy.concatenate([asked, -asked]))
    return instants, numpy.cumsum(changes)


def missed_under_load(jobs: Sequence[Mapping[str, str]], deadlines: Mapping[str, float]) -> dict[str, float]:
    """How many jobs ended after their deadlines, and how many of these were submitted while the processors asked for,
    before their own, were more than on the average of the time."""
    instants, load = load_over_time(jobs)
    mean = float(numpy.average(load[:-1], weights=numpy.diff(instants)))
    missed = [float(job["submission_time"]) for job in jobs
              if float(job["finish_time"]) > deadlines.get(job["job_id"], numpy.inf)]
    before = numpy.searchsorted(instants, missed) - 1
    heavy = sum(place >= 0 and load[place] > mean for place in before)
    return {"missed": len(missed), "missed_submitted_under_heavy_load": int(heavy), "mean_processors_asked_for": mean}


def main(job: Job) -> None:
    """Makes one draw."""
    params = job.params
    first, replaced = params.compared
    with Workbench(job.input.batfill, params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        for name, schedule in zip(params.names, job.input.schedules):
            bench.link(f"{name}_jobs.csv.gz", schedule)
        bench.run("deadlines", "workload.json", "-o", "deadlines.json", "--share", str(params.share / 100), "--seed",
                  job.wildcards.draw)
        bench.replay("platform.xml", "deadlines.json", "dbf", [f"repair={params.repair}"], "dbf")
        bench.audit("dbf", "deadlines.json", "platform.xml")
        rows = []
        for variant in (name for name in params.names if name != first):
            printed = bench.run("metrics", f"{first}_jobs.csv.gz", f"{variant}_jobs.csv.gz", "dbf_jobs.csv",
                                "-w", "deadlines.json", "--waited-in-any-run", "--format", "csv")
            bench.path("metrics.csv").write_text(printed, encoding="utf-8")
            rows += [{"in_place_of": replaced, "variant": variant, "run": run["run"],
                      **{metric: run[metric] for metric in MEASURED}}
                     for run in read_csv(str(bench.path("metrics.csv")))]
        write_csv(str(bench.path("compressions.csv")), rows)
        deadlines = {one["id"]: one["deadline"] for one in read_json(str(bench.path("deadlines.json")))["jobs"]
                     if "deadline" in one}
        jobs = [one for one in read_csv(str(bench.path("dbf_jobs.csv"))) if one["final_state"] != "REJECTED"]
        write_csv(str(bench.path("missed.csv")), [missed_under_load(jobs, deadlines)])
        bench.keep("compressions.csv", job.output.compressions)
        bench.keep("missed.csv", job.output.missed)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
