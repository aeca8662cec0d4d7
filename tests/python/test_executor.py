"""Replays by executors: processes of this machine, and Dask's."""

import concurrent.futures
import filecmp
import multiprocessing
import os
import pickle
import signal
import sys
import tempfile
import threading
import time

import pytest

import batfill
from batfill import _core, _executor

SCHEDULERS = ["fcfs", "easy", "easy,order=saf", "conservative"]
CAMPAIGN = """
workloads:
  - generate: lublin
    name: small
    jobs: 150
    processors: 16
    failures: {mtbf: 86400, mttr: 3600, seed: 1}
    sweep: {seed: [1, 2, 3]}
machines: [own, 20]
schedulers: [fcfs, easy, pc, mine]
measure: {warm-up: 3600, tau: 60}
"""


class First(batfill.Scheduler):
    """Starts what fits."""

    version = 1

    def decide(self, round):
        for job in range(len(round.waiting)):
            round.try_start(job)


class Limited(First):
    """Starts only so many jobs in a round."""

    def __init__(self, most):
        self.most = most

    def decide(self, round):
        for job in range(min(self.most, len(round.waiting))):
            round.try_start(job)


class Slow(First):
    """Takes half a second for five jobs, and leaves a file for each replay."""

    def __init__(self, folder):
        self.folder = folder

    def begin(self, round):
        tempfile.mkstemp(dir=self.folder)

    def decide(self, round):
        time.sleep(0.05)
        super().decide(round)


class Deadly(First):
    """Ends its process once, after the others have had some time."""

    def __init__(self, mark, signals=signal.SIGKILL):
        self.mark = mark
        self.signals = signals

    def decide(self, round):
        if not os.path.exists(self.mark):
            open(self.mark, "x").close()
            time.sleep(0.5)
            os.kill(os.getpid(), self.signals)
        super().decide(round)


def pretend():
    """This process has another build."""
    _core.build = lambda: "0.2.9 (other)"


def processes(count=2, **keywords):
    return concurrent.futures.ProcessPoolExecutor(count, mp_context=multiprocessing.get_context("spawn"), **keywords)


@pytest.fixture(scope="module")
def pool():
    with processes() as made:
        yield made


@pytest.fixture(scope="module")
def weeks():
    return [batfill.Workload.lublin(150, 64, seed, load=0.9) for seed in range(6)]


def require_same_files(one, other):
    """Two folders have the same files with the same bytes."""
    files, others = [sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())
                     for folder in (one, other)]
    assert files == others and len(files) > 24
    assert filecmp.cmpfiles(one, other, files, shallow=False)[1:] == ([], [])


def same(one, other):
    return one.table("csv") == other.table("csv") and pickle.dumps(one._core) == pickle.dumps(other._core)


@pytest.mark.parametrize("keywords", [
    {}, {"metric": "mean_wait"}, {"baseline": "easy", "tau": 60, "platform": 70},
    {"windows": [{"name": "service", "from": 3600, "until": 7200, "hosts": "0-9"}],
     "limits": [{"of": "user", "most": {"jobs": 9}}]},
])
def test_a_comparison_is_that_of_one_machine(pool, weeks, keywords):
    counts = []
    there = batfill.compare(weeks, SCHEDULERS, executor=pool, progress=lambda *done: counts.append(done), **keywords)
    assert same(there, batfill.compare(weeks, SCHEDULERS, **keywords))
    assert counts == [(done + 1, 24) for done in range(24)]


def test_a_comparison_with_the_log_and_rejected_jobs(pool, log):
    jobs = [batfill.Workload.from_swf(log), batfill.Workload.lublin(50, 8, 1)]
    with pytest.warns(UserWarning, match="the log has up to 14 processors in use"):
        there = batfill.compare(jobs[:1], SCHEDULERS, log=log, executor=pool)
    with pytest.warns(UserWarning, match="the log has up to 14 processors in use"):
        assert same(there, batfill.compare(jobs[:1], SCHEDULERS, log=log))
    there = batfill.compare(jobs, {"fcfs": "fcfs", "mine": First()}, platform=7, executor=pool)
    assert "did not run everywhere" in str(there)
    assert same(there, batfill.compare(jobs, {"fcfs": "fcfs", "mine": First()}, platform=7))


