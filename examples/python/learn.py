"""Learns to schedule: evolution strategies on a small network that scores each waiting job, in NumPy alone.

    python learn.py [--log NAME=FILE]... [--rule easy|kept]... [--seeds 1,2,...] [--output FOLDER]

The agent picks the job with the largest score (batfill.gym.PickEnv). It learns on sequences of 256 jobs from the first
half of a log, and is tested on sequences of 1,024 jobs from the second half. A log is in the Standard Workload Format;
without one, the program generates a workload. Rule `easy` picks anew in each round; `kept` keeps a picked job first
until it starts, as RLScheduler's program does. Other jobs are backfilled under both.

Writes curve.csv (progress), results.csv (the agents), heuristics.csv (the orders of `easy` on the same sequences) and
made.json (settings, versions and hashes of the logs) to FOLDER. Equal seeds give equal files. Takes about a minute of a
core for a log, rule and seed.
"""

import argparse
import csv
import hashlib
import json
import math
import multiprocessing
import os
from pathlib import Path

import numpy

import batfill
from batfill.gym import PickEnv, VectorPickEnv
from batfill.rlscheduler import Log

LEARNED_JOBS, TESTED_JOBS, TESTS = 256, 1024, 10
PUBLISHED = [1981, 2756, 4299, 8850, 3316, 2714, 5228, 7762, 4022, 7085]  # the sequences of RLScheduler's paper
POPULATION, EPISODES, GENERATIONS, CHOICE = 64, 4, 80, 5
HIDDEN, FEATURES = 16, 8
SIGMA, RATE = 0.3, 0.1
RULES = {
    "easy": {},
    "kept": {"head": "kept", "extra": "none", "rounds": "strict-event"},
}
ORDERS = (
    "fcfs lcfs spf lpf sqf lqf saf laf lexp sexp lrf srf wfp3 unicef f1 f2 f3 f4".split()
)


class Network:
    """Scores jobs by their features and those of the machine; `weights` has a row per network."""

    size = FEATURES + FEATURES * HIDDEN + HIDDEN + HIDDEN

    def __init__(self, weights):
        count = len(weights)
        parts = numpy.split(weights.astype(numpy.float32), numpy.cumsum([FEATURES, FEATURES * HIDDEN, HIDDEN]), axis=1)
        self.linear = parts[0].reshape(count, FEATURES, 1)
        self.inner = parts[1].reshape(count, FEATURES, HIDDEN)
        self.bias = parts[2].reshape(count, 1, HIDDEN)
        self.outer = parts[3].reshape(count, HIDDEN, 1)

    def picks(self, jobs, machine, masks):
        """The places of the jobs with the largest scores, one per network."""
        seen = max(int(masks.sum(axis=1).max()), 1)
        inputs = numpy.empty((len(jobs), seen, FEATURES), numpy.float32)
        inputs[:, :, :4] = jobs[:, :seen, :4]
        inputs[:, :, 4:] = machine[:, None, :]
        scores = inputs @ self.linear + numpy.tanh(inputs @ self.inner + self.bias) @ self.outer
        return numpy.where(masks[:, :seen], scores[:, :, 0], -numpy.inf).argmax(axis=1)


def play_together(env, network, episode):
    """The mean bounded slowdown of each network on the same episode."""
    jobs, machine, masks = env.reset(episode=episode)
    total, playing = numpy.zeros(env.count), numpy.ones(env.count, bool)
    while playing.any():
        jobs, machine, rewards, dones, masks = env.step(network.picks(jobs, machine, masks))
        total -= numpy.where(playing, rewards, 0)
        playing &= ~dones
    return total


def play(env, network, episode):
    """The mean bounded slowdown of one network."""
    observation, info = env.reset(options={"episode": episode})
    total, ended = 0.0, False
    while not ended:
        action = network.picks(observation["jobs"][None], observation["machine"][None], info["action_mask"][None])[0]
        observation, reward, ended, _, info = env.step(action)
        total -= reward
    return total


