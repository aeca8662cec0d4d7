"""Environments for learning: an agent decides which jobs start. docs/python.md explains episodes and observations.

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
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

import numpy

from . import _core
from ._run import Platform, as_workload, platform_text
from ._workload import Path, Seconds, Workload

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

try:
    import gymnasium
except ImportError:
    gymnasium = None  # type: ignore[assignment,unused-ignore]
_gymnasium: Any = gymnasium
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


Reward = Literal["bounded_slowdown", "slowdown", "wait", "turnaround", "utilisation"]


class _Options(TypedDict, total=False):
    """The keywords that all environments have."""

    queue: int
    reward: Reward
    reward_at_end: bool
    tau: Seconds
    window: int | None
    seed: int | None


class _Together:
    """Environments that are stepped together; what single and vector forms share."""

    def __init__(
        self,
        workloads: Episodes,
        platform: Platform | None,
        count: int,
        threads: int,
        again: bool,
        given: Mapping[str, Any],
        options: Mapping[str, Any],
    ) -> None:
        all_options = {"queue": 128, "reward": "bounded_slowdown", "reward_at_end": False, "tau": 10, **given}
        unknown = set(all_options) - set(_Options.__annotations__)
        if unknown:
            known = ", ".join(sorted(_Options.__annotations__))
            raise TypeError(f"unexpected keyword {min(unknown)!r}, known: {known}")
        window = all_options.pop("window", None)
        seed = all_options.pop("seed", None)
        all_options["queue"] = self._queue = _whole("queue", all_options["queue"], 1, 10**6)
        self._seed: int | None = 0 if seed is None else _seed(seed)
        one = isinstance(workloads, (Workload, str)) or not hasattr(workloads, "__iter__")
        given_workloads: Any = [workloads] if one else workloads
        several = [as_workload(workload) for workload in given_workloads]
        if not several or (window is not None and len(several) > 1):
            expected = "at least one" if window is None else "one, of which the windows are"
            raise _core.UsageError(f"workloads: expected {expected}, found {len(several)}")
        self._core = _core.Environments(
            [workload._core for workload in several],
            None if platform is None else platform_text(platform),
            None if window is None else _whole("window", window, 1),
            count, threads, again, {**all_options, **options},
        )

    @property
    def episodes(self) -> int:
        """The number of different episodes."""
        return self._core.episodes

    def _begin(self, seed: int | None, number: int | None) -> tuple[Any, ...]:
        seed, self._seed = self._seed if seed is None else _seed(seed), None
        return self._core.reset(seed, number)

    def _steps(self, actions: Any) -> tuple[Any, ...]:
        return self._core.step(actions)


def _places(given: Any, count: int) -> Any:
    actions = numpy.asarray(given)
    if actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise _core.UsageError(f"actions: expected {count} whole numbers, found {actions.dtype} {actions.shape}")
    return numpy.ascontiguousarray(actions, numpy.int64)


def _weights(given: Any, *shape: int) -> Any:
    actions = numpy.asarray(given)
    if actions.shape != shape or actions.dtype.kind not in "iuf":
        raise _core.UsageError(f"action: expected weights of shape {shape}, found {actions.dtype} {actions.shape}")
    return numpy.ascontiguousarray(actions, numpy.float64).reshape(-1, 6)


class _Single(_Together, _Base):  # type: ignore[misc,unused-ignore]
    """A gymnasium.Env, if gymnasium is installed.

    An episode is a replay of one of the workloads, drawn at random; with `window`, of so many consecutive jobs of one
    workload. `platform` is as in batfill.simulate(). `queue` is the number of jobs that the agent sees, `tau` the bound
    of the bounded slowdown in seconds. `seed` is that of the first reset(), by default 0.

    Raises InputError for a job without walltime or wider than the machine.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None

    def __init__(
        self, workloads: Episodes, platform: Platform | None, given: Mapping[str, Any], **options: Any
    ) -> None:
        super().__init__(workloads, platform, 1, 1, False, given, options)
        if gymnasium is not None:
            self.observation_space = gymnasium.spaces.Dict({
                "jobs": gymnasium.spaces.Box(0, 1, (self._queue, _core.features_of_job), numpy.float32),
                "machine": gymnasium.spaces.Box(0, 1, (self._core.features_of_machine,), numpy.float32),
            })
            self.action_space: Any = gymnasium.spaces.Discrete(max(self._core.number_of_actions, 1))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Begins an episode, of a draw or that of options={"episode": number}; returns observation and info."""
        if gymnasium is not None:
            super().reset(seed=self._seed if seed is None else _seed(seed))
        number = (options or {}).get("episode")
        jobs, machine, _, _, masks = self._begin(seed, None if number is None else _whole("episode", number, 0))
        return {"jobs": jobs[0], "machine": machine[0]}, self._info(masks)

    def step(self, action: Any) -> tuple[dict[str, NDArray[Any]], float, bool, bool, dict[str, Any]]:
        """Decides; returns observation, reward, whether the episode has ended, False, and info.

        Raises UsageError, and changes nothing, for an action that is not possible.
        """
        jobs, machine, rewards, ends, masks = self._steps(self._actions(action))
        return {"jobs": jobs[0], "machine": machine[0]}, float(rewards[0]), bool(ends[0]), False, self._info(masks)

    def _actions(self, action: Any) -> Any:
        return numpy.array([_whole("action", action, 0)], numpy.int64)

    def _info(self, masks: NDArray[Any]) -> dict[str, Any]:
        return {"action_mask": masks[0], "episode": self._core.episode(0)}

    @property
    def seen(self) -> NDArray[numpy.int64]:
        """Which jobs the agent sees: their places in the episode's jobs by submission; shape (jobs that are seen)."""
        return self._core.seen_jobs(0)

    @property
    def now(self) -> float:
        """The time of the decision; seconds from the beginning of the episode. NaN if it has ended."""
        return self._core.now(0)

    @property
    def idle(self) -> int:
        """The number of processors that jobs may use now. 0 if the episode has ended."""
        return self._core.idle(0)

    @property
    def starts(self) -> NDArray[numpy.float64]:
        """When the jobs of the ended episode started, in the order of submission; seconds."""
        return self._core.starts(0)