@pytest.mark.parametrize("reports", ["false", "true"])
def test_a_campaign_is_that_of_one_machine(pool, tmp_path, monkeypatch, reports):
    file = tmp_path / "c.yaml"
    file.write_text(f"{CAMPAIGN}reports: {reports}\n")
    for name, how in (("here", {"threads": 2}), ("there", {"executor": pool})):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)  # pages name the folder
        result = batfill.campaign(file, "out", schedulers={"mine": First()}, **how)
        assert (result.made, result.kept) == (24, 0)
    require_same_files(tmp_path / "here", tmp_path / "there")
    again = batfill.campaign(file, "out", schedulers={"mine": First()}, executor=pool)
    assert (again.made, again.kept) == (0, 24)


def test_schedulers_in_python_travel(pool, weeks):
    pytest.importorskip("cloudpickle")
    sizes = {"most": 9}

    class InCell(batfill.Scheduler):
        def decide(self, round):
            for job in range(min(sizes["most"], len(round.waiting))):
                round.try_start(job)

    names = {"in a module": First(), "in a cell": InCell(), "fcfs": "conservative", "conservative": First()}
    assert same(batfill.compare(weeks, names, executor=pool), batfill.compare(weeks, names))
    twice = [Limited(1), Limited(64)]  # both have the name of the class
    there = batfill.compare(weeks, twice, executor=pool)
    assert same(there, batfill.compare(weeks, twice))
    assert (there.values()[:, 0] != there.values()[:, 1]).any()


def test_whole_searches_of_tune_travel(pool, weeks):
    sent = [pool.submit(batfill.tune, week, 64, evaluations=20) for week in weeks]
    assert [best for search in sent for best in search.result()] == batfill.tune(weeks, 64, evaluations=20)


def test_names_of_schedulers_in_a_campaign_may_cross(pool, tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text(CAMPAIGN.replace("[fcfs, easy, pc, mine]", "[{algorithm: a, name: b}, {algorithm: b, name: a}]"))
    own = {"a": Limited(1), "b": Limited(64)}
    tables = []
    for name, how in (("here", {}), ("there", {"executor": pool})):
        batfill.campaign(file, tmp_path / name, schedulers=own, **how)
        tables.append((tmp_path / name / "results.csv").read_text())
    assert tables[0] == tables[1]


@pytest.mark.parametrize("has_cloudpickle", [True, False])
def test_schedulers_that_cannot_travel_are_refused(pool, weeks, monkeypatch, has_cloudpickle):
    def refused(scheduler):
        with pytest.raises(batfill.UsageError, match="^schedulers: mine cannot be sent to a worker: [^\n]+$") as found:
            batfill.compare(weeks, {"mine": scheduler}, executor=pool)
        return str(found.value)

    class Locked(First):
        def __deepcopy__(self, memo):
            return self

    locked = Locked()
    if has_cloudpickle:
        pytest.importorskip("cloudpickle")
        locked.lock = threading.Lock()
        assert "lock" in refused(locked)
        return
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    assert "Locked" in refused(locked)
    monkeypatch.setattr(First, "__module__", "__main__")
    assert "First was made in __main__, and cloudpickle is not installed" in refused(First())


def test_failures_are_those_of_one_machine(pool, weeks, tmp_path):
    class Broken(First):
        def decide(self, round):
            raise ValueError("out of ideas")

    class Never(First):
        def decide(self, round):
            pass

    class Wrong(First):
        def decide(self, round):
            round.start(0)
            round.start(0)

    pytest.importorskip("cloudpickle")
    with pytest.raises(ValueError, match="^out of ideas$") as found:
        batfill.compare(weeks, {"mine": Broken()}, executor=pool)
    assert "in decide\nValueError: out of ideas" in str(found.value.__cause__)
    texts = []
    for how in ({}, {"executor": pool}):
        with pytest.raises(batfill.InputError) as problem:
            batfill.compare(weeks, {"easy": "easy", "mine": Never()}, **how)
        texts.append(str(problem.value))
    assert texts[0] == texts[1] and " under mine: " in texts[0]
    file = tmp_path / "c.yaml"
    file.write_text(CAMPAIGN)
    texts = []
    for how in ({}, {"executor": pool}):
        with pytest.raises(batfill.InputError) as problem:
            batfill.campaign(file, tmp_path / "out", schedulers={"mine": Never()}, **how)
        texts.append(str(problem.value))
    assert texts[0] == texts[1] and len(texts[0].splitlines()) == 6 and "small,seed=1 on own under mine: " in texts[0]
    for scheduler, kind in ((Broken(), ValueError), (Wrong(), batfill.DecisionError)):
        with pytest.raises(kind):
            batfill.campaign(file, tmp_path / "out", schedulers={"mine": scheduler}, executor=pool)
    assert batfill.campaign(file, tmp_path / "out", schedulers={"mine": First()}, executor=pool).kept == 18


def test_an_exception_of_progress_ends_the_call(pool, weeks):
    def stop(done, total):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="^enough$"):
        batfill.compare(weeks, SCHEDULERS, executor=pool, progress=stop)