class Learner:
    """Evolution strategies with Adam: the mean moves towards the variations that are better on the same episodes."""

    def __init__(self, workload, rule, seed, generations):
        head = "kept" if rule == "kept" else "best"
        self.generations = generations
        self.random = numpy.random.default_rng(seed)
        self.env = VectorPickEnv(POPULATION, workload, window=LEARNED_JOBS, head=head, threads=1, seed=seed)
        self.last = len(workload) // 2 - LEARNED_JOBS
        self.mean, self.moment, self.square = numpy.zeros((3, Network.size))

    def advance(self, generation):
        """Learns from the episodes of one generation."""
        half = self.random.standard_normal((POPULATION // 2, Network.size))
        noise = numpy.concatenate([half, -half])
        network = Network(self.mean + SIGMA * noise)
        episodes = self.random.integers(0, self.last, EPISODES)
        slowdowns = [play_together(self.env, network, int(episode)) for episode in episodes]
        cost = numpy.log(slowdowns).mean(axis=0)
        ranks = numpy.argsort(numpy.argsort(cost, kind="stable"), kind="stable") / (POPULATION - 1) - 0.5
        gradient = noise.T @ ranks / POPULATION
        self.moment = 0.9 * self.moment + 0.1 * gradient
        self.square = 0.99 * self.square + 0.01 * gradient**2
        direction = self.moment / (1 - 0.9**generation)
        scale = numpy.sqrt(self.square / (1 - 0.99**generation)) + 1e-8
        self.mean = self.mean - RATE * (1 - generation / (self.generations + 1)) * direction / scale


def sequences(jobs):
    """The first jobs of the sequences on which the best weights are chosen, and of those of the test."""
    half = jobs // 2
    return (
        [int(first) for first in numpy.linspace(0, half - TESTED_JOBS, TESTS)],
        [int(first) for first in numpy.linspace(half, jobs - TESTED_JOBS, TESTS)],
    )


def learn(task):
    """Learns one agent and tests it; returns lines of its progress, and one of its result."""
    name, path, rule, seed, generations = task
    workload = read(path)
    chosen_on, tested_on = sequences(len(workload))
    env = PickEnv(workload, window=TESTED_JOBS, head="kept" if rule == "kept" else "best")

    def mean_slowdown(weights, firsts):
        network = Network(weights[None])
        return float(numpy.mean([play(env, network, first) for first in firsts]))

    learner = Learner(workload, rule, seed, generations)
    best, best_weights = math.inf, learner.mean
    progress = []
    for generation in range(generations + 1):
        if generation > 0:
            learner.advance(generation)
        if generation % CHOICE == 0:
            now = mean_slowdown(learner.mean, chosen_on)
            if now < best:
                best, best_weights = now, learner.mean
            progress.append({"log": name, "rule": rule, "seed": seed, "generation": generation, "slowdown": now,
                             "best": best})
    result = {"log": name, "rule": rule, "seed": seed, "chosen": best,
              "tested": mean_slowdown(best_weights, tested_on)}
    if len(workload) >= max(PUBLISHED) + TESTED_JOBS:
        result["published"] = mean_slowdown(best_weights, PUBLISHED)
    return progress, result


def read(path):
    """The jobs of a log, or of a generated workload without one. Walltimes stop no job."""
    if path is not None:
        return Log(path).workload
    return batfill.Workload.lublin(jobs=10000, processors=256, seed=1, load=0.9)


def heuristics(name, path, rule):
    """A line for each order of `easy`: its mean bounded slowdown on the same sequences."""
    workload = read(path)
    columns = workload.jobs
    by_submission = numpy.argsort(columns["submit"], kind="stable")
    sets = dict(zip(("chosen", "tested"), sequences(len(workload))))
    if len(workload) >= max(PUBLISHED) + TESTED_JOBS:
        sets["published"] = PUBLISHED
    lines = [{"log": name, "rule": rule, "order": order} for order in ORDERS]
    for key, firsts in sets.items():
        parts = []
        for first in firsts:
            jobs = by_submission[first : first + TESTED_JOBS]
            table = {column: columns[column][jobs] for column in ("submit", "processors", "walltime", "run_time")}
            parts.append(batfill.Workload.from_dataframe(
                table, processors=workload.processors, walltimes="believed" if path else "enforced"))
        for line in lines:
            runs = [batfill.simulate(part, None, "easy", order=line["order"], **RULES[rule]) for part in parts]
            line[key] = float(numpy.mean([run.metrics()["mean_bounded_slowdown"] for run in runs]))
    return lines


def write(folder, name, lines):
    """Writes a table; the file appears whole."""
    columns = list(dict.fromkeys(column for line in lines for column in line))
    unfinished = folder / f".{name}"
    with unfinished.open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    unfinished.replace(folder / name)


def settings(logs, rules, seeds, generations):
    """What the tables were made of."""
    return {
        "batfill": batfill.__version__,
        "numpy": numpy.__version__,
        "settings": {
            "rules": rules, "seeds": seeds, "generations": generations, "population": POPULATION, "episodes": EPISODES,
            "jobs": LEARNED_JOBS, "chosen_every": CHOICE, "hidden": HIDDEN, "sigma": SIGMA, "rate": RATE,
            "tested_jobs": TESTED_JOBS, "tests": TESTS, "published": PUBLISHED,
        },
        "inputs": {name: {"file": os.path.basename(path), "sha256": hashlib.sha256(Path(path).read_bytes()).hexdigest()}
                   for name, path in logs if path is not None},
    }


def in_words(result, lines):
    """A result, beside the order that is best on the jobs from which the agent learned."""
    same = [line for line in lines if (line["log"], line["rule"]) == (result["log"], result["rule"])]
    order = min(same, key=lambda line: line["chosen"])
    return (f"{result['log']}, rule {result['rule']}, seed {result['seed']}: mean bounded slowdown "
            f"{result['tested']:.2f}; {order['order']}: {order['tested']:.2f}")


def main():
    """Does what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", action="append", metavar="NAME=FILE")
    parser.add_argument("--rule", action="append", choices=RULES)
    parser.add_argument("--seeds", default="1")
    parser.add_argument("--output", type=Path, default=Path("."))
    parser.add_argument("--generations", type=int, default=GENERATIONS)
    options = parser.parse_args()
    logs = [entry.split("=", 1) for entry in options.log or []] or [("generated", None)]
    if any(len(log) != 2 for log in logs):
        parser.error("--log: expected NAME=FILE")
    rules = options.rule or ["easy"]
    seeds = [int(seed) for seed in options.seeds.split(",")]
    tasks = [(name, path, rule, seed, options.generations) for seed in seeds for name, path in logs for rule in rules]
    options.output.mkdir(parents=True, exist_ok=True)
    made = json.dumps(settings(logs, rules, seeds, options.generations), indent=2)
    (options.output / "made.json").write_text(made + "\n")
    lines = [line for name, path in logs for rule in rules for line in heuristics(name, path, rule)]
    write(options.output, "heuristics.csv", lines)
    progress, results = [], []
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for steps, result in pool.imap(learn, tasks):
            progress += steps
            results.append(result)
            print(in_words(result, lines), flush=True)
    write(options.output, "curve.csv", progress)
    write(options.output, "results.csv", results)


if __name__ == "__main__":
    main()
