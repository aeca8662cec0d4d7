"""Environments on machines with pools, shared hosts and windows."""

from __future__ import annotations

import json
import random

import numpy
import pytest

import batfill
from batfill.gym import BackfillEnv, PickEnv, VectorBackfillEnv, VectorPickEnv, WeightsEnv

MACHINE = {"pools": {"power": 90, "bb": 7}, "capacity": {"cores": 16, "gpus": 4}}
WINDOWS = [{"name": "w", "from": 500, "until": 900, "hosts": "0-2", "announced": 300},
           {"name": "v", "from": 2000, "until": 2100, "hosts": "all"},
           {"name": "p", "from": 1000, "until": 1400, "pools": {"power": 60}, "announced": 700}]
MACHINES = [MACHINE, {"pools": {"power": 90}}, {**MACHINE, "windows": WINDOWS},
            {"pools": {"power": 90}, "windows": [{"name": "c", "from": 700, "until": 900, "processors": 3}]}]


def workload_of(path, jobs, hosts):
    path = path / "jobs.json"
    path.write_text(json.dumps({
        "nb_res": hosts,
        "jobs": [{"id": str(i), "subtime": submit, "res": size, "walltime": walltime, "profile": f"p{run}", **fields}
                 for i, (submit, size, walltime, run, fields) in enumerate(jobs)],
        "profiles": {f"p{run}": {"type": "delay", "delay": run} for *_, run, _ in jobs},
    }))
    return batfill.Workload.from_json(path)


@pytest.fixture(scope="module")
def workload(tmp_path_factory):
    draw = random.Random(5)
    jobs, now = [], 0
    for _ in range(200):
        now += draw.choice([0, 0, draw.randrange(60)])
        fields = {}
        if draw.random() < 0.8:
            fields["per_host"] = {"gpus": draw.randrange(5), "cores": draw.randrange(1, 17)}
        if draw.random() < 0.5:
            fields["pools"] = {"power": draw.randrange(60)}
        walltime = draw.randrange(1, 300)
        jobs.append((now, draw.randrange(1, 4), walltime, draw.randrange(1, walltime + 1), fields))
    return workload_of(tmp_path_factory.mktemp("shared"), jobs, 6)


def play(env, action=0, **reset):
    observation, info = env.reset(**reset)
    total, terminated = 0.0, False
    while not terminated:
        for array in observation.values():
            assert (array >= 0).all() and (array <= 1).all()
        observation, reward, terminated, _, info = env.step(action)
        total += reward
    return total


def starts_of(workload, scheduler, machine):
    jobs = batfill.simulate(workload, None, scheduler, **machine).jobs
    start = dict(zip(jobs["job_id"], jobs["starting_time"]))
    order = numpy.argsort(workload.jobs["submit"], kind="stable")
    return [start[id] for id in workload.jobs["id"][order]]


@pytest.mark.parametrize("machine", MACHINES)
def test_the_first_action_gives_the_schedule_of_easy(workload, machine):
    env = PickEnv(workload, queue=300, **machine)
    total = play(env)
    assert list(env.starts) == starts_of(workload, "easy", machine)
    metrics = batfill.simulate(workload, None, "easy", **machine).metrics()
    assert -total == pytest.approx(metrics["mean_bounded_slowdown"])
    env = PickEnv(workload, backfilling="none", **machine)
    play(env)
    assert list(env.starts) == starts_of(workload, "fcfs", machine)
    for order in ("fcfs", "saf"):
        env = BackfillEnv(workload, order=order, **machine)
        play(env)
        assert list(env.starts) == starts_of(workload, f"easy,order={order}", machine)
    play(env, env._queue)
    assert list(env.starts) == starts_of(workload, "easy,order=saf,test-limit=0", machine)
    weights = [0.5, -1, 0.25, 0, 2, -0.75]
    env = WeightsEnv(workload, period=500, **machine)
    play(env, weights)
    expected = f"easy,order=mixed,weights={','.join(map(str, weights))}"
    assert list(env.starts) == starts_of(workload, expected, machine)


def test_shapes_grow_by_the_resources_of_the_machine(workload):
    plain = batfill.Workload.from_dataframe({name: workload.jobs[name] for name in
                                             ("id", "submit", "processors", "walltime", "run_time")}, processors=6)
    for given, more, windows in [({}, 0, 0), ({"pools": {}}, 0, 0), ({"windows": []}, 0, 0), (MACHINE, 4, 0),
                                 ({"pools": {"power": 90}}, 1, 0), ({"windows": WINDOWS[:2]}, 0, 2),
                                 ({**MACHINE, "windows": WINDOWS}, 4, 2)]:
        for env, base in ((PickEnv(plain, queue=9, **given), 4), (BackfillEnv(plain, queue=9, **given), 6),
                          (WeightsEnv(plain, queue=9, **given), 4)):
            observation, _ = env.reset()
            assert observation["jobs"].shape == (9, 5 + more)
            assert observation["machine"].shape == (base + more + windows,)
    env = VectorPickEnv(2, plain, queue=9, **MACHINE)
    jobs, machine, masks = env.reset()
    assert (jobs.shape, machine.shape, masks.shape) == ((2, 9, 9), (2, 8), (2, 9))


