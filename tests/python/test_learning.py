"""Environments for learning: invalid actions, own features and rewards, forked processes, gymnasium's ids."""

import copy
import os
import pickle
import re
import signal
import subprocess
import sys
import traceback
from pathlib import Path

import numpy
import pytest

import batfill
from batfill.gym import BackfillEnv, PickEnv, VectorPickEnv, VectorWeightsEnv, WeightsEnv

ROOT = Path(__file__).resolve().parents[2]
KINDS = [(PickEnv, {}), (PickEnv, {"head": "kept"}), (BackfillEnv, {"queue": 8}), (WeightsEnv, {"period": 3600})]


def valid(kind):
    """The first valid action."""
    return [1, 0, 0, 0, 0, 0] if kind is WeightsEnv else 0


def bounded_slowdown(state):
    started = state.started
    wait = started["start"] - started["submit"]
    return -numpy.maximum((wait + started["run_time"]) / numpy.maximum(started["run_time"], 10), 1).sum() / 1500


@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_the_first_valid_action_replaces_an_invalid_one(workload, kind, options):
    env, other = (kind(workload, window=40, seed=2, **options) for _ in range(2))
    for _ in range(3):
        env.reset(), other.reset()
        ended, steps = False, 0
        while not ended:
            invalid = [0] * 6 if kind is WeightsEnv else (10**6, -1, 2**63 - 1)[steps % 3]
            observation, reward, ended, _, info = env.step(invalid)
            steps += 1
            expected = other.step(valid(kind))
            assert all((observation[name] == expected[0][name]).all() for name in observation)
            assert (reward, ended) == expected[1:3]
            assert (info["invalid_actions"], expected[4]["invalid_actions"]) == (steps, 0)
    assert env.reset()[1]["invalid_actions"] == 0
    for wrong in ("a", None, 0.5, [float("nan")] * 6, 10**40):
        with pytest.raises(batfill.UsageError, match="action: expected"):
            env.step(wrong)


@pytest.mark.parametrize("kind", [VectorPickEnv, VectorWeightsEnv])
def test_a_vector_counts_invalid_actions_of_each_episode(workload, kind):
    vector = kind(3, workload, window=10, threads=2, seed=1)
    vector.reset()
    steps, ended = numpy.zeros(3, int), 0
    for _ in range(60):
        actions = [[0] * 6] * 3 if kind is VectorWeightsEnv else [-1, 10**6, 0]
        *_, dones, masks = vector.step(actions)
        steps += 1
        assert vector.invalid_actions.tolist() == (steps * [1, 1, kind is VectorWeightsEnv]).tolist()
        assert (vector.action_masks() == masks).all()
        steps[dones] = 0
        ended += dones.sum()
    assert ended >= 3
    vector.reset()
    assert vector.invalid_actions.tolist() == [0, 0, 0]


def test_action_masks_are_those_of_the_state(workload):
    env = BackfillEnv(workload, queue=4, window=40)
    with pytest.raises(batfill.UsageError, match="no episode is under way"):
        env.action_masks()
    _, info = env.reset()
    ended = False
    while not ended:
        assert (env.action_masks() == info["action_mask"]).all() and env.action_masks().dtype == bool
        _, _, ended, _, info = env.step(4)
    assert env.action_masks().tolist() == [False] * 5
    assert not hasattr(WeightsEnv, "action_masks")


@pytest.mark.parametrize("at_end", [False, True])
@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_a_function_gives_the_reward_that_its_name_gives(workload, kind, options, at_end):
    env = kind(workload, reward_at_end=at_end, **options)
    own = kind(workload, reward_at_end=at_end, reward=bounded_slowdown, **options)
    env.reset(), own.reset()
    ended = False
    while not ended:
        observation, reward, ended, _, info = env.step(valid(kind))
        found = own.step(valid(kind))
        assert all((observation[name] == found[0][name]).all() for name in observation)
        assert reward == pytest.approx(found[1]) and found[2] == ended and (reward == 0 or not at_end or ended)
    assert (env.starts == own.starts).all()


