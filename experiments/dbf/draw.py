"""Job of rule `dbf_draw`: draws the deadline-driven jobs, replays them with dbf, audits and measures the schedule."""
from typing import Optional

import numpy

from common.job import Job, run_job
from common.tables import read_csv, write_csv
from common.workbench import Workbench

# An empirical distribution is kept at these levels: enough for a curve and for quartiles, and small for 200,000 jobs.
LEVELS = numpy.arange(0, 101) / 100


def counted_regular(per_job: list[dict[str, str]]) -> list[dict[str, str]]:
    """The regular jobs that count: those that wait in any run."""
    return [job for job in per_job if job["kind"] == "regular" and job["counted"] == "1"]


def started_at_once(regular: list[dict[str, str]], runs: list[str]) -> dict[str, int]:
    """How many jobs there are, and how many of them start without a wait in each run."""
    return {"counted_regular_jobs": len(regular),
            **{f"{run}_started_at_once": sum(float(job[f"{run}_wait"]) == 0 for job in regular) for run in runs}}


def distribution(regular: list[dict[str, str]], runs: list[str]) -> list[dict[str, Optional[float]]]:
    """Quantiles of the jobs' waits, in seconds; none if there are no jobs."""
    if not regular:
        return [dict.fromkeys(["level", *runs])]
    quantiles = {run: numpy.quantile([float(job[f"{run}_wait"]) for job in regular], LEVELS, method="inverted_cdf")
                 for run in runs}
    return [{"level": float(level), **{run: float(waits[place]) for run, waits in quantiles.items()}}
            for place, level in enumerate(LEVELS)]


def main(job: Job) -> None:
    """Makes one draw."""
    baselines = job.params.names
    share, draw, repair = int(job.wildcards.share), job.wildcards.draw, job.wildcards.repair
    with Workbench(job.input.batfill, job.params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        bench.link("workload.json", job.input.workload)
        for name, schedule in zip(baselines, job.input.schedules):
            bench.link(f"{name}_jobs.csv.gz", schedule)
        bench.run("deadlines", "workload.json", "-o", "deadlines.json", "--share", str(share / 100), "--seed", draw)
        replay = bench.replay("platform.xml", "deadlines.json", "dbf", [f"repair={repair}"], "dbf")
        bench.audit("dbf", "deadlines.json", "platform.xml")
        metrics = bench.run("metrics", *(f"{name}_jobs.csv.gz" for name in baselines), "dbf_jobs.csv",
                            "-w", "deadlines.json", "-p", "platform.xml", "--waited-in-any-run",
                            "--per-job", "per-job.csv", "--format", "csv")
        bench.path("metrics.csv").write_text(metrics, encoding="utf-8")
        regular, runs = counted_regular(read_csv(str(bench.path("per-job.csv")))), [*baselines, "dbf"]
        write_csv(str(bench.path("distribution.csv")), distribution(regular, runs))
        drawn = bench.path("deadlines.json").read_bytes().count(b'"deadline":')
        write_csv(str(bench.path("statistics.csv")), [
            {"drawn_jobs": drawn, **started_at_once(regular, runs), **replay.statistics}])
        bench.keep("metrics.csv", job.output.metrics)
        bench.keep("statistics.csv", job.output.statistics)
        bench.keep("distribution.csv", job.output.distribution)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
