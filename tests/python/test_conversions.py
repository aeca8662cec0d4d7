"""Values that bring code along: it may raise anything, and change what holds the value."""

import json
import os
import subprocess
import sys

import numpy
import pytest

import batfill
from batfill.gym import BackfillEnv, PickEnv, VectorPickEnv, WeightsEnv

CHANGING = """
import gc, batfill, numpy

class Changing:
    def __init__(self, change, value): self.change, self.value = change, value
    def __index__(self):
        self.change()
        gc.collect()
        return self.value
    __float__ = __index__

def emptied(value=1):
    held, value = {}, value if VALUE is None else VALUE
    def change():
        held.clear()
        held.update((f"new{i}", object()) for i in range(200))
    held.update(("amount%d" % i, Changing(change, value)) for i in range(20))
    return held
"""

CALLS = {
    "Profile": "batfill.Profile(emptied())",
    "take": "batfill.Profile({f'amount{i}': 5 for i in range(20)}).take(emptied(), 0, 5)",
    "give": "batfill.Profile({f'amount{i}': 5 for i in range(20)}).give(emptied(0), 0, 5)",
    "earliest": "batfill.Profile({f'amount{i}': 5 for i in range(20)}).earliest(emptied(), 5)",
    "pools": "batfill.simulate(batfill.Workload.lublin(9, 4, 1), 4, pools=emptied())",
    "statistics": """
class Counts(batfill.Scheduler):
    def decide(self, round):
        for job in range(len(round.waiting)): round.try_start(job)
    def statistics(self): return emptied()
batfill.simulate(batfill.Workload.lublin(9, 4, 1), 4, Counts())""",
    "scale": "batfill.tune(batfill.Workload.lublin(9, 4, 1), 4, evaluations=1, scale=emptied())",
    "register_job": """
class Registers(batfill.Scheduler):
    done = False
    def begin(self, round): self.done = False
    def registers_jobs(self): return not self.done
    def decide(self, round):
        if not self.done:
            self.done = True
            round.register_job("a!b", 1, run_time=5, fields=emptied())
        for job in range(len(round.waiting)): round.try_start(job)
batfill.simulate(batfill.Workload.lublin(9, 4, 1), 4, Registers())""",
    "windows": "batfill.simulate(batfill.Workload.lublin(9, 4, 1), 4, windows=[emptied()])",
}


@pytest.mark.parametrize("value", [None, "x", -1])
@pytest.mark.parametrize("call", CALLS)
def test_nothing_that_a_value_frees_is_used(call, value, tmp_path):
    program = CHANGING + f"VALUE = {value!r}\ntry:\n" + "".join(f"    {line}\n" for line in CALLS[call].splitlines())
    program += "except (batfill.Error, RuntimeError): pass\nprint('alive')\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path, check=False,
                          env={**os.environ, "PYTHONMALLOC": "debug"})
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


class Raising:
    """A number, list, text or path whose own functions raise."""

    def __init__(self, exception):
        self.exception = exception

    def fail(self, *_):
        raise self.exception

    __index__ = __float__ = __iter__ = __fspath__ = __len__ = fail


class Items(dict):
    def __init__(self, exception):
        super().__init__({"power": 1})
        self.exception = exception

    def fail(self, *_):
        raise self.exception

    items = keys = __iter__ = fail


class RaisingPath(os.PathLike):
    def __init__(self, exception):
        self.fail = Raising(exception).fail

    def __fspath__(self):
        return self.fail()


class Decides(batfill.Scheduler):
    """Calls a function with the first round."""

    def __init__(self, call):
        self.call = call

    def decide(self, round):
        self.call(round)

    def registers_jobs(self):
        return True

    def gives_guarantees(self):
        return True

    def switches_processors(self):
        return True


def small():
    return batfill.Workload.lublin(jobs=9, processors=4, seed=1)


def decide(call):
    batfill.simulate(small(), 4, Decides(call))


def statistics(counts):
    batfill.simulate(small(), 4, type("Counts", (batfill.Scheduler,), {
        "decide": lambda self, round: [round.try_start(job) for job in range(len(round.waiting))],
        "statistics": lambda self: counts,
    })())


