"""Job of rule `mixed_audit`: replays some policies of some periods with the engine, audits the schedules, and fails if
their mean bounded slowdown is not what the replays in memory have given."""
from typing import Any

from common.job import Job, JobError, run_job
from common.tables import read_csv, write_csv
from common.workbench import Workbench
from mixed_policies.cover import FEATURES

# The program prints ten digits of a metric.
DIGITS = 1e-8


def parameters(policy: str, weights: dict[str, str], params: Any) -> list[str]:
    """Of the algorithm `easy`."""
    order = ["order=mixed", f"weights={weights[policy]}"] if policy in weights else [f"order={policy}"]
    if policy in weights:
        order.append("scales=" + ",".join(str(params.scales[feature]) for feature in FEATURES))
    return [*order, *(f"{name}={value}" for name, value in params.parameters.items()), f"threshold={params.threshold}"]


def main(job: Job) -> None:
    """Audits every so many periods of a machine."""
    expected = {(row["policy"], int(row["period"])): float(row["value"]) for row in read_csv(job.input.policies)}
    rows = []
    with Workbench(job.input.batfill, job.params.engine) as bench:
        bench.link("platform.xml", job.input.platform)
        workloads = bench.link_folder("workloads", job.input.workloads)
        for workload in workloads[::job.params.every]:
            period = int(workload.split("/")[1].split(".")[0])
            weights = {row["policy"]: ",".join(row[one] for one in FEATURES)
                       for row in read_csv(job.input.weights) if row["period"] in ("", str(period))}
            for policy in job.params.policies:
                bench.replay("platform.xml", workload, "easy", parameters(policy, weights, job.params), "schedule")
                bench.audit("schedule", workload, "platform.xml")
                metrics = bench.metrics("schedule_jobs.csv", "-p", "platform.xml", "--tau", str(job.params.tau))
                value = float(metrics["mean_bounded_slowdown"])
                if abs(value - expected[policy, period]) > DIGITS * value:
                    raise JobError(f"{workload}: {policy} is {value} with the engine, "
                                   f"{expected[policy, period]} in memory")
                rows.append({"period": period, "policy": policy, "value": metrics["mean_bounded_slowdown"]})
        write_csv(str(bench.path("audit.csv")), rows)
        bench.keep("audit.csv", job.output.audit)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
