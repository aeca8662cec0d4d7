"""Jobs that wait for others: what a scheduler sees of them, and what a run keeps."""

from __future__ import annotations

import csv
import json
import pickle

import numpy
import pytest

import batfill

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
