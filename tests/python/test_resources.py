"""Pools, shared hosts and partitions: as columns, in schedulers and in profiles."""

from __future__ import annotations

import copy
import importlib.util
import json
import pickle
import random
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import batfill

ROOT = Path(__file__).resolve().parents[2]


def workload_of(tmp_path, jobs, hosts=2):
    """Jobs as (submission, number of hosts, run time, other fields); walltimes are run times."""
    path = tmp_path / "jobs.json"
    path.write_text(json.dumps({
        "nb_res": hosts,
        "jobs": [{"id": str(i), "subtime": submit, "res": size, "walltime": run, "profile": f"p{run}", **fields}
                 for i, (submit, size, run, fields) in enumerate(jobs)],
        "profiles": {f"p{run}": {"type": "delay", "delay": run} for _, _, run, _ in jobs},
    }))
    return batfill.Workload.from_json(path)


def starts(run):
    return dict(zip(run.jobs["job_id"], run.jobs["starting_time"].tolist()))


def places(run):
    return dict(zip(run.jobs["job_id"], run.jobs["allocated_resources"].tolist()))


class Look(batfill.Scheduler):
    """Does what it is told in the first round, then starts what can start."""

    understands_resources = True

    def __init__(self, look):
        self.look = look

    def begin(self, round):
        self.is_first = True

    def decide(self, round):
        if self.is_first and len(round.waiting):  # a window may begin before jobs are submitted
            self.is_first = False
            self.look(round)
        for job in range(len(round.waiting)):
            if round.waiting.id[job] not in set(round.running.id):
                round.try_start(job)


JOBS = [
    (0, 1, 60, {"per_host": {"gpus": 2, "cores": 4}, "pools": {"power": 3}, "partition": "p", "gpus": 2}),
    (0, 2, 30, {"per_host": {"cores": 1}}),
    (5, 1, 10, {"pools": {"power": 4}}),
]


# ---- Columns


def test_columns_of_amounts(tmp_path):
    jobs = workload_of(tmp_path, JOBS).jobs
    assert jobs.names[-3:] == ["per_host_cores", "per_host_gpus", "pool_power"]
    numpy.testing.assert_array_equal(jobs["per_host_gpus"], [2, numpy.nan, numpy.nan])
    numpy.testing.assert_array_equal(jobs["per_host_cores"], [4, 1, numpy.nan])
    numpy.testing.assert_array_equal(jobs["pool_power"], [3, numpy.nan, 4])
    assert jobs["partition"].tolist() == ["p", None, None]
    numpy.testing.assert_array_equal(jobs["gpus"], [2, numpy.nan, numpy.nan])  # of the job as a whole
    assert jobs["per_host"].tolist() == [{"gpus": 2, "cores": 4}, {"cores": 1}, None]
    with pytest.raises(ValueError, match="read-only"):
        jobs["pool_power"][0] = 1
    with pytest.raises(KeyError, match="per_host_memory"):
        jobs["per_host_memory"]
    assert "pool_power" not in workload_of(tmp_path, [(0, 1, 5, {})]).jobs


def test_an_amount_that_all_jobs_name_is_a_column_of_whole_numbers(tmp_path):
    column = workload_of(tmp_path, [(0, 1, 5, {"pools": {"power": 10**18}}), (0, 1, 5, {"pools": {"power": 0}})]).jobs
    assert column["pool_power"].dtype == numpy.int64 and column["pool_power"].tolist() == [10**18, 0]


def test_a_table_of_the_columns_is_the_workload_again(tmp_path):
    first = workload_of(tmp_path, JOBS)
    for columns in (dict(first.jobs), {key: value for key, value in dict(first.jobs).items() if key != "per_host"}):
        again = batfill.Workload.from_dataframe(columns, processors=2)
        assert again.jobs.names == first.jobs.names if "per_host" in columns else True
        for name in ("per_host_gpus", "per_host_cores", "pool_power"):
            numpy.testing.assert_array_equal(again.jobs[name], first.jobs[name])
        assert again.jobs["partition"].tolist() == first.jobs["partition"].tolist()
        machine = {"pools": {"power": 5}, "capacity": {"cores": 4, "gpus": 2}}
        assert starts(batfill.simulate(again, 2, "easy", **machine)) == starts(
            batfill.simulate(first, 2, "easy", **machine))
    pandas = pytest.importorskip("pandas")
    again = batfill.Workload.from_dataframe(first.jobs.to_pandas(), processors=2)
    assert again.jobs["per_host"].tolist() == first.jobs["per_host"].tolist()
    assert isinstance(first.jobs.to_pandas(), pandas.DataFrame)


