"""Pickle, copies, and other processes."""

import concurrent.futures
import copy
import json
import multiprocessing
import pickle

import numpy
import pytest

import batfill


def wait_of(workload):
    """Also for a process of its own."""
    return batfill.simulate(workload, 64, "easy").metrics()["mean_wait"]


def fail(_):
    raise batfill.UsageError("one line")


def again(value):
    return pickle.loads(pickle.dumps(value))


def files_of(run, prefix):
    return {path.rsplit("_", 1)[1]: open(path, "rb").read() for path in run.save(prefix)}


def same_columns(one, other):
    return list(one) == list(other) and all(
        numpy.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f") for name in one
    )


@pytest.fixture(scope="module")
def rich(tmp_path_factory):
    """A workload with everything that jobs may have, and machine events."""
    count = 60
    table = {
        "id": [f"j'ä{number}" for number in range(count)], "submit": [7.25 * number for number in range(count)],
        "processors": [1 + number % 5 for number in range(count)], "run_time": [10 + number for number in range(count)],
        "walltime": [None if number == 3 else 40 + number for number in range(count)],
        "user": [f"u{number % 3}" for number in range(count)], "queue": ["", "long"] * (count // 2),
        "deadline": [1e4 + number for number in range(count)], "gpus": [number % 2 or None for number in range(count)],
    }
    events = tmp_path_factory.mktemp("events") / "events.json"
    events.write_text('{"type": "machine_unavailable", "resources": "0", "timestamp": 20}\n'
                      '{"type": "machine_available", "resources": "0", "timestamp": 300}\n')
    return batfill.Workload.from_dataframe(table, processors=6), events


def test_a_workload_keeps_the_date_of_its_second_0_where_it_is_true(tmp_path):
    log = tmp_path / "log.swf"
    log.write_text("; UnixStartTime: 1709251200\n; TimeZoneString: Europe/Berlin\n" + "".join(
        f"{number} {100 * number} 0 60 1 -1 -1 1 60 -1 1 1 1 -1 1 -1 -1 -1\n" for number in range(1, 4)))
    workload = batfill.Workload.from_swf(log)

    def origin(one):
        one.save(tmp_path / "w.json")
        return json.loads((tmp_path / "w.json").read_text()).get("origin")

    assert origin(workload) == "2024-03-01T00:00:00Z[Europe/Berlin]"
    for one in (again(workload), copy.copy(workload), copy.deepcopy(workload),
                batfill.Workload.from_json(tmp_path / "w.json")):
        assert origin(one) == "2024-03-01T00:00:00Z[Europe/Berlin]"
    weeks = workload.weeks(days=0.0025)
    assert [origin(week) for week in weeks] == [
        "2024-03-01T00:00:00Z[Europe/Berlin]", "2024-03-01T00:03:36Z[Europe/Berlin]"]
    assert origin(workload.scale_load(0.5)) is None


def test_what_jobs_ask_for_comes_back():
    table = {"id": ["a", "b"], "submit": [0, 1], "run_time": [10, 10], "walltime": [20, 20], "processors": [1, 1],
             "after": [None, ["ok:a+5"]]}
    workload = batfill.Workload.from_dataframe(table, processors=2)
    for one in (workload, again(workload)):
        run = batfill.simulate(one, 2, "fcfs")
        assert list(run.jobs["starting_time"]) == [0, 15]
        assert again(run).metrics(wait_from="eligible")["mean_wait"] == 0
    table["after"][1] = "ok:a"
    with pytest.raises(batfill.InputError, match="row 1.*after.*expected an array"):
        batfill.Workload.from_dataframe(table)


def test_a_workload_comes_back(workload, rich, tmp_path):
    for one in (workload, rich[0], workload.weeks()[0]):
        for other in (again(one), copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one, 2))):
            assert (other.name, other.processors, other.cleaning) == (one.name, one.processors, one.cleaning)
            assert same_columns(other.jobs, one.jobs) and same_columns(again(one.jobs), one.jobs)
            one.save(tmp_path / "one.json")
            other.save(tmp_path / "other.json")
            assert (tmp_path / "one.json").read_bytes() == (tmp_path / "other.json").read_bytes()
    assert pickle.dumps(again(workload)) == pickle.dumps(workload)  # as caches compare them


