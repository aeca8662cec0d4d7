"""What a scheduler in Python may do beyond starting jobs: the power of the algorithms in C++."""

import copy
import csv
import pickle
import threading

import numpy
import pytest

import batfill


def table(**columns):
    return batfill.Workload.from_dataframe(columns, processors=4)


def same(one, other):
    return list(one.jobs) == list(other.jobs) and all(
        numpy.array_equal(one.jobs[name], other.jobs[name], equal_nan=one.jobs[name].dtype.kind == "f")
        for name in one.jobs if name != "workload_name"
    )


class Fcfs(batfill.Scheduler):
    def start_all(self, round):
        job = 0
        while job < len(round.waiting) and round.try_start(job):
            job += 1

    def decide(self, round):
        self.start_all(round)


def simulate(decide, workload, processors=4, scheduler=Fcfs, **parameters):
    own = scheduler()
    own.decide = lambda round: decide(own, round)
    return batfill.simulate(workload, processors, own, **parameters)


def test_the_ended_jobs_of_a_round():
    seen = []

    def decide(self, round):
        ended = round.ended
        seen.extend(zip(ended.id, ended.user, ended.queue, ended.start, ended.end, ended.state, ended["gpus"]))
        assert all(ended.end == round.now) and len(ended) == len(ended.processors)
        self.start_all(round)

    run = simulate(decide, table(submit=[0, 0, 1], processors=[2, 2, 4], run_time=[5, 5, 9], walltime=[9, 9, 3],
                                 user=["u", "v", "w"], queue=["q", "", "q"], gpus=[1, 2, 3]))
    assert seen == [("w0!1", "u", "q", 0, 5, "COMPLETED_SUCCESSFULLY", 1),
                    ("w0!2", "v", "", 0, 5, "COMPLETED_SUCCESSFULLY", 2),
                    ("w0!3", "w", "q", 5, 8, "COMPLETED_WALLTIME_REACHED", 3)]
    assert [end for _, _, _, _, end, _, _ in seen] == list(run.jobs["finish_time"])


class Killer(Fcfs):
    """The algorithm `killer`, by index or by id."""

    by_id = False

    def begin(self, round):
        self.kills = 0

    def decide(self, round):
        self.start_all(round)
        running = round.running
        for job in numpy.flatnonzero(running.start + 10 <= round.now):
            round.kill(str(running.id[job]) if self.by_id else job)
            self.kills += 1
        for start in running.start[running.start + 10 > round.now]:
            round.wake_at(start + 10)

    def statistics(self):
        return {"kills": self.kills}


@pytest.mark.parametrize("by_id", [False, True])
def test_the_killer_in_python(workload, by_id):
    killer = Killer()
    killer.by_id = by_id
    run = batfill.simulate(workload, 64, killer)
    assert same(run, batfill.simulate(workload, 64, "killer"))
    assert run.statistics["kills"] > 10 and run.check().violations == []


def test_indices_of_running_jobs_hold_while_others_start():
    def decide(self, round):
        if round.now == 2 and len(round.waiting):
            running = round.running
            assert list(running.id) == ["w0!1"]
            round.start(0)  # w0!2, which ends earlier
            round.kill(0)
            assert list(round.running.id) == ["w0!2", "w0!1"]
        else:
            self.start_all(round)

    run = simulate(decide, table(submit=[0, 2], processors=[1, 1], run_time=[50, 5]))
    assert dict(zip(run.jobs["job_id"], run.jobs["final_state"])) == {
        "1": "COMPLETED_KILLED", "2": "COMPLETED_WALLTIME_REACHED"}


def test_a_wrong_kill():
    def decide(self, round):
        with pytest.raises(IndexError, match="expected the index of one of 0 running jobs, found 0"):
            round.kill(0)
        with pytest.raises(batfill.DecisionError, match="job w0!9 cannot be killed, it is not running"):
            round.kill("w0!9")
        with pytest.raises(batfill.UsageError, match="job: expected a whole number, found 1.5"):
            round.kill(1.5)
        raise SystemExit

    with pytest.raises(SystemExit):
        simulate(decide, table(submit=[0], processors=[1], run_time=[50]))


