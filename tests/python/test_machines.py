"""Pools and capacities of machines, as keywords."""

from __future__ import annotations

import json

import pytest

import batfill

JOBS = [
    {"id": "1", "subtime": 0, "res": 1, "walltime": 100, "profile": "p", "per_host": {"cores": 4, "gpus": 1},
     "pools": {"power": 50}},
    {"id": "2", "subtime": 0, "res": 2, "walltime": 100, "profile": "p"},
    {"id": "3", "subtime": 10, "res": 1, "walltime": 100, "profile": "p", "per_host": {"cores": 4},
     "pools": {"power": 60}},
]


@pytest.fixture(name="workload")
def _workload(tmp_path):
    path = tmp_path / "jobs.json"
    path.write_text(json.dumps({"nb_res": 4, "jobs": JOBS, "profiles": {"p": {"type": "delay", "delay": 50}}}))
    return batfill.Workload.from_json(path)


def test_amounts_bind_and_are_measured(workload):
    run = batfill.simulate(workload, 4, "easy", pools={"power": 100}, capacity={"cores": 8, "gpus": 2})
    assert dict(zip(run.jobs["job_id"], run.jobs["starting_time"])) == {"1": 0, "2": 0, "3": 50}
    metrics = run.metrics()
    assert metrics["utilisation_of_power"] == 0.55
    assert metrics["utilisation_of_gpus"] == (50 + 2 * 2 * 50) / (4 * 2 * 100)
    assert metrics["utilisation"] is None
    assert run.check().violations == []
    wide = batfill.simulate(workload, 4, "easy", pools={"power": 200}, capacity={"cores": 8, "gpus": 2})
    assert dict(zip(wide.jobs["job_id"], wide.jobs["starting_time"]))["3"] == 10
    assert "utilisation_of_power" not in batfill.simulate(workload, 4).metrics()


def test_a_comparison_takes_them_too(workload):
    made = batfill.compare([workload], ["fcfs", "easy"], platform=4, pools={"power": 100},
                           capacity={"cores": 8, "gpus": 2})
    assert made.values("mean_wait").tolist() == [[40 / 3, 40 / 3]]
    assert made.values("utilisation_of_power").tolist() == [[0.55, 0.55]]


def test_explanations_are_of_the_same_machine(workload):
    run = batfill.simulate(workload, 4, "easy", pools={"power": 100}, capacity={"cores": 8, "gpus": 2})
    assert run.explain("3").reasons["time"][-1] == 50


@pytest.mark.parametrize(
    ("keywords", "problem"),
    [
        ({"pools": {"power": 1.5}}, "pools: expected a dict of whole numbers by name, found 'power': 1.5"),
        ({"pools": {"power": True}}, "found 'power': True"),
        ({"pools": 7}, "pools: expected a dict of whole numbers by name, found 7"),
        ({"pools": {"power": -1}}, "expected NAME=TOTAL with a whole number from 0 to .*, found 'power=-1'"),
        ({"capacity": {3: 1}}, "capacity: expected a dict of whole numbers by name"),
        ({"capacity": {"cores": -1}}, "cores"),
    ],
)
def test_other_amounts_are_refused(workload, keywords, problem):
    with pytest.raises(batfill.UsageError, match=problem):
        batfill.simulate(workload, 4, "easy", **keywords)