@pytest.mark.parametrize("scheduler, parameters", [
    ("conservative", {"default_walltime": 100}), ("easy", {"default_walltime": 100, "on_failure": "requeue"}),
    ("fcfs", {}), ("submitter", {"metadata": True, "default_walltime": 100}),
    ("conservative", {"default_walltime": 100, "placement": "contiguous"}),
])
def test_a_run_comes_back(rich, scheduler, parameters, tmp_path):
    workload, events = rich
    run = batfill.simulate(workload, 6, scheduler, events=events, **parameters)
    for loaded in (again(run), copy.copy(run), copy.deepcopy(run)):
        assert repr(loaded) == repr(run)
        assert same_columns(loaded.jobs, run.jobs)
        assert (loaded.metrics(), loaded.check()) == (run.metrics(), run.check())
        assert (loaded.statistics, loaded.rejected) == (run.statistics, run.rejected)
        assert (loaded.guarantees is None) == (run.guarantees is None)
        assert run.guarantees is None or same_columns(loaded.guarantees, run.guarantees)
        assert files_of(loaded, tmp_path / "loaded") == files_of(run, tmp_path / "run")
        run.report(tmp_path / "run.html")
        loaded.report(tmp_path / "loaded.html")
        assert (tmp_path / "run.html").read_bytes() == (tmp_path / "loaded.html").read_bytes()
    assert bool(run.rejected) == (scheduler == "fcfs")


def test_what_comes_of_many_replays_comes_back(workload):
    comparison = batfill.compare(workload.weeks(), ["fcfs", "easy"], baseline="easy", weeks=True)
    loaded = again(comparison)
    assert str(loaded) == str(comparison) and loaded.note == comparison.note
    assert loaded.table("csv") == comparison.table("csv")
    assert (loaded.values() == comparison.values()).all() and loaded.schedulers == comparison.schedulers
    [best] = batfill.tune(workload, 64, evaluations=5)
    assert again(best) == best == copy.deepcopy(best)
    report = batfill.simulate(workload, 64).check()
    assert again(report) == report


def test_other_processes():
    workloads = [batfill.Workload.lublin(200, 64, seed, load=0.9) for seed in (1, 2)]
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=spawn) as pool:
        assert list(pool.map(wait_of, workloads)) == [wait_of(one) for one in workloads]
        [run] = pool.map(batfill.simulate, workloads[:1])
        assert run.metrics() == batfill.simulate(workloads[0]).metrics()
        with pytest.raises(batfill.UsageError, match="^one line$"):
            pool.submit(fail, 0).result()


def test_what_cannot_be_pickled_says_so(workload):
    class Keeper(batfill.Scheduler):
        def decide(self, round):
            for kept in (round, round.waiting, round.running, round.ended, round.profile()):
                with pytest.raises(TypeError, match="^cannot pickle '?[^\n]*$"):
                    pickle.dumps(kept)
            raise SystemExit

    with pytest.raises(SystemExit):
        batfill.simulate(workload, 64, Keeper())


@pytest.mark.parametrize("damage", [
    lambda state: b"", lambda state: b"batfill-0;", lambda state: state[:100], lambda state: state + b"x",
])
def test_another_pickle_is_refused(workload, damage):
    core = workload._core
    with pytest.raises(batfill.InputError, match="^pickle: expected one of [^\n]*$"):
        core.__class__.__new__(core.__class__).__setstate__(damage(core.__getstate__()))


def test_no_changed_byte_of_a_pickle_is_taken(workload):
    for value in (workload, batfill.simulate(workload, 64, "easy")):
        state = bytearray(pickle.dumps(value))
        for place in range(len(state) // 2, len(state) - 40, max(1, len(state) // 97)):
            state[place] ^= 0x40
            with pytest.raises(Exception):
                pickle.loads(bytes(state)).name  # noqa: B018
            state[place] ^= 0x40


def test_no_profile_is_made_of_something_else(workload):
    for profile in (batfill.Profile(8), batfill.Profile({"power": 8, "bb": 3}, start=5)):
        for wrong in (b"", profile.__getstate__()[:-1], profile.__getstate__() + b"x", workload._core.__getstate__()):
            with pytest.raises(batfill.InputError, match="^pickle: expected one of [^\n]*$"):
                batfill.Profile.__new__(batfill.Profile).__setstate__(wrong)
    profile.take({"power": 1}, 6, 2)
    kept = batfill.Profile.__new__(batfill.Profile)
    kept.__setstate__(profile.__getstate__())
    assert [kept.free_at(time) for time in (5, 6, 8)] == [profile.free_at(time) for time in (5, 6, 8)]
