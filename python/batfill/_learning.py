"""What the environments for learning check, and what they hand to the functions of users."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Union

import numpy

from . import _core
from ._arguments import converted, shown, utf8, whole_number
from ._columns import Columns
from ._machine import A_PLATFORM, machine_of, platform_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Observation = Union[NDArray[Any], dict[str, NDArray[Any]]]

LEAST, LARGEST = -(2**63), 2**63 - 1


def whole(name: str, value: Any, least: int, most: int = LARGEST) -> int:
    """A whole number in least..most. Raises UsageError."""
    number = whole_number(value)  # also of a NumPy array without dimensions, as agents return them
    if number is None or not least <= number <= most:
        bounds = f" in {least}..{most}"
        if most == LARGEST:
            bounds = "" if least == LEAST else f" from {least}"
        raise _core.UsageError(f"{name}: expected a whole number{bounds}, found {shown(value)}")
    return number


class _NoRendering(_core.UsageError, TypeError):
    """Like an unexpected keyword: Stable-Baselines3 asks for pictures, and after a TypeError makes do without."""


def require_no_rendering(render_mode: Any) -> None:
    """Raises an error that is a UsageError and a TypeError."""
    if render_mode is not None:
        raise _NoRendering(f"render_mode: expected None, as there are no pictures, found {shown(render_mode)}")


def seed_of(value: Any) -> int | None:
    """A seed, or None."""
    return None if value is None else whole("seed", value, 0)


def truth(name: str, value: Any) -> bool:
    """A value that is True or False. Raises UsageError."""
    if not isinstance(value, (bool, numpy.bool_)):
        raise _core.UsageError(f"{name}: expected True or False, found {shown(value)}")
    return bool(value)


def machine_for(platform: Any, **details: Any) -> "_core.Machine":
    """The machine of these keywords of machine_of(). Raises UsageError."""
    text = None if platform is None else platform_text(platform)
    if text is not None and utf8(text) != text:
        raise _core.UsageError(f"platform: expected {A_PLATFORM}, found {shown(platform)}")
    return machine_of(text, **details)


def episode_of(options: Any) -> int | None:
    """The episode that the options of reset() select, or None. Raises UsageError."""
    if options is None:
        return None
    if not isinstance(options, Mapping):
        raise _core.UsageError(f'options: expected a dict such as {{"episode": 700}}, found {shown(options)}')
    number = options.get("episode")
    return None if number is None else whole("episode", number, 0)


def places(given: Any, count: int) -> NDArray[numpy.int64]:
    """Actions that are whole numbers. Raises UsageError."""
    actions = given if isinstance(given, numpy.ndarray) else _numbers(given)
    if actions is None or actions.shape != (count,) or actions.dtype.kind not in "iu":
        raise _core.UsageError(f"actions: expected {count} whole numbers, found {_described(given, actions)}")
    return numpy.ascontiguousarray(actions, numpy.int64)


def weights_of(given: Any, *shape: int) -> NDArray[numpy.float64]:
    """Actions that are weights. Raises UsageError."""
    actions = given if isinstance(given, numpy.ndarray) else _numbers(given)
    if actions is None or actions.shape != shape or actions.dtype.kind not in "iuf":
        raise _core.UsageError(f"action: expected weights of shape {shape}, found {_described(given, actions)}")
    return numpy.ascontiguousarray(actions, numpy.float64).reshape(-1, 6)


def order_of(order: Any, weights: Any, scales: Any, field: Any) -> list[tuple[str, str]]:
    """The parameters of an order. Raises UsageError."""
    given = [("order", _word("order", order))]
    for name, values in (("weights", weights), ("scales", scales)):
        if values is not None:
            is_list = hasattr(values, "__iter__") and not isinstance(values, (str, bytes))
            found = _numbers([*values] if is_list else values)
            if found is None or found.shape != (6,) or found.dtype.kind not in "iuf":
                raise _core.UsageError(f"{name}: expected 6 numbers, found {_described(values, found)}")
            given.append((name, ",".join(repr(float(value)) for value in found)))
    return given if field is None else [*given, ("order-field", _word("order_field", field))]


def _word(name: str, value: Any) -> str:
    if isinstance(value, str) and utf8(value) == value:
        return value
    raise _core.UsageError(f"{name}: expected a word, found {shown(value)}")


def _numbers(given: Any) -> NDArray[Any] | None:
    """An array; None if there is none of one shape."""
    return converted(numpy.asarray, given)


def _described(given: Any, array: NDArray[Any] | None) -> str:
    """What was given in place of numbers of some shape."""
    if array is None or array.dtype.kind not in "biuf":
        return shown(given)
    return f"{array.dtype} {array.shape}"


_JOB = ["job", "submit", "processors", "walltime"]
_COLUMNS = {
    "seen": _JOB,
    "waiting": _JOB,
    "running": [*_JOB, "start"],
    "started": [*_JOB, "start", "run_time"],
    "ended": [*_JOB, "start", "run_time", "end"],
}


class State:
    """The state at a decision, or at the end of an episode: what the functions for features and rewards get.

    Times are seconds from the beginning of the episode. Tables of jobs are `batfill.Columns` with the columns job (its
    place in the episode by submission), submit (as the workload says, also of jobs that wait for others), processors
    and walltime; some have more. Read columns before the next step.
    """

    now: float
    """The time; at the end of the episode, that of the last end of a job."""
    idle: int
    """The number of processors that jobs may use now."""
    processors: int
    """The number of processors of the machine."""
    reservation: tuple[float, int] | None
    """For BackfillEnv: the reserved start, and the processors of the job that has the reservation."""
    done: bool
    """Whether the episode has ended."""
    episode_number: int
    """As `info["episode_number"]`; with `window`, the job `i` of the episode is job `episode_number + i` of all."""
    observation: dict[str, NDArray[Any]]
    """The observation without own features."""

    def __init__(self, core: "_core.Environments", episode_number: int, observation: dict[str, NDArray[Any]]) -> None:
        """Not for users."""
        self.now, self.idle, self.processors, self.reservation, self.done = core.situation(0)
        self.episode_number = episode_number
        self.observation = observation
        self._core: "_core.Environments | None" = core
        self._tables: dict[str, Columns] = {}

    @property
    def seen(self) -> Columns:
        """The jobs that the agent sees: row i is the action i."""
        return self._table("seen")

    @property
    def waiting(self) -> Columns:
        """All waiting jobs, by submission."""
        return self._table("waiting")

    @property
    def running(self) -> Columns:
        """The running jobs, by start + walltime. Also the column start."""
        return self._table("running")

    @property
    def started(self) -> Columns:
        """The jobs that started in this step, or in the first one and before. Also the columns start and run_time."""
        return self._table("started")

    @property
    def ended(self) -> Columns:
        """The jobs that ended in this step, or in the first one and before. Also the columns start, run_time, end."""
        return self._table("ended")

    def _table(self, name: str) -> Columns:
        if name not in self._tables:
            core = self._live()
            self._tables[name] = Columns(
                _COLUMNS[name], core.number_of_jobs(0, name), lambda column: self._live().job_column(0, name, column)
            )
        return self._tables[name]

    def _live(self) -> "_core.Environments":
        if self._core is None:
            raise _core.UsageError("the state is of an earlier step: read its columns before the next one")
        return self._core

    def __repr__(self) -> str:
        return f"<State at {self.now:g} s, {self.idle} of {self.processors} processors idle>"


class Functions:
    """The features and rewards of a user. An exception of theirs, or in their place, ends the episode."""

    def __init__(
        self,
        core: "_core.Environments",
        features: Callable[[State], Any] | None,
        reward: Callable[[State], Any] | None,
        reward_at_end: bool,
    ) -> None:
        self._core, self._features, self._reward, self._at_end = core, features, reward, reward_at_end
        self._state: State | None = None
        self.empty: Observation | None = None
        """Zeros in the form of the features; None without a function for them."""
        if features is not None:
            jobs, machine, *_ = core.reset(0, None)
            self.empty = self._called(lambda: self._observe(core.episode(0), {"jobs": jobs[0], "machine": machine[0]}))
            self.forget()

    def forget(self) -> None:
        """Ends the episode, as before the first reset()."""
        self._close_state()
        self._core.close()

    def begin(self, number: int, observation: dict[str, NDArray[Any]]) -> Any:
        """The observation of the first decision."""
        return self._called(lambda: self._observe(number, observation))

    def step(self, number: int, observation: dict[str, NDArray[Any]], reward: float, done: bool) -> tuple[Any, float]:
        """The observation and reward of a step."""

        def call() -> tuple[Any, float]:
            found = self._observe(number, observation, done)
            if self._reward is None:
                return found, reward
            if self._at_end and not done:
                return found, 0.0
            return found, _finite(self._reward(self._look(number, observation)))

        found: tuple[Any, float] = self._called(call)
        return found

    def _called(self, call: Callable[[], Any]) -> Any:
        self._close_state()
        try:
            return call()
        except BaseException:
            self.forget()
            raise

    def _close_state(self) -> None:
        if self._state is not None:
            self._state._core = None
            self._state = None

    def _look(self, number: int, observation: dict[str, NDArray[Any]]) -> State:
        if self._state is None:
            self._state = State(self._core, number, observation)
        return self._state

    def _observe(self, number: int, observation: dict[str, NDArray[Any]], done: bool = False) -> Any:
        if self._features is None:
            return observation
        if done:
            return _zeros(self.empty)
        given = self._features(self._look(number, observation))
        found = _features(given)
        if self.empty is None:
            return _zeros(found)
        if _shapes(found) != _shapes(self.empty):
            expected = f"the shape {_shapes(self.empty)} of the first features"
            raise _core.UsageError(f"features: expected {expected}, found {_shapes(found)}")
        return found


def _zeros(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: numpy.zeros_like(array) for name, array in found.items()}
    return numpy.zeros_like(found)


def _features(given: Any) -> Any:
    """The features as arrays of float32."""
    if not isinstance(given, Mapping):
        return _feature("", given)
    if not given or not all(isinstance(name, str) for name in given):
        raise _core.UsageError(f"features: expected a dict of arrays by their names, found {shown(given)}")
    return {name: _feature(f" {name!r}:", array) for name, array in given.items()}


def _feature(name: str, given: Any) -> NDArray[numpy.float32]:
    array = _numbers(given)
    if array is None or array.dtype.kind not in "biuf" or array.size == 0:
        expected = "an array of numbers" + ("" if name else ", or a dict of such arrays")
        raise _core.UsageError(f"features:{name} expected {expected}, found {_described(given, array)}")
    with numpy.errstate(over="ignore"):
        found: NDArray[numpy.float32] = array.astype(numpy.float32)
    if not numpy.isfinite(found).all():
        wrong = array[~numpy.isfinite(found)].flat[0]
        raise _core.UsageError(f"features:{name} expected finite numbers of 32 bits, found {wrong}")
    return found


def _shapes(found: Any) -> Any:
    if isinstance(found, dict):
        return {name: array.shape for name, array in found.items()}
    return found.shape


def _finite(given: Any) -> float:
    """A reward. Raises UsageError."""
    value = given.item() if isinstance(given, numpy.ndarray) and given.ndim == 0 else given
    number = converted(float, value) if isinstance(value, (numbers.Real, numpy.bool_)) else None
    if number is None or not math.isfinite(number):
        raise _core.UsageError(f"reward: expected a finite number, found {shown(given)}")
    return number
