"""Job of rule `mixed_scaled`: a cover of weights for features that are all between 0 and 1. Beside seconds, processors
hardly count: with the features as they are, nearly all weights order jobs by estimate and wait alone."""
from itertools import product
from typing import Any, Iterator, Sequence

from common.files import read_json, write_json
from common.job import Job, run_job
from common.tables import read_csv, write_csv
from common.workbench import Workbench

ROUNDING = 1e-9
Scales = tuple[float, float, float]


def cover(points: int) -> Iterator[tuple[float, float, float]]:
    """Weights of q, p and wait whose absolute values sum to 1, as in `batfill tune --method cover`."""
    steps = [2 * index / (points - 1) - 1 for index in range(points)]
    for estimate, wait in product(steps, steps):
        rest = 1 - abs(estimate) - abs(wait)
        if rest > ROUNDING:
            yield from ((-rest, estimate, wait), (rest, estimate, wait))
        elif rest > -ROUNDING:
            yield (0.0, estimate, wait)


def scales(files: Sequence[str], threshold: int) -> Scales:
    """The processors of the machine, the longest estimate, and the threshold, which is the longest wait that counts."""
    estimates: list[float] = []
    processors = 0
    for file in files:
        workload = read_json(file)
        processors = workload["nb_res"]
        estimates += [job["walltime"] for job in workload["jobs"]]
    return processors, max(estimates), threshold


def write_policies(bench: Workbench, points: int, of: Scales, params: Any) -> list[str]:
    """A policy file for each of the weights; returns their names."""
    bench.path("policies").mkdir()
    names = []
    for number, weights in enumerate(cover(points)):
        names.append(f"policies/{number:05}.json")
        write_json(str(bench.path(names[-1])), {"algorithm": "easy", "params": {
            "order": "mixed", "backfill-order": params.backfill_order, "threshold": params.threshold,
            "weights": [weight / scale for weight, scale in zip(weights, of)] + [0, 0, 0]}})
    return names


def main(job: Job) -> None:
    """Finds w* and w*_train of a machine among the weights of such a cover."""
    with Workbench(job.input.batfill) as bench:
        bench.link("platform.xml", job.input.platform)
        workloads = bench.link_folder("workloads", job.input.workloads)
        of = scales([str(bench.path(workload)) for workload in workloads], job.params.threshold)
        policies = write_policies(bench, job.params.periods["scaled_points"], of, job.params)
        bench.run("compare", *policies, "-p", "platform.xml", "-o", "compare.csv", "--threads", str(job.threads),
                  "-w", *workloads)
        rows = [{name: float(value) for name, value in row.items()} for row in read_csv(str(bench.path("compare.csv")))]
        names = [name for name in rows[0] if name != "workload"]
        first, last = job.params.periods["training"]
        training = [row for row in rows if first <= row["workload"] <= last]
        trained = min(names, key=lambda name: sum(row[name] for row in training))
        write_csv(str(bench.path("scaled.csv")), [
            {"period": int(row["workload"]), "vectors": len(names), "w-star": min(row[name] for name in names),
             "w-train": row[trained]} for row in rows])
        bench.keep("scaled.csv", job.output.values)
        bench.keep(f"policies/{trained}.json", job.output.w_train)
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