class Submitter(Fcfs):
    """The algorithm `submitter`."""

    def begin(self, round):
        self.registered = 0

    def registers_jobs(self):
        return self.registered < 10

    def decide(self, round):
        if len(round.waiting):
            round.try_start(0)
        if not self.registers_jobs() or round.idle == 0 or len(round.waiting) > (round.running.start == round.now).sum():
            return
        length = 1 + 10 * self.registered
        job = round.register_job(f"dynamic!{self.registered}", 1, walltime=length + 5, run_time=length)
        self.registered += 1
        assert job is not None and round.waiting.id[job] == f"dynamic!{self.registered - 1}"
        round.set_metadata(job, "mine")
        round.try_start(job)

    def statistics(self):
        return {"jobs_registered": self.registered}


def test_the_submitter_in_python():
    jobs = table(submit=[0, 3, 40], processors=[1, 2, 1], run_time=[50, 5, 9])
    mine = Submitter()
    for _ in range(2):
        run = batfill.simulate(jobs, 4, mine)
        theirs = batfill.simulate(jobs, 4, "submitter")
        for name in ("job_id", "starting_time", "finish_time", "allocated_resources"):
            assert list(run.jobs[name]) == list(theirs.jobs[name])
        assert run.statistics == theirs.statistics == {"jobs_registered": 10}
        assert run.check().violations == [] and set(run.jobs["metadata"]) == {"", "mine"}
    with pytest.raises(batfill.Error, match="submits jobs of its own"):
        batfill.compare([jobs], [mine])


def test_registered_jobs_with_fields_and_profiles():
    class Once(Fcfs):
        def begin(self, round):
            self.done = False

        def registers_jobs(self):
            return not self.done

        def decide(self, round):
            if not self.done:
                round.register_profile("own", "five", {"type": "delay", "delay": 5})
                job = round.register_job("own!a", 2, "five", walltime="1m", user="u", queue="q", deadline=100,
                                         fields={"gpus": numpy.int64(3), "each": numpy.arange(2)})
                waiting = round.waiting
                assert (waiting["gpus"][job], waiting.user[job], waiting.queue[job]) == (3, "u", "q")
                assert round.register_job("own!b", 99, "five", walltime=9) is None  # rejected: too wide
                self.done = True
            self.start_all(round)

    run = batfill.simulate(table(submit=[9], processors=[1], run_time=[1]), 4, Once())
    assert sorted(run.jobs["job_id"]) == ["1", "a", "b"] and sum(run.rejected.values()) == 1
    assert run.check(allow_rejections=True).violations == []


@pytest.mark.parametrize("call, expected", [
    (lambda round: round.register_job("a", 1, run_time=5), "id: expected a workload and a name, such as"),
    (lambda round: round.register_job("a!b", 0, run_time=5), "processors: expected a whole number from 1"),
    (lambda round: round.register_job("a!b", 1), "either a profile or a run_time"),
    (lambda round: round.register_job("a!b", 1, "p", run_time=5), "either a profile or a run_time"),
    (lambda round: round.register_job("a!b", 1, run_time=5, walltime="x"), "walltime"),
    (lambda round: round.register_job("a!b", 1, run_time=5, fields=[1]), "fields: expected a dict"),
    (lambda round: round.register_job("a!b", 1, run_time=5, licenses="abc"), "licenses: expected a list"),
    *((lambda round, name=name: round.register_job("a!b", 1, run_time=5, fields={"gpus": 1, name: 4}),
       f"fields: jobs have a field {name} of their own, expected another name, or an argument of register_job")
      for name in ("id", "subtime", "res", "profile", "walltime", "queue", "user", "deadline", "licenses",
                   "extra_data")),
    (lambda round: round.register_job("a!b", 1, run_time=5, fields={"x": numpy.nan}), "fields: expected values that"),
    (lambda round: round.register_profile("a", "b", {"type": "delay"}), "delay"),
    (lambda round: round.register_profile("a", "b", {"type": set()}), "profile: expected values that JSON knows"),
    (lambda round: round.register_profile("a", "b", 5), "profile: expected a dict"),
])
def test_a_wrong_registration(call, expected):
    class Wrong(Fcfs):
        def registers_jobs(self):
            return True

        def decide(self, round):
            with pytest.raises(batfill.Error, match=f"^[^\n]*{expected}[^\n]*$"):
                call(round)
            raise SystemExit

    with pytest.raises(SystemExit):
        batfill.simulate(table(submit=[0], processors=[1], run_time=[50]), 4, Wrong())


