"""Schedulers written in Python, and the daemon."""

from __future__ import annotations

import inspect
from typing import Any, Union

from . import _core
from ._arguments import shown, utf8
from ._cleaning import Seconds
from ._machine import Amounts, Lines, Platform, machine_of


class Scheduler:
    """A scheduler in Python: derive from it and implement `decide`.

    This one starts every job that fits, in the order of submission:

    >>> import batfill
    >>> class FirstFit(batfill.Scheduler):
    ...     def decide(self, round):
    ...         for job in range(len(round.waiting)):
    ...             round.try_start(job)
    >>> workload = batfill.Workload.lublin(jobs=200, processors=32, seed=1)
    >>> batfill.simulate(workload, 32, FirstFit()).check().violations
    []

    An instance is a scheduler wherever the name of one is: in `simulate`, `compare` and `serve`. `compare` gives each
    replay a deep copy. An exception in `decide` ends the run and reaches the caller with its traceback.
    """

    version: Union[str, int, None] = None
    """For `campaign`: results under another version are not kept. Change it when something changes that batfill cannot
    see, such as a file that the scheduler reads."""

    def begin(self, round: "_core.Round") -> None:
        """Called when a run begins: reset here what belongs to one run. No job is known yet."""

    def decide(self, round: "_core.Round") -> None:
        """Starts the jobs that are to start now.

        Called when jobs were submitted or ended, when the machine changed, and at the times of `round.wake_at()`.
        Decide only by the state: equal inputs should give equal schedules.
        """
        raise NotImplementedError(f"{type(self).__name__} has no decide(self, round)")

    def registers_jobs(self) -> bool:
        """Whether it may still register jobs by `round.register_job()`.

        A class that implements it has a first round when the simulation begins. The answer is asked for after `begin`
        and after each `decide`; a simulation goes on until it is False.
        """
        return False

    def reuses_profiles(self) -> bool:
        """Whether it registers jobs with profiles that ended jobs may have had. Batsim must allow this."""
        return False

    def gives_guarantees(self) -> bool:
        """Whether it promises starts by `round.promise()`."""
        return False

    def understands_resources(self) -> bool:
        """Whether it understands machines with pools, capacities, partitions, windows or limits, by `round.free`
        and `round.windows`. On others only processors count, and nobody asks."""
        return False

    def switches_processors(self) -> bool:
        """Whether it may put processors to sleep."""
        return False

    def statistics(self) -> dict[str, int]:
        """Counts of a run, for `Run.statistics` and PREFIX_statistics.csv."""
        return {}


AnyScheduler = Union[str, Scheduler]


def as_core(scheduler: Any) -> Any:
    """The name of a scheduler, or an instance, as the extension module takes them."""
    if isinstance(scheduler, str):
        return scheduler
    if isinstance(scheduler, type) and issubclass(scheduler, Scheduler):
        scheduler = scheduler()
    if isinstance(scheduler, Scheduler):
        _require_ordinary_methods(scheduler)
        return scheduler
    raise _core.UsageError(
        "scheduler: expected a name such as 'easy,order=saf' or an instance of batfill.Scheduler, "
        f"found {shown(scheduler)}"
    )


_METHODS = tuple(name for name, member in vars(Scheduler).items() if inspect.isfunction(member))


def _require_ordinary_methods(scheduler: Scheduler) -> None:
    """Raises UsageError for one whose call would run nothing: with async, or with yield."""
    for name in _METHODS:
        method = inspect.getattr_static(scheduler, name, None)  # runs no code of the user
        method = getattr(method, "__func__", method) if isinstance(method, (classmethod, staticmethod)) else method
        found = "with async" if inspect.iscoroutinefunction(method) or inspect.isasyncgenfunction(method) else ""
        found = "with yield" if inspect.isgeneratorfunction(method) else found
        if found:
            raise _core.UsageError(
                f"scheduler: {name} must be an ordinary method, found one {found} in {label_of(scheduler)}"
            )


def label_of(scheduler: Any) -> str:
    """The name of a scheduler in tables and errors."""
    return scheduler if isinstance(scheduler, str) else type(scheduler).__name__


def parameters_of(keywords: dict[str, Any]) -> list[tuple[str, str]]:
    """Parameters of a scheduler as `-P` takes them: backfill_order="spf" is backfill-order=spf."""

    def text(value: Any) -> str:
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, (list, tuple)):
            return ",".join(text(one) for one in value)
        return str(value)

    return [(key.replace("_", "-"), utf8(text(value))) for key, value in keywords.items() if value is not None]


def serve(
    scheduler: AnyScheduler,
    endpoint: str = _core.DEFAULT_ENDPOINT,
    *,
    keep_alive: bool = False,
    idle_timeout: Seconds | None = None,
    protocol: str = "auto",
    platform: Platform | None = None,
    pools: Amounts | None = None,
    capacity: Amounts | None = None,
    windows: Lines | None = None,
    limits: Lines | None = None,
    log_level: str = "off",
    **parameters: Any,
) -> None:
    """Schedules for Batsim 4 or 5, as `batfill serve`, until the simulation has ended.

    With `keep_alive`, serves one simulation after another, until Ctrl-C. `idle_timeout` is in seconds. `protocol` is
    "4" or "5" for this version of Batsim alone, or "wrench" for WRENCH. Other keywords are parameters of the
    scheduler. `log_level="info"` logs to the standard output.
    """
    given = as_core(scheduler)
    _core.serve(
        given,
        label_of(given),
        parameters_of(parameters),
        machine_of(platform, pools, capacity, windows, limits),
        {"endpoint": endpoint, "keep_alive": keep_alive, "idle_timeout": idle_timeout, "protocol": protocol,
         "log_level": log_level},
    )
