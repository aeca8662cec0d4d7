"""Arguments of every kind: paths as Python takes them, and errors in one line."""

import os
from pathlib import Path

import pytest

import batfill

NOT_UTF8 = "a\udcff"
CSV = "job,sent,begun,ended,cpus\na,0,0,10,2\nb,5,10,20,1\n"
FIELDS = {"id": "job", "submit": "sent", "start": "begun", "end": "ended", "processors": "cpus"}


@pytest.mark.parametrize("kind", [str, Path, os.fsencode], ids=["str", "Path", "bytes"])
@pytest.mark.parametrize("name", ["plain", "ä b", NOT_UTF8])
def test_paths_of_every_kind(workload, kind, name, tmp_path):
    def path(ending):
        return kind(str(tmp_path / (name + ending)))

    workload.save(path(".json"))
    assert len(batfill.Workload.from_json(path(".json"))) == len(workload)
    run = batfill.simulate(path(".json"), 64)
    for written in (*run.save(path("")), *run.save(path("2"))):
        assert os.path.exists(written)
    run.report(path(".html"))
    batfill.report([run], path("2.html"))
    assert os.path.exists(path(".html")) and os.path.exists(path("2.html"))
    (tmp_path / "table.csv").write_text(CSV)
    os.rename(tmp_path / "table.csv", path(".csv"))
    assert len(batfill.Workload.from_accounting(path(".csv"), "csv", mapping=FIELDS)) == 2
    assert len(batfill.Workload.from_accounting([path(".csv")], "csv", map=FIELDS)) == 2
    assert batfill.compare([path(".json")], ["fcfs"], "mean_wait").values().shape == (1, 1)
    assert batfill.compare(path(".json"), ["fcfs"], "mean_wait").values().shape == (1, 1)
    open(path(".events"), "w").close()
    assert len(batfill.simulate(workload, 64, events=path(".events")).jobs) == len(workload)
    open(path(".yaml"), "w").write("workloads: [{generate: lublin, jobs: 50, processors: 8, seed: 1}]\n"
                                   "schedulers: [fcfs]\nreports: true\n")
    result = batfill.campaign(path(".yaml"), path("-out"))
    assert result.rows() and any(Path(result.folder).rglob("*.html"))
    with pytest.raises(batfill.InputError, match="cannot be opened"):
        batfill.Workload.from_swf(path("-none"))