@pytest.mark.parametrize("call, expected", [
    (lambda round: round.register_job("a!b", 1, run_time=5), "of an algorithm that registers jobs"),
    (lambda round: round.promise(0, 99), r"declares gives_guarantees\(\)"),
    (lambda round: round.put_to_sleep([0]), r"declares switches_processors\(\)"),
    (lambda round: round.wake("0-1"), r"declares switches_processors\(\)"),
])
def test_what_a_scheduler_must_declare(call, expected):
    def decide(self, round):
        with pytest.raises(batfill.DecisionError, match=expected):
            call(round)
        raise SystemExit

    with pytest.raises(SystemExit):
        simulate(decide, table(submit=[0], processors=[1], run_time=[50]))


def test_a_declaration_may_be_an_attribute():
    class Promises(Fcfs):
        gives_guarantees = True

    assert list(batfill.simulate(table(submit=[0], processors=[1], run_time=[5]), 4, Promises()).guarantees) == [
        "job_id", "guaranteed_start", "actual_start", "workload_name"]


def test_names_of_statistics_in_the_file(tmp_path):
    class Counts(Fcfs):
        def statistics(self):
            return {'a,b\n"': 1, "c d": 2}

    run = batfill.simulate(table(submit=[0], processors=[1], run_time=[5]), 4, Counts())
    run.save(tmp_path / "x")
    with open(tmp_path / "x_statistics.csv", newline="") as file:
        assert list(csv.reader(file)) == [["statistic", "value"], ['a,b\n"', "1"], ["c d", "2"]]


class Conservative(Fcfs):
    """Conservative backfilling without compression, in a profile of its own."""

    def begin(self, round):
        self.profile = batfill.Profile(round.processors)
        self.planned = {}

    def gives_guarantees(self):
        return True

    def decide(self, round):
        self.profile.advance(round.now)
        for end, id in zip(round.ended.end, round.ended.id):
            start, processors, walltime = self.planned.pop(id)
            self.profile.give(processors, end, max(0, start + walltime - end))
        waiting = round.waiting
        for job, id in enumerate(waiting.id):
            if id not in self.planned:
                processors, walltime = waiting.processors[job], waiting.walltime[job]
                start = self.profile.earliest(processors, walltime)
                self.profile.take(processors, start, walltime)
                self.planned[id] = start, processors, walltime
                round.promise(job, start)
                round.wake_at(start) if start > round.now else None
            if self.planned[id][0] == round.now:
                round.start(job)


def test_guarantees_in_python(workload, tmp_path):
    mine = batfill.simulate(workload, 64, Conservative())
    theirs = batfill.simulate(workload, 64, "conservative,compression=none")
    assert same(mine, theirs)
    assert mine.guarantees is not None
    for name in theirs.guarantees:
        assert numpy.array_equal(mine.guarantees[name], theirs.guarantees[name])
    report = mine.check()
    assert (report.guarantees, report.broken_guarantees, report.violations) == (len(workload), 0, [])
    assert any(path.endswith("_guarantees.csv") for path in mine.save(tmp_path / "mine"))
    assert batfill.compare([workload], {"mine": Conservative()}).values("mean_wait") == mine.metrics()["mean_wait"]


def test_a_broken_promise_is_found():
    class Breaks(Fcfs):
        def gives_guarantees(self):
            return True

        def decide(self, round):
            for job in range(len(round.waiting) if round.now < 3 else 0):
                round.promise(job, 3)
                round.promise(job, 2.5)  # changes nothing
                with pytest.raises(batfill.DecisionError, match="no later one unless the machine changes"):
                    round.promise(job, 4)
            self.start_all(round)

    run = batfill.simulate(table(submit=[0, 1], processors=[4, 4], run_time=[9, 9]), 4, Breaks())
    assert list(run.guarantees["guaranteed_start"]) == [3, 3]
    assert run.check().broken_guarantees == 1 and len(run.check().violations) == 1