def test_refused_executors(pool, weeks):
    with pytest.raises(batfill.UsageError, match="^executor: expected one of concurrent.futures, found 4$"):
        batfill.compare(weeks, SCHEDULERS, executor=4)
    with pytest.raises(batfill.UsageError, match="^executor: expected it without threads"):
        batfill.campaign("none.yaml", executor=pool, threads=2)
    with processes(1, initializer=pretend) as other:
        with pytest.raises(batfill.UsageError) as found:
            batfill.compare(weeks, SCHEDULERS, executor=other)
    assert f"has batfill 0.2.9 (other), expected {_core.build()}" in str(found.value)
    with pytest.raises(batfill.Error, match="^executor: RuntimeError: cannot schedule new futures after shutdown$"):
        batfill.compare(weeks, SCHEDULERS, executor=other)


class Counting(concurrent.futures.Executor):
    """Hands tasks on, and notes what goes with them and what is lacking. It may lose some."""

    def __init__(self, pool, lost=0):
        self.pool = pool
        self.lost = lost
        self.sent = []
        self.lacking = 0

    def submit(self, function, build, token, message):
        how, replays, sent = pickle.loads(message)
        self.sent.extend(sent)
        if self.lost > 0:
            self.lost -= 1
            future = concurrent.futures.Future()
            future.set_exception(OSError("the worker has gone"))
            return future
        future = self.pool.submit(function, build, token, message)
        future.add_done_callback(self.note)
        return future

    def note(self, future):
        self.lacking += any(word == "lacks" for word, _ in future.result()[1])


def test_what_workers_have_is_not_sent_again(weeks):
    with processes(1) as one:
        counting = Counting(one)
        for _ in range(2):
            batfill.compare(weeks, {"mine": First(), "easy": "easy"}, executor=counting)
        assert len(counting.sent) == len(set(counting.sent)) == len(weeks) + 1 + 1  # with machine and scheduler
        assert counting.lacking == 0
        # Another executor has not heard of it, and the worker of a third one has not got it.
        other = Counting(one)
        batfill.compare(weeks[:1], ["easy"], executor=other)
        assert len(other.sent) == 2
        with processes(1) as fresh:
            counting.pool, counting.sent = fresh, []
            assert same(batfill.compare(weeks, ["easy"], executor=counting), batfill.compare(weeks, ["easy"]))
            assert counting.lacking > 0 and len(counting.sent) == len(set(counting.sent)) == len(weeks) + 1


