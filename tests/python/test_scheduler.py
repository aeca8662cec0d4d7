"""Schedulers in Python: what they see, what they may do, and what becomes of their errors."""

import json
import signal
import subprocess
import sys
import threading
import traceback

import numpy
import pytest

import batfill

def same_schedule(one, other):
    return all((one.jobs[name] == other.jobs[name]).all() for name in ("job_id", "starting_time",
                                                                       "allocated_resources"))


class Probe(batfill.Scheduler):
    """First come, first served; calls `look` in each round before anything starts, and keeps what it returns."""

    def __init__(self, look):
        self.look = look
        self.seen = []

    def decide(self, round):
        self.seen.append(self.look(round))
        job = 0
        while job < len(round.waiting) and round.try_start(job):
            job += 1


def three_jobs():
    return batfill.Workload.from_dataframe({
        "id": ["a", "b", "c"], "submit": [0, 1, 2], "processors": [3, 2, 1], "walltime": [20, 10, 5],
        "run_time": [8, 4, 5], "user": ["u", "v", ""], "gpus": [4, None, 0], "account": ["x", None, "z"],
    }, processors=4)


def test_easy_is_easy(workload, easy):
    for placement in ("lowest", "contiguous"):
        assert same_schedule(batfill.simulate(workload, 64, easy(), placement=placement),
                             batfill.simulate(workload, 64, "easy", placement=placement))


def test_easy_is_easy_on_a_real_log(traces, easy):
    log = batfill.Workload.from_swf(traces / "KTH-SP2-1996-2.1-cln.swf.gz")
    run = batfill.simulate(log, 100, easy())
    assert same_schedule(run, batfill.simulate(log, 100, "easy"))
    assert run.check().violations == []


def test_conservative_in_python(workload):
    class Conservative(batfill.Scheduler):
        """Plans all waiting jobs in each round, by submission."""

        def decide(self, round):
            profile, waiting = round.profile(), round.waiting
            for job in range(len(waiting)):
                need, walltime = int(waiting.processors[job]), waiting.walltime[job]
                start = profile.earliest(need, walltime)
                profile.take(need, start, walltime)
                if start == round.now:
                    round.try_start(job)

    run = batfill.simulate(workload, 64, Conservative())
    assert run.check().violations == []
    assert run.metrics()["mean_wait"] < batfill.simulate(workload, 64, "fcfs").metrics()["mean_wait"]


def test_what_a_round_shows():
    def look(round):
        waiting, running = round.waiting, round.running
        return (round.now, round.idle, round.processors, list(waiting.id), list(waiting.submit),
                list(waiting.processors), list(waiting.walltime), list(waiting.user), list(running.id),
                list(running.end), list(running.start))

    probe = Probe(look)
    batfill.simulate(three_jobs(), 4, probe)
    assert probe.seen == [
        (0, 4, 4, ["w0!a"], [0], [3], [20], ["u"], [], [], []),
        (1, 1, 4, ["w0!b"], [1], [2], [10], ["v"], ["w0!a"], [20], [0]),
        (2, 1, 4, ["w0!b", "w0!c"], [1, 2], [2, 1], [10, 5], ["v", ""], ["w0!a"], [20], [0]),
        (8, 4, 4, ["w0!b", "w0!c"], [1, 2], [2, 1], [10, 5], ["v", ""], [], [], []),
        (12, 3, 4, [], [], [], [], [], ["w0!c"], [13], [8]),
        (13, 4, 4, [], [], [], [], [], [], [], []),
    ]


def test_fields_of_the_workload_reach_it():
    probe = Probe(lambda round: (list(round.waiting["gpus"]), list(round.waiting.text("account"))))
    batfill.simulate(three_jobs(), 4, probe)
    assert probe.seen[0] == ([4.0], ["x"])
    gpus, accounts = probe.seen[2]
    assert numpy.isnan(gpus[0]) and gpus[1] == 0 and accounts == [None, "z"]


def test_an_index_stays_while_jobs_start():
    class Widest(batfill.Scheduler):
        def decide(self, round):
            waiting = round.waiting
            for job in numpy.argsort(-waiting.processors, kind="stable"):
                before = round.idle
                if round.try_start(job):
                    assert round.idle == before - waiting.processors[job]

    run = batfill.simulate(batfill.Workload.lublin(300, 16, 2, load=1.2), 16, Widest())
    assert run.check().violations == []