def test_a_promise_may_be_replaced_when_processors_are_lost(tmp_path):
    (tmp_path / "events").write_text('{"type": "machine_unavailable", "resources": "0", "timestamp": 2}\n'
                                     '{"type": "machine_available", "resources": "0", "timestamp": 30}\n')

    class Promises(Fcfs):
        def gives_guarantees(self):
            return True

        def decide(self, round):
            self.start_all(round)
            for job, id in enumerate(round.waiting.id):
                if id not in round.running.id:
                    round.promise(job, 30 if len(round.unavailable) else 9)

    jobs = table(submit=[0, 1], processors=[3, 4], run_time=[9, 9])
    run = batfill.simulate(jobs, 4, Promises(), events=tmp_path / "events")
    assert run.guarantees["guaranteed_start"][1] == 9 and run.jobs["starting_time"][1] == 30
    assert run.check().violations == [] and run.check().broken_guarantees == 1
    assert any("broken_guarantees" in path for path in run.save(tmp_path / "run"))


def test_a_profile_of_its_own():
    profile = batfill.Profile(10, start=5)
    assert (profile.processors, profile.now, profile.free_at(7)) == (10, 5, 10)
    profile.take(4, 5, 10)
    profile.take(numpy.int64(6), 10, 5.5)
    assert profile.earliest(5, 1) == 5 and profile.earliest(5, 6) == 15.5 and profile.earliest(11, 1) == float("inf")
    times, free = profile.steps()
    assert (list(times), list(free)) == ([5, 10, 15, 15.5], [6, 0, 4, 10])
    for other in (copy.copy(profile), copy.deepcopy(profile), pickle.loads(pickle.dumps(profile))):
        assert [list(column) for column in other.steps()] == [list(times), list(free)] and other.processors == 10
        other.give(6, 10, 5.5)
        assert other.free_at(12) == 6 and profile.free_at(12) == 0
    profile.advance(12)
    assert profile.now == 12 and list(profile.steps()[0]) == [12, 15, 15.5]
    for call, expected in [
        (lambda: profile.take(1, 12, 1), "expected at most 0 processors, as many as are free"),
        (lambda: profile.give(11, 12, 1), "expected at most 10 processors, as many as are taken"),
        (lambda: profile.give(1, 20, 1), "expected at most 0 processors"),
        (lambda: profile.take(1, 11, 1), "start: expected a time from 12"),
        (lambda: profile.advance(3), "time: expected a time from 12"),
        (lambda: profile.free_at("x"), "time: expected a number of seconds, found 'x'"),
        (lambda: batfill.Profile(-1), "processors: expected a whole number from 0"),
        (lambda: batfill.Profile("x"), "processors: expected a whole number from 0"),
        (lambda: batfill.Profile(1, float("inf")), "start: expected a finite time"),
    ]:
        with pytest.raises(batfill.UsageError, match=expected):
            call()


def test_a_profile_of_no_processors_can_be_copied():
    assert [list(column) for column in copy.copy(batfill.Profile(0, start=5)).steps()] == [[5], [0]]


@pytest.mark.parametrize("processors", ["1,3", "3 1", [1, 3], (3, 1), numpy.array([1, 3]), {1, 3}, range(1, 4, 2)])
def test_particular_processors(processors):
    def decide(self, round):
        if len(round.waiting):
            round.start(0, processors)
            assert list(round.idle_processors) == [0, 2] and list(round.running.allocation) == ["1 3"]

    run = simulate(decide, table(submit=[0], processors=[2], run_time=[5]))
    assert list(run.jobs["allocated_resources"]) == ["1 3"] and run.check().violations == []