def test_each_worker_gets_a_workload_once(pool):
    jobs = batfill.Workload.lublin(2000, 64, 1, load=0.9)
    counting = Counting(pool)
    names = [f"easy,threshold={number}" for number in range(40)]
    assert same(batfill.compare(jobs, names, executor=counting), batfill.compare(jobs, names))
    assert len(counting.sent) <= 2 * 3  # workers may exchange a task with one


def test_lost_tasks_are_done_again(pool, weeks):
    assert same(batfill.compare(weeks, SCHEDULERS, executor=Counting(pool, lost=2)),
                batfill.compare(weeks, SCHEDULERS))
    with pytest.raises(batfill.Error, match="^executor: OSError: the worker has gone$"):
        batfill.compare(weeks, SCHEDULERS, executor=Counting(pool, lost=1000))


def test_a_campaign_goes_on_where_an_executor_broke(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text(CAMPAIGN)
    own = {"mine": Deadly(str(tmp_path / "mark"))}
    with processes() as pool:
        with pytest.raises(batfill.Error, match="^executor: BrokenProcessPool: [^\n]+$"):
            batfill.campaign(file, tmp_path / "out", schedulers=own, executor=pool)
    with processes() as pool:
        result = batfill.campaign(file, tmp_path / "out", schedulers=own, executor=pool)
    assert result.kept > 0 and result.made + result.kept == 24


def require_cancelling(executor, folder):
    """After Ctrl-C the executor does no more of the call, and takes another one."""
    few = [batfill.Workload.lublin(5, 64, seed) for seed in range(40)]
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        batfill.compare(few, {"mine": Slow(str(folder))}, executor=executor)
    timer.join()
    assert same(batfill.compare(few, ["easy"], executor=executor), batfill.compare(few, ["easy"]))
    assert 0 < len(list(folder.iterdir())) < 30


def test_ctrl_c_cancels(tmp_path):
    with processes() as pool:
        batfill.compare(batfill.Workload.lublin(5, 64, 1), ["easy"], executor=pool)
        require_cancelling(pool, tmp_path)


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as made:
            yield made


def test_dask_gives_the_same(client, weeks, tmp_path):
    executor = client.get_executor()
    assert same(batfill.compare(weeks, [*SCHEDULERS, First()], executor=executor),
                batfill.compare(weeks, [*SCHEDULERS, First()]))
    file = tmp_path / "c.yaml"
    file.write_text(CAMPAIGN)
    for name, how in (("here", {"threads": 2}), ("there", {"executor": executor})):
        batfill.campaign(file, tmp_path / name, schedulers={"mine": First()}, **how)
    require_same_files(tmp_path / "here", tmp_path / "there")


def test_dask_goes_on_after_a_worker_has_died(client, weeks, tmp_path):
    own = {"mine": Deadly(str(tmp_path / "mark")), "easy": "easy"}
    there = batfill.compare(weeks, own, executor=client.get_executor())
    assert (tmp_path / "mark").exists() and same(there, batfill.compare(weeks, own))


def test_ctrl_c_cancels_tasks_of_dask(client, tmp_path):
    require_cancelling(client.get_executor(), tmp_path)


def test_workers_of_dask_with_another_build_are_refused(client, weeks):
    client.run(pretend)
    with pytest.raises(batfill.UsageError, match=r"^executor: the worker [^\n]* has batfill 0.2.9 \(other\), expected"):
        batfill.compare(weeks, SCHEDULERS, executor=client.get_executor())
    executor = client.get_executor()
    client.close()
    with pytest.raises(batfill.Error, match="^executor: ClosedClientError: [^\n]+$"):
        batfill.compare(weeks, SCHEDULERS, executor=executor)