def test_a_table_with_amounts():
    table = {"submit": [0, 0], "processors": [1, 1], "run_time": [9, 9], "per_host_gpus": [2, None],
             "pool_power": [numpy.float64(3), numpy.nan], "reservation": ["course", None]}
    workload = batfill.Workload.from_dataframe(table)
    assert workload.jobs["per_host"].tolist() == [{"gpus": 2}, None]
    assert workload.jobs["pools"].tolist() == [{"power": 3}, None]
    windows = [{"name": "w", "from": 50, "until": 90, "processors": 1, "for": ["course"]}]
    assert starts(batfill.simulate(workload, 2, "easy", windows=windows)) == {"1": 50, "2": 0}


@pytest.mark.parametrize(
    ("column", "values", "problem"),
    [
        ("per_host_gpus", [1, 1.5], "row 1: per_host_gpus is 1.5, expected a whole number from 0"),
        ("per_host_gpus", [1, True], "row 1: per_host_gpus is True, expected a whole number from 0"),
        ("pool_power", [-1, 1], "row 0: pool_power is -1, expected a whole number from 0"),
        ("pool_power", ["much", 1], "row 0: pool_power is 'much', expected a whole number from 0"),
        ("pool_power", [2, 1], "row 0: pool_power is 2, expected 5, as pools says"),
    ],
)
def test_wrong_amounts_of_a_table_are_refused(column, values, problem):
    table = {"submit": [0, 0], "processors": [1, 1], "run_time": [9, 9], "pools": [{"power": 5}, None], column: values}
    with pytest.raises(batfill.InputError) as caught:
        batfill.Workload.from_dataframe(table)
    assert str(caught.value) == problem


# ---- Rounds


def test_what_a_round_has_of_resources(tmp_path):
    def look(round):
        waiting, free = round.waiting, round.free
        assert isinstance(free, batfill.Free)
        assert (free.processors, free.pools, free.capacities) == (3, {"bb": 7, "power": 5}, ("cores", "gpus"))
        assert free.per_host("gpus").tolist() == [2, 2, 2] and free.per_host("cores").dtype == numpy.int64
        assert waiting.per_host("gpus").tolist() == [2, 0] and waiting.per_host("cores").tolist() == [4, 1]
        assert waiting.pool("power").tolist() == [3, 0] and waiting.pool("bb").tolist() == [0, 0]
        assert waiting.partition.tolist() == ["p", None] and waiting.whole_hosts.tolist() == [False, False]
        numpy.testing.assert_array_equal(waiting["per_host_gpus"], [2, numpy.nan])
        assert free.hosts_for(0).tolist() == [0, 1, 2]
        round.start(0, [1])
        assert free.per_host("gpus").tolist() == [2, 0, 2] and free.per_host("cores").tolist() == [4, 0, 4]
        assert free.pools == {"bb": 7, "power": 2} and free.processors == round.idle == 2
        assert free.hosts_for(1).tolist() == [0, 2]
        assert round.running.per_host("gpus").tolist() == [2] and round.running.pool("power").tolist() == [3]
        round.start(1, "0,2")
        for call, problem in [
            (lambda: free.per_host("memory"), "per_host: expected a capacity of the machine: cores, gpus, found memory"),
            (lambda: waiting.per_host("power"), "per_host: expected a capacity of the machine: cores, gpus, found power"),
            (lambda: waiting.pool("gpus"), "pool: expected a pool of the machine: bb, power, found gpus"),
            (lambda: free.per_host(7), "name: expected a text, found 7"),
        ]:
            with pytest.raises(batfill.UsageError) as caught:
                call()
            assert str(caught.value) == problem
        with pytest.raises(batfill.DecisionError, match="has started already"):
            free.hosts_for(0)
        with pytest.raises(IndexError):
            free.hosts_for(9)

    workload = workload_of(tmp_path, JOBS, 3)
    run = batfill.simulate(workload, 3, Look(look), pools={"power": 5, "bb": 7}, capacity={"cores": 4, "gpus": 2})
    assert places(run)["0"] == "1" and run.check().violations == []