@pytest.mark.parametrize("processors, error, expected", [
    ([0], batfill.DecisionError, "needs 2 processors and would get 1"),
    ([0, 1], batfill.DecisionError, "processors 0-1 are not all idle"),
    ([2, 4], batfill.DecisionError, "processors 2 4 are not all idle"),
    ([], batfill.DecisionError, "would get 0"),
    ([2, 2], batfill.UsageError, r"each once, or a text such as \"0-3,8\", found \[2, 2\]"),
    ([2, -1], batfill.UsageError, "whole number from 0 to 2147483646, found -1"),
    ([2, 1.5], batfill.UsageError, "found 1.5"),
    ("2-", batfill.UsageError, "found '2-'"),
    (5, batfill.UsageError, "found 5"),
    (2**40, batfill.UsageError, "found 1099511627776"),
])
def test_wrong_processors(processors, error, expected):
    def decide(self, round):
        if round.now == 1:
            with pytest.raises(error, match=expected):
                round.start(0, processors)
            assert round.idle == 3
            raise SystemExit
        self.start_all(round)

    with pytest.raises(SystemExit):
        simulate(decide, table(submit=[0, 1], processors=[1, 2], run_time=[50, 5]))


def test_sleeping_processors_in_python(tmp_path):
    hosts = "".join(f'<host id="h{i}" speed="1Gf,1Gf,1f,0.2f" pstate="0">'
                    '<prop id="sleep_pstates" value="1:2:3"/></host>' for i in range(4))
    (tmp_path / "p.xml").write_text('<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
                                    f'<platform version="4.1"><zone id="z" routing="Full">{hosts}'
                                    '<host id="master_host" speed="1Gf"/></zone></platform>')
    seen = []

    class Sleeper(Fcfs):
        def switches_processors(self):
            return True

        def decide(self, round):
            seen.append((round.now, list(round.asleep), list(round.falling_asleep), list(round.waking), round.idle))
            assert list(round.can_sleep) == [0, 1, 2, 3] and list(round.unavailable) == []
            self.start_all(round)
            if round.now == 0:
                round.put_to_sleep("2-3")
            elif round.now == 10:
                round.wake([3])

    batfill.simulate(table(submit=[0, 10], processors=[1, 3], run_time=[2, 3]), tmp_path / "p.xml", Sleeper())
    assert seen[:4] == [(0, [], [], [], 4), (1, [2, 3], [], [], 1), (2, [2, 3], [], [], 2),
                        (10, [2, 3], [], [], 2)]
    assert seen[4] == (15, [2], [], [], 3)


@pytest.mark.parametrize("scheduler, options", [
    (Killer, []), (Conservative, []), (Submitter, ["--enable-dynamic-jobs"]),
    (Submitter, ["--enable-dynamic-jobs", "--acknowledge-dynamic-jobs"]),
])
def test_the_daemon_has_all_of_it(scheduler, options, command, tmp_path):
    class Acknowledged(Submitter):
        """Leaves the start of a registered job to a later round."""

        def decide(self, round):
            self.start_all(round)
            if self.registers_jobs() and len(round.waiting) == 0:
                job = round.register_job(f"dynamic!{self.registered}", 1, walltime=9, run_time=5)
                self.registered += 1
                if job is not None:
                    round.try_start(job)

    own = Acknowledged() if scheduler is Submitter else scheduler()
    jobs = batfill.Workload.lublin(60, 16, 1, load=0.9)
    jobs.save(tmp_path / "w.json")
    endpoint = f"ipc://{tmp_path}/socket"
    problems = []

    def serve():
        try:
            batfill.serve(own, endpoint, idle_timeout=60)
        except BaseException as problem:  # for the test's own thread
            problems.append(problem)

    daemon = threading.Thread(target=serve)
    daemon.start()
    command("simulate", "-p", 16, "-w", "w.json", "-s", endpoint, "-o", "served", "-q", *options)
    daemon.join()
    assert problems == []
    with open(tmp_path / "served_jobs.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    run = batfill.simulate(jobs, 16, own)
    assert len(rows) == len(run.jobs) == (70 if scheduler is Submitter else 60)
    if "--acknowledge-dynamic-jobs" not in options:
        assert [float(row["starting_time"]) for row in rows] == list(run.jobs["starting_time"])