TABLE = {"submit": [0], "processors": [1], "run_time": [1]}
NUMBERS = {
    "simulate, platform": lambda value: batfill.simulate(small(), value),
    "simulate, pools": lambda value: batfill.simulate(small(), 4, pools={"power": value}),
    "simulate, capacity": lambda value: batfill.simulate(small(), 4, capacity={"cores": value}),
    "simulate, windows": lambda value: batfill.simulate(small(), 4, windows=value),
    "a window": lambda value: batfill.simulate(small(), 4, windows=[{"name": "w", "from": value, "until": 5}]),
    "events": lambda value: batfill.simulate(small(), 4, events=value),
    "metrics": lambda value: batfill.simulate(small(), 4).metrics(tau=value),
    "compare, threads": lambda value: batfill.compare(small(), ["fcfs"], threads=value),
    "compare, tau": lambda value: batfill.compare(small(), ["fcfs"], tau=value),
    "tune, seed": lambda value: batfill.tune(small(), 4, evaluations=1, seed=value),
    "tune, scale": lambda value: batfill.tune(small(), 4, evaluations=1, scale={"q": value}),
    "tune, threads": lambda value: batfill.tune(small(), 4, evaluations=1, threads=value),
    "serve": lambda value: batfill.serve("easy", idle_timeout=value),
    "campaign, shard": lambda value: batfill.campaign("c.yaml", shard=(value, 2)),
    "campaign, threads": lambda value: batfill.campaign("c.yaml", threads=value),
    "lublin": lambda value: batfill.Workload.lublin(value, 4, 1),
    "weeks": lambda value: small().weeks(value),
    "scale_load": lambda value: small().scale_load(value),
    "table, submit": lambda value: batfill.Workload.from_dataframe({**TABLE, "submit": [value]}),
    "table, processors": lambda value: batfill.Workload.from_dataframe({**TABLE, "processors": [value]}),
    "table, walltime": lambda value: batfill.Workload.from_dataframe({**TABLE, "walltime": [value]}),
    "table, field": lambda value: batfill.Workload.from_dataframe({**TABLE, "gpus": [value]}),
    "table, machine": lambda value: batfill.Workload.from_dataframe(TABLE, processors=value),
    "Profile": batfill.Profile,
    "Profile of amounts": lambda value: batfill.Profile({"power": value}),
    "take": lambda value: batfill.Profile(4).take(value, 0, 5),
    "take, start": lambda value: batfill.Profile(4).take(1, value, 5),
    "take, duration": lambda value: batfill.Profile(4).take(1, 0, value),
    "give": lambda value: batfill.Profile({"power": 5}).give({"power": value}, 0, 5),
    "earliest": lambda value: batfill.Profile(4).earliest(value, 5),
    "earliest, after": lambda value: batfill.Profile(4).earliest(1, 5, value),
    "free_at": batfill.Profile(4).free_at,
    "advance": batfill.Profile(4).advance,
    "statistics": lambda value: statistics({"a": value}),
    "start": lambda value: decide(lambda round: round.start(value)),
    "start, processors": lambda value: decide(lambda round: round.start(0, value)),
    "start, a processor": lambda value: decide(lambda round: round.start(0, [value])),
    "try_start": lambda value: decide(lambda round: round.try_start(value)),
    "reserve": lambda value: decide(lambda round: round.reserve(value)),
    "promise": lambda value: decide(lambda round: round.promise(0, value)),
    "wake_at": lambda value: decide(lambda round: round.wake_at(value)),
    "kill": lambda value: decide(lambda round: round.kill(value)),
    "because": lambda value: decide(lambda round: round.because(value, "x")),
    "put_to_sleep": lambda value: decide(lambda round: round.put_to_sleep(value)),
    "hosts_for": lambda value: decide(lambda round: round.free.hosts_for(value)),
    "register_job": lambda value: decide(lambda round: round.register_job("a!b", value, run_time=5)),
    "register_job, run_time": lambda value: decide(lambda round: round.register_job("a!b", 1, run_time=value)),
    "register_job, licenses": lambda value: decide(
        lambda round: round.register_job("a!b", 1, run_time=5, licenses=value)),
    "register_job, fields": lambda value: decide(
        lambda round: round.register_job("a!b", 1, run_time=5, fields={"gpus": value})),
    "register_profile": lambda value: decide(
        lambda round: round.register_profile("a", "b", {"type": "delay", "delay": value})),
    "PickEnv, platform": lambda value: PickEnv(small(), value),
    "PickEnv, queue": lambda value: PickEnv(small(), 4, queue=value),
    "PickEnv, tau": lambda value: PickEnv(small(), 4, tau=value),
    "PickEnv, seed": lambda value: PickEnv(small(), 4, seed=value),
    "WeightsEnv, period": lambda value: WeightsEnv(small(), 4, period=value),
    "BackfillEnv, scales": lambda value: BackfillEnv(small(), 4, order="mixed", scales=value),
    "step": lambda value: PickEnv(small(), 4).step(value),
}
ITEMS = {
    "pools": lambda value: batfill.simulate(small(), 4, pools=value),
    "a window": lambda value: batfill.simulate(small(), 4, windows=[{"name": "w", "pools": value}]),
    "tune, scale": lambda value: batfill.tune(small(), 4, evaluations=1, scale=value),
    "table, field": lambda value: batfill.Workload.from_dataframe({**TABLE, "gpus": [value]}),
    "register_job": lambda value: decide(lambda round: round.register_job("a!b", 1, run_time=5, fields=value)),
}
PATHS = {
    "platform": lambda value: batfill.simulate(small(), value),
    "workload": batfill.simulate,
    "from_swf": batfill.Workload.from_swf,
    "environment": lambda value: PickEnv(small(), value),
    "windows": lambda value: batfill.simulate(small(), 4, windows=value),
    "keyword": lambda value: batfill.Workload.lublin(9, 4, 1, estimates=value),
}
MINE = [KeyboardInterrupt("mine"), SystemExit("mine"), ZeroDivisionError("mine"), TypeError("mine"),
        ValueError("mine"), OverflowError("mine")]


