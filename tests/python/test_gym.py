"""Environments for learning: the schedules of simulate, and the form of gymnasium."""

import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

import batfill
from batfill.gym import BackfillEnv, PickEnv, VectorBackfillEnv, VectorPickEnv, VectorWeightsEnv, WeightsEnv

ROOT = Path(__file__).resolve().parents[2]


def smallest_area(jobs, mask):
    """The place of the waiting job with the smallest area, by what an agent sees."""
    share = jobs[:, 1].astype(float)
    area = numpy.where(mask, jobs[:, 2] * share / (1 - share), numpy.inf)
    return int(numpy.argmin(area))


def first(jobs, mask):
    return 0


def play(env, pick, **reset):
    observation, info = env.reset(**reset)
    total, terminated = 0.0, False
    while not terminated:
        action = pick(observation["jobs"], info["action_mask"])
        observation, reward, terminated, truncated, info = env.step(action)
        assert not truncated
        total += reward
    assert not info["action_mask"].any()
    return total


def starts_of(workload, scheduler):
    """By submission, as those of an environment are."""
    jobs = batfill.simulate(workload, None, scheduler).jobs
    start = dict(zip(jobs["job_id"], jobs["starting_time"]))
    order = numpy.argsort(workload.jobs["submit"], kind="stable")
    return [start[id] for id in workload.jobs["id"][order]]


@pytest.fixture(scope="module")
def areas():
    """A workload whose areas are so different that features of 32 bits tell them apart."""
    random = numpy.random.default_rng(3)
    walltime = random.permutation(numpy.arange(300)) * 10.0 + 60
    return batfill.Workload.from_dataframe({
        "submit": numpy.sort(random.integers(0, 60000, 300)), "processors": 2 ** random.integers(0, 6, 300),
        "walltime": walltime, "run_time": walltime * random.uniform(0.1, 1, 300)}, processors=40)


@pytest.mark.parametrize("reward_at_end", [False, True])
def test_submission_order_gives_the_schedule_of_easy(workload, reward_at_end):
    env = PickEnv(workload, reward_at_end=reward_at_end)
    total = play(env, first)
    assert list(env.starts) == starts_of(workload, "easy")
    metrics = batfill.simulate(workload).metrics()
    assert -total == pytest.approx(metrics["mean_bounded_slowdown"])
    env = PickEnv(workload, backfilling="none", reward="wait")
    assert -play(env, first) == pytest.approx(batfill.simulate(workload, None, "fcfs").metrics()["mean_wait"])
    assert list(env.starts) == starts_of(workload, "fcfs")


def test_the_smallest_area_gives_the_schedule_of_saf(areas):
    env = PickEnv(areas, queue=300)
    play(env, smallest_area)
    starts = starts_of(areas, "easy,order=saf")
    assert list(env.starts) == starts != starts_of(areas, "easy")


def test_windows_begin_at_their_first_job(workload):
    env = PickEnv(workload, window=50)
    assert env.episodes == len(workload) - 50 + 1
    play(env, first, options={"episode": 700})
    part = slice(700, 750)
    columns = {name: workload.jobs[name][part] for name in ("submit", "processors", "walltime", "run_time")}
    columns["submit"] = columns["submit"] - columns["submit"][0]
    window = batfill.Workload.from_dataframe(columns, processors=workload.processors)
    assert list(env.starts) == starts_of(window, "easy")


def test_a_kept_head_gives_the_schedule_of_easy_that_keeps_it(areas):
    rule = "easy,order=saf,head=kept,extra=none,rounds=strict-event"
    for backfilling, parameters in (("easy", rule), ("none", rule + ",test-limit=0")):
        env = PickEnv(areas, queue=300, head="kept", backfilling=backfilling)
        play(env, smallest_area)
        assert list(env.starts) == starts_of(areas, parameters)


@pytest.mark.parametrize("order", ["fcfs", "saf", "f1"])
def test_the_first_job_that_may_start_gives_the_schedule_of_easy(workload, order):
    env = BackfillEnv(workload, order=order)
    total = play(env, first)
    assert list(env.starts) == starts_of(workload, f"easy,order={order}")
    assert -total == pytest.approx(batfill.simulate(workload, None, "easy", order=order).metrics()["mean_bounded_slowdown"])
    play(env, lambda jobs, mask: len(mask) - 1)
    assert list(env.starts) == starts_of(workload, f"easy,order={order},test-limit=0")


def test_what_may_be_backfilled_can_start(workload):
    env = BackfillEnv(workload, queue=5)
    observation, info = env.reset()
    terminated, steps = False, 0
    while not terminated:
        jobs, count = observation["jobs"], int(info["action_mask"].sum()) - 1
        assert (jobs[:count, 4] == 1).all() and (jobs[count:] == 0).all() and info["action_mask"][5]
        assert (workload.jobs["processors"][numpy.argsort(workload.jobs["submit"], kind="stable")][env.seen] <= env.idle).all()
        observation, _, terminated, _, info = env.step(steps % count)
        steps += 1
    assert steps > 100