@pytest.mark.parametrize(("kind", "options"), KINDS)
def test_a_state_has_all_jobs(workload, kind, options):
    started, ended, columns = [], [], {name: workload.jobs[name] for name in ("submit", "processors", "walltime", "run_time")}

    def look(state):
        assert state.processors == 64 and list(state.seen["job"]) == list(env.seen)
        assert list(state.seen["job"]) == list(state.waiting["job"][:8]) or kind is BackfillEnv
        assert (state.reservation is not None) == (kind is BackfillEnv and not state.done)
        for table in (state.waiting, state.running, state.started, state.ended):
            for name in table:
                if name in columns:
                    assert (table[name] == columns[name][table["job"]]).all()
        running = state.running
        assert state.done or options.get("head") or state.idle == 64 - running["processors"].sum()
        assert (state.ended["end"] <= state.now).all() and (running["start"] + running["walltime"] >= state.now).all()
        assert (state.waiting["submit"] <= state.now).all()
        started.extend(zip(state.started["job"], state.started["start"]))
        ended.extend(state.ended["job"])
        assert (state.ended["end"] - state.ended["start"] == state.ended["run_time"]).all()
        return 0

    env = kind(workload, reward=look, **{"queue": 8, **options})
    env.reset()
    while not env.step(valid(kind))[2]:
        pass
    assert sorted(ended) == list(range(1500)) and len(started) == 1500
    assert [start for _, start in sorted(started)] == list(env.starts)


def test_features_make_the_observation(workload):
    def own(state):
        return {**state.observation, "own": [[len(state.waiting), state.now]]}

    env = PickEnv(workload, window=40, seed=5, features=own)
    plain = PickEnv(workload, window=40, seed=5)
    with pytest.raises(batfill.UsageError, match="no episode is under way"):
        env.step(0)
    (observation, info), (expected, same) = env.reset(), plain.reset()
    ended = False
    while not ended:
        assert (observation["jobs"] == expected["jobs"]).all() and info["episode_number"] == same["episode_number"]
        assert observation["own"].dtype == numpy.float32 and observation["own"][0, 1] == numpy.float32(env.now)
        observation, _, ended, _, info = env.step(0)
        expected, _, _, _, same = plain.step(0)
    assert observation["own"].tolist() == [[0, 0]]
    if hasattr(env, "observation_space"):
        assert env.observation_space["own"].shape == (1, 2) and env.observation_space.contains(observation)
    env = PickEnv(workload, window=40, features=lambda state: [state.idle, 1])
    assert env.reset()[0].shape == (2,)


def test_a_column_is_read_before_the_next_step(workload):
    states = []
    env = PickEnv(workload, window=40, reward=lambda state: states.append(state) or 0)
    env.reset()
    env.step(0)
    kept = states[0].waiting["submit"]
    env.step(0)
    assert (states[0].waiting["submit"] == kept).all()
    for read in (lambda state: state.waiting["job"], lambda state: state.running):
        with pytest.raises(batfill.UsageError, match="the state is of an earlier step"):
            read(states[0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": lambda state: None}, "features: expected an array of numbers, or a dict of such arrays, found None"),
        ({"features": lambda state: {}}, "features: expected a dict of arrays by their names, found {}"),
        ({"features": lambda state: {1: [2]}}, "features: expected a dict of arrays by their names, found {1: [2]}"),
        ({"features": lambda state: {"a": [[1], [2, 3]]}}, "features: 'a': expected an array of numbers, found [[1], [2, 3]]"),
        ({"features": lambda state: ["b"]}, "features: expected an array of numbers, or a dict of such arrays, found ['b']"),
        ({"features": lambda state: [1, float("nan")]}, "features: expected finite numbers of 32 bits, found nan"),
        ({"features": lambda state: 1e39}, "features: expected finite numbers of 32 bits, found 1e+39"),
        ({"features": lambda state: state.waiting["job"]}, "features: expected the shape (1,) of the first features, found ("),
        ({"reward": lambda state: None}, "reward: expected a finite number, found None"),
        ({"reward": lambda state: float("inf")}, "reward: expected a finite number, found inf"),
        ({"reward": lambda state: state.ended["end"]}, "reward: expected a finite number, found array("),
        ({"reward": lambda state: "5"}, "reward: expected a finite number, found '5'"),
    ],
)
def test_what_a_function_returns_is_checked(workload, options, message):
    with pytest.raises(batfill.UsageError) as problem:
        env = PickEnv(workload, window=300, **options)
        env.reset()
        while not env.step(0)[2]:
            pass
    assert str(problem.value).startswith(message) and "\n" not in str(problem.value)


