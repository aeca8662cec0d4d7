"""The environment of RLScheduler: its observation, its rule, its rewards, and the printed numbers of its heuristics."""

import csv
import re
import statistics
from pathlib import Path

import numpy
import pytest

import batfill
from batfill.rlscheduler import Log, RLSchedulerEnv

ROOT = Path(__file__).resolve().parents[2]
FIRST = [1981, 2756, 4299, 8850, 3316, 2714, 5228, 7762, 4022, 7085]
POLICIES = {"FCFS": "fcfs", "WFP3": "wfp3", "UNICEP": "unicep", "SJF": "sjf", "F1": "f1"}
LOGS = {
    "Lublin-1": "published/rlscheduler/lublin-1.swf.gz",
    "SDSC-SP2": "traces/SDSC-SP2-1998-4.2-cln.swf.gz",
    "HPC2N": "traces/HPC2N-2002-2.2-cln.swf.gz",
    "Lublin-2": "published/rlscheduler/lublin-2.swf.gz",
}


@pytest.mark.parametrize("machine", LOGS)
def test_the_heuristics_give_the_printed_numbers(shared, machine):
    log = Log(shared(LOGS[machine]))
    with (ROOT / "docs/results/rlscheduler/slowdowns.csv").open() as lines:
        printed = {(line["rule"], line["policy"]): line["printed"] for line in csv.DictReader(lines)
                   if line["machine"] == machine and line["printed"]}
    assert len(printed) == 10
    for (rule, policy), number in printed.items():
        env = RLSchedulerEnv(log, jobs=1024, backfilling=rule == "backfilling")
        found = -statistics.fmean(env.play(POLICIES[policy], first) for first in FIRST)
        assert f"{found:.2f}" == f"{float(number):.2f}", (machine, rule, policy)


@pytest.fixture(scope="module")
def jobs():
    """A busy log, whose queue grows beyond what the agent sees; columns as in the format."""
    random = numpy.random.default_rng(4)
    count = 700
    columns = numpy.full((count, 18), -1)
    columns[:, 0] = numpy.arange(1, count + 1)
    columns[:, 1] = numpy.sort(random.integers(1, 20000, count))
    columns[:, 3] = random.integers(-1, 1500, count)
    columns[:, 4] = random.integers(1, 17, count)
    columns[:, 7] = random.integers(-1, 17, count)
    columns[:, 8] = numpy.where(random.random(count) < 0.1, -1, random.integers(1, 30, count) * 60)
    for field, largest in ((9, 512), (11, 30), (12, 4), (13, 9)):
        columns[:, field] = random.integers(-1, largest, count)
    return columns