def test_a_plain_machine_has_no_resources(tmp_path):
    seen = []

    def look(round):
        seen.append(round.free)
        assert (round.free.processors, round.free.pools, round.free.capacities) == (2, {}, ())
        assert round.free.hosts_for(0).tolist() == [0, 1] and round.waiting.whole_hosts.all()
        assert round.waiting.partition.tolist() == ["p", None]
        for call in (round.free.per_host, round.waiting.per_host):
            with pytest.raises(batfill.UsageError, match="^per_host: expected a capacity of the machine, which has none"):
                call("gpus")

    batfill.simulate(workload_of(tmp_path, JOBS), 2, Look(look))
    with pytest.raises(batfill.UsageError, match="the round is over"):
        seen[0].pools


def test_nothing_is_free_in_a_window_and_on_lost_hosts(tmp_path):
    (tmp_path / "events").write_text(
        '{"type": "machine_unavailable", "resources": "3", "timestamp": 20}\n'
        '{"type": "machine_available", "resources": "3", "timestamp": 100}\n')
    windows = [{"name": "w", "from": 10, "until": 50, "hosts": "1"}, {"name": "v", "from": 60, "until": 70, "hosts": "2"}]
    seen = {}

    class Note(batfill.Scheduler):
        understands_resources = True

        def decide(self, round):
            round.wake_at(round.now + 10) if round.now < 60 else None
            free = round.free
            long = [free.hosts_for(job).tolist() for job in range(len(round.waiting))]
            seen[round.now] = free.per_host("cores").tolist(), long

    workload = workload_of(tmp_path, [(0, 1, 35, {"per_host": {"cores": 1}})], 4)
    with pytest.raises(batfill.InputError, match="never"):
        batfill.simulate(workload, 4, Note(), capacity={"cores": 2}, windows=windows, events=tmp_path / "events")
    assert seen[0] == ([2, 2, 2, 2], [[0, 2, 3]])  # it would run into the window
    assert seen[10] == ([2, 0, 2, 2], [[0, 2, 3]])
    assert seen[20] == ([2, 0, 2, 0], [[0, 2]])
    assert seen[30] == ([2, 0, 2, 0], [[0]])
    assert seen[50] == ([2, 2, 2, 0], [[0, 1]])
    assert seen[60] == ([2, 2, 0, 0], [[0, 1]])


@pytest.mark.parametrize(
    ("hosts", "problem"),
    [
        ("0", "it needs 2 hosts and would get 1"),
        ([0, 1], "host 1 has 0 of gpus left, and it takes 1"),
        ([0, 9], "there is no host 9, the machine has 3"),
        ("0-2", "it needs 2 hosts and would get 3"),
    ],
)
def test_hosts_that_do_not_do_are_refused(tmp_path, hosts, problem):
    def look(round):
        round.start(0, [1])
        with pytest.raises(batfill.DecisionError) as caught:
            round.start(1, hosts)
        assert str(caught.value) == f"algorithm Look at 0.000000: job w0!1: it cannot start, {problem}"
        assert round.free.per_host("gpus").tolist() == [2, 0, 2]
        round.start(1, [0, 2])

    jobs = [(0, 1, 60, {"per_host": {"gpus": 2}}), (0, 2, 60, {"per_host": {"gpus": 1}})]
    run = batfill.simulate(workload_of(tmp_path, jobs), 3, Look(look), capacity={"gpus": 2})
    assert places(run) == {"0": "1", "1": "0 2"} and run.check().violations == []