def test_fixed_weights_give_the_schedule_of_easy(workload):
    weights, scales = [0.5, -1, 0.25, 0, 2, -0.75], [64, 3600, 3600, 3600, 10, 1e5]
    env = WeightsEnv(workload, period="6h", scales=scales, invalid="error")
    env.reset()
    terminated, steps = False, 0
    while not terminated:
        period = env.now // 21600
        _, _, terminated, _, info = env.step(weights)
        assert terminated or env.now // 21600 > period
        steps += 1
    parameters = f"weights={','.join(map(str, weights))},scales={','.join(map(str, scales))}"
    assert list(env.starts) == starts_of(workload, f"easy,order=mixed,{parameters}") and steps > 10
    env.reset()
    for wrong in ([0] * 6, [1] * 5, [float("nan")] * 6, 3):
        with pytest.raises(batfill.UsageError, match="action: expected"):
            env.step(wrong)


@pytest.mark.parametrize("kind", [PickEnv, BackfillEnv, WeightsEnv])
@pytest.mark.parametrize("queue", [1, 16])
def test_gymnasium_accepts_it(workload, kind, queue):
    gymnasium = pytest.importorskip("gymnasium")
    checker = pytest.importorskip("gymnasium.utils.env_checker")

    env = kind(workload, queue=queue, window=40)
    assert isinstance(env, gymnasium.Env)
    checker.check_env(env, skip_render_check=True)


@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize(
    ("kind", "vector_kind"),
    [(PickEnv, VectorPickEnv), (BackfillEnv, VectorBackfillEnv), (WeightsEnv, VectorWeightsEnv)])
def test_a_vector_gives_what_single_environments_give(workload, kind, vector_kind, threads):
    options = {"window": 30, "queue": 20}
    if kind is WeightsEnv:
        options["period"] = 600
    single = [kind(workload, seed=5 + place, **options) for place in range(4)]
    vector = vector_kind(4, workload, seed=5, threads=threads, **options)
    jobs, machine, masks = vector.reset()
    found = [env.reset() for env in single]
    random = numpy.random.default_rng(1)
    ended = 0
    for _ in range(200):
        for place, (observation, info) in enumerate(found):
            assert (observation["jobs"] == jobs[place]).all() and (observation["machine"] == machine[place]).all()
            assert kind is WeightsEnv or (info["action_mask"] == masks[place]).all()
        if kind is WeightsEnv:
            actions = random.normal(size=(4, 6))
        else:
            actions = [random.choice(numpy.flatnonzero(mask)) for mask in masks]
        kept = jobs.copy()
        after = vector.step(actions)
        assert (kept == jobs).all()
        jobs, machine, rewards, dones, masks = after
        for place, env in enumerate(single):
            observation, reward, terminated, _, info = env.step(actions[place])
            assert (reward, terminated) == (rewards[place], dones[place])
            found[place] = env.reset() if terminated else (observation, info)
            ended += terminated
    assert ended >= 4


def test_an_episode_without_a_decision_is_no_episode():
    alone = batfill.Workload.from_dataframe({"submit": [0, 100], "processors": [1, 1], "run_time": [5, 5]})
    env = BackfillEnv(alone)
    with pytest.raises(batfill.UsageError, match="episode 0: the agent has nothing to decide"):
        env.reset(options={"episode": 0})
    with pytest.raises(batfill.UsageError, match="nothing to decide in 1000 episodes"):
        env.reset()


def test_seeds_repeat(workload):
    def drawn(seed):
        env = PickEnv(workload, window=20, seed=seed)
        return [env.reset()[1]["episode_number"] for _ in range(5)]

    assert drawn(1) == drawn(1) != drawn(2)
    assert len(set(drawn(1))) > 1
    env = PickEnv(workload, window=20)
    assert [env.reset(seed=1)[1]["episode_number"]] + [env.reset()[1]["episode_number"] for _ in range(4)] == drawn(1)


def test_episodes_of_several_workloads(workload):
    weeks = workload.weeks()
    env = PickEnv(weeks, workload.processors)
    assert env.episodes == len(weeks)
    assert {env.reset()[1]["episode_number"] for _ in range(100)} == set(range(len(weeks)))


