"""Limits of users and accounts, as keywords, in schedulers and in environments."""

from __future__ import annotations

import csv
import json
import pickle
import threading

import pytest

import batfill
from batfill.gym import BackfillEnv, PickEnv

LIMITS = [{"of": "user", "most": {"processors": 3, "jobs": 2}},
          {"of": ["queue", "user"], "value": ["q", None], "most": {"processors": 1}}]

# id, submission, processors, run time, user, and more. Arrays, begins and lists of partitions are beside the limits.
JOBS = [("1", 0, 3, 50, "ann", {}), ("2", 0, 2, 30, "ann", {"partition": "a"}), ("3", 1, 1, 20, "bob", {}),
        ("4", 2, 1, 40, "bob", {"queue": "q", "partition": "a,b"}), ("5", 3, 1, 10, "bob", {"queue": "q"}),
        ("6_1", 4, 1, 25, "cyd", {"array": "6", "array_limit": 1}),
        ("6_2", 4, 1, 25, "cyd", {"array": "6", "array_limit": 1}), ("7", 5, 2, 35, "", {"begin": 33.5}),
        ("8", 6, 2, 60, "ann", {}), ("9", 7, 1, 5, "ann", {"partition": "b,a"})]


@pytest.fixture(name="workload")
def _workload(tmp_path):
    path = tmp_path / "jobs.json"
    path.write_text(json.dumps({
        "nb_res": 6,
        "jobs": [{"id": id, "subtime": submit, "res": size, "walltime": run + 7, "profile": f"p{run}",
                  **({"user": user} if user else {}), **more} for id, submit, size, run, user, more in JOBS],
        "profiles": {f"p{run}": {"type": "delay", "delay": run} for _, _, _, run, _, _ in JOBS},
    }))
    return batfill.Workload.from_json(path)


@pytest.fixture(name="platform")
def _platform(tmp_path):
    """Six hosts: three of partition a, two of partition b, and one of none."""
    hosts = "".join(f'<host id="h{i}" speed="1f">{prop}</host>' for i, prop in enumerate(
        ['<prop id="partitions" value="a"/>'] * 3 + ['<prop id="partitions" value="b"/>'] * 2 + [""]))
    path = tmp_path / "machine.xml"
    path.write_text(f'<?xml version="1.0"?><platform version="4.1"><zone id="z" routing="Full">'
                    f'<host id="master_host" speed="1f"/>{hosts}</zone></platform>')
    return path


FEW = [{"of": "user", "most": {"processors": 12, "jobs": 3}}]


def jobs_of_seven_users():
    """For 32 processors. Of FEW some jobs ask for too much."""
    many = batfill.Workload.lublin(jobs=600, processors=32, seed=3, load=1.2)
    columns = dict(many.jobs, user=[f"u{i % 7}" for i in range(len(many))])
    return batfill.Workload.from_dataframe(columns, processors=32)


def file_of(tmp_path, limits):
    path = tmp_path / "site.limits"
    path.write_text("".join(json.dumps(limit) + "\n" for limit in limits))
    return path


def starts(run):
    """Of the jobs that started."""
    return {id: start for id, start in zip(run.jobs["job_id"], run.jobs["starting_time"].tolist()) if start == start}


class InOrder(batfill.Scheduler):
    """FCFS."""

    understands_resources = True

    def decide(self, round):
        for job in range(len(round.waiting)):
            if not round.try_start(job):
                break


class Easy(batfill.Scheduler):
    """EASY that passes over jobs that only a limit holds."""

    understands_resources = True

    def decide(self, round):
        reservation = None
        for job in range(len(round.waiting)):
            if reservation is not None:
                reservation.try_start(job)
            elif not round.try_start(job) and (
                round.free.within_limits(job) or round.waiting.processors[job] > round.idle
            ):
                reservation = round.reserve(job)


def test_a_list_is_a_file(workload, tmp_path):
    of_list = batfill.simulate(workload, 6, "easy", limits=LIMITS)
    of_file = batfill.simulate(workload, 6, "easy", limits=file_of(tmp_path, LIMITS))
    assert starts(of_list) == starts(of_file) != starts(batfill.simulate(workload, 6, "easy"))
    assert starts(of_list)["2"] == 50 and starts(of_list)["5"] == 42
    assert starts(batfill.simulate(workload, 6, "easy", limits=[])) == starts(batfill.simulate(workload, 6, "easy"))
    assert of_list.check().violations == []
    assert "limit 1, user ann: 3 of 3 processors in use" in of_list.explain("2").reasons["lack"][0]
    metrics = of_list.metrics()
    assert 0 < metrics["limit_wait_share"] <= 1
    compared = batfill.compare([workload], ["easy"], platform=6, limits=LIMITS)
    assert compared.values("limit_wait_share")[0][0] == metrics["limit_wait_share"]
    assert batfill.simulate(workload, 6, "easy").metrics()["limit_wait_share"] is None
    again = pickle.loads(pickle.dumps(of_list))
    assert again.check() == of_list.check() and again.metrics() == metrics
    of_list.report(tmp_path / "page.html")
    assert "limit_wait_share" in (tmp_path / "page.html").read_text()


