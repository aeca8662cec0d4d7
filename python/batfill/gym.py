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

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Union

import numpy

from . import _core
from ._arguments import AnyPath, shown
from ._cleaning import Seconds
from ._learning import (
    LEAST,
    Functions,
    State,
    episode_of,
    machine_for,
    order_of,
    places,
    require_no_rendering,
    seed_of,
    truth,
    weights_of,
    whole,
)
from ._machine import Amounts, Lines, Platform
from ._run import as_workload
from ._workload import Workload

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from typing_extensions import Unpack

try:
    import gymnasium
except ImportError:
    gymnasium = None  # type: ignore[assignment,unused-ignore]
_gymnasium: Any = gymnasium
_Base: Any = object if gymnasium is None else gymnasium.Env

Episodes = Union[Workload, AnyPath, Iterable[Union[Workload, AnyPath]]]

Reward = Literal["bounded_slowdown", "slowdown", "wait", "turnaround", "utilisation"]


class _Common(TypedDict, total=False):
    """The keywords that all environments have."""

    invalid: Literal["first", "error"]
    queue: int
    reward_at_end: bool
    tau: Seconds
    window: int | None
    seed: int | None
    pools: Amounts | None
    capacity: Amounts | None
    windows: Lines | None
    limits: Lines | None
    queues: Literal["one", "partitions"]


class _Options(_Common, total=False):
    """Those of single environments."""

    features: Callable[[State], Any] | None
    reward: Union[Reward, Callable[[State], float]]
    render_mode: None


class _VectorOptions(_Common, total=False):
    """Those of vector environments."""

    reward: Reward


def _refuse_copies(environment: Any) -> Any:
    kind = type(environment).__name__
    raise TypeError(f"{kind} cannot be copied or pickled: make each one anew, as in lambda: {kind}(...)")