def test_reservation_and_profile():
    def look(round):
        if len(round.waiting) == 2 and round.idle == 1:
            reservation, profile = round.reserve(0), round.profile()
            return (reservation.shadow_time, reservation.admits(1), profile.earliest(2, 10), profile.earliest(1, 5),
                    profile.earliest(1, 5, after=3), profile.earliest(9, 1), profile.free_at(20))
        return None

    probe = Probe(look)
    batfill.simulate(three_jobs(), 4, probe)
    assert [seen for seen in probe.seen if seen] == [(20, True, 20, 2, 3, numpy.inf, 4)]


def test_wake_at():
    class Late(batfill.Scheduler):
        """Starts each job ten seconds after its submission."""

        def decide(self, round):
            for job, submit in enumerate(round.waiting.submit):
                if submit + 10 <= round.now:
                    round.start(job)
                else:
                    round.wake_at(submit + 10)

    run = batfill.simulate(batfill.Workload.from_dataframe(
        {"submit": [0, 3.5], "processors": [1, 1], "run_time": [5, 5]}), 2, Late())
    assert list(run.jobs["starting_time"]) == [10, 13.5]


class Hourly(batfill.Scheduler):
    """Wants a round once an hour, for ever; starts each job so many days after its submission."""

    def __init__(self, days=0.0):
        self.days = days
        self.rounds = 0

    def decide(self, round):
        self.rounds += 1
        for job, submit in enumerate(round.waiting.submit):
            if submit + self.days * 86400 <= round.now:
                round.try_start(job)
        round.wake_at((round.now // 3600 + 1) * 3600)


def test_a_run_ends_with_its_jobs_whatever_rounds_are_wanted(tmp_path):
    scheduler = Hourly()
    run = batfill.simulate(three_jobs(), 4, scheduler)
    assert len(run.jobs) == 3 and scheduler.rounds < 10
    comparison = batfill.compare([three_jobs()], {"mine": Hourly(), "theirs": "fcfs"}, "mean_wait")
    assert comparison.values().shape == (1, 2)
    file = tmp_path / "c.yaml"
    file.write_text("workloads: [{generate: lublin, jobs: 9, processors: 4, seed: 1}]\nschedulers: [mine]\n")
    assert batfill.campaign(file, tmp_path / "out", schedulers={"mine": Hourly()}).made == 1


def test_a_scheduler_may_start_a_job_when_it_likes():
    assert list(batfill.simulate(three_jobs(), 4, Hourly(400)).jobs["starting_time"] // 86400) == [400] * 3


def test_many_rounds_at_which_nothing_starts_are_an_error(tmp_path):
    message = r"10000 calls in a row and started nothing, the last of them at 3600\d\d\d\d.000000.* 3 waiting jobs"
    with pytest.raises(batfill.DecisionError, match=message):
        batfill.simulate(three_jobs(), 4, Hourly(1000))
    with pytest.raises(batfill.Error, match=message):
        batfill.compare([three_jobs()], {"mine": Hourly(1000)}, "mean_wait")
    file = tmp_path / "c.yaml"
    file.write_text("workloads: [{generate: lublin, jobs: 9, processors: 4, seed: 1}]\nschedulers: [mine]\n")
    with pytest.raises(batfill.InputError, match="10000 calls in a row"):
        batfill.campaign(file, tmp_path / "out", schedulers={"mine": Hourly(100000)})


@pytest.mark.parametrize(
    ("decide", "error", "message"),
    [
        (lambda round: round.start(1), IndexError, "expected the index of one of 1 waiting jobs, found 1"),
        (lambda round: round.start(-1), IndexError, "found -1"),
        (lambda round: (round.start(0), round.start(0)), batfill.DecisionError, "w0!a has started already"),
        (lambda round: round.reserve(0), batfill.DecisionError, "can start now"),
        (lambda round: round.wake_at(0), batfill.UsageError, "expected a time after now"),
        (lambda round: None, batfill.InputError, "w0!a"),  # nothing ever starts
    ],
)
def test_wrong_decisions(decide, error, message):
    class Wrong(batfill.Scheduler):
        def decide(self, round):
            decide(round)

    with pytest.raises(error, match=message):
        batfill.simulate(three_jobs(), 4, Wrong())


def test_a_job_too_wide_for_what_is_idle():
    class All(batfill.Scheduler):
        def decide(self, round):
            for job in range(len(round.waiting)):
                round.start(job)

    with pytest.raises(batfill.DecisionError, match="algorithm All.*w0!b"):
        batfill.simulate(three_jobs(), 4, All())


def test_an_exception_reaches_the_caller_with_its_traceback(workload):
    class Broken(batfill.Scheduler):
        def decide(self, round):
            self.deeper()

        def deeper(self):
            raise ValueError("no idea")

    for call in (lambda: batfill.simulate(workload, 64, Broken()), lambda: batfill.compare(workload, [Broken()])):
        with pytest.raises(ValueError, match="no idea") as problem:
            call()
        assert "deeper" in "".join(traceback.format_tb(problem.value.__traceback__))


def test_a_round_ends_with_decide():
    kept = []

    class Keeps(batfill.Scheduler):
        def decide(self, round):
            if not kept:
                kept.extend([round, round.waiting])
            elif len(kept) == 2:
                with pytest.raises(batfill.UsageError, match="earlier round"):
                    kept[1]["gpus"]
                kept.append(None)
            for job in range(len(round.waiting)):
                round.try_start(job)

    batfill.simulate(three_jobs(), 4, Keeps())
    with pytest.raises(batfill.UsageError, match="the round is over"):
        kept[0].start(0)
    with pytest.raises(batfill.UsageError, match="the round is over"):
        kept[1]["gpus"]


def test_compare_with_names(workload, easy):
    other = batfill.Workload.lublin(300, 64, 2)
    comparison = batfill.compare([workload, other], {"mine": easy(), "theirs": "easy"}, "mean_wait")
    assert comparison.schedulers == ["mine", "theirs"]
    assert (comparison.values()[:, 0] == comparison.values()[:, 1]).all()


def test_an_exception_in_progress_stops_the_replays(workload):
    seen = []

    def progress(done, total):
        seen.append((done, total))
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        batfill.compare([workload] * 20, ["easy"], "mean_wait", progress=progress)
    assert seen[0] == (1, 20) and len(seen) < 20


def test_statistics_and_parameters(workload):
    class Counts(batfill.Scheduler):
        def begin(self, round):
            self.rounds = 0

        def decide(self, round):
            self.rounds += 1
            for job in range(len(round.waiting)):
                round.try_start(job)

        def statistics(self):
            return {"rounds": self.rounds}

    scheduler = Counts()
    run = batfill.simulate(workload, 64, scheduler)
    assert run.statistics == {"rounds": scheduler.rounds} != {"rounds": 0}
    assert batfill.simulate(workload, 64, scheduler).statistics == run.statistics
    with pytest.raises(batfill.UsageError, match="algorithm Counts has no parameter 'order'|order"):
        batfill.simulate(workload, 64, scheduler, order="saf")


def test_the_daemon_gives_the_same_schedule(workload, easy, command, tmp_path):
    workload.save(tmp_path / "w.json")
    endpoint = f"ipc://{tmp_path}/socket"
    problems = []

    def serve():
        try:
            batfill.serve(easy(), endpoint, idle_timeout=60)
        except BaseException as problem:  # for the test's own thread
            problems.append(problem)

    daemon = threading.Thread(target=serve)
    daemon.start()
    command("simulate", "-p", 64, "-w", "w.json", "-s", endpoint, "-o", "served", "-q")
    daemon.join()
    assert problems == []
    batfill.simulate(workload, 64, "easy").save(tmp_path / "embedded")
    assert (tmp_path / "served_jobs.csv").read_text() == (tmp_path / "embedded_jobs.csv").read_text()


def test_ctrl_c_ends_the_daemon(tmp_path):
    code = f"""
import batfill, threading
threading.Timer(1, print, ["ready"], {{"flush": True}}).start()
try:
    batfill.serve("easy", "ipc://{tmp_path}/socket", keep_alive=True)
except KeyboardInterrupt:
    print("stopped")
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as daemon:
        assert daemon.stdout.readline() == "ready\n"
        daemon.send_signal(signal.SIGINT)
        assert daemon.communicate(timeout=30)[0] == "stopped\n"
    assert daemon.returncode == 0


class FirstComeFirstServed(batfill.Scheduler):
    def decide(self, round):
        for job in range(len(round.waiting)):
            if not round.try_start(job):
                break


@pytest.mark.parametrize("name", ["delays-fcfs", "far-future"])
def test_a_daemon_in_python_starts_what_the_scheduler_of_a_recorded_batsim_started(traces, tmp_path, name):
    zmq = pytest.importorskip("zmq")
    frames = [
        json.loads(line)
        for line in (traces.parent / "batsim" / "captures" / f"{name}.jsonl").read_text().splitlines()
    ]
    endpoint = f"ipc://{tmp_path}/socket"
    daemon = threading.Thread(target=batfill.serve, args=(FirstComeFirstServed(), endpoint))
    daemon.start()

    def starts(reply):
        return [  # at the time of the message, which the recorded scheduler rounds in its own way
            (event["data"]["job_id"], event["data"]["alloc"])
            for event in json.loads(reply)["events"]
            if event["type"] == "EXECUTE_JOB"
        ]

    with zmq.Context() as context, context.socket(zmq.REQ) as batsim:
        batsim.connect(endpoint)
        started = []
        for asked, recorded in zip(frames[::2], frames[1::2], strict=True):
            assert (asked["from"], recorded["from"]) == ("batsim", "sched")
            batsim.send_string(asked["msg"])
            assert batsim.poll(30_000)
            ours, theirs = starts(batsim.recv_string()), starts(recorded["msg"])
            assert ours == theirs
            started += ours
    daemon.join(30)
    assert not daemon.is_alive()
    assert started


class Registrar(batfill.Scheduler):
    """First come, first served; keeps its own list of the jobs that wait, and what it heard of ends."""

    def begin(self, round):
        self.waiting, self.ended = set(), []

    def decide(self, round):
        self.waiting |= set(round.waiting.id)
        for job, start, end, state in zip(round.ended.id, round.ended.start, round.ended.end, round.ended.state):
            self.waiting.discard(job)
            self.ended.append((round.now, str(job), float(start), float(end), str(state)))
        assert self.waiting == set(round.waiting.id)
        for job, name in enumerate(round.waiting.id):
            if not round.try_start(job):
                break
            self.waiting.discard(name)


def test_a_scheduler_hears_of_waiting_jobs_that_wrench_ends(tmp_path):
    zmq = pytest.importorskip("zmq")
    endpoint = f"ipc://{tmp_path}/socket"
    scheduler = Registrar()
    daemon = threading.Thread(target=batfill.serve, args=(scheduler, endpoint),
                              kwargs={"protocol": "wrench", "walltime_margin": 5})
    daemon.start()

    def started(now, kind, data):
        message = {"now": now, "events": [{"timestamp": now, "type": kind, "data": data}]}
        with zmq.Context() as context, context.socket(zmq.REQ) as wrench:  # a connection for each message
            wrench.connect(endpoint)
            wrench.send_string(json.dumps(message))
            assert wrench.poll(30_000)
            return [event["data"]["job_id"] for event in json.loads(wrench.recv_string())["events"]]

    def submit(now, job, processors):
        return started(now, "JOB_SUBMITTED", {"job_id": job, "job": {
            "id": job, "core": 1, "res": processors, "walltime": 100.0}})

    def end(now, job, state):
        return started(now, "JOB_COMPLETED", {"job_id": job, "job_state": state, "kill_reason": "", "status": "SUCCESS"})

    hosts = [{"core": 1, "id": str(i), "name": f"Host{i}", "state": "idle"} for i in range(2)]
    started(0.0, "SIMULATION_BEGINS", {"allow_time_sharing": False, "config": {"redis-enabled": False},
                                       "nb_resources": 2, "resources_data": hosts})
    assert submit(0.0, "1", 1) == ["1"]
    assert submit(1.0, "2", 2) == []
    assert submit(2.0, "3", 1) == []
    assert end(3.0, "2", "COMPLETED_KILLED") == ["3"]  # it waited before job 3
    assert end(4.0, "1", "COMPLETED_SUCCESSFULLY") == []
    assert started(5.0, "SIMULATION_ENDS", None) == []
    daemon.join(30)
    assert not daemon.is_alive()
    (killed, done) = scheduler.ended
    assert killed[:2] == (3.0, "2") and numpy.isnan(killed[2]) and killed[3:] == (3.0, "COMPLETED_KILLED")
    assert done == (4.0, "1", 0.0, 4.0, "COMPLETED_SUCCESSFULLY")
