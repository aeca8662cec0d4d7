"""The algorithm slurm: one schedule from everywhere."""

from __future__ import annotations

import csv
import json
import pickle
import threading

import pytest

import batfill

# id, submission, nodes, limit, run time, and what else a job asks for.
JOBS = [("1", 0, 1, 600, 500, {"tasks": 10}), ("2", 0, 2, 600, 90, {"tasks": 9, "per_host": {"memory": 20}}),
        ("3", 1, 3, 1200, 300, {"whole": True}), ("4", 2, 1, 60, 20, {"per_host": {"cores": 2, "memory": 5}}),
        ("5", 3, 1, 300, 250, {"after": ["ok:4"]}), ("6", 4, 1, 120, 80, {"begin": 40, "nice": 5}),
        ("7_1", 5, 1, 180, 150, {"array": "7", "array_limit": 1, "per_host": {"cores": 1}}),
        ("7_2", 5, 1, 180, 150, {"array": "7", "array_limit": 1, "per_host": {"cores": 1}}),
        ("8", 70, 1, 90, 90, {"per_host": {"gpus": 1}})]
CAPACITY = {"cores": 8, "memory": 64, "gpus": 2}


@pytest.fixture(name="path")
def _path(tmp_path):
    path = tmp_path / "jobs.json"
    path.write_text(json.dumps({
        "nb_res": 4,
        "jobs": [{"id": id, "subtime": submit, "res": nodes, "walltime": limit, "profile": f"p{run}", **more}
                 for id, submit, nodes, limit, run, more in JOBS],
        "profiles": {f"p{run}": {"type": "delay", "delay": run} for _, _, _, _, run, _ in JOBS},
    }))
    return path


def of_file(path):
    """When and where each job of a jobs.csv started that did."""
    with open(path, newline="", encoding="utf-8") as file:
        return [(row["job_id"], float(row["starting_time"]), row["allocated_resources"])
                for row in csv.DictReader(file) if row["starting_time"]]


def assert_campaign(folder, scheduler, metrics):
    """A campaign of jobs.json has these metrics."""
    campaign = folder / "c.yaml"
    campaign.write_text(f'workloads: [{{workload: jobs.json}}]\nschedulers: ["{scheduler}"]\n'
                        "machines: [{platform: 4, capacity: {cores: 8, memory: 64, gpus: 2}}]\n")
    for row in batfill.campaign(campaign, folder / "out").rows():
        assert row["value"] == "" or float(row["value"]) == metrics[row["metric"]]


@pytest.mark.parametrize("scheduler", ["slurm", "slurm,select=linear", "slurm,version=26.11,bf-interval=10"])
def test_the_same_schedule_comes_from_everywhere(path, command, tmp_path, scheduler):
    workload = batfill.Workload.from_json(path)
    run = batfill.simulate(workload, 4, scheduler, capacity=CAPACITY)
    assert run.check().violations == []
    ours = [(id, start, hosts) for id, start, hosts in zip(
        run.jobs["job_id"], run.jobs["starting_time"].tolist(), run.jobs["allocated_resources"]) if start == start]
    text = "cores:8,memory:64,gpus:2"
    machine = ["-p", "4", "--capacity", text, "-w", "jobs.json"]
    command("simulate", *machine, "-q", "-a", scheduler, "-o", "simulated")
    assert of_file(tmp_path / "simulated_jobs.csv") == ours
    command("check", "simulated", *machine, "--by-seconds")
    endpoint = f"ipc://{tmp_path}/socket"
    daemon = threading.Thread(target=batfill.serve, args=(scheduler, endpoint),
                              kwargs={"idle_timeout": 60, "capacity": CAPACITY})
    daemon.start()
    command("simulate", *machine, "-q", "-s", endpoint, "-o", "served")
    daemon.join()
    assert of_file(tmp_path / "served_jobs.csv") == ours
    assert_campaign(tmp_path, scheduler, run.metrics())


def test_cores_of_each_host_are_in_a_file_of_their_own(path, command, tmp_path):
    command("simulate", "-p", "4", "--capacity", "cores:8,memory:64,gpus:2", "-w", "jobs.json", "-q", "-a", "slurm",
            "-o", "out")
    with open(tmp_path / "out_tasks.csv", newline="", encoding="utf-8") as file:
        rows = [(row["job"], int(row["host"]), int(row["cores"])) for row in csv.DictReader(file)]
    assert sum(cores for job, _, cores in rows if job == "2") == 9
    assert sum(cores for job, _, cores in rows if job == "3") == 24
    assert json.loads(path.read_text())["jobs"][0]["tasks"] == 10 and not [row for row in rows if row[0] == "1"]


def test_ends_that_the_scheduler_looks_for_are_the_same_from_everywhere(path, command, tmp_path):
    scheduler = "slurm,launch-delay=1.3,timeout-check=30,over-time-limit=1,daemon-start=-13"
    workload = batfill.Workload.from_json(path)
    run = batfill.simulate(workload, 4, scheduler, capacity=CAPACITY)
    assert run.check().violations == [] and pickle.loads(pickle.dumps(run)).check().violations == []
    assert run.jobs["execution_time"][list(run.jobs["job_id"]).index("8")] == pytest.approx(91.3)  # of 90 s
    compared = batfill.compare(workload, ["slurm", scheduler], platform=4, capacity=CAPACITY).values("makespan")[0]
    assert compared[0] != compared[1] == run.metrics()["makespan"]
    assert_campaign(tmp_path, scheduler, run.metrics())
    machine = ["-p", "4", "--capacity", "cores:8,memory:64,gpus:2", "-w", "jobs.json"]
    command("simulate", *machine, "-q", "-a", scheduler, "-o", "out")
    rules = ["--launch-delay", "1.3", "--timeout-check", "30s", "--over-time-limit", "1", "--daemon-start", "-13"]
    command("check", "out", *machine, "--by-seconds", *rules)
    assert "expected 90.000000, its walltime" in command("check", "out", *machine, "--by-seconds", status=1)
    rows = (tmp_path / "out_jobs.csv").read_text().splitlines()
    column = rows[0].split(",").index("execution_time")
    for place, row in enumerate(rows[1:], 1):
        cells = row.split(",")
        if cells[0] == "8":
            cells[column] = str(float(cells[column]) + 1)
            rows[place] = ",".join(cells)
    (tmp_path / "late_jobs.csv").write_text("\n".join(rows) + "\n")
    assert "runs 92.300000 s, expected 91.300000" in command("check", "late", *machine, "--by-seconds", *rules, status=1)