class PickEnv(_Single):
    """The agent picks which waiting job is first.

    Whenever some waiting job could start, the agent sees the first `queue` ones and picks one. An action is its place.
    A job that can start does, and the agent picks again. Otherwise other jobs start in the order of submission, if they
    do not delay it (`backfilling="easy"`) or not at all (`"none"`), and the round ends.

    With `head="kept"` the picked job stays first until it starts. There is a round for each submission and each end of
    a job, and a pick whenever no job is first. Only jobs that end before its start are backfilled: by the estimates, as
    they were when it was picked.

    Observation: "jobs" (queue, 5) and "machine" (4), float32 in 0..1. `info["action_mask"]` (queue) tells which places
    hold a job, `info["episode"]` which episode was drawn.
    """

    def __init__(
        self,
        workloads: Episodes,
        platform: Platform | None = None,
        *,
        backfilling: Literal["easy", "none"] = "easy",
        head: Literal["best", "kept"] = "best",
        **options: Unpack[_Options],
    ) -> None:
        super().__init__(workloads, platform, options, task="pick", backfilling=backfilling, head=head)


def _order(order: str, weights: Any, scales: Any, field: str | None) -> list[tuple[str, str]]:
    given = [("order", order)]
    for name, numbers in (("weights", weights), ("scales", scales)):
        if numbers is not None:
            given.append((name, ",".join(repr(float(number)) for number in numbers)))
    return given if field is None else [*given, ("order-field", field)]


class BackfillEnv(_Single):
    """The agent decides which job is backfilled.

    Jobs start in `order`, one of those of `easy`, until one cannot. This one gets a reservation. While other jobs may
    start without delaying it, the agent sees the first `queue` of them by submission. An action is the place of the one
    that starts, or `queue`: none of them.

    Observation: "jobs" (queue, 5) and "machine" (6), float32 in 0..1. `info["action_mask"]` has the shape (queue + 1).
    """

    def __init__(
        self,
        workloads: Episodes,
        platform: Platform | None = None,
        *,
        order: str = "fcfs",
        weights: Sequence[float] | None = None,
        scales: Sequence[float] | None = None,
        order_field: str | None = None,
        **options: Unpack[_Options],
    ) -> None:
        given = _order(order, weights, scales, order_field)
        super().__init__(workloads, platform, options, task="backfill", order=given)