def test_each_lack_of_a_host_has_its_words(tmp_path):
    subprocess.run([sys.executable, "-m", "batfill", "platform", "--group", "1:gpus=2,partition=p", "--group",
                    "1:gpus=2,partition=q", "--group", "1:partition=p", "-o", tmp_path / "machine.xml"], check=True,
                   capture_output=True)
    found = []

    def look(round):
        round.start(0, [0])
        for job, host in ((1, 1), (1, 0), (2, 2), (3, 1), (4, 0)):
            with pytest.raises(batfill.DecisionError) as caught:
                round.start(job, [host])
            found.append(str(caught.value).split("it cannot start, ")[1])

    of_one = {"per_host": {"gpus": 1}}
    jobs = [(0, 1, 50, of_one), (0, 1, 50, {"per_host": {"gpus": 2}, "partition": "p"}), (0, 1, 50, of_one), (0, 1, 5, of_one),
            (0, 1, 50, {})]
    windows = [{"name": "w", "from": 0, "until": 9, "hosts": "1"}]
    batfill.simulate(workload_of(tmp_path, jobs, 3), tmp_path / "machine.xml", Look(look), windows=windows)
    assert found == ["host 1 is not in its partition", "host 0 has 1 of gpus left, and it takes 2",
                     "host 2 is not shared", "host 1 is lost or taken by a window", "host 0 is in use"]


def test_a_start_without_enough_of_a_pool_is_refused(tmp_path):
    def look(round):
        round.start(0)
        with pytest.raises(batfill.DecisionError, match="it cannot start, too little is left of a pool"):
            round.start(1, [1])

    jobs = [(0, 1, 60, {"pools": {"power": 3}}), (0, 1, 60, {"pools": {"power": 3}})]
    run = batfill.simulate(workload_of(tmp_path, jobs), 2, Look(look), pools={"power": 5})
    assert starts(run) == {"0": 0, "1": 60} and run.check().violations == []


def test_particular_processors_of_a_window(tmp_path):
    windows = [{"name": "w", "from": 0, "until": 90, "processors": 3, "for": ["course"]}]

    def look(round):
        assert round.free.hosts_for(0).tolist() == [1, 2, 3]
        with pytest.raises(batfill.DecisionError, match="it needs 2 processors of 1-3, which window w has left for it, and "
                                                        "would get 0-1$"):
            round.start(0, [0, 1])
        round.start(0, [1, 3])

    jobs = [(0, 2, 30, {"reservation": "course"}), (0, 1, 30, {"reservation": "course"})]
    run = batfill.simulate(workload_of(tmp_path, jobs, 4), 4, Look(look), windows=windows)
    assert places(run) == {"0": "1 3", "1": "2"} and run.check().violations == []


def test_a_lost_processor_of_a_window_is_not_free(tmp_path):
    def look(round):
        assert round.unavailable.tolist() == [2] and round.free.hosts_for(0).tolist() == [1, 3]

    (tmp_path / "events").write_text('{"type": "machine_unavailable", "resources": "2", "timestamp": 5}\n')
    jobs = [(10, 2, 30, {"reservation": "course"})]
    windows = [{"name": "w", "from": 0, "until": 90, "processors": 3, "for": ["course"]}]
    run = batfill.simulate(workload_of(tmp_path, jobs, 4), 4, Look(look), windows=windows, events=tmp_path / "events")
    assert places(run) == {"0": "1 3"} and run.check().violations == []


def test_a_registered_job_takes_what_its_fields_say(tmp_path):
    class Registers(batfill.Scheduler):
        understands_resources = True

        done = False

        def registers_jobs(self):
            return not self.done

        def decide(self, round):
            if not self.done and round.now == 0 and len(round.waiting):
                self.done = True
                job = round.register_job("dynamic!1", 1, run_time=5, walltime=5, fields={"per_host": {"gpus": 2}})
                assert round.waiting.per_host("gpus")[job] == 2
                round.start(job, [1])
                assert round.free.per_host("gpus").tolist() == [2, 0]
            for job in range(len(round.waiting)):
                round.try_start(job) if round.waiting.id[job].startswith("w0") and not len(round.running) > 1 else None

    run = batfill.simulate(workload_of(tmp_path, [(0, 1, 60, {"per_host": {"gpus": 1}})]), 2, Registers(),
                           capacity={"gpus": 2})
    assert run.check().violations == []


