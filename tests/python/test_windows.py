"""Windows of machines, as keywords and in schedulers."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

import batfill

SERVICE = {"name": "service", "from": 100, "until": 200, "processors": 4}
JOBS = [(0, 1, 60), (0, 2, 110), (1, 1, 50), (2, 4, 90), (150, 2, 30), (205, 1, 10), (206, 3, 40)]


@pytest.fixture(name="workload")
def _workload(tmp_path):
    path = tmp_path / "jobs.json"
    path.write_text(json.dumps({
        "nb_res": 4,
        "jobs": [{"id": str(i), "subtime": submit, "res": size, "walltime": run, "profile": f"p{run}"}
                 for i, (submit, size, run) in enumerate(JOBS)],
        "profiles": {f"p{run}": {"type": "delay", "delay": run} for _, _, run in JOBS},
    }))
    return batfill.Workload.from_json(path)


def _file(tmp_path, *windows):
    path = tmp_path / "calendar.jsonl"
    path.write_text("".join(json.dumps(window) + "\n" for window in windows))
    return path


def starts(run):
    return dict(zip(run.jobs["job_id"], run.jobs["starting_time"].tolist()))


class FirstFit(batfill.Scheduler):
    """Starts every job that can start, in the order of submission, and notes what it saw of windows."""

    understands_resources = True

    def begin(self, round):
        self.seen = []

    def decide(self, round):
        self.seen.append((round.now, [window.name for window in round.windows]))
        for job in range(len(round.waiting)):
            round.try_start(job)


def test_try_start_looks_at_windows_of_pools():
    table = {"id": ["a", "b"], "submit": [0, 0], "run_time": [100, 50], "walltime": [100, 50], "processors": [1, 1],
             "pool_lic": [1, 1]}
    workload = batfill.Workload.from_dataframe(table, processors=4)
    windows = [{"name": "cap", "from": 50, "until": 80, "announced": 0, "pools": {"lic": 1}}]
    for scheduler in (FirstFit(), "easy"):
        assert starts(batfill.simulate(workload, 4, scheduler, pools={"lic": 2}, windows=windows)) == {"a": 0, "b": 0}
    assert starts(batfill.simulate(workload, 4, FirstFit(), pools={"lic": 1}, windows=windows)) == {"a": 80, "b": 0}


def test_a_scheduler_that_does_not_say_so_is_refused_and_counts_no_processors_where_more_is_free():
    class Plain(batfill.Scheduler):
        def decide(self, round):
            self.look(round)

    workload = batfill.Workload.lublin(3, 4, 1)
    windows = [{"name": "w", "from": 1, "until": 2, "processors": 1}]
    for machine in ({"pools": {"power": 1}}, {"capacity": {"cores": 1}}, {"windows": windows}):
        scheduler = Plain()
        with pytest.raises(batfill.UsageError, match=r"algorithm Plain: .*does not declare understands_resources\(\)$"):
            batfill.simulate(workload, 4, scheduler, **machine)
        scheduler.understands_resources = True
        for look in (lambda round: round.reserve(0), lambda round: round.profile()):
            scheduler.look = look
            with pytest.raises(batfill.DecisionError, match="counts processors"):
                batfill.simulate(workload, 4, scheduler, **machine)


class InOrder(batfill.Scheduler):
    """FCFS."""

    understands_resources = True

    def decide(self, round):
        for job in range(len(round.waiting)):
            if not round.try_start(job):
                break


def test_a_list_is_a_file(workload, tmp_path):
    of_list = batfill.simulate(workload, 4, "easy", windows=[SERVICE])
    of_file = batfill.simulate(workload, 4, "easy", windows=_file(tmp_path, SERVICE))
    assert starts(of_list) == starts(of_file)
    assert starts(of_list)["1"] == 200  # it would run into the window
    assert starts(batfill.simulate(workload, 4, "easy"))["1"] == 0
    assert of_list.check().violations == []
    assert of_list.explain("1").reasons["time"][-1] == 200
    assert batfill.compare([workload], ["easy"], "max_wait", platform=4, windows=[SERVICE]).values()[0][0] == max(
        of_list.jobs["waiting_time"]
    )


def test_a_run_with_windows_is_saved_and_pickled(workload, tmp_path):
    run = batfill.simulate(workload, 4, "conservative", windows=[{**SERVICE, "announced": 50, "running": "requeue"}])
    again = pickle.loads(pickle.dumps(run))
    assert again.check() == run.check() and run.check().violations == []
    assert starts(again) == starts(run)
    for one in (run, again):
        assert any(path.endswith("_jobs.csv") for path in one.save(tmp_path / "run"))
    assert "windows" not in copy.deepcopy(run).metrics()


def test_a_scheduler_in_python_makes_the_schedule_of_the_programs_own(workload):
    for windows in ([SERVICE], [{"name": "w", "from": 100, "until": 200, "hosts": "0-2", "announced": 20}]):
        mine = batfill.simulate(workload, 4, InOrder(), windows=windows)
        assert mine.check().violations == []
        assert starts(mine) == starts(batfill.simulate(workload, 4, "fcfs", windows=windows))


def test_a_scheduler_sees_windows_that_are_announced_and_not_over(workload):
    scheduler = FirstFit()
    windows = [{"name": "pool", "from": 10, "until": 60, "pools": {"power": 3}},
               {**SERVICE, "announced": 50, "for": ["course"], "running": "kill"}]
    run = batfill.simulate(workload, 4, scheduler, windows=windows, pools={"power": 9})
    assert run.check().violations == []
    for now, seen in scheduler.seen:
        assert seen == ["pool"] * (now < 60) + ["service"] * (50 <= now < 200)
    assert {now for now, _ in scheduler.seen} >= {0, 50, 60, 100, 200}


def test_what_a_window_tells(workload):
    told = []

    class Look(batfill.Scheduler):
        understands_resources = True

        def decide(self, round):
            told[:] = told or round.windows

    windows = [{"name": "w", "from": 100, "until": 200.5, "hosts": "0 2-3", "for": ["a", "b"]},
               {"name": "all", "from": 300, "until": 400, "hosts": "all"},
               {"name": "p", "from": 300, "until": 400, "pools": {"power": 2}, "running": "requeue"}]
    with pytest.raises(batfill.InputError, match="never"):
        batfill.simulate(workload, 4, Look(), windows=windows, pools={"power": 9})
    first, every, pool = told if len(told) == 3 else pytest.fail("expected three windows")
    assert isinstance(first, batfill.Window)
    assert (first.name, first.from_, first.until, first.processors) == ("w", 100, 200.5, 3)
    assert first.hosts.tolist() == [0, 2, 3] and first.for_ == ("a", "b") and first.running == "finish"
    assert every.hosts.tolist() == [0, 1, 2, 3] and every.for_ == ()
    assert (pool.pools, pool.processors, pool.running) == ({"power": 2}, 0, "requeue")
    assert repr(pool) == '<Window p from 300.000000 until 400.000000>'
    with pytest.raises(AttributeError):
        first.name = "other"


def test_a_start_into_a_window_is_refused(workload):
    class Rash(batfill.Scheduler):
        understands_resources = True

        def decide(self, round):
            for job in range(len(round.waiting)):
                round.start(job)

    with pytest.raises(batfill.DecisionError, match=r"job (w0!)?1: it cannot start, by its walltime it would run into "
                                                    r"window service, which begins at 100\.000000"):
        batfill.simulate(workload, 4, Rash(), windows=[SERVICE])


def test_jobs_of_a_reservation_run_inside(tmp_path):
    path = tmp_path / "jobs.json"
    path.write_text(json.dumps({
        "nb_res": 4,
        "jobs": [{"id": "1", "subtime": 0, "res": 2, "walltime": 30, "profile": "p", "reservation": "course"},
                 {"id": "2", "subtime": 0, "res": 3, "walltime": 30, "profile": "p"}],
        "profiles": {"p": {"type": "delay", "delay": 30}}}))
    for window in ({"processors": 2}, {"hosts": "1-2"}):
        windows = [{"name": "w", "from": 20, "until": 90, "for": ["course"], **window}]
        run = batfill.simulate(batfill.Workload.from_json(path), 4, FirstFit(), windows=windows)
        assert starts(run) == {"1": 20, "2": 90}
        assert run.check().violations == []


@pytest.mark.parametrize(
    ("windows", "error", "problem"),
    [
        (7, batfill.UsageError, "windows: expected a path or a list of dicts, found 7"),
        ([7], batfill.UsageError, "windows: expected a path or a list of dicts, found 7 in it"),
        (SERVICE, batfill.UsageError, "windows: expected a path or a list of dicts, found"),
        ([{"name": {1}}], batfill.UsageError, "windows: expected values that JSON knows"),
        ([SERVICE, {**SERVICE, "until": 90}], batfill.InputError, "windows:2: field \"until\": expected a time after"),
        ([{**SERVICE, "extra": 1}], batfill.InputError, "windows:1: unknown fields"),
        ([{**SERVICE, "processors": 5}], batfill.InputError, "windows:1: .*it takes 5, the machine has 4"),
        ("nosuch.jsonl", batfill.InputError, "nosuch.jsonl"),
    ],
)
def test_other_windows_are_refused(workload, windows, error, problem):
    with pytest.raises(error, match=problem):
        batfill.simulate(workload, 4, "easy", windows=windows)


def test_tune_and_a_campaign_take_windows(workload, tmp_path):
    [free] = batfill.tune([workload], 4, evaluations=3, metric="max_wait")
    [bound] = batfill.tune([workload], 4, evaluations=3, metric="max_wait", windows=[SERVICE])
    assert bound.value > free.value
    _file(tmp_path, SERVICE)
    text = "workloads: [{workload: jobs.json}]\nmachines: [{platform: 4, windows: [none, calendar.jsonl]}]\n"
    (tmp_path / "c.yaml").write_text(text + "schedulers: [fcfs]\n")
    made = batfill.campaign(tmp_path / "c.yaml", tmp_path / "out")
    waits = {row["machine"]: float(row["value"]) for row in made.rows() if row["metric"] == "max_wait"}
    assert waits["4,windows=none"] < waits["4,windows=calendar.jsonl"]
