"""Agents of Stable-Baselines3 and sb3-contrib in the environments, unwrapped. .ci/prove-learning runs this."""

import re
import warnings
from pathlib import Path

import gymnasium
import numpy
import pytest
import stable_baselines3
from gymnasium.utils.env_checker import check_env
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3.common import env_checker
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

import batfill
from batfill.gym import BackfillEnv, PickEnv, VectorPickEnv, WeightsEnv
from batfill.rlscheduler import Log, RLSchedulerEnv

ROOT = Path(__file__).resolve().parents[2]
WORKLOAD = batfill.Workload.lublin(jobs=1500, processors=64, seed=7, load=0.95)
SMALL = {"window": 60, "queue": 16}
STEPS = {"n_steps": 64, "batch_size": 64, "seed": 1, "device": "cpu"}


def idle_and_waiting(state):
    return [state.idle / state.processors, len(state.waiting) / 100]


def minus_waiting(state):
    return -len(state.waiting)


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    path = tmp_path_factory.mktemp("log") / "log.swf"
    jobs = zip(WORKLOAD.jobs["submit"], WORKLOAD.jobs["run_time"], WORKLOAD.jobs["processors"], WORKLOAD.jobs["walltime"])
    lines = [f"{number} {int(submit)} -1 {int(run) + 1} {processors} -1 -1 {processors} {int(walltime) + 1}" + " -1" * 9
             for number, (submit, run, processors, walltime) in enumerate(jobs, 1)]
    path.write_text("\n".join(["; MaxNodes: 64", "; MaxProcs: 64", *lines, ""]))
    return Log(path)


@pytest.fixture
def makers(log):
    return {
        "pick": lambda: PickEnv(WORKLOAD, **SMALL),
        "kept": lambda: PickEnv(WORKLOAD, head="kept", **SMALL),
        "backfill": lambda: BackfillEnv(WORKLOAD, **SMALL),
        "weights": lambda: WeightsEnv(WORKLOAD, period=600, **SMALL),
        "rlscheduler": lambda: RLSchedulerEnv(log, jobs=60),
        "own": lambda: PickEnv(WORKLOAD, features=idle_and_waiting, reward=minus_waiting, **SMALL),
        "extended": lambda: BackfillEnv(
            WORKLOAD, features=lambda state: {**state.observation, "own": idle_and_waiting(state)}, **SMALL),
        "id": lambda: gymnasium.make("batfill/Pick-v0", workloads=WORKLOAD, **SMALL),
    }


KINDS = ["pick", "kept", "backfill", "weights", "rlscheduler", "own", "extended", "id"]


def policy(env):
    return "MultiInputPolicy" if isinstance(env.observation_space, gymnasium.spaces.Dict) else "MlpPolicy"


@pytest.mark.parametrize("kind", KINDS)
def test_the_checkers_accept_it(makers, kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(makers[kind]().unwrapped)
        env_checker.check_env(makers[kind]())


@pytest.mark.parametrize("kind", KINDS)
def test_ppo_learns_without_masks(makers, kind):
    env = Monitor(makers[kind]())
    stable_baselines3.PPO(policy(env), env, **STEPS).learn(256)
    assert len(env.get_episode_rewards()) > 0


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "weights"])
def test_maskable_ppo_takes_no_invalid_action(makers, kind):
    seen = []

    class Watched(gymnasium.Wrapper):
        def step(self, action):
            result = super().step(action)
            seen.append(result[4]["invalid_actions"])
            return result

    env = Watched(makers[kind]())
    model = MaskablePPO(policy(env), env, **STEPS)
    model.learn(256)
    evaluate_policy(model, Monitor(makers[kind]()), n_eval_episodes=2)
    assert len(seen) >= 256 and not any(seen)


def test_equal_seeds_learn_the_same():
    def learned():
        env = PickEnv(WORKLOAD, features=idle_and_waiting, reward=minus_waiting, **SMALL)
        model = MaskablePPO("MlpPolicy", env, **STEPS)
        model.learn(128)
        return [parameter.detach().numpy() for parameter in model.policy.parameters()]

    assert all((one == other).all() for one, other in zip(learned(), learned()))


@pytest.mark.parametrize("kind", ["pick", "weights", "own"])
def test_episodes_are_recorded(makers, kind):
    env = gymnasium.wrappers.RecordEpisodeStatistics(makers[kind]())
    env.reset(seed=1)
    terminated, total = False, 0
    while not terminated:
        _, reward, terminated, _, info = env.step(env.action_space.sample())
        total += reward
    assert info["episode"]["r"] == pytest.approx(total) and info["episode_number"] >= 0


def test_several_processes_step_it():
    makers = [lambda: Monitor(PickEnv(WORKLOAD, **SMALL))] * 2
    several = SubprocVecEnv(makers, start_method="fork")
    MaskablePPO("MultiInputPolicy", several, **STEPS).learn(128)
    assert several.env_method("action_masks")[0].dtype == numpy.bool_
    several.close()
    together = DummyVecEnv(makers)
    MaskablePPO("MultiInputPolicy", together, **STEPS).learn(128)
    vector = gymnasium.vector.AsyncVectorEnv([lambda: PickEnv(WORKLOAD, **SMALL)] * 2)
    vector.reset(seed=1)
    for _ in range(100):
        vector.step(vector.action_space.sample())
    vector.close()


def test_ids_make_vectors():
    options = {"workloads": WORKLOAD, **SMALL}
    several = make_vec_env("batfill.gym:batfill/Backfill-v0", n_envs=2, seed=1, env_kwargs=options)
    model = MaskablePPO("MultiInputPolicy", several, **STEPS)
    model.learn(128)
    vector = gymnasium.make_vec("batfill/Pick-v0", num_envs=2, vectorization_mode="async", **options)
    vector.reset(seed=1)
    vector.step(vector.action_space.sample())
    vector.close()


def test_a_vector_environment_of_the_parent_is_refused_in_a_worker():
    vector = VectorPickEnv(4, WORKLOAD, threads=2, **SMALL)
    vector.reset()

    class Child(PickEnv):
        def step(self, action):
            vector.step([0] * 4)

    several = gymnasium.vector.AsyncVectorEnv([lambda: Child(WORKLOAD, **SMALL)], context="fork")
    several.reset()
    with warnings.catch_warnings(), pytest.raises(batfill.UsageError, match="made in another process"):
        warnings.simplefilter("ignore")
        several.step([0])
    vector.step([0] * 4)


def test_the_example_of_the_page_learns(capsys):
    [example] = re.findall(r"```python\n(from sb3_contrib.*?)```", (ROOT / "docs" / "python.md").read_text(), re.DOTALL)
    exec(example, {})
    assert float(capsys.readouterr().out.split(": ")[1]) >= 1
