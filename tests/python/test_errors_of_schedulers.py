"""Exceptions of schedulers whatever they say, and rounds that are used too late."""

import gc
import itertools
import sys

import pytest

import batfill

NOT_UTF8 = "cannot read log\udcff.txt"  # as os.fsdecode() names a file that is not UTF-8


class Unreadable(Exception):
    def __str__(self):
        raise RuntimeError("no text")


class Surrogate(Exception):
    def __str__(self):
        return NOT_UTF8


class FirstFit(batfill.Scheduler):
    """Calls `fail` at one place."""

    def __init__(self, place=None, exception=None):
        self.place = place
        self.exception = exception

    def fail_at(self, place):
        if self.place == place:
            raise self.exception

    def begin(self, round):
        self.fail_at("begin")

    def decide(self, round):
        self.fail_at("decide")
        for job in range(len(round.waiting)):
            round.try_start(job)

    def statistics(self):
        self.fail_at("statistics")
        return {}

    def __deepcopy__(self, memo):
        self.fail_at("deepcopy")
        return type(self)(self.place, self.exception)

    @property
    def attribute(self):
        self.fail_at("attribute")
        return self.decide


class Property(FirstFit):
    """Its function decide() is made by a property, which may fail."""

    decide = property(lambda self: self.attribute)  # type: ignore[assignment]


def small():
    return batfill.Workload.lublin(jobs=60, processors=16, seed=1, load=0.9)


EXCEPTIONS = [ValueError("x"), Unreadable(), Surrogate(), OSError(NOT_UTF8), KeyError(NOT_UTF8), KeyboardInterrupt()]


@pytest.mark.parametrize("exception", EXCEPTIONS, ids=lambda exception: type(exception).__name__)
@pytest.mark.parametrize("place", ["begin", "decide", "statistics", "deepcopy"])
def test_the_caller_gets_the_exception_of_a_scheduler(tmp_path, place, exception):
    file = tmp_path / "c.yaml"
    file.write_text("workloads: [{generate: lublin, jobs: 60, processors: 16, seed: 1}]\nschedulers: [mine]\n")
    calls = [
        lambda: batfill.compare([small()] * 3, {"mine": FirstFit(place, exception)}, threads=2),
        lambda: batfill.campaign(file, tmp_path / "out", schedulers={"mine": FirstFit(place, exception)}),
    ]
    if place != "deepcopy":
        calls.append(lambda: batfill.simulate(small(), 16, FirstFit(place, exception)))
    for call in calls:
        with pytest.raises(type(exception)) as problem:
            call()
        assert problem.value is exception or type(problem.value) is type(exception)
        assert problem.traceback[-1].name in ("fail_at", "__str__")


def test_an_attribute_that_raises(tmp_path):
    exception = OSError(NOT_UTF8)
    for call in (lambda one: batfill.simulate(small(), 16, one), lambda one: batfill.compare([small()], {"mine": one}),
                 lambda one: batfill.serve(one, f"ipc://{tmp_path}/socket")):
        with pytest.raises(OSError) as problem:
            call(Property("attribute", exception))
        assert problem.value.args == (NOT_UTF8,)


def test_an_exception_of_progress_that_has_no_text():
    def stop(done, total):
        raise Surrogate

    with pytest.raises(Surrogate):
        batfill.compare([small()] * 3, ["fcfs"], progress=stop)


@pytest.mark.parametrize("counts", [{"a": -1}, {"a": 1.5}, {1: 1}, [1], None, {NOT_UTF8: 1}])
def test_statistics_that_are_none(counts):
    class Counts(FirstFit):
        def statistics(self):
            return counts

    with pytest.raises(batfill.UsageError, match=r"statistics\(\) of Counts: expected a dict of names"):
        batfill.simulate(small(), 16, Counts())


@pytest.mark.parametrize("exception", EXCEPTIONS, ids=lambda exception: type(exception).__name__)
def test_a_round_is_over_after_any_exception(exception):
    kept = []

    class Keeps(FirstFit):
        def decide(self, round):
            kept.append((round, round.waiting, round.profile(), round.running))
            if len(kept) > 5:
                raise exception
            super().decide(round)

    with pytest.raises(type(exception)):
        batfill.simulate(small(), 16, Keeps())
    gc.collect()
    for round, waiting, profile, running in kept:
        for use in (lambda: round.now, lambda: round.idle, lambda: round.waiting, lambda: round.try_start(0),
                    lambda: round.running, lambda: round.reserve(0), round.profile, lambda: waiting["gpus"],
                    lambda: profile.free_at(1e9), lambda: profile.take(1, 1e9, 1), lambda: running["gpus"],
                    lambda: round.wake_at(1e9)):
            with pytest.raises(batfill.UsageError, match="over|earlier round"):
                use()


def test_names_that_are_not_utf8_are_errors():
    for call in (lambda: batfill.simulate(small(), 16, "easy\udcff"), lambda: small().scale_load(float("nan")),
                 lambda: batfill.simulate(small(), 16, FirstFit(), **{"a\udcff": 1})):
        with pytest.raises((batfill.UsageError, TypeError)):
            call()


def test_statistics_are_those_of_the_run(tmp_path):
    class Counts(FirstFit):
        def begin(self, round):
            self.rounds = 0

        def decide(self, round):
            self.rounds += 1
            super().decide(round)

        def statistics(self):
            return {"rounds": self.rounds}

    scheduler = Counts()
    run = batfill.simulate(small(), 16, scheduler)
    before = run.statistics
    other = batfill.simulate(batfill.Workload.lublin(jobs=300, processors=16, seed=3), 16, scheduler)
    assert run.statistics == before != other.statistics
    run.save(tmp_path / "run")
    assert (tmp_path / "run_statistics.csv").read_text() == f"statistic,value\nrounds,{before['rounds']}\n"