def test_features_of_resources(tmp_path):
    jobs = [(0, 1, 100, 100, {"per_host": {"cores": 4, "gpus": 1}, "pools": {"power": 30}}),
            (0, 2, 50, 50, {"per_host": {"cores": 16}}), (0, 2, 50, 50, {}),
            (0, 3, 50, 50, {"per_host": {"gpus": 2}, "pools": {"bb": 7}})]
    windows = [{"name": "w", "from": 3600, "until": 4000, "hosts": "0-2"},
               {"name": "u", "from": 10, "until": 20, "hosts": "3", "announced": 5}]
    env = PickEnv(workload_of(tmp_path, jobs, 4), queue=5, **MACHINE, windows=windows)
    seen, _ = env.reset()
    # Pools by name, then capacities.
    expected = [[0, 30 / 90, 4 / 64, 1 / 16], [0, 0, 32 / 64, 0], [0, 0, 0.5, 0.5], [1, 0, 0, 6 / 16], [0] * 4]
    numpy.testing.assert_allclose(seen["jobs"][:, 5:], expected, rtol=1e-6)
    numpy.testing.assert_allclose(seen["machine"][4:], [1, 1, 1, 1, 0.5, 0.75], rtol=1e-6)
    assert seen["jobs"][:, 3].tolist() == [1, 1, 1, 1, 0]
    seen = env.step(0)[0]
    numpy.testing.assert_allclose(seen["machine"][4:], [1, 60 / 90, 60 / 64, 15 / 16, 0.5, 0.75], rtol=1e-6)
    assert seen["jobs"][:, 3].tolist() == [1, 1, 1, 0, 0]
    seen = env.step(2)[0]  # on three hosts
    numpy.testing.assert_allclose(seen["machine"][4:8], [0, 60 / 90, 60 / 64, 9 / 16], rtol=1e-6)


def test_a_job_that_could_start_beside_a_window_says_so(tmp_path):
    jobs = [(0, 4, 30, 30, {}), (0, 2, 30, 30, {}), (0, 1, 100, 100, {}), (0, 1, 50, 50, {})]
    windows = [{"name": "w", "from": 20, "until": 60, "processors": 2}, {"name": "v", "from": 70, "until": 80, "processors": 4}]
    env = PickEnv(workload_of(tmp_path, jobs, 4), queue=4, windows=windows)
    seen, _ = env.reset()
    assert seen["jobs"][:, 3].tolist() == [0, 1, 0, 1] and seen["jobs"].shape == (4, 5)
    numpy.testing.assert_allclose(seen["machine"][4:], [20 / 3620, 0.5], rtol=1e-6)


def test_episodes_of_parts_see_the_windows_of_their_time(workload):
    machine = {**MACHINE, "windows": WINDOWS}
    env = PickEnv(workload, window=60, **machine)
    submit = workload.jobs["submit"]
    for first in (0, 40, 90, 140):
        play(env, options={"episode": first})
        names = ["id", "processors", "walltime", "run_time", "per_host_cores", "per_host_gpus", "pool_power"]
        part = slice(first, first + 60)
        columns = {name: workload.jobs[name][part] for name in names} | {"submit": submit[part] - submit[first]}
        begin = float(submit[first])
        windows = [{**window, **{key: max(window.get(key, 0) - begin, 0) for key in ("from", "until", "announced")}}
                   for window in WINDOWS if window["until"] > begin]
        episode = batfill.Workload.from_dataframe(columns, processors=6)
        assert list(env.starts) == starts_of(episode, "easy", {**machine, "windows": windows})
    assert submit[140] > 900


def test_a_vector_steps_as_single_ones(workload):
    machine = {**MACHINE, "windows": WINDOWS}
    several = VectorBackfillEnv(2, workload, window=50, seed=3, **machine)
    singles = [BackfillEnv(workload, window=50, seed=3 + i, **machine) for i in range(2)]
    jobs, features, masks = several.reset()
    for i, env in enumerate(singles):
        observation, info = env.reset()
        assert (observation["jobs"] == jobs[i]).all() and (observation["machine"] == features[i]).all()
    for _ in range(20):
        jobs, features, _, dones, masks = several.step(numpy.zeros(2, int))
        for i, env in enumerate(singles):
            observation, _, done, _, info = env.step(0)
            if done:
                observation, info = env.reset()
            assert done == dones[i] and (observation["jobs"] == jobs[i]).all()
            assert (observation["machine"] == features[i]).all()


