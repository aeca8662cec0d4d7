"""Job of rule `mixed_policies_of`: every policy's value in every period of a machine, and the weights of mixed ones."""
import math
from typing import Any, Mapping, Sequence

from common.files import write_json
from common.job import Job, JobError, run_job
from common.tables import read_csv, write_csv
from common.workbench import Workbench
from mixed_policies.cover import FEATURES, Cover, Weights
from mixed_policies.period_values import Values, read_values

# The pure policies that are in a cover with an odd number of points, and the weights of q, p and wait that they are
# with features as they are.
CORNERS = {"spf": (0, -1, 0), "lpf": (0, 1, 0), "lcfs": (0, 0, -1), "fcfs": (0, 0, 1), "sqf": (-1, 0, 0),
           "lqf": (1, 0, 0)}
# Sums of the same numbers in another order may differ by this.
ROUNDING = 1e-9


def require_corners(cover: Cover, pure: Values, scales: Mapping[str, float]) -> None:
    """Fails unless weights of scaled features that are a pure policy have its values."""
    for policy, corner in CORNERS.items():
        signs = [math.copysign(1, scales.get(feature, 1)) for feature in FEATURES]
        weights = tuple(sign * weight for sign, weight in zip(signs, (*corner, 0, 0, 0)))
        if weights not in cover.weights:
            continue
        index = cover.weights.index(weights)
        for period in cover.periods:
            if cover.value(period, index) != pure[policy][period]:
                raise JobError(f"period {period}: {policy} is {pure[policy][period]}, "
                               f"but {cover.value(period, index)} as weights")


def train(cover: Cover, training: Sequence[int]) -> int:
    """Index of the weights with the smallest sum over the training periods."""
    first, last = training
    return cover.best(period for period in cover.periods if first <= period <= last)


def write_policy(file: str, weights: Weights, params: Any) -> None:
    """A policy file, as `batfill tune` writes them."""
    write_json(file, {"algorithm": "easy", "params": {
        "order": "mixed", **params.parameters, "threshold": params.threshold,
        "scales": [params.scales[feature] for feature in FEATURES], "weights": list(weights)}})


def replay_trained(bench: Workbench, job: Job, cover: Cover, trained: int) -> dict[int, float]:
    """The values of w*_train when replayed from its policy file; fails if they are not those of the cover."""
    workloads = bench.link_folder("workloads", job.input.workloads)
    bench.run("compare", "w-train.json", "-p", "platform.xml", "-o", "compare.csv", "--tau", str(job.params.tau),
              "--threads", str(job.threads), "-w", *workloads)
    values = {int(row["workload"]): float(row["w-train"]) for row in read_csv(str(bench.path("compare.csv")))}
    for period, value in values.items():
        if abs(value - cover.value(period, trained)) > ROUNDING * value:
            raise JobError(f"period {period}: w*_train is {value}, but {cover.value(period, trained)} in the cover")
    return values


def greedy_values(cover: Cover) -> dict[int, float]:
    """Of the best weights of the period before; none where there is no such period."""
    best = {period: cover.best([period]) for period in cover.periods}
    return {period: cover.value(period, best[period - 1]) for period in best if period - 1 in best}


def of_raw_features(file: str, training: Sequence[int]) -> Values:
    """w* and w*_train of a cover of features as they are."""
    cover = Cover(file)
    trained = train(cover, training)
    return {"w-star-raw": {period: min(cover.values(period)) for period in cover.periods},
            "w-train-raw": {period: cover.value(period, trained) for period in cover.periods}}


def found(name: str, file: str) -> tuple[list[dict[str, Any]], dict[int, float]]:
    """What a search of its own for each period has found: lines for weights.csv, and values."""
    rows = read_csv(file)
    lines = [{"policy": name, "period": int(row["workload"]), "value": row["value"],
              **{feature: row[f"w_{feature}"] for feature in FEATURES}} for row in rows]
    return lines, {int(row["workload"]): float(row["value"]) for row in rows}


def main(job: Job) -> None:
    """Brings together what the steps before have found."""
    cover = Cover(job.input.cover)
    values = read_values(job.input.pure, threshold=str(job.params.threshold))
    require_corners(cover, values, job.params.scales)
    for raw in job.input.raw:
        values.update(of_raw_features(raw, job.params.training))
    values["w-greedy"] = greedy_values(cover)
    trained = train(cover, job.params.training)
    weights: list[dict[str, Any]] = [
        {"policy": "w-train", "period": "", "value": sum(cover.value(period, trained) for period in cover.periods),
         **dict(zip(FEATURES, cover.weights[trained]))}]
    with Workbench(job.input.batfill) as bench:
        bench.link("platform.xml", job.input.platform)
        write_policy(str(bench.path("w-train.json")), cover.weights[trained], job.params)
        values["w-train"] = replay_trained(bench, job, cover, trained)
        for name, file in zip(["w-star", *job.params.searches], [job.input.best, *job.input.searches]):
            lines, values[name] = found(name, file)
            weights += lines
        write_csv(str(bench.path("policies.csv")), [
            {"machine": job.wildcards.machine, "period": period, "policy": policy, "value": value}
            for policy, of_periods in values.items() for period, value in sorted(of_periods.items())])
        write_csv(str(bench.path("weights.csv")), weights)
        for name in ("policies.csv", "weights.csv", "w-train.json"):
            bench.keep(name, str(job.output[name.split(".", maxsplit=1)[0].replace("-", "_")]))
        bench.write_manifest(job.output.manifest)


if __name__ == "__main__":
    run_job(main)