def test_a_wrong_action_changes_nothing(workload):
    env = PickEnv(workload, window=30, invalid="error")
    with pytest.raises(batfill.UsageError, match="no episode is under way"):
        env.step(0)
    with pytest.raises(batfill.UsageError, match="seed: expected a whole number from 0, found -1"):
        env.reset(seed=-1)
    observation, info = env.reset()
    for action in (int(info["action_mask"].sum()), -1, 0.5):
        with pytest.raises(batfill.UsageError, match="action: expected"):
            env.step(action)
    with pytest.raises(batfill.UsageError, match="not ended"):
        env.starts
    env.step(numpy.array(0))
    vector = VectorPickEnv(2, workload, window=30, invalid="error")
    vector.reset()
    for actions in ([0], [0, 128], [0.0, 0.0]):
        with pytest.raises(batfill.UsageError, match="action"):
            vector.step(actions)
    play(env, first)
    with pytest.raises(batfill.UsageError, match="no episode is under way"):
        env.step(0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"window": 10**6}, "1500 jobs, expected at least 1000000 for an episode"),
        ({"window": 0}, "window: expected a whole number from 1, found 0"),
        ({"queue": 10**7}, "queue: expected a whole number in 1..1000000, found 10000000"),
        ({"platform": 4}, "processors, expected at most 4, as the machine has"),
        ({"reward": "slowdwn"}, "reward: unknown value 'slowdwn', did you mean 'slowdown'?"),
        ({"tau": 0}, "tau: expected at least 0.000001 s, found 0"),
        ({"reward": "\udcff"}, "reward: unknown value '\\udcff'"),
        ({"reward": 5}, 'reward: expected a word such as "bounded_slowdown", found 5'),
        ({"reward_at_end": 1}, "reward_at_end: expected True or False, found 1"),
        ({"head": None}, 'head: expected a word such as "best", found None'),
        ({"invalid": "last"}, "invalid: unknown value 'last', known: first, error"),
        ({"platform": 3.5}, "platform: expected a number of hosts, the name of a platform or a file, found 3.5"),
        ({"platform": "\udcff"}, "platform: expected a number of hosts, the name of a platform or a file"),
        ({"platform": True}, "platform: expected a number of hosts, the name of a platform or a file, found True"),
        ({"render_mode": "human"}, "render_mode: expected None, as there are no pictures, found 'human'"),
        ({"features": 3}, "features: expected a function of a State, found 3"),
        ({"kind": BackfillEnv, "order": 5}, "order: expected a word, found 5"),
        ({"kind": BackfillEnv, "order": "field", "order_field": []}, "order_field: expected a word, found []"),
        ({"kind": WeightsEnv, "scales": 5}, "scales: expected 6 numbers, found int64 ()"),
        ({"kind": WeightsEnv, "scales": ["a"] * 6}, "scales: expected 6 numbers, found ['a',"),
        ({"head": "kep"}, "head: unknown value 'kep', did you mean 'kept'?"),
        ({"kind": BackfillEnv, "order": "saff"}, "'saff'"),
        ({"kind": BackfillEnv, "order": "mixed"}, "weights"),
        ({"kind": WeightsEnv, "period": 0}, "period: expected at least 0.000001 s, found 0"),
    ],
)
def test_wrong_arguments_are_named(workload, options, message):
    options = dict(options)
    with pytest.raises(batfill.Error) as problem:  # never another exception
        options.pop("kind", PickEnv)(workload, **options)
    assert message in str(problem.value)


def test_jobs_need_walltimes():
    table = {"submit": [0, 1], "processors": [1, 1], "run_time": [5, 6], "walltime": [10, None]}
    with pytest.raises(batfill.InputError, match="job .*2.* has no walltime, expected one"):
        PickEnv(batfill.Workload.from_dataframe(table))


def test_the_example_of_the_page_runs(traces, tmp_path):
    [example] = re.findall(r"```python\n(from batfill.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
    for log in traces.glob("*-cln.swf.gz"):
        (tmp_path / log.name).symlink_to(log)
    done = subprocess.run([sys.executable, "-c", example], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert float(done.stdout.split(": ")[1]) >= 1


def test_it_works_without_gymnasium():
    program = """
import sys
sys.modules["gymnasium"] = None
import batfill, batfill.gym
env = batfill.gym.PickEnv(batfill.Workload.lublin(jobs=100, processors=8, seed=1))
observation, info = env.reset(seed=1)
assert not any("gymnasium" in base.__module__ for base in type(env).__mro__) and observation["jobs"].shape == (128, 5)
while info["action_mask"].any():
    observation, reward, terminated, truncated, info = env.step(0)
assert terminated and len(env.starts) == 100
"""
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(("run_times", "submit", "share"), [
    ([10, 10], [0, 0], 1.0),  # the second runs behind the last start, where nothing counts
    ([10, 1000], [0, 15], 10 / 15),
    ([10, 20, 5], [0, 2, 40], 30 / 40),
])
def test_utilisation_counts_until_the_last_start(run_times, submit, share):
    jobs = batfill.Workload.from_dataframe({"submit": submit, "processors": [1] * len(submit), "run_time": run_times})
    for at_end in (False, True):
        assert play(PickEnv(jobs, 1, reward="utilisation", reward_at_end=at_end), first) == pytest.approx(share)


def test_utilisation_is_the_share_of_the_machine_in_use(workload):
    env = PickEnv(workload, 64, reward="utilisation")
    total = play(env, first)
    last, jobs = max(env.starts), batfill.simulate(workload, 64).jobs
    begin, end = (numpy.minimum(jobs[name], last) for name in ("starting_time", "finish_time"))
    busy = ((end - begin) * jobs["requested_number_of_resources"]).sum()
    assert 0 < total <= 1 and total == pytest.approx(busy / 64 / (last - workload.jobs["submit"].min()))


def test_utilisation_has_no_value_where_hosts_are_shared(workload):
    with pytest.raises(batfill.UsageError, match="^reward=utilisation: not for machines whose hosts are shared"):
        PickEnv(workload, 64, capacity={"cores": 4}, reward="utilisation")
    PickEnv(workload, 64, pools={"power": 4}, reward="utilisation")