class Planner(batfill.Scheduler):
    """Calls `plan` in the first round in which a job runs and another waits."""

    def __init__(self, plan):
        self.plan = plan

    def decide(self, round):
        if len(round.running.end) and len(round.waiting):
            self.plan(round, round.profile())
            raise StopIteration
        for job in range(len(round.waiting)):
            round.try_start(job)


def planned(plan):
    table = {"submit": [0, 0, 10], "processors": [60, 10, 50], "run_time": [100, 50, 5]}
    with pytest.raises(StopIteration):
        batfill.simulate(batfill.Workload.from_dataframe(table, processors=100), 100, Planner(plan))


def test_a_profile_is_never_overdrawn():
    def plan(round, profile):
        assert (round.now, profile.free_at(10), profile.free_at(50), profile.free_at(100)) == (10, 30, 40, 100)
        for processors, start, duration, expected in [
            (150, 10, 10, r"at most 30 processors, .* during \[10.000000, 20.000000\), found 150"),
            (41, 50, 1000, "at most 40 processors"),
            (31, 10, 1000, "at most 30 processors"),
            (101, 100, 1, "at most 100 processors"),
            (2**31 - 1, 10, 10, "found 2147483647"),
            (2**31, 10, 10, "whole number from 0 to 2147483647, found 2147483648"),
            (10**30, 10, 10, "found 1000000000000000000000000000000"),
            (-1, 10, 10, "found -1"),
            (-(2**31), 10, 10, "found -2147483648"),
            (1.5, 10, 10, "found 1.5"),
            (5, 9.5, 10, r"start: expected a time from now, 10.000000, on, found 9.500000"),
            (5, -40, 10, "start: expected a time from now"),
            (5, 10, -1, "duration: expected at least 0 s, found -1"),
            (5, 10, float("nan"), "duration"),
            (5, float("nan"), 10, "number of seconds"),
            (5, 1e300, 10, "number of seconds"),
        ]:
            with pytest.raises(batfill.UsageError, match=expected):
                profile.take(processors, start, duration)
        assert [profile.free_at(time) for time in (10, 50, 100)] == [30, 40, 100]
        profile.take(30, 10, 40)
        profile.take(0, 10, 40)
        profile.take(40, 50, "1h")
        assert [profile.free_at(time) for time in (10, 50, 100, 3649, 3650)] == [0, 0, 60, 60, 100]
        assert profile.earliest(1, 10) == 100
        profile.take(5, float("inf"), 10)  # what earliest() returns for a job that is too wide

    planned(plan)


def test_questions_to_a_profile_are_checked():
    def plan(round, profile):
        for processors, duration, after, expected in [
            (-1, 10, None, "processors: .* found -1"),
            (2**40, 10, None, "processors: .* found 1099511627776"),
            (1, -10, None, "duration: expected at least 0 s"),
            (1, 10, 9, "after: expected a time from now, 10.000000"),
            (1, 10, float("nan"), "number of seconds"),
        ]:
            with pytest.raises(batfill.UsageError, match=expected):
                profile.earliest(processors, duration, after)
        with pytest.raises(batfill.UsageError, match="time: expected a time from now, 10.000000, on, found 0.000000"):
            profile.free_at(0)
        assert profile.earliest(2**31 - 1, 10) == float("inf")

    planned(plan)


def test_any_plan_leaves_no_number_below_0():
    def plan(round, profile):
        for processors, start, duration in itertools.product((1, 7, 30, 40, 90), (10, 49, 50, 99), (1, 40, 200)):
            try:
                profile.take(processors, start, duration)
            except batfill.UsageError:
                pass
            assert min(profile.free_at(time) for time in range(10, 400)) >= 0

    planned(plan)


def test_runs_on_other_machines_share_no_page(tmp_path):
    workload = small()
    one, other = (batfill.simulate(workload, processors, "easy") for processors in (16, 32))
    for runs in ([one, other], [other, one]):
        with pytest.raises(batfill.UsageError, match=r"run 1 \(easy\) .*of (16|32) processors, run 2 \(easy\) .*of"):
            batfill.report(runs, tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()
    batfill.report([one, batfill.simulate(workload, 16, "fcfs")], tmp_path / "page.html")


@pytest.mark.parametrize("column", [{"user": ["a", "c"]}, {"queue": ["a", "c"]}, {"deadline": [100, 300]},
                                    {"licenses": ["x", "y"]}], ids=lambda column: next(iter(column)))
def test_runs_of_jobs_with_other_fields_share_no_page(tmp_path, column):
    table = {"submit": [0, 5], "processors": [1, 2], "run_time": [10, 20]}
    name, values = next(iter(column.items()))
    first = batfill.Workload.from_dataframe(table | {name: [values[0], values[0]]}, processors=4)
    second = batfill.Workload.from_dataframe(table | column, processors=4)
    runs = [batfill.simulate(workload, 4, "fcfs") for workload in (first, second)]
    with pytest.raises(batfill.UsageError, match="job w0!2 has another user, queue, deadline or licence in run 1"):
        batfill.report(runs, tmp_path / "page.html")
    batfill.report([runs[1], runs[1]], tmp_path / "page.html")


def test_no_reference_leaks():
    class Fails(FirstFit):
        def decide(self, round):
            raise Surrogate

    scheduler = Fails()
    before = sys.getrefcount(scheduler)
    for _ in range(3):
        with pytest.raises(Surrogate):
            batfill.simulate(small(), 16, scheduler)
    gc.collect()
    assert sys.getrefcount(scheduler) <= before + 1