# ---- Schedulers that choose hosts


class InOrder(batfill.Scheduler):
    """FCFS on the lowest hosts, by what is free."""

    understands_resources = True

    def decide(self, round):
        waiting, pools = round.waiting, round.free.pools
        for job in range(len(waiting)):
            hosts = round.free.hosts_for(job)[: waiting.processors[job]]
            lacks = any(waiting.pool(name)[job] > round.free.pools[name] for name in pools)
            if lacks or len(hosts) < waiting.processors[job]:
                break
            round.start(job, hosts)


def random_workload(tmp_path, seed):
    draw = random.Random(seed)
    jobs, now = [], 0
    for _ in range(150):
        now += draw.choice([0, 0, draw.randrange(60)])
        fields = {}
        if draw.random() < 0.8:
            fields["per_host"] = {"gpus": draw.randrange(5), "cores": draw.randrange(1, 17)}
        if draw.random() < 0.5:
            fields["pools"] = {"power": draw.randrange(60)}
        jobs.append((now, draw.randrange(1, 4), draw.randrange(1, 300), fields))
    return workload_of(tmp_path, jobs, 6)


@pytest.mark.parametrize("seed", range(6))
def test_a_scheduler_by_what_is_free_gives_the_schedule_of_fcfs(tmp_path, seed):
    workload = random_workload(tmp_path, seed)
    machine = {"pools": {"power": 90}, "capacity": {"cores": 16, "gpus": 4}}
    if seed % 2:
        machine["windows"] = [{"name": "w", "from": 500, "until": 900, "hosts": "0-2", "announced": 300},
                              {"name": "v", "from": 2000, "until": 2100, "hosts": "all"}]
    mine = batfill.simulate(workload, 6, InOrder(), **machine)
    fcfs = batfill.simulate(workload, 6, "fcfs", placement="lowest", **machine)
    assert mine.check().violations == [] and len(mine.jobs) == 150
    assert starts(mine) == starts(fcfs)
    assert places(mine) == places(fcfs)
    assert len(set(places(mine).values())) > 6


