"""Job of rule `user_limits_replay`: replays a log under one algorithm without limits, and with a limit of each share of
the machine for each user."""
import json
from bisect import bisect_right
from itertools import accumulate, pairwise
from math import fsum, isclose
from typing import Any, Callable, Mapping, Sequence

from common.files import read_json
from common.job import Job, JobError, run_job
from common.tables import read_csv
from common.weeks import PRINTED, WEEK, WeeklyResults, bounded_slowdown, check_means
from common.workbench import Workbench

NONE = "none"  # no limit
GROUPS = ("heavy", "light")
SUMS = ("jobs", "bounded_slowdown", "wait", *(f"{what}_{group}" for group in GROUPS for what in ("jobs", "wait")),
        "held", "busy")

Jobs = Sequence[Mapping[str, str]]


def heavy_users(work: Mapping[str, float]) -> set[str]:
    """The fewest users who together have at least half of the processor time."""
    heavy: set[str] = set()
    left = sum(work.values()) / 2
    for user, seconds in sorted(work.items(), key=lambda one: (-one[1], one[0])):
        if left <= 0:
            break
        heavy.add(user)
        left -= seconds
    return heavy


def time_above(instants: Sequence[float], used: Sequence[int], bound: int) -> Callable[[float], float]:
    """For how long until an instant more than the bound is used. Numbers change at the instants, which are in order;
    the last one stays, and before the first nothing is used."""
    above = [number > bound for number in used]
    before = list(accumulate((until - instant if is_above else 0.0
                              for (instant, until), is_above in zip(pairwise(instants), above)), initial=0.0))

    def time_until(instant: float) -> float:
        place = bisect_right(instants, instant) - 1
        return before[place] + (instant - instants[place] if above[place] else 0.0) if place >= 0 else 0.0

    return time_until


def held_by_limit(jobs: Jobs, most: int) -> dict[str, float]:
    """Of each job of one user for how long of its wait the user's other jobs left it too few processors."""
    changes: dict[float, int] = {}
    for job in jobs:
        size = int(job["requested_number_of_resources"])
        for instant, change in ((job["starting_time"], size), (job["finish_time"], -size)):
            changes[float(instant)] = changes.get(float(instant), 0) + change
    instants = sorted(changes)
    used = list(accumulate(changes[instant] for instant in instants))
    held = {}
    for size in sorted({int(job["requested_number_of_resources"]) for job in jobs}):
        held_until = time_above(instants, used, most - size)
        for job in jobs:
            if int(job["requested_number_of_resources"]) == size:
                held[job["job_id"]] = (held_until(float(job["starting_time"]))
                                       - held_until(float(job["submission_time"])))
    return held


def weeks_of(jobs: Jobs, users: Mapping[str, str], heavy: set[str], most: int) -> list[dict[str, float]]:
    """A line for each week from the first submission to the last, counted from second 0 of the log: what is summed up
    over the jobs submitted in it, `held` by a limit of so many processors, and the processor seconds that are busy in
    it. The last week is left out of `busy`, as submissions end in it."""
    weeks = [int(float(job["submission_time"]) // WEEK) for job in jobs]
    last = max(weeks)
    sums: dict[int, dict[str, list[float]]] = {week: {} for week in range(min(weeks), last + 1)}
    of_users: dict[str, list[Mapping[str, str]]] = {}
    for job in jobs:
        of_users.setdefault(users[job["job_id"]], []).append(job)
    held = {id: seconds for of_user in of_users.values() for id, seconds in held_by_limit(of_user, most).items()}
    for week, job in zip(weeks, jobs):
        wait, run = float(job["waiting_time"]), float(job["execution_time"])
        group = GROUPS[0] if users[job["job_id"]] in heavy else GROUPS[1]
        for name, value in (("jobs", 1.0), ("bounded_slowdown", bounded_slowdown(wait, run)), ("wait", wait),
                            (f"jobs_{group}", 1.0), (f"wait_{group}", wait), ("held", held[job["job_id"]])):
            sums[week].setdefault(name, []).append(value)
        start, finish = float(job["starting_time"]), float(job["finish_time"])
        for in_week in range(int(start // WEEK), int(finish // WEEK) + 1):
            if in_week < last:
                lasted = min(finish, (in_week + 1) * WEEK) - max(start, in_week * WEEK)
                sums[in_week].setdefault("busy", []).append(lasted * int(job["requested_number_of_resources"]))
    return [{"week": week, **{name: fsum(found.get(name, [])) for name in SUMS}} for week, found in sums.items()]


def prepared(workload: dict[str, Any], most: int, users: int) -> dict[str, Any]:
    """The jobs of the workload with at most so many processors. If it names no users, so many have its jobs: some of
    them have many more than others."""
    workload["jobs"] = [job for job in workload["jobs"] if job["res"] <= most]
    for place, job in enumerate(workload["jobs"]):
        job.setdefault("user", str(int(users * (place * 0.618034 % 1) ** 3)))
    return workload


def main(job: Job) -> None:
    """Makes the lines of one log and one algorithm."""
    settings, algorithm = job.params.settings, job.wildcards.algorithm
    results = WeeklyResults()
    with Workbench(job.input.batfill) as bench:
        bench.link("platform.xml", job.input.platform)
        workload = read_json(job.input.workload)
        processors = settings.get("processors", workload["nb_res"])
        workload = prepared(workload, processors // max(settings["shares"].values()), settings.get("users", 0))
        bench.path("workload.json").write_text(json.dumps(workload), encoding="utf-8")
        users = {str(one["id"]): str(one["user"]) for one in workload["jobs"]}
        work: dict[str, float] = {}
        for one in workload["jobs"]:
            run = workload["profiles"][one["profile"]]["delay"]
            work[str(one["user"])] = work.get(str(one["user"]), 0) + one["res"] * min(run, one["walltime"])
        heavy = heavy_users(work)
        for share, parts in {NONE: 1, **settings["shares"]}.items():
            most = processors // parts
            options: list[str] = []
            if share != NONE:
                line = {"of": "user", "most": {"processors": most}}
                bench.path(f"{share}.limits").write_text(json.dumps(line) + "\n", encoding="utf-8")
                options = ["--limits", f"{share}.limits"]
            bench.simulate("platform.xml", "workload.json", algorithm, [], share, options)
            bench.audit(share, "workload.json", "platform.xml", options)
            jobs = read_csv(str(bench.path(f"{share}_jobs.csv")))
            weeks = weeks_of(jobs, users, heavy, most if options else processors * len(jobs))
            measured = bench.metrics(f"{share}_jobs.csv", "-p", "platform.xml", "-w", "workload.json", *options)
            check_means(weeks, measured)
            held = fsum(week["held"] for week in weeks) / fsum(week["wait"] for week in weeks)
            if not isclose(held, float(measured["limit_wait_share"] or 0), rel_tol=1e3 * PRINTED):
                raise JobError(f"limits hold {held} of all waiting, `batfill metrics` says "
                               f"{measured['limit_wait_share']}")
            what = {"machine": job.wildcards.machine, "algorithm": algorithm, "share": share}
            results.add(what, weeks, {"processors": processors, "most": most, "users": len(work), "heavy": len(heavy),
                                      "held": held, "utilisation": measured["utilisation"],
                                      "max_wait": measured["max_wait"]})
        results.keep(bench, job)


if __name__ == "__main__":
    run_job(main)