class _Together:
    """Environments that are stepped together; what single and vector forms share."""

    _known: Any = _VectorOptions

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
        all_options = {"queue": 128, "reward": "bounded_slowdown", "reward_at_end": False, **given}
        known = sorted({*_Common.__annotations__, *self._known.__annotations__})
        unknown = set(all_options) - set(known)
        if unknown:
            raise TypeError(f"unexpected keyword {min(unknown)!r}, known: {', '.join(known)}")
        window = all_options.pop("window", None)
        seed = all_options.pop("seed", None)
        details = ("pools", "capacity", "windows", "limits")
        machine = machine_for(platform, **{name: all_options.pop(name, None) for name in details})
        all_options["queue"] = self._queue = whole("queue", all_options["queue"], 1, 10**6)
        all_options["reward_at_end"] = truth("reward_at_end", all_options["reward_at_end"])
        self._seed: int | None = 0 if seed is None else seed_of(seed)
        one = isinstance(workloads, (Workload, str, bytes)) or not hasattr(workloads, "__iter__")
        given_workloads: Any = [workloads] if one else workloads
        several = [as_workload(workload) for workload in given_workloads]
        if not several or (window is not None and len(several) > 1):
            expected = "at least one" if window is None else "one, of which the windows are"
            raise _core.UsageError(f"workloads: expected {expected}, found {len(several)}")
        self._core = _core.Environments(
            [workload._core for workload in several],
            machine,
            None if window is None else whole("window", window, 1),
            count, threads, again, {**all_options, **options},
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Raises TypeError: an episode under way cannot be copied."""
        _refuse_copies(self)

    @property
    def episodes(self) -> int:
        """The number of different episodes."""
        return self._core.episodes

    def _begin(self, seed: int | None, number: int | None) -> tuple[Any, ...]:
        seed, self._seed = self._seed if seed is None else seed_of(seed), None
        return self._core.reset(seed, number)

    def _steps(self, actions: Any) -> tuple[Any, ...]:
        return self._core.step(actions)


class _Single(_Together, _Base):  # type: ignore[misc,unused-ignore]
    """A gymnasium.Env, if gymnasium is installed.

    An episode is a replay of one of the workloads, drawn at random; with `window`, of so many consecutive jobs of one
    workload. `platform`, `pools`, `capacity`, `windows` and `limits` are as in batfill.simulate(); of windows, those
    that let jobs finish and are for no reservation. With `queues="partitions"` the jobs of each partition, or list of
    partitions, are a queue of their own, as under `easy`. `queue` is the number of jobs that the agent sees, `tau` the
    bound of the bounded slowdown in seconds. `seed` is that of the first reset(), by default 0.

    With `invalid="first"`, the first valid action replaces an action that is not possible, and
    `info["invalid_actions"]` counts these in the episode. With `invalid="error"` such an action raises UsageError.

    `features`, a function of a State, returns the observation: an array, or a dict of arrays, always of one shape.
    `reward` may be a function of a State, too, which returns a number.

    Raises InputError for a job without walltime or that the machine could not run.
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None
    _known = _Options

    def __init__(
        self, workloads: Episodes, platform: Platform | None, given: Mapping[str, Any], **options: Any
    ) -> None:
        kept = dict(given)
        features, reward = kept.pop("features", None), kept.get("reward")
        require_no_rendering(kept.pop("render_mode", None))
        if features is not None and not callable(features):
            raise _core.UsageError(f"features: expected a function of a State, found {shown(features)}")
        if callable(reward):
            kept.pop("reward")
        has_functions = features is not None or callable(reward)
        if has_functions:
            options["records_jobs"] = True
        super().__init__(workloads, platform, 1, 1, False, kept, options)
        self._number = 0  # of the episode
        self._functions: Functions | None = None
        if has_functions:
            at_end = bool(kept.get("reward_at_end", False))
            self._functions = Functions(self._core, features, reward if callable(reward) else None, at_end)
        if gymnasium is not None:
            self.observation_space = self._space()
            self.action_space: Any = gymnasium.spaces.Discrete(max(self._core.number_of_actions, 1))

    def _space(self) -> Any:
        def box(shape: tuple[int, ...], least: float, most: float) -> Any:
            return gymnasium.spaces.Box(least, most, shape, numpy.float32)

        own = None if self._functions is None else self._functions.empty
        if isinstance(own, dict):
            return gymnasium.spaces.Dict({name: box(array.shape, -numpy.inf, numpy.inf) for name, array in own.items()})
        if own is not None:
            return box(own.shape, -numpy.inf, numpy.inf)
        return gymnasium.spaces.Dict({
            "jobs": box((self._queue, self._core.features_of_job), 0, 1),
            "machine": box((self._core.features_of_machine,), 0, 1),
        })

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode, of a draw or that of options={"episode": number}; returns observation and info."""
        number = episode_of(options)
        if gymnasium is not None:
            super().reset(seed=self._seed if seed is None else seed_of(seed))
        jobs, machine, _, _, masks = self._begin(seed, number)
        self._number = self._core.episode(0)
        observation: Any = {"jobs": jobs[0], "machine": machine[0]}
        if self._functions is not None:
            observation = self._functions.begin(self._number, observation)
        return observation, self._info(masks)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Decides; returns observation, reward, whether the episode has ended, False, and info.

        Raises UsageError, and changes nothing, for what is no action, or with `invalid="error"` is not possible.
        """
        jobs, machine, rewards, ends, masks = self._steps(self._actions(action))
        observation: Any = {"jobs": jobs[0], "machine": machine[0]}
        reward, done = float(rewards[0]), bool(ends[0])
        if self._functions is not None:
            observation, reward = self._functions.step(self._number, observation, reward, done)
        return observation, reward, done, False, self._info(masks)

    def _actions(self, action: Any) -> Any:
        return numpy.array([whole("action", action, LEAST)], numpy.int64)

    def _info(self, masks: NDArray[Any]) -> dict[str, Any]:
        return {
            "action_mask": masks[0], "episode_number": self._number, "invalid_actions": self._core.invalid_actions(0)
        }

    @property
    def seen(self) -> NDArray[numpy.int64]:
        """Which jobs the agent sees: their places in the episode's jobs by submission; shape (jobs that are seen).

        A job has one place for the whole episode, also if it waits for others.
        """
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
        """When the jobs of the ended episode started, in the order of submission; seconds. NaN: rejected."""
        return self._core.starts(0)


class _Masked(_Single):
    # As above.
    def action_masks(self) -> NDArray[numpy.bool_]:
        """Which actions are possible now: `info["action_mask"]`, as MaskablePPO of sb3-contrib asks for it."""
        masks: NDArray[numpy.bool_] = self._core.masks()[0]
        return masks


class PickEnv(_Masked):
    """The agent picks which waiting job is first.

    Whenever some waiting job could start, the agent sees the first `queue` ones and picks one. An action is its place.
    A job that can start does, and the agent picks again. Otherwise other jobs start in the order of submission, if they
    do not delay it (`backfilling="easy"`) or not at all (`"none"`), and the round ends.

    With `head="kept"` the picked job stays first until it starts. There is a round for each submission and each end of
    a job, and a pick whenever no job is first. Only jobs that end before its start are backfilled: by the estimates, as
    they were when it was picked.

    Observation: "jobs" (queue, 5) and "machine" (4), float32 in 0..1; pools, capacities and windows of the machine add
    features behind these. `info["action_mask"]` (queue) tells which places
    hold a job, `info["episode_number"]` which episode was drawn.
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


class BackfillEnv(_Masked):
    """The agent decides which job is backfilled.

    Jobs start in `order`, one of those of `easy`, until one cannot. This one gets a reservation. While other jobs may
    start without delaying it, the agent sees the first `queue` of them by submission. An action is the place of the one
    that starts, or `queue`: none of them.

    Observation: "jobs" (queue, 5) and "machine" (6), float32 in 0..1, or more as for PickEnv.
    `info["action_mask"]` has the shape (queue + 1).
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
        given = order_of(order, weights, scales, order_field)
        super().__init__(workloads, platform, options, task="backfill", order=given)


class WeightsEnv(_Single):
    """The agent sets the weights of `easy,order=mixed` once a period.

    An action has six weights, of which one is not 0: of processors, walltime, wait, walltime / processors, (wait +
    walltime) / walltime, and walltime * processors. `scales` are their divisors. The first valid action, in place of
    six times 0, is 1, 0, 0, 0, 0, 0. A step lasts until the first round of another `period` in which jobs wait; periods
    are counted from time 0.

    Observation: "jobs" (queue, 5), the first waiting jobs by submission, and "machine" (4), float32 in 0..1, or more as
    for PickEnv.
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
        given = order_of("mixed", None, scales, None)
        super().__init__(workloads, platform, options, task="weights", period=period, order=given)
        if gymnasium is not None:
            self.action_space = gymnasium.spaces.Box(-1, 1, (6,), numpy.float32)

    def _actions(self, action: Any) -> Any:
        return weights_of(action, 6)

    def _steps(self, actions: Any) -> tuple[Any, ...]:
        return self._core.step_weights(actions)

    def _info(self, masks: NDArray[Any]) -> dict[str, Any]:
        return {"episode_number": self._number, "invalid_actions": self._core.invalid_actions(0)}


class _Vector(_Together):
    """As many environments as `count`, stepped together on all cores. One that ends begins its next episode at once.

    The other arguments are those of the single form. The draws of environment i are those of a single one with the seed
    plus i. `threads` is by default the number of cores. There are no functions for features and rewards: for these,
    gymnasium.make_vec() steps single environments. A forked process cannot step them.
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
        self.count = whole("count", count, 1, 10**6)
        crew = 0 if threads is None else whole("threads", threads, 1)
        if given.get("features") is not None or callable(given.get("reward")):
            name = "reward" if given.get("features") is None else "features"
            raise _core.UsageError(f"{name}: only single environments take a function, for more use gymnasium.make_vec")
        super().__init__(workloads, platform, self.count, crew, True, given, options)

    def reset(
        self, seed: int | None = None, episode: int | None = None
    ) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Begins episodes; returns jobs (count, queue, 5 or more), machine (count, 4 or 6 or more), and action masks.

        All begin the same `episode` if it is given; the next ones are drawn.
        """
        jobs, machine, _, _, masks = self._begin(seed, None if episode is None else whole("episode", episode, 0))
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

    @property
    def invalid_actions(self) -> NDArray[numpy.int64]:
        """How many actions of the episode were not possible; of the ended one, where it is done. Shape (count)."""
        return numpy.array([self._core.invalid_actions(place) for place in range(self.count)], numpy.int64)

    def action_masks(self) -> NDArray[numpy.bool_]:
        """Which actions are possible now: the action masks of the last step or reset()."""
        return self._core.masks()

    def close(self) -> None:
        """Ends the episodes. reset() begins new ones."""
        self._core.close()

    def _actions(self, actions: Any) -> Any:
        return places(actions, self.count)


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
        **options: Unpack[_VectorOptions],
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
        **options: Unpack[_VectorOptions],
    ) -> None:
        given = order_of(order, weights, scales, order_field)
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
        **options: Unpack[_VectorOptions],
    ) -> None:
        given = order_of("mixed", None, scales, None)
        super().__init__(count, workloads, platform, threads, options, task="weights", period=period, order=given)

    def _actions(self, actions: Any) -> Any:
        return weights_of(actions, self.count, 6)

    def _steps(self, actions: Any) -> tuple[Any, ...]:
        return self._core.step_weights(actions)


State.__module__ = "batfill.gym"  # where users find it

# What is common is told in each.
for _kind in (PickEnv, BackfillEnv, WeightsEnv, VectorPickEnv, VectorBackfillEnv, VectorWeightsEnv):
    if _kind.__doc__ is not None:  # python -OO has no docstrings
        _common: Any = _Single if issubclass(_kind, _Single) else _Vector
        _kind.__doc__ = f"{_kind.__doc__.rstrip()}\n\n    {_common.__doc__}"

for _id, _entry in {
    "batfill/Pick-v0": "batfill.gym:PickEnv",
    "batfill/Backfill-v0": "batfill.gym:BackfillEnv",
    "batfill/Weights-v0": "batfill.gym:WeightsEnv",
    "batfill/RLScheduler-v0": "batfill.rlscheduler:RLSchedulerEnv",
}.items():
    if gymnasium is not None and _id not in gymnasium.registry:
        gymnasium.register(_id, _entry)
