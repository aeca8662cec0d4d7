"""Jobs that wait for others: what a scheduler sees of them, and what a run keeps."""

from __future__ import annotations

import csv
import json
import pickle

import numpy
import pytest

import batfill
from batfill.gym import PickEnv, VectorPickEnv, WeightsEnv

JOBS = [
    {"id": "make", "subtime": 0, "res": 2, "walltime": 20, "profile": "p"},
    {"id": "run", "subtime": 1, "res": 2, "walltime": 20, "profile": "bad", "after": ["ok:make"]},
    {"id": "plot", "subtime": 2, "res": 1, "walltime": 20, "profile": "p", "after": ["ok:run"]},
    {"id": "tidy", "subtime": 3, "res": 1, "walltime": 20, "profile": "p", "after": ["any:run+2", "any:plot"]},
    {"id": "other", "subtime": 4, "res": 2, "walltime": 20, "profile": "p"},
]


@pytest.fixture(name="chain")
def _chain(tmp_path):
    path = tmp_path / "chain.json"
    profiles = {"p": {"type": "delay", "delay": 10}, "bad": {"type": "delay", "delay": 5, "ret": 1}}
    path.write_text(json.dumps({"nb_res": 2, "jobs": JOBS, "profiles": profiles}))
    return batfill.Workload.from_json(path)


class Fcfs(batfill.Scheduler):
    """First come, first served; keeps what waits in each round, and when it says that that was submitted."""

    def __init__(self):
        self.seen = []

    def decide(self, round):
        self.seen.append((round.now, list(zip(round.waiting.id, round.waiting.submit))))
        job = 0
        while job < len(round.waiting) and round.try_start(job):
            job += 1


def test_a_scheduler_sees_only_what_is_eligible(chain):
    scheduler = Fcfs()
    run = batfill.simulate(chain, 2, scheduler)
    assert scheduler.seen == [
        (0, [("w0!make", 0)]),
        (1, []),
        (2, []),
        (3, []),
        (4, [("w0!other", 4)]),
        (10, [("w0!other", 4), ("w0!run", 10)]),
        (20, [("w0!run", 10)]),
        (25, []),
        (27, [("w0!tidy", 27)]),
        (37, []),
    ]
    assert run.check().violations == []
    assert dict(zip(run.jobs["job_id"], run.jobs["submission_time"]))["run"] == 1
    assert dict(zip(run.jobs["job_id"], run.jobs["waiting_time"]))["run"] == 19
    assert list(run.rejected.values()) == [1]
    same = batfill.simulate(chain, 2, "fcfs")
    assert (same.jobs["job_id"] == run.jobs["job_id"]).all()
    assert numpy.array_equal(same.jobs["starting_time"], run.jobs["starting_time"], equal_nan=True)