@pytest.mark.parametrize("name", ["features", "reward"])
def test_an_exception_of_a_function_ends_the_episode(workload, name):
    calls = []

    def fails(state):
        calls.append(state)
        if len(calls) > 3:
            raise KeyError("of the function")
        return 1

    env = PickEnv(workload, window=40, **{name: fails})
    env.reset()
    with pytest.raises(KeyError, match="of the function") as problem:
        for _ in range(5):
            env.step(0)
    assert traceback.extract_tb(problem.value.__traceback__)[-1].name == "fails"
    with pytest.raises(batfill.UsageError, match="no episode is under way"):
        env.step(0)
    calls.clear()
    env.reset()
    env.step(0)


def test_vectors_have_no_functions(workload):
    for name in ("features", "reward"):
        with pytest.raises(batfill.UsageError, match=f"{name}: only single environments take a function"):
            VectorPickEnv(2, workload, **{name: lambda state: 0})


def test_options_of_reset_are_a_dict(workload):
    env = PickEnv(workload, window=40)
    for options in (5, "episode", [700]):
        with pytest.raises(batfill.UsageError, match="options: expected a dict such as"):
            env.reset(options=options)
    assert env.reset(options={"episode": numpy.int64(700)}, seed=numpy.int64(3))[1]["episode_number"] == 700


def test_a_mode_of_rendering_is_refused_as_an_unexpected_keyword_is(workload):
    for kind in (PickEnv, BackfillEnv, WeightsEnv):
        with pytest.raises(TypeError, match="render_mode: expected None"):
            kind(workload, render_mode="rgb_array")
        assert kind(workload, render_mode=None).render_mode is None


def test_copies_are_refused(workload):
    for env in (PickEnv(workload), VectorPickEnv(2, workload)):
        for call in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match="cannot be copied or pickled: make each one anew"):
                call(env)


def in_child(call):
    """The status of a forked process that calls it: 0, or 1 after an error; a hanging one is killed."""
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            call()
        except batfill.UsageError as problem:
            os._exit(1 if "made in another process" in str(problem) else 2)
        except BaseException:
            os._exit(3)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_process_does_not_wait_for_threads(workload):
    vectors = [VectorPickEnv(4, workload, window=30, threads=2)]
    vectors[0].reset()
    assert in_child(lambda: vectors[0].step([0] * 4)) == 1
    assert in_child(vectors[0].reset) == 1
    assert in_child(vectors[0].close) == 0
    assert in_child(vectors.clear) == 0
    assert in_child(lambda: sys.exit(0)) == 3
    vectors[0].step([0] * 4)
    for env in (VectorPickEnv(1, workload, window=30), PickEnv(workload, window=30)):  # these have no threads
        env.reset()
        assert in_child(lambda: env.step([0] if env is not None and isinstance(env, VectorPickEnv) else 0)) == 0


def test_gymnasium_finds_the_ids(workload, tmp_path):
    gymnasium = pytest.importorskip("gymnasium")
    for name, kind in (("Pick", PickEnv), ("Backfill", BackfillEnv), ("Weights", WeightsEnv)):
        env = gymnasium.make(f"batfill.gym:batfill/{name}-v0", workloads=workload, window=40)
        assert type(env.unwrapped) is kind
        env.reset(seed=1)
        env.step(env.action_space.sample())
    assert gymnasium.spec("batfill/RLScheduler-v0").entry_point == "batfill.rlscheduler:RLSchedulerEnv"
    again = gymnasium.make(gymnasium.make("batfill/Pick-v0", workloads=workload, window=40).spec)
    vector = gymnasium.make_vec("batfill/Pick-v0", num_envs=2, workloads=workload, window=40)
    assert vector.reset(seed=1)[0]["jobs"][0].tolist() == again.reset(seed=1)[0]["jobs"].tolist()
    assert again.get_wrapper_attr("action_masks")().any()
    recorded = gymnasium.wrappers.RecordEpisodeStatistics(PickEnv(workload, window=40))
    recorded.reset()
    total, ended = 0, False
    while not ended:
        _, reward, ended, _, info = recorded.step(0)
        total += reward
    assert info["episode"]["r"] == pytest.approx(total) and isinstance(info["episode_number"], int)


def test_the_example_of_own_features_runs():
    [example] = re.findall(r"```python\n(import numpy.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
    program = f"{example}\nobservation, info = env.reset()\nprint(observation['jobs'].shape, env.step(0)[1] <= 0)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "(16, 2) True\n"