@pytest.mark.parametrize("exception", MINE, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(("kind", "call"), [(Raising, NUMBERS[one]) for one in NUMBERS] +
                         [(Items, ITEMS[one]) for one in ITEMS] + [(RaisingPath, PATHS[one]) for one in PATHS],
                         ids=[*NUMBERS, *(f"items of {one}" for one in ITEMS), *(f"path of {one}" for one in PATHS)])
def test_an_exception_of_a_value_reaches_the_caller(kind, call, exception, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(type(exception), match="^mine$") as problem:
        call(kind(exception))
    assert problem.traceback[-1].name == "fail"


class Shown:
    def __repr__(self):
        raise KeyboardInterrupt("mine")


def test_ctrl_c_while_an_error_is_written_reaches_the_caller():
    for call in (batfill.Profile, lambda value: statistics(value), lambda value: batfill.Profile(4).free_at(value)):
        with pytest.raises(KeyboardInterrupt, match="^mine$"):
            call(Shown())


@pytest.mark.parametrize("value", ["x", 1.5, [1], numpy.float64(1), numpy.arange(2), 10**40, object()])
def test_what_is_no_number_is_named(value):
    for call in (batfill.Profile, lambda value: batfill.Profile(9).take(value, 0, 1),
                 lambda value: statistics({"a": value}), lambda value: decide(lambda round: round.start(value)),
                 lambda value: PickEnv(small(), 4, queue=value),
                 lambda value: batfill.simulate(small(), 4, pools={"power": value}),
                 lambda value: batfill.compare(small(), ["fcfs"], threads=value)):
        with pytest.raises(batfill.UsageError, match="expected"):
            call(value)


def test_a_profile_may_change_while_an_amount_is_read():
    profile = batfill.Profile({"power": 5})

    class Advances:
        def __index__(self):
            profile.advance(100)
            return 1

    with pytest.raises(batfill.UsageError, match="^start: expected a time from 100.000000 on, found 0.000000$"):
        profile.take({"power": Advances()}, 0, 5)
    assert profile.now == 100 and profile.free_at(100) == {"power": 5}


def test_a_job_may_start_while_an_argument_is_read():
    class Starts:
        def __init__(self, round):
            self.round = round

        def __float__(self):
            self.round.start(0)
            return 5.0

        def __iter__(self):
            self.round.start(0)
            return iter([0])

    for call in (lambda round: round.start(0, Starts(round)), lambda round: round.promise(0, Starts(round))):
        def start(round, call=call):
            if len(round.waiting) > 0:
                with pytest.raises(batfill.DecisionError, match="has started already, expected one that waits$"):
                    call(round)
                raise SystemExit

        with pytest.raises(SystemExit):
            decide(start)


EMPTY = {
    "windows": lambda empty, jobs, run: batfill.simulate(jobs, 64, windows=empty),
    "compare, windows": lambda empty, jobs, run: batfill.compare(jobs, ["fcfs"], windows=empty),
    "tune, windows": lambda empty, jobs, run: batfill.tune(jobs, 64, evaluations=1, windows=empty),
    "serve, windows": lambda empty, jobs, run: batfill.serve("easy", platform=64, windows=empty),
    "PickEnv, windows": lambda empty, jobs, run: PickEnv(jobs, 64, windows=empty),
    "VectorPickEnv, windows": lambda empty, jobs, run: VectorPickEnv(2, jobs, 64, windows=empty),
    "limits": lambda empty, jobs, run: batfill.simulate(jobs, 64, limits=empty),
    "PickEnv, limits": lambda empty, jobs, run: PickEnv(jobs, 64, limits=empty),
    "platform": lambda empty, jobs, run: batfill.simulate(jobs, empty),
    "PickEnv, platform": lambda empty, jobs, run: PickEnv(jobs, empty),
    "workload": lambda empty, jobs, run: batfill.simulate(empty),
    "PickEnv, workload": lambda empty, jobs, run: PickEnv(empty),
    "events": lambda empty, jobs, run: batfill.simulate(jobs, 64, events=empty),
    "an event": lambda empty, jobs, run: batfill.simulate(jobs, 64, events=[empty]),
    "log": lambda empty, jobs, run: batfill.compare(jobs, ["fcfs"], log=empty),
    "output": lambda empty, jobs, run: batfill.tune(jobs, 64, evaluations=1, output=empty),
    "from_json": lambda empty, jobs, run: batfill.Workload.from_json(empty),
    "from_swf": lambda empty, jobs, run: batfill.Workload.from_swf(empty),
    "weeks_from_swf": lambda empty, jobs, run: batfill.Workload.weeks_from_swf(empty),
    "from_accounting": lambda empty, jobs, run: batfill.Workload.from_accounting(empty, "sacct"),
    "save": lambda empty, jobs, run: jobs.save(empty),
    "Run.save": lambda empty, jobs, run: run.save(empty),
    "Run.report": lambda empty, jobs, run: run.report(empty),
    "report": lambda empty, jobs, run: batfill.report([run], empty),
    "campaign": lambda empty, jobs, run: batfill.campaign(empty),
    "folder": lambda empty, jobs, run: batfill.campaign("c.yaml", empty),
    "merge_campaign": lambda empty, jobs, run: batfill.merge_campaign(empty, "out"),
    "merge_campaign, output": lambda empty, jobs, run: batfill.merge_campaign("out", empty),
}


@pytest.mark.parametrize("empty", ["", b""], ids=["str", "bytes"])
@pytest.mark.parametrize("call", EMPTY)
def test_an_empty_path_is_an_error(call, empty, workload, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(batfill.UsageError, match="^[a-z]+: expected [^\n]*, found b?''$"):
        EMPTY[call](empty, workload, batfill.simulate(workload, 64))
    assert not list(tmp_path.iterdir())


def test_numbers_of_numpy_are_numbers_of_windows(workload):
    def run(number, real, amount):
        windows = [{"name": "w", "from": number(0), "until": real(5000), "processors": number(60)},
                   {"name": "p", "from": number(0), "until": number(50), "pools": {"power": amount(3)}}]
        jobs = batfill.simulate(workload, 64, windows=windows, pools={"power": amount(9)}).jobs
        return jobs["starting_time"].tolist()

    class Whole:
        def __init__(self, value):
            self.value = value

        def __index__(self):
            return self.value

    plain = run(int, float, int)
    assert plain != batfill.simulate(workload, 64).jobs["starting_time"].tolist()
    for numbers in ((numpy.int64, numpy.float32, numpy.uint8), (numpy.int32, numpy.float64, Whole),
                    (lambda value: numpy.array(value), numpy.float64, numpy.int64)):
        assert run(*numbers) == plain
    for wrong in (numpy.float64("nan"), numpy.complex128(1), object()):
        with pytest.raises(batfill.UsageError, match="^windows: expected values that JSON knows, found"):
            run(lambda value, wrong=wrong: wrong, float, int)


def test_numbers_of_numpy_in_fields_of_a_table(tmp_path):
    field = [{"a": numpy.int64(1), "b": [numpy.float64(0.5), numpy.bool_(True)]}]
    batfill.Workload.from_dataframe({**TABLE, "field": field}).save(tmp_path / "w.json")
    [job] = json.loads((tmp_path / "w.json").read_text())["jobs"]
    assert job["field"] == {"a": 1, "b": [0.5, True]}