def test_eligible_instants_are_those_of_the_file(chain, workload, tmp_path):
    run = batfill.simulate(chain, 2, "conservative")
    assert f"{tmp_path}/out_eligible.csv" in run.save(tmp_path / "out")
    with open(tmp_path / "out_eligible.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(run.eligible) == list(rows[0])
    assert list(run.eligible["job_id"]) == [row["job_id"] for row in rows]
    times = dict(zip(run.eligible["job_id"], run.eligible["eligible_time"]))
    assert (times["run"], times["tidy"]) == (10, 27)
    assert numpy.isnan(times["plot"])
    assert batfill.simulate(workload, 64).eligible is None
    copy = pickle.loads(pickle.dumps(run))
    assert list(copy.eligible["job_id"]) == list(run.eligible["job_id"])
    assert copy.check().violations == []


def test_a_pickled_workload_keeps_what_jobs_ask_for(chain, tmp_path):
    copy = pickle.loads(pickle.dumps(chain))
    assert list(batfill.simulate(copy, 2).eligible["job_id"]) == list(batfill.simulate(chain, 2).eligible["job_id"])
    jobs = [{"id": "a", "subtime": 0, "res": 1, "walltime": 9, "profile": "p", "pools": {"power": 3},
             "per_host": {"cores": 2}}, {"id": "b", "subtime": 0, "res": 1, "walltime": 9, "profile": "p"}]
    (tmp_path / "w.json").write_text(
        json.dumps({"nb_res": 1, "jobs": jobs, "profiles": {"p": {"type": "delay", "delay": 5}}}))
    pools = batfill.Workload.from_json(tmp_path / "w.json")
    for one in (pools, pickle.loads(pickle.dumps(pools))):
        run = batfill.simulate(one, 1, pools={"power": 4}, capacity={"cores": 4})
        assert run.metrics()["utilisation_of_power"] == 3 * 5 / (4 * 10)


def test_an_explanation_begins_with_what_the_job_waits_for(chain):
    explanation = batfill.simulate(chain, 2, "fcfs").explain("run", "plot")
    assert list(zip(explanation.reasons["job_id"], explanation.reasons["time"], explanation.reasons["reason"],
                    explanation.reasons["lack"])) == [
        ("run", 1, "dependency", "it waits for ok:make (it runs)"),
        ("plot", 2, "dependency", "it waits for ok:run"),
        ("run", 10, "processors", ""),
        ("plot", 20, "dependency", "it waits for ok:run (it runs)"),
        ("run", 20, "started", ""),
        ("plot", 25, "rejected", ""),
    ]


def test_a_wrong_condition_names_job_and_field(tmp_path):
    jobs = [{"id": "a", "subtime": 0, "res": 1, "walltime": 9, "profile": "p", "after": ["ok:b"]}]
    (tmp_path / "w.json").write_text(
        json.dumps({"nb_res": 1, "jobs": jobs, "profiles": {"p": {"type": "delay", "delay": 5}}}))
    with pytest.raises(batfill.InputError, match='job w0!a: field "after": it names job "b", expected the id of a job'):
        batfill.simulate(tmp_path / "w.json", 1)


def waiting_for_each_other(tmp_path, *jobs, processors=1):
    """A workload of jobs of 10 s: (id, submission, conditions), and then maybe other members."""
    rows = [{"id": name, "subtime": submit, "res": 1, "walltime": 20, "profile": "p",
             **({"after": after} if after else {}), **(more[0] if more else {})} for name, submit, after, *more in jobs]
    profiles = {"p": {"type": "delay", "delay": 10}, "long": {"type": "delay", "delay": 25},
                "bad": {"type": "delay", "delay": 5, "ret": 1}}
    path = tmp_path / "waiting.json"
    path.write_text(json.dumps({"nb_res": processors, "jobs": rows, "profiles": profiles}))
    return batfill.Workload.from_json(path)


LONG = {"walltime": 30, "profile": "long"}
ONE_FOR_ANOTHER = [("A", 0, None), ("B", 1, ["ok:C"]), ("C", 2, None), ("D", 3, None, LONG)]
THREE_FOR_ONE = [("A", 0, None), ("B", 1, ["any:A"]), ("C", 1, ["any:A"]), ("D", 1, ["any:A"])]
BEFORE_ZERO = [("A", -5, None), ("B", -3, ["start:C+7"]), ("C", 0, None), ("D", 0, ["any:A", "any:B"])]
NEVER = [("A", 0, None, {"profile": "bad"}), ("B", 1, ["ok:A"]), ("C", 2, ["any:B"]), ("D", 3, None),
         ("E", 3, ["any:D"])]


def episode(workload, reward="wait", kind=PickEnv, **options):
    """The places that an agent sees, and the sum of the rewards, of the action 0 every time."""
    env = kind(workload, 1, reward=reward, **options)
    env.reset()
    seen, total, done = [], 0.0, False
    while not done:
        seen.append(env.seen.tolist())
        _, step, done, _, _ = env.step([1, 0, 0, 0, 0, 0] if kind is WeightsEnv else 0)
        total += step
    return seen, total, env.starts


def test_an_agent_finds_jobs_that_waited_for_others(tmp_path):
    assert episode(waiting_for_each_other(tmp_path, *ONE_FOR_ANOTHER))[0] == [[0], [2, 3], [3, 1], [1]]
    assert episode(waiting_for_each_other(tmp_path, *THREE_FOR_ONE))[0] == [[0], [1, 2, 3], [2, 3], [3]]
    env = VectorPickEnv(2, waiting_for_each_other(tmp_path, *THREE_FOR_ONE), 1)
    env.reset()
    env.step([0, 0])
    assert env._core.seen_jobs(1).tolist() == [1, 2, 3]


@pytest.mark.parametrize("jobs", [ONE_FOR_ANOTHER, THREE_FOR_ONE, BEFORE_ZERO, NEVER])
@pytest.mark.parametrize("kind", [PickEnv, WeightsEnv])
@pytest.mark.parametrize("at_end", [False, True])
def test_rewards_are_the_metrics_also_of_jobs_that_waited_for_others(tmp_path, jobs, kind, at_end):
    workload = waiting_for_each_other(tmp_path, *jobs)
    rule = {"order": "mixed", "weights": "1,0,0,0,0,0"} if kind is WeightsEnv else {}
    run = batfill.simulate(workload, 1, "easy", **rule)
    metrics = run.metrics()
    wanted = {"wait": metrics["mean_wait"], "slowdown": metrics["mean_slowdown"],
              "bounded_slowdown": metrics["mean_bounded_slowdown"],
              "turnaround": numpy.nanmean(run.jobs["turnaround_time"])}
    start = dict(zip(run.jobs["job_id"], run.jobs["starting_time"]))
    for reward, value in wanted.items():
        period = {"period": 1e-6} if kind is WeightsEnv else {}
        _, total, starts = episode(workload, reward, kind, reward_at_end=at_end, **period)
        assert total == pytest.approx(-value)
        assert numpy.array_equal(starts, [start[job[0]] for job in jobs], equal_nan=True)


@pytest.mark.parametrize("jobs", [ONE_FOR_ANOTHER, THREE_FOR_ONE, BEFORE_ZERO])
def test_tables_of_a_state_have_places_and_submissions_of_the_workload(tmp_path, jobs):
    workload = waiting_for_each_other(tmp_path, *jobs)
    submit, found = workload.jobs["submit"], {"started": [], "ended": []}

    def reward(state):
        for name in ("seen", "waiting", "running", "started", "ended"):
            table = getattr(state, name)
            assert table["submit"].tolist() == submit[table["job"]].tolist()
        for name, places in found.items():
            places += getattr(state, name)["job"].tolist()
        return -float((state.started["start"] - state.started["submit"]).sum()) / len(jobs)

    _, total, _ = episode(workload, reward)
    assert sorted(found["started"]) == sorted(found["ended"]) == [0, 1, 2, 3]
    assert total == pytest.approx(-batfill.simulate(workload, 1).metrics()["mean_wait"])


def test_an_observation_has_the_wait_from_the_submission(tmp_path):
    env = PickEnv(waiting_for_each_other(tmp_path, *THREE_FOR_ONE), 1)
    env.reset()
    observation, *_ = env.step(0)
    assert observation["jobs"][:3, 0] == pytest.approx([9 / 3609] * 3)


def test_an_explanation_has_no_place_where_the_file_has_none(chain, tmp_path, command):
    explanation = batfill.simulate(chain, 2, "fcfs").explain("run", "plot")
    chain.save(tmp_path / "w.json")
    command("simulate", "-p", 2, "-w", "w.json", "-a", "fcfs", "-o", "out", "--explain", "run", "--explain", "plot")
    with open(tmp_path / "out_explain.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    for name in ("place", "waiting", "possible_start", "idle", "needed", "rounds", "time"):
        read = [float(row[name]) if row[name] else numpy.nan for row in rows]
        assert numpy.array_equal(explanation.reasons[name], read, equal_nan=True), name
    assert numpy.isnan(explanation.reasons["place"]).any() and not numpy.isnan(explanation.reasons["place"]).all()