class WeightsEnv(_Single):
    """The agent sets the weights of `easy,order=mixed` once a period.

    An action has six weights, of which one is not 0: of processors, walltime, wait, walltime / processors, (wait +
    walltime) / walltime, and walltime * processors. `scales` are their divisors. A step lasts until the first round of
    another `period` in which jobs wait; periods are counted from time 0.

    Observation: "jobs" (queue, 5), the first waiting jobs by submission, and "machine" (4), float32 in 0..1.
    """

    def __init__(
        self,
        workloads: Episodes,
        platform: Platform | None = None,
        *,
        period: Seconds = "1d",
        scales: Sequence[float] | None = None,
        **options: Unpack[_Options],
    ) -> None:
        given = _order("mixed", None, scales, None)
        super().__init__(workloads, platform, options, task="weights", period=period, order=given)
        if gymnasium is not None:
            self.action_space = gymnasium.spaces.Box(-1, 1, (6,), numpy.float32)

    def _actions(self, action: Any) -> Any:
        return _weights(action, 6)

    def _steps(self, actions: Any) -> tuple[Any, ...]:
        return self._core.step_weights(actions)

    def _info(self, masks: NDArray[Any]) -> dict[str, Any]:
        return {"episode": self._core.episode(0)}


class _Vector(_Together):
    """As many environments as `count`, stepped together on all cores. One that ends begins its next episode at once.

    The other arguments are those of the single form. The draws of environment i are those of a single one with the seed
    plus i. `threads` is by default the number of cores.
    """

    def __init__(
        self,
        count: int,
        workloads: Episodes,
        platform: Platform | None,
        threads: int | None,
        given: Mapping[str, Any],
        **options: Any,
    ) -> None:
        self.count = _whole("count", count, 1, 10**6)
        crew = 0 if threads is None else _whole("threads", threads, 1)
        super().__init__(workloads, platform, self.count, crew, True, given, options)

    def reset(
        self, seed: int | None = None, episode: int | None = None
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Begins episodes; returns jobs (count, queue, 5), machine (count, 4 or 6), and action masks.

        All begin the same `episode` if it is given; the next ones are drawn.
        """
        jobs, machine, _, _, masks = self._begin(seed, None if episode is None else _whole("episode", episode, 0))
        return jobs, machine, masks

    def step(
        self, actions: Any
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[numpy.float64], NDArray[numpy.bool_], NDArray[Any]]:
        """Decides in each; returns jobs, machine, rewards, dones (both of shape (count)) and action masks.

        Where an episode is done, the reward is its last, and the rest is of the first decision of the next one. After a
        UsageError no environment has changed.
        """
        jobs, machine, rewards, dones, masks = self._steps(self._actions(actions))
        return jobs, machine, rewards, dones, masks

    def _actions(self, actions: Any) -> Any:
        return _places(actions, self.count)


class VectorPickEnv(_Vector):
    """PickEnv, so many together."""

    def __init__(
        self,
        count: int,
        workloads: Episodes,
        platform: Platform | None = None,
        *,
        backfilling: Literal["easy", "none"] = "easy",
        head: Literal["best", "kept"] = "best",
        threads: int | None = None,
        **options: Unpack[_Options],
    ) -> None:
        super().__init__(count, workloads, platform, threads, options, task="pick", backfilling=backfilling, head=head)


class VectorBackfillEnv(_Vector):
    """BackfillEnv, so many together; action masks have the shape (count, queue + 1)."""

    def __init__(
        self,
        count: int,
        workloads: Episodes,
        platform: Platform | None = None,
        *,
        order: str = "fcfs",
        weights: Sequence[float] | None = None,
        scales: Sequence[float] | None = None,
        order_field: str | None = None,
        threads: int | None = None,
        **options: Unpack[_Options],
    ) -> None:
        given = _order(order, weights, scales, order_field)
        super().__init__(count, workloads, platform, threads, options, task="backfill", order=given)


class VectorWeightsEnv(_Vector):
    """WeightsEnv, so many together; actions have the shape (count, 6), action masks (count, 0)."""

    def __init__(
        self,
        count: int,
        workloads: Episodes,
        platform: Platform | None = None,
        *,
        period: Seconds = "1d",
        scales: Sequence[float] | None = None,
        threads: int | None = None,
        **options: Unpack[_Options],
    ) -> None:
        given = _order("mixed", None, scales, None)
        super().__init__(count, workloads, platform, threads, options, task="weights", period=period, order=given)

    def _actions(self, actions: Any) -> Any:
        return _weights(actions, self.count, 6)

    def _steps(self, actions: Any) -> tuple[Any, ...]:
        return self._core.step_weights(actions)


# What is common is told in each.
for _kind in (PickEnv, BackfillEnv, WeightsEnv, VectorPickEnv, VectorBackfillEnv, VectorWeightsEnv):
    if _kind.__doc__ is not None:  # python -OO has no docstrings
        _kind.__doc__ = f"{_kind.__doc__.rstrip()}\n\n    {_kind.__base__.__doc__}"