PARTITIONS = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full"><host id="master_host" speed="1Gf"/>
<cluster id="a" prefix="a" radical="0-2" suffix="" speed="1Gf" bw="1GBps" lat="0"><prop id="partitions" value="a"/></cluster>
<cluster id="b" prefix="b" radical="0-2" suffix="" speed="1Gf" bw="1GBps" lat="0"><prop id="partitions" value="b"/></cluster>
</zone></platform>
"""


def test_a_queue_for_each_partition_is_that_of_easy(tmp_path):
    draw = random.Random(8)
    jobs, now = [], 0
    for i in range(150):
        now += draw.choice([0, 0, draw.randrange(90)])
        fields = {"user": f"u{draw.randrange(3)}"}
        if draw.random() < 0.8:
            fields["partition"] = draw.choice(["a", "b", "a,b"])
        if draw.random() < 0.2:
            fields["begin"] = now + draw.randrange(300)
        if draw.random() < 0.2:
            fields |= {"array": "x", "array_limit": 1}
        walltime = draw.randrange(1, 300)
        jobs.append((now, draw.randrange(1, 4), walltime, draw.randrange(1, walltime + 1), fields))
    workload = workload_of(tmp_path, jobs, 6)
    (tmp_path / "machine.xml").write_text(PARTITIONS)
    limits = [{"of": "user", "most": {"jobs": 2}}]

    def starts(scheduler):
        run = batfill.simulate(workload, tmp_path / "machine.xml", scheduler, limits=limits)
        start = dict(zip(run.jobs["job_id"], run.jobs["starting_time"]))
        return [start[id] for id in workload.jobs["id"]]

    for make, scheduler in ((PickEnv, "easy"), (BackfillEnv, "easy")):
        several = make(workload, tmp_path / "machine.xml", queue=300, limits=limits, queues="partitions")
        play(several)
        assert list(several.starts) == starts(f"{scheduler},queues=partitions")
        one = make(workload, tmp_path / "machine.xml", queue=300, limits=limits, queues="one")
        play(one)
        assert list(one.starts) == starts(scheduler) != list(several.starts)
    part = PickEnv(workload, tmp_path / "machine.xml", window=30, limits=limits, queues="partitions")
    play(part, options={"episode": 60})
    first = jobs[60][0]
    shifted = [(submit - first, *rest, {**fields, **({"begin": fields["begin"] - first} if "begin" in fields else {})})
               for submit, *rest, fields in jobs[60:90]]
    (tmp_path / "part").mkdir()
    episode = workload_of(tmp_path / "part", shifted, 6)
    run = batfill.simulate(episode, tmp_path / "machine.xml", "easy,queues=partitions", limits=limits)
    assert list(part.starts) == run.jobs["starting_time"][numpy.argsort(run.jobs["job_id"].astype(int))].tolist()


@pytest.mark.parametrize(
    ("make", "error", "problem"),
    [
        (lambda w: PickEnv(w, windows=[{**WINDOWS[0], "running": "kill"}]), batfill.UsageError,
         "windows:1: window w kills or requeues jobs, or is for a reservation: not for environments"),
        (lambda w: PickEnv(w, windows=[WINDOWS[0], {**WINDOWS[1], "for": ["c"]}]), batfill.UsageError,
         "windows:2: window v kills or requeues jobs, or is for a reservation: not for environments"),
        (lambda w: PickEnv(w, head="kept", pools={"power": 90}), batfill.UsageError,
         "head=kept: not for machines with pools, capacities, partitions or windows"),
        (lambda w: PickEnv(w, queues="two"), batfill.UsageError, "queues: unknown value 'two', known: one, partitions"),
        (lambda w: PickEnv(w, pools={"power": 1.5}), batfill.UsageError,
         "pools: expected a dict of whole numbers by name, found 'power': 1.5"),
        (lambda w: PickEnv(w, windows=7), batfill.UsageError, "windows: expected a path or a list of dicts, found 7"),
        (lambda w: PickEnv(w, capacity={"cores": 16, "gpus": 1}), batfill.InputError,
         "jobs.json: job w0!0 asks for 3 hosts with 1 cores, 4 gpus, the machine has 0"),
        (lambda w: PickEnv(w, pools={"power": 3}), batfill.InputError,
         "jobs.json: job w0!1 asks for 6 of pool power, the machine has 3"),
    ],
)
def test_what_environments_refuse(workload, make, error, problem):
    with pytest.raises(error) as caught:
        make(workload)
    text = str(caught.value)
    assert text.endswith(problem) and "\n" not in text