def test_the_same_schedule_comes_from_everywhere(workload, platform, command, tmp_path):
    limits = file_of(tmp_path, LIMITS)
    for scheduler in ("fcfs", "easy", "relaxed", "conservative", "dc", "dbf"):
        run = batfill.simulate(workload, platform, scheduler, limits=LIMITS)
        assert run.check().violations == []
        ours = [(id, start, hosts) for id, start, hosts in
                zip(run.jobs["job_id"], run.jobs["starting_time"].tolist(), run.jobs["allocated_resources"])]
        assert {id: start for id, start, _ in ours}["7"] >= 33.5

        def theirs(name):
            with open(tmp_path / f"{name}_jobs.csv", newline="") as file:
                return [(row["job_id"], float(row["starting_time"]), row["allocated_resources"])
                        for row in csv.DictReader(file)]

        machine = ["-p", platform, "-w", "jobs.json", "-q"]
        command("simulate", *machine, "--limits", limits, "-a", scheduler, "-o", "simulated")
        assert theirs("simulated") == ours
        endpoint = f"ipc://{tmp_path}/{scheduler}"
        daemon = threading.Thread(target=batfill.serve, args=(scheduler, endpoint),
                                  kwargs={"idle_timeout": 60, "limits": LIMITS})
        daemon.start()
        command("simulate", *machine, "-s", endpoint, "-o", "served")
        daemon.join()
        assert theirs("served") == ours
        campaign = tmp_path / "c.yaml"
        campaign.write_text(f"workloads: [{{workload: jobs.json}}]\nschedulers: [{scheduler}]\n"
                            f"machines:\n  - {{platform: machine.xml, limits: [{', '.join(map(json.dumps, LIMITS))}]}}\n")
        metrics = run.metrics()
        for row in batfill.campaign(campaign, tmp_path / "out").rows():
            assert row["value"] == "" or float(row["value"]) == metrics[row["metric"]]


def test_a_scheduler_in_python_is_that_of_the_program(workload, platform):
    for machine in (6, platform):
        mine = batfill.simulate(workload, machine, InOrder(), limits=LIMITS)
        assert mine.check().violations == []
        assert starts(mine) == starts(batfill.simulate(workload, machine, "fcfs", limits=LIMITS))
    assert starts(batfill.simulate(workload, 6, Easy(), limits=LIMITS)) == starts(
        batfill.simulate(workload, 6, "easy", limits=LIMITS))
    owned = jobs_of_seven_users()
    assert starts(batfill.simulate(owned, 32, Easy(), limits=FEW)) == starts(
        batfill.simulate(owned, 32, "easy", limits=FEW))


def test_a_scheduler_must_know_limits(workload):
    class Plain(batfill.Scheduler):
        def decide(self, round):
            round.start(0)

    class Eager(Plain):
        understands_resources = True

    class Reserving(Plain):
        understands_resources = True

        def decide(self, round):
            for job in range(len(round.waiting)):
                if not round.try_start(job):
                    round.reserve(job)
                    break

    with pytest.raises(batfill.UsageError, match=r"does not declare understands_resources\(\)$"):
        batfill.simulate(workload, 6, Plain(), limits=LIMITS)
    with pytest.raises(batfill.DecisionError):
        batfill.simulate(workload, 6, Eager(), limits=LIMITS)
    with pytest.raises(batfill.DecisionError, match="only a limit keeps it from starting"):
        batfill.simulate(workload, 6, Reserving(), limits=LIMITS)


def test_environments_start_jobs_as_easy():
    owned = jobs_of_seven_users()
    for machine in ({}, {"pools": {"power": 40}}):
        for env, scheduler in ((PickEnv(owned, 32, limits=FEW, **machine), "easy"),
                               (PickEnv(owned, 32, backfilling="none", limits=FEW, **machine), "fcfs"),
                               (BackfillEnv(owned, 32, limits=FEW, **machine), "easy")):
            env.reset()
            terminated = False
            while not terminated:
                _, _, terminated, _, _ = env.step(0)
            run = starts(batfill.simulate(owned, 32, scheduler, limits=FEW, **machine))
            by_id = zip(owned.jobs["id"], env.starts)
            assert {id: start for id, start in by_id if start == start} == run
            assert 0 < len(run) < len(owned)


@pytest.mark.parametrize("wrong, message", [
    (5, "limits: expected a path or a list of dicts, found 5"),
    ({"of": "user", "most": {"jobs": 1}}, "limits: expected a path or a list of dicts, found {"),
    ([5], "limits: expected a path or a list of dicts, found 5 in it"),
    ([{"of": "user"}], 'limits:1: field "most": expected an object'),
    ([{"of": "user", "most": {"jobs": 1}}, {"of": [], "most": {"jobs": 1}}], 'limits:2: field "of": expected a field'),
    ([{"of": "user", "most": {"jobs": -1}}], 'limits:1: field "most.jobs"'),
    ([{"of": "user", "most": {"power": 1}}], 'limits:1: field "most": the machine has no power'),
    ([{"of": "user", "value": ["a", "b"], "most": {"jobs": 1}}], 'limits:1: field "value": expected 1 value'),
])
def test_wrong_limits_are_refused(workload, wrong, message):
    for call in (lambda: batfill.simulate(workload, 6, limits=wrong),
                 lambda: batfill.compare([workload], ["easy"], platform=6, limits=wrong),
                 lambda: batfill.serve("easy", platform=6, limits=wrong, idle_timeout=1),
                 lambda: PickEnv(workload, 6, limits=wrong)):
        with pytest.raises(batfill.Error) as problem:
            call()
        assert message in str(problem.value)
