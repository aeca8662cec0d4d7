"""Many replays on all cores."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Union

from . import _core
from ._arguments import AnyPath, checked_progress, is_path, path_text, shown, threads_of, utf8
from ._executor import elsewhere
from ._notebook import intervals, number, table
from ._plot import means_of, plot_comparison
from ._machine import Amounts, Lines, Platform, machine_of
from ._run import as_workload
from ._scheduler import AnyScheduler, as_core, label_of
from ._cleaning import Seconds
from ._workload import Workload

if TYPE_CHECKING:
    import concurrent.futures

    import numpy
    import numpy.typing
    import pandas
    from matplotlib.axes import Axes


class Comparison:
    """The metrics of workloads under several schedulers. Printed, it is the table of `batfill compare`."""

    def __init__(self, core: "_core.Comparison", metric: str | None) -> None:
        """Not for users: see compare(). `metric` is the only one that was computed, or None for all."""
        self._core = core
        self._metric = metric

    @property
    def workloads(self) -> list[str]:
        """The names of the workloads, in the order of the rows."""
        return self._core.workloads

    @property
    def schedulers(self) -> list[str]:
        """The names of the schedulers, in the order of the columns."""
        return self._core.schedulers

    def values(self, metric: str | None = None) -> "numpy.typing.NDArray[numpy.float64]":
        """The values of a metric, shape (workloads, schedulers); NaN where no job counts for it.

        `metric` is by default the one that was compared, else mean_bounded_slowdown. Raises UsageError for one that was
        not computed.
        """
        asked = (self._metric or "mean_bounded_slowdown") if metric is None else metric
        flat = self._core.values(asked)
        if self._metric not in (None, asked):
            raise _core.UsageError(
                f"metric: {asked} was not computed, expected {self._metric}; compare() without a metric computes all"
            )
        return flat.reshape(len(self.workloads), len(self.schedulers))

    def to_pandas(self, metric: str | None = None) -> "pandas.DataFrame":
        """The values of a metric with a row per workload and a column per scheduler. Needs pandas."""
        import pandas

        return pandas.DataFrame(self.values(metric), index=self.workloads, columns=self.schedulers)

    def table(self, format: Literal["table", "csv", "json", "markdown", "latex"] = "table") -> str:
        """The table of `batfill compare --format`: means over the workloads, with confidence intervals of 95 %.

        Its marks hold for the whole table.
        """
        return self._core.table(format)

    def plot(self, metric: str | None = None, ax: Any = None, **style: Any) -> "Axes":
        """Draws the means of a metric by matplotlib, with the intervals and marks of the table, and returns the axes.

        `ax` are the axes to draw on, by default those of a new figure. `style` goes to `Axes.errorbar`.
        """
        asked = self._asked(metric)
        return plot_comparison(self.table("csv"), asked, self._core.title(asked), ax, style)

    def _asked(self, metric: str | None) -> str:
        """The metric, which was computed."""
        self.values(metric)
        return (self._metric or "mean_bounded_slowdown") if metric is None else metric

    def _repr_html_(self) -> str:
        asked = self._metric or "mean_wait"
        title = self._core.title(asked)
        rows = means_of(self.table("csv"), asked)
        return table([(name, number(mean), number(low), number(high)) for name, mean, low, high in rows],
                     ["", title, "from", "to"]) + intervals(rows, title)

    @property
    def note(self) -> str:
        """Why the table has no confidence intervals, or no marks; empty if it has both. The printed table says it."""
        if self._metric not in (None, "mean_wait") and not self._core.note:
            return f"only {self._metric} was computed, and marks rest on the mean wait"
        return self._core.note

    def __str__(self) -> str:
        return self.table()

    def __repr__(self) -> str:
        return f"<Comparison of {len(self.schedulers)} schedulers on {len(self.workloads)} workloads>"


Workloads = Union[Workload, AnyPath, Iterable[Union[Workload, AnyPath]]]


def workloads_of(workloads: Workloads) -> list[Workload]:
    """One workload or several, objects or files, as a list."""
    if is_path(workloads) or not isinstance(workloads, Iterable):
        return [as_workload(workloads)]
    several: Iterable[Any] = workloads
    return [as_workload(workload) for workload in several]


def compare(
    workloads: Workloads,
    schedulers: Union[Iterable[AnyScheduler], Mapping[str, AnyScheduler]],
    metric: str | None = None,
    *,
    platform: Platform | None = None,
    pools: Amounts | None = None,
    capacity: Amounts | None = None,
    windows: Lines | None = None,
    limits: Lines | None = None,
    master_host: str = "master_host",
    log: AnyPath | None = None,
    baseline: str | None = None,
    weeks: bool = False,
    threads: int | None = None,
    executor: "concurrent.futures.Executor | None" = None,
    tau: Seconds = _core.DEFAULT_TAU,
    short_deadline: Seconds = _core.DEFAULT_SHORT_DEADLINE,
    progress: Callable[[int, int], object] | None = None,
) -> Comparison:
    """Replays each workload under each scheduler, on all cores, as `batfill compare`.

    `schedulers` are names ("easy,order=saf") and instances of batfill.Scheduler; a dict gives each its name in
    the table. `metric` is the only one to compute, by default all. `platform`, `pools`, `capacity`, `windows` and
    `limits` are as in simulate(), by default as many hosts as each workload says. `log` is a log (.swf), or the
    jobs.csv that `batfill import --schedule` wrote of the same jobs: what happened on its machine is one more
    scheduler, "log".
    `baseline` is the name of the scheduler that the table compares the others with, by default the first.
    `weeks` says that the workloads are consecutive weeks of one log, such as Workload.weeks() gives, which depend on
    each other: then intervals need 20 of them.
    `threads` is by default the number of cores. With `executor`, any of concurrent.futures, its workers replay instead:
    processes, or those of a cluster, with the same results. They need this build of batfill, and no common files.
    `progress(done, total)` is called after each replay.

    Raises InputError, which names workload and scheduler, if a job is rejected: values over different jobs must not be
    compared.

    >>> import batfill
    >>> weeks = batfill.Workload.lublin(jobs=2000, processors=64, seed=1, load=0.9).weeks()
    >>> comparison = batfill.compare(weeks[:2], ["fcfs", "easy"], "mean_wait")
    >>> comparison.values().shape
    (2, 2)
    """
    jobs = workloads_of(workloads)
    if isinstance(schedulers, (str, bytes, type)) or not hasattr(schedulers, "__iter__"):
        raise _core.UsageError(f"schedulers: expected a list or dict, found {shown(schedulers)}")
    named: list[tuple[str, Any]] = []
    entries = schedulers.items() if isinstance(schedulers, Mapping) else ((None, one) for one in schedulers)
    for name, scheduler in entries:
        if not isinstance(name, (str, type(None))) or name == "":
            raise _core.UsageError(f"schedulers: expected names as keys, found {shown(name)}")
        given = as_core(scheduler)
        if name is None:
            name = _core.name_of_scheduler(given) if isinstance(given, str) else label_of(given)
        named.append((utf8(name), given))
    if not isinstance(baseline, (str, type(None))):
        raise _core.UsageError(f"baseline: expected the name of a scheduler, found {shown(baseline)}")
    if not jobs or not named:
        raise _core.UsageError("expected at least one workload and one scheduler")
    core, notes = _core.compare(
        [(utf8(str(workload.name)), workload._core) for workload in jobs],
        named,
        metric,
        machine_of(platform, pools, capacity, windows, limits, master_host),
        None if log is None else path_text(log, "log"),
        None if baseline is None else utf8(baseline),
        bool(weeks),
        threads_of(threads),
        tau,
        short_deadline,
        checked_progress(progress),
        elsewhere(executor, threads, {str(column): given for column, (_, given) in enumerate(named)}),
    )
    for note in notes:
        warnings.warn(note, stacklevel=2)
    return Comparison(core, metric)