@pytest.fixture(scope="module")
def path(jobs, tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.swf"
    lines = [" ".join(map(str, row)) for row in jobs]
    path.write_text("\n".join(["; MaxNodes: 8", "; MaxProcs: 16", *lines, ""]))
    return path


@pytest.mark.parametrize("backfilling", [False, True])
def test_an_observation_is_that_of_its_program(jobs, path, backfilling):
    env = RLSchedulerEnv(path, jobs=400, backfilling=backfilling, seed=1)
    observation, info = env.reset(options={"episode": 50})
    ran = jobs[jobs[:, 3] != 0]
    random = numpy.random.default_rng(1)
    ended, longest, steps = False, 0, 0
    while not ended:
        waiting = env.waiting
        longest = max(longest, len(waiting))
        if len(waiting) <= 128:
            seen = list(waiting)
        else:
            estimate = {job: ran[job, 8] if ran[job, 8] != -1 else ran[job, 3] for job in waiting}
            by_time = sorted(waiting, key=lambda job: (estimate[job], ran[job, 1], max(ran[job, 4], ran[job, 7])))
            by_size = sorted(waiting, key=lambda job: (max(ran[job, 4], ran[job, 7]), ran[job, 1], estimate[job]))
            seen = list(dict.fromkeys(job for both in zip(by_time, by_size) for job in both))[:128]
        rows = observation.reshape(128, 8)
        assert info["action_mask"].sum() == len(seen)
        for row, job in zip(rows, seen):
            fields = ran[job]
            estimate_of = fields[8] if fields[8] != -1 else fields[3]
            size = max(fields[4], fields[7])
            values = [(env.now - fields[1]) / 43200, estimate_of / jobs[:, 3].max(), size / 16]
            values += [fields[field] / jobs[:, field].max() if fields[field] != -1 else 2 for field in (9, 11, 12, 13)]
            expected = [1 if value == 2 else min(value, 1 - 1e-5) for value in values]
            expected.append(1 - 1e-5 if -(-size // 2) * 2 <= env.idle else 1e-5)
            assert row.tolist() == pytest.approx(expected, abs=1e-12)
        assert (rows[len(seen):] == [0, 1, 1, 1, 1, 1, 1, 0]).all()
        observation, reward, ended, _, info = env.step(int(random.integers(len(seen))))
        assert ended or reward == 0
        steps += 1
    assert longest > (128 if not backfilling else 100) and steps > 50


@pytest.mark.parametrize("score", ["bounded_slowdown", "wait", "turnaround", "slowdown", "utilisation"])
def test_a_heuristic_gives_the_schedule_of_easy_by_the_same_rule(path, score):
    log = Log(path)
    count = len(log.submit)
    env = RLSchedulerEnv(log, jobs=count, backfilling=True, score=score)
    reward = env.play("sjf", 0)
    run = batfill.simulate(log.workload, None, "easy", order="spf", head="kept", extra="none", rounds="strict-event")
    starts = numpy.empty(count)
    starts[numpy.searchsorted(log.number, run.jobs["job_id"].astype(int))] = run.jobs["starting_time"]
    assert (env.starts + log.submit[0] == starts).all()
    wait = starts - log.submit
    area = (log.run_time * log.processors).sum()
    expected = {
        "bounded_slowdown": -numpy.maximum((wait + log.run_time) / numpy.maximum(log.run_time, 10), 1).mean(),
        "wait": -wait.mean(),
        "turnaround": -(wait + log.run_time).mean(),
        "slowdown": -((wait + log.run_time) / log.run_time).mean(),
        "utilisation": area / (starts.max() - log.submit[0]) / 16,
    }
    assert reward == pytest.approx(expected[score])


def test_gymnasium_accepts_it(path):
    pytest.importorskip("gymnasium")
    checker = pytest.importorskip("gymnasium.utils.env_checker")
    checker.check_env(RLSchedulerEnv(path, jobs=30), skip_render_check=True)


def test_the_first_job_replaces_an_invalid_action(path):
    env, other = (RLSchedulerEnv(path, jobs=30, seed=3) for _ in range(2))
    for one in (env, other):
        one.reset()
    ended, steps = False, 0
    while not ended:
        assert (env.action_masks() == other.action_masks()).all()
        observation, reward, ended, _, info = env.step((127, -1)[steps % 2])
        steps += 1
        expected = other.step(0)
        assert (observation == expected[0]).all() and (reward, ended) == expected[1:3]
        assert (info["invalid_actions"], expected[4]["invalid_actions"]) == (steps, 0)
    assert env.reset()[1]["invalid_actions"] == 0


def test_wrong_input_is_named(path, tmp_path):
    env = RLSchedulerEnv(path, jobs=30, invalid="error")
    with pytest.raises(batfill.UsageError, match="no episode is under way"):
        env.action_masks()
    _, info = env.reset()
    with pytest.raises(batfill.UsageError, match="action: expected 0 to 0, as the action mask says, found 1"):
        env.step(int(info["action_mask"].sum()))
    for options, message in [
        ({"jobs": "x"}, "jobs: expected a whole number in 1..1000000, found 'x'"),
        ({"score": lambda state: 0}, "score: expected one of bounded_slowdown,"),
        ({"score": numpy.zeros(2)}, "score: expected one of bounded_slowdown,"),
        ({"backfilling": "none"}, "backfilling: expected True or False, found 'none'"),
        ({"invalid": 3}, "invalid: expected first or error, found 3"),
    ]:
        with pytest.raises(batfill.UsageError, match=re.escape(message)):
            RLSchedulerEnv(path, **options)
    with pytest.raises(batfill.UsageError, match="log: expected a path or a batfill.rlscheduler.Log, found 5"):
        RLSchedulerEnv(5)
    with pytest.raises(batfill.UsageError, match="job: expected a waiting one, found 699"):
        env.start(699)
    with pytest.raises(batfill.UsageError, match="policy: expected fcfs"):
        env.play("saf", 0)
    with pytest.raises(batfill.InputError, match="No such file"):
        Log(tmp_path / "none.swf")
    wrong = tmp_path / "wrong.swf"
    for content, message in [
        ("; MaxNodes: 8\n1 2 3\n", "wrong.swf:2: expected 18 columns, found 3"),
        ("1" + " 1" * 17 + "\n", "MaxNodes"),
        ("; MaxNodes: 8\n", "wrong.swf: expected lines of jobs, found only comments$"),
        ("; MaxNodes: 8\n1 5" + " 1" * 16 + "\n2 4" + " 1" * 16 + "\n", "numbered in the order of submission"),
    ]:
        wrong.write_text(content)
        with pytest.raises(batfill.InputError, match=message):
            Log(wrong)
