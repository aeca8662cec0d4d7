"""Environments for learning: an agent picks the next job. docs/python.md explains episodes and observations.

>>> import batfill, batfill.gym
>>> workload = batfill.Workload.lublin(jobs=500, processors=64, seed=1, load=0.9)
>>> env = batfill.gym.PickEnv(workload, window=100, seed=1)
>>> observation, info = env.reset()
>>> terminated = False
>>> while not terminated:
...     observation, reward, terminated, truncated, info = env.step(0)  # the job that was submitted first
>>> env.starts.shape
(100,)
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy

from . import _core
from ._run import Platform, as_workload, platform_text
from ._workload import Path, Seconds, Workload

if TYPE_CHECKING:
    from numpy.typing import NDArray

try:
    import gymnasium
except ImportError:
    gymnasium = None  # type: ignore[assignment,unused-ignore]
_Base: Any = object if gymnasium is None else gymnasium.Env

Episodes = Union[Workload, Path, Iterable[Union[Workload, Path]]]

_LARGEST = 2**63 - 1


def _whole(name: str, value: Any, least: int, most: int = _LARGEST) -> int:
    try:
        number = operator.index(value)  # also of a NumPy array without dimensions, as agents return them
    except TypeError:
        number = least - 1
    if not least <= number <= most:
        bounds = f"from {least}" if most == _LARGEST else f"in {least}..{most}"
        raise _core.UsageError(f"{name}: expected a whole number {bounds}, found {value!r}")
    return number


def _seed(value: Any) -> int | None:
    return None if value is None else _whole("seed", value, 0)


def _make(
    episodes: Episodes,
    platform: Platform | None,
    window: int | None,
    count: int,
    threads: int,
    again: bool,
    queue: int,
    *options: Any,
) -> "_core.PickEnvironments":
    several = [episodes] if isinstance(episodes, (Workload, str)) or not hasattr(episodes, "__iter__") else episodes
    workloads = [as_workload(workload) for workload in several]
    if not workloads or (window is not None and len(workloads) > 1):
        expected = "at least one" if window is None else "one, of which the windows are"
        raise _core.UsageError(f"workloads: expected {expected}, found {len(workloads)}")
    return _core.PickEnvironments(
        [workload._core for workload in workloads],
        None if platform is None else platform_text(platform),
        None if window is None else _whole("window", window, 1),
        count, threads, again, _whole("queue", queue, 1, 10**6), *options,
    )


class PickEnv(_Base):  # type: ignore[misc,unused-ignore]
    """An episode is a replay in which an agent picks jobs: a gymnasium.Env, if gymnasium is installed.

    Each episode replays one of the workloads, drawn at random; with `window`, so many consecutive jobs of one workload.
    `platform` is as in batfill.simulate(). An action is the place of a waiting job; `info["action_mask"]` tells which
    places hold one, `info["episode"]` which episode was drawn. `seed` is that of the first reset(), by default 0.

    Raises InputError for a job without walltime or wider than the machine.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(
        self,
        workloads: Episodes,
        platform: Platform | None = None,
        *,
        queue: int = 128,
        backfilling: Literal["easy", "none"] = "easy",
        reward: Literal["bounded_slowdown", "slowdown", "wait"] = "bounded_slowdown",
        reward_at_end: bool = False,
        tau: Seconds = 10,
        window: int | None = None,
        seed: int | None = None,
    ) -> None:
        self._core = _make(workloads, platform, window, 1, 1, False, queue, backfilling, reward, reward_at_end, tau)
        self._seed: int | None = 0 if seed is None else _seed(seed)
        if gymnasium is not None:
            self.observation_space = gymnasium.spaces.Dict({
                "jobs": gymnasium.spaces.Box(0, 1, (queue, _core.features_of_job), numpy.float32),
                "machine": gymnasium.spaces.Box(0, 1, (_core.features_of_machine,), numpy.float32),
            })
            self.action_space = gymnasium.spaces.Discrete(queue)

    @property
    def episodes(self) -> int:
        """The number of different episodes."""
        return self._core.episodes

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Begins an episode, of a draw or that of options={"episode": number}; returns observation and info."""
        seed, self._seed = self._seed if seed is None else _seed(seed), None
        if gymnasium is not None:
            super().reset(seed=seed)
        number = (options or {}).get("episode")
        jobs, machine, _, _, masks = self._core.reset(
            seed, None if number is None else _whole("episode", number, 0)
        )
        return {"jobs": jobs[0], "machine": machine[0]}, self._info(masks)

    def step(self, action: int) -> tuple[dict[str, NDArray[Any]], float, bool, bool, dict[str, Any]]:
        """Picks a job; returns observation, reward, whether the episode has ended, False, and info."""
        actions = numpy.array([_whole("action", action, 0)], numpy.int64)
        jobs, machine, rewards, ends, masks = self._core.step(actions)
        observation = {"jobs": jobs[0], "machine": machine[0]}
        return observation, float(rewards[0]), bool(ends[0]), False, self._info(masks)

    def _info(self, masks: NDArray[Any]) -> dict[str, Any]:
        return {"action_mask": masks[0], "episode": self._core.episode(0)}

    @property
    def starts(self) -> NDArray[numpy.float64]:
        """When the jobs of the ended episode started, in the order of submission; seconds."""
        return self._core.starts(0)


class VectorPickEnv:
    """As many environments as `count`, stepped together on all cores. One that ends begins its next episode at once.

    The other arguments are those of PickEnv. The draws of environment i are those of a PickEnv with the seed plus i.
    `threads` is by default the number of cores.
    """

    def __init__(
        self,
        count: int,
        workloads: Episodes,
        platform: Platform | None = None,
        *,
        queue: int = 128,
        backfilling: Literal["easy", "none"] = "easy",
        reward: Literal["bounded_slowdown", "slowdown", "wait"] = "bounded_slowdown",
        reward_at_end: bool = False,
        tau: Seconds = 10,
        window: int | None = None,
        seed: int | None = None,
        threads: int | None = None,
    ) -> None:
        self.count = _whole("count", count, 1, 10**6)
        crew = 0 if threads is None else _whole("threads", threads, 1)
        self._core = _make(
            workloads, platform, window, self.count, crew, True, queue, backfilling, reward, reward_at_end, tau
        )
        self._seed: int | None = 0 if seed is None else _seed(seed)

    def reset(self, seed: int | None = None) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Begins episodes; returns jobs (count, queue, 5), machine (count, 4), action masks (count, queue)."""
        seed, self._seed = self._seed if seed is None else _seed(seed), None
        jobs, machine, _, _, masks = self._core.reset(seed, None)
        return jobs, machine, masks

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[numpy.float64], NDArray[numpy.bool_], NDArray[Any]]:
        """Picks a job in each; returns jobs, machine, rewards, dones (both of shape (count)) and action masks.

        Where an episode is done, the reward is its last, and the rest is of the first pick of the next one. After a
        UsageError no environment has changed.
        """
        given = numpy.asarray(actions)
        if given.shape != (self.count,) or given.dtype.kind not in "iu":
            raise _core.UsageError(f"actions: expected {self.count} whole numbers, found {given.dtype} {given.shape}")
        jobs, machine, rewards, dones, masks = self._core.step(numpy.ascontiguousarray(given, numpy.int64))
        return jobs, machine, rewards, dones, masks