def test_paths_are_never_options(log, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(CSV)
    (tmp_path / "--load=0.5").write_text(CSV.replace("\na,", "\nc,").replace("\nb,", "\nd,"))
    log.rename("-k.swf")
    both = batfill.Workload.from_accounting(["t.csv", "--load=0.5"], "csv", mapping=FIELDS)
    assert sorted(both.jobs["id"]) == ["a", "b", "c", "d"] and set(both.jobs["submit"]) == {0, 5}
    alone = batfill.Workload.from_accounting("--load=0.5", "csv", mapping=FIELDS)
    assert (len(alone), alone.name) == (2, "--load=0.5")
    assert batfill.Workload.from_swf("-k.swf").name == "-k"
    with pytest.raises(batfill.UsageError, match="^format: expected sacct, .* found '--load=0.5'$"):
        batfill.Workload.from_accounting(["csv", "t.csv"], "--load=0.5", mapping=FIELDS)
    assert batfill.Workload.weeks_from_swf(b"-k.swf")[0].name == "-k-week-1"


@pytest.mark.parametrize("keywords, expected", [
    ({"shift": 1}, "shift: expected True or False, found 1"), ({"nodes": 5}, "nodes: expected True or False, found 5"),
    ({"until": True}, "until: expected a value, found True"), ({"map": {}}, "map: expected a dict with an entry"),
    ({"mapping": {}}, "mapping: expected a dict with"), ({"partition_limits": {}}, "partition_limits: expected a dict"),
    ({"keep_zero_run_times": "yes"}, "keep_zero_run_times: expected True or False, found 'yes'"),
    ({"map": 5}, "map: expected a dict of columns"),
])
def test_keywords_of_a_wrong_kind_are_named(keywords, expected, tmp_path):
    with pytest.raises(batfill.UsageError, match=f"^{expected}[^\n]*$"):
        batfill.Workload.from_accounting(tmp_path / "none", "csv", **keywords)


def test_a_zero_byte_is_no_path(workload, tmp_path):
    run = batfill.simulate(workload, 64)
    for call in (workload.save, run.save, run.report, batfill.Workload.from_json, batfill.Workload.from_swf,
                 batfill.campaign, lambda path: batfill.report(run, path), lambda path: batfill.simulate(path),
                 lambda path: batfill.simulate(workload, 64, events=path),
                 lambda path: batfill.simulate(workload, path),
                 lambda path: batfill.Workload.from_accounting(path, "sacct")):
        for path in (str(tmp_path / "a\0b"), os.fsencode(tmp_path / "a\0b")):
            with pytest.raises(ValueError, match="null byte"):
                call(path)
    assert list(tmp_path.iterdir()) == []


def calls(workload, run, tmp_path):
    """Calls with something of a wrong kind."""
    easy, out = ["easy"], tmp_path / "x"
    yield from (
        lambda: batfill.report([1], out), lambda: batfill.report(1, out), lambda: batfill.report([], out),
        lambda: batfill.report([run], 5), lambda: run.save(5), lambda: run.save(None), lambda: workload.save([]),
        lambda: workload.save(out, 5), lambda: workload.save(out, "batsim6"), lambda: batfill.compare(5, easy),
        lambda: batfill.compare([5], easy), lambda: batfill.compare(workload, 5), lambda: batfill.compare(workload, [5]),
        lambda: batfill.compare(workload, b"easy"), lambda: batfill.compare(workload, easy, 5),
        lambda: batfill.compare(workload, easy, threads="x"), lambda: batfill.compare(workload, easy, threads=-1),
        lambda: batfill.compare(workload, easy, baseline=5), lambda: batfill.compare(workload, easy, baseline="fcfs"),
        lambda: batfill.compare(workload, easy, progress=5), lambda: batfill.compare(workload, easy, tau=[]),
        lambda: batfill.compare(workload, easy).values(5), lambda: batfill.compare(workload, easy).table(5),
        lambda: batfill.simulate(5), lambda: batfill.simulate(workload, 5.5), lambda: batfill.simulate(workload, []),
        lambda: batfill.simulate(workload, 64, 5), lambda: batfill.simulate(workload, 64, object),
        lambda: batfill.simulate(workload, 64, "easy\udcff"), lambda: batfill.simulate(workload, 64, order="\udcff"),
        lambda: batfill.simulate(workload, 64, events=5), lambda: batfill.simulate(workload, 64, events=[5]),
        lambda: batfill.simulate(workload, 64, master_host=5), lambda: run.metrics(tau="x"),
        lambda: run.metrics(tau=0), lambda: workload.weeks("x"), lambda: workload.scale_load("x"),
        lambda: batfill.Workload.from_json(5), lambda: batfill.Workload.from_swf(5, until=3),
        lambda: batfill.Workload.from_accounting(5, "sacct"), lambda: batfill.Workload.from_accounting([5], "sacct"),
        lambda: batfill.Workload.from_accounting(out, "csv", mapping=[1]),
        lambda: batfill.Workload.from_accounting(out, "csv", mapping=FIELDS, map=FIELDS),
        lambda: batfill.Workload.lublin("x", 8, 1), lambda: batfill.Workload.lublin(5, 8, "x"),
        lambda: batfill.Workload.from_dataframe(5), lambda: batfill.Workload.from_dataframe([1]),
        lambda: batfill.Workload.from_dataframe({"submit": [0], "processors": [1], "run_time": [1]}, processors="x"),
        lambda: batfill.Workload.from_dataframe({"submit": [0], "processors": [1], "run_time": [1]}, walltimes=5),
        lambda: batfill.campaign(5), lambda: batfill.campaign(out, schedulers=[1]),
        lambda: batfill.campaign(out, shard="5/4"), lambda: batfill.campaign(out, shard=5),
        lambda: batfill.merge_campaign(5, out), lambda: batfill.merge_campaign([], out), lambda: batfill.tune(workload, 64, scale=5, evaluations=1),
        lambda: batfill.tune(5, 64), lambda: batfill.tune(workload, 64, evaluations="x"),
        lambda: batfill.serve(5), lambda: batfill.serve("easy", 5), lambda: batfill.serve("easy", idle_timeout="x"),
        lambda: batfill.Profile(), lambda: batfill.Profile(4).take(1), lambda: batfill.Profile(4).free_at(None),
    )


def test_arguments_of_a_wrong_kind(workload, tmp_path):
    run = batfill.simulate(workload, 64)
    for number, call in enumerate(calls(workload, run, tmp_path)):
        with pytest.raises((batfill.UsageError, batfill.InputError, TypeError)) as problem:
            call()
        text = str(problem.value)
        assert "\n" not in text and "bad_cast" not in text and "following argument types" not in text, (number, text)


def test_errors_about_arguments_show_what_is_expected():
    with pytest.raises(TypeError, match=r"^take\(\): expected \(self, processors: int \| dict\[str, int\], start: float, "
                                        r"duration: object\), found \(batfill.Profile, int\)$"):
        batfill.Profile(4).take(1)


def start_all(_, round):
    for job in range(len(round.waiting)):
        round.try_start(job)


class Locked(batfill.Scheduler):
    def __init__(self):
        import threading

        self.lock = threading.Lock()

    decide = start_all


def test_a_scheduler_that_cannot_be_copied(workload):
    with pytest.raises(batfill.UsageError, match=r"^x cannot be copied for each replay: cannot pickle '_thread.lock' "
                                                 r"object$"):
        batfill.compare(workload, {"x": Locked()})
    assert len(batfill.simulate(workload, 64, Locked()).jobs) == len(workload)


@pytest.mark.parametrize("copied", [None, 5, "x"])
def test_a_copy_that_is_no_scheduler(workload, copied):
    class Copied(batfill.Scheduler):
        decide = start_all

        def __deepcopy__(self, memo):
            return copied

    with pytest.raises(batfill.UsageError, match=f"^x: its deep copy is {copied!r}, expected an instance of batfill"):
        batfill.compare(workload, {"x": Copied()})


async def asynchronous(self, *_):
    pass


def generator(self, *_):
    yield


async def both(self, *_):
    yield


@pytest.mark.parametrize("method", [asynchronous, generator, both, staticmethod(asynchronous)])
@pytest.mark.parametrize("name", ["decide", "begin", "statistics", "registers_jobs"])
def test_methods_that_would_run_nothing(workload, method, name):
    scheduler = type("Mine", (batfill.Scheduler,), {"decide": start_all, name: method})
    for call in (lambda: batfill.simulate(workload, 64, scheduler()), lambda: batfill.simulate(workload, 64, scheduler),
                 lambda: batfill.compare(workload, [scheduler()]), lambda: batfill.serve(scheduler())):
        with pytest.raises(batfill.UsageError, match=f"^scheduler: {name} must be an ordinary .* in Mine$"):
            call()


@pytest.mark.parametrize("counts, found", [
    ({"a": 1.5}, "1.5 for 'a'"), ({"a": 1, "b": -1}, "-1 for 'b'"), ({1: 2}, "2 for 1"), ({"a": 2**64}, "for 'a'"),
    (None, "None"), ([1], r"\[1\]"), ({"a": "x"}, "'x' for 'a'"),
])
def test_wrong_statistics_are_named(workload, counts, found):
    class Counts(Locked):
        def statistics(self):
            return counts

    with pytest.raises(batfill.UsageError, match=rf"^statistics\(\) of Counts: expected a dict .*, found .*{found}$"):
        batfill.simulate(workload, 64, Counts())


@pytest.mark.parametrize("exception", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
@pytest.mark.parametrize("function", ["begin", "statistics", "registers_jobs", "gives_guarantees", "__deepcopy__"])
def test_exceptions_of_every_function_reach_the_caller(workload, exception, function):
    def fail(*_):
        raise exception("mine")

    scheduler = type("Failing", (batfill.Scheduler,), {"decide": start_all, function: fail})()
    with pytest.raises(exception, match="^mine$") as problem:
        if function == "__deepcopy__":
            batfill.compare(workload, {"x": scheduler})
        else:
            batfill.simulate(workload, 64, scheduler)
    assert problem.traceback[-1].name == "fail"


def test_shards(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("workloads: [{generate: lublin, jobs: 50, processors: 8, sweep: {seed: 1..3}}]\n"
                    "schedulers: [fcfs, easy]\n")
    whole = batfill.campaign(file, tmp_path / "whole")
    made = [batfill.campaign(file, tmp_path / name, shard=shard).made
            for name, shard in (("one", "1/2"), ("two", (2, 2)))]
    assert made == [3, 3] and not (tmp_path / "one" / "results.csv").exists()
    merged = batfill.merge_campaign([tmp_path / "one", tmp_path / "two"], tmp_path / "all")
    assert merged.rows() == whole.rows() and merged.kept == 6
    with pytest.raises(batfill.InputError):
        batfill.merge_campaign(tmp_path / "one", tmp_path / "part")
    for call, name in ((batfill.campaign, "folder"), (batfill.merge_campaign, "output")):
        with pytest.raises(batfill.UsageError, match=f"^{name}: expected the name of a folder, found ''$"):
            call(file, "")