@pytest.fixture(scope="module", name="packs")
def _packs():
    spec = importlib.util.spec_from_file_location("pack_gpus", ROOT / "examples" / "python" / "pack_gpus.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.PackGpus


def test_the_example_packs_gpus(tmp_path, packs):
    jobs = [(0, 1, 90, {"per_host": {"gpus": 2}}), (0, 1, 90, {"per_host": {"gpus": 3}}),
            (1, 1, 90, {"per_host": {"gpus": 1}}), (2, 1, 90, {"per_host": {"gpus": 2}})]
    workload, machine = workload_of(tmp_path, jobs), {"capacity": {"gpus": 4}}
    packed = batfill.simulate(workload, 2, packs(), **machine)
    assert places(packed) == {"0": "0", "1": "1", "2": "1", "3": "0"} and packed.check().violations == []
    assert starts(packed)["3"] == 2
    assert starts(batfill.simulate(workload, 2, "fcfs", placement="lowest", **machine))["3"] == 90
    many = random_workload(tmp_path, 7)
    run = batfill.simulate(many, 6, packs(), capacity={"cores": 16, "gpus": 4})
    assert run.check().violations == [] and len(run.jobs) == 150


def test_the_example_is_short_and_runs_as_a_script(tmp_path):
    script = ROOT / "examples" / "python" / "pack_gpus.py"
    assert len(script.read_text().splitlines()) <= 30
    subprocess.run([sys.executable, "-m", "batfill", "platform", "--group", "6:cores=16,gpus=4", "-o",
                    tmp_path / "machine.xml"], check=True, capture_output=True)
    random_workload(tmp_path, 8)
    done = subprocess.run([sys.executable, script, tmp_path / "jobs.json", tmp_path / "machine.xml"],
                          capture_output=True, text=True, check=True)
    assert done.stdout.endswith(" []\n")


# ---- Profiles of amounts


def test_a_profile_of_amounts():
    profile = batfill.Profile({"processors": 100, "power": 400}, start=5)
    assert (profile.processors, profile.now, profile.amounts) == (100, 5, {"processors": 100, "power": 400})
    profile.take({"processors": 60, "power": 300}, 5, 10)
    profile.take({"power": numpy.int64(100)}, 10, 20)
    assert profile.free_at(5) == {"processors": 40, "power": 100}
    assert profile.free_at(12) == {"processors": 40, "power": 0}
    assert profile.earliest({"processors": 40}, 100) == 5
    assert profile.earliest({"power": 100}, 5) == 5 and profile.earliest({"power": 100}, 6) == 15
    assert profile.earliest({"processors": 41, "power": 400}, 1, after=20) == 30
    assert profile.earliest({"power": 401}, 1) == float("inf")
    times, free = profile.steps()
    assert times.tolist() == [5, 10, 15, 30]
    assert {name: column.tolist() for name, column in free.items()} == {
        "processors": [40, 40, 100, 100], "power": [100, 0, 300, 400]}
    for other in (copy.copy(profile), copy.deepcopy(profile), pickle.loads(pickle.dumps(profile))):
        assert other.steps()[0].tolist() == times.tolist() and other.amounts == profile.amounts
        other.give({"power": 100}, 10, 5)
        assert other.free_at(12)["power"] == 100 and profile.free_at(12)["power"] == 0
    profile.advance(12)
    assert profile.now == 12 and profile.steps()[0].tolist() == [12, 15, 30]
    profile.take({}, 12, 5)
    profile.take({"power": 400}, 40, 0)
    assert profile.steps()[0].tolist() == [12, 15, 30]
    assert batfill.Profile({"power": 1}).processors == 0 and batfill.Profile(4).amounts == {"processors": 4}


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda p: p.take({"power": 101}, 3, 4), "expected at most 100 of power, as much as is free during "
                                                 "[3.000000, 7.000000), found 101"),
        (lambda p: p.give({"power": 301, "processors": 1}, 3, 4), "expected at most 0 of processors, as much as is taken "
                                                                 "during [3.000000, 7.000000), found 1"),
        (lambda p: p.take(4, 3, 4), "amounts: expected a dict of whole numbers by name, found 4"),
        (lambda p: p.take({"gpus": 1}, 3, 4), "amounts: expected names of the profile: processors, power, found gpus"),
        (lambda p: p.earliest({"power": -1}, 1), "power: expected a whole number from 0 to 1000000000000000000, found -1"),
        (lambda p: p.earliest({"power": 1.5}, 1), "power: expected a whole number from 0 to 1000000000000000000, found 1.5"),
        (lambda p: p.earliest({7: 1}, 1), "amounts: expected a text, found 7"),
        (lambda p: p.take({"power": 1}, -1, 4), "start: expected a time from 0.000000 on, found -1.000000"),
        (lambda p: batfill.Profile({}), "amounts: expected at least one, found {}"),
        (lambda p: batfill.Profile({"processors": 2**31}), "processors: expected a whole number from 0 to 2147483647, "
                                                          "found 2147483648"),
        (lambda p: batfill.Profile(4).take({"power": 1}, 0, 1), "processors: expected a whole number from 0 to 2147483647, "
                                                              "found {'power': 1}"),
    ],
)
def test_wrong_amounts_of_a_profile_are_refused(call, problem):
    profile = batfill.Profile({"processors": 100, "power": 400})
    profile.take({"power": 300}, 0, 10)
    with pytest.raises(batfill.UsageError) as caught:
        call(profile)
    assert str(caught.value) == problem
    assert profile.free_at(3) == {"processors": 100, "power": 100}


@pytest.mark.parametrize("seed", range(3))
def test_a_profile_of_amounts_counts_as_one_of_processors(seed):
    draw, plain, named = random.Random(seed), batfill.Profile(20), batfill.Profile({"processors": 20, "power": 10})
    for _ in range(200):
        size, length = draw.randrange(1, 21), draw.randrange(1, 50)
        start = plain.earliest(size, length, after=draw.randrange(200))
        assert named.earliest({"processors": size}, length, after=start) == start
        plain.take(size, start, length)
        named.take({"processors": size}, start, length)
    assert plain.steps()[1].tolist() == named.steps()[1]["processors"].tolist()
