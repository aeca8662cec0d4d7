"""One simulation, and what came of it."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Union

from . import _core
from ._arguments import AnyPath, is_path, path_text, path_texts, shown, utf8
from ._columns import Columns
from ._scheduler import AnyScheduler, as_core, label_of, parameters_of
from ._cleaning import Seconds
from ._machine import Amounts, Lines, Platform, machine_of
from ._notebook import intervals, number, picture, table
from ._plot import plot_run
from ._workload import Workload


@dataclass(frozen=True)
class CheckReport:
    """What an audit of a schedule found; numbers of jobs."""

    jobs: int
    rejected: int
    deadlines: int
    missed_deadlines: int
    guarantees: int
    broken_guarantees: int
    resubmitted: int
    violations: list[str]
    """A line for each violation of the rules in docs/metrics.md; none in a correct schedule."""

    def _repr_html_(self) -> str:
        counts = {name.replace("_", " "): value for name, value in vars(self).items() if isinstance(value, int)}
        rows = [("violations", str(len(self.violations))), *((name, str(value)) for name, value in counts.items())]
        chart = intervals([(name, value, 0, value) for name, value in counts.items()], "number of jobs")
        return table(rows) + chart + table(("", text) for text in self.violations[:5])


@dataclass(frozen=True)
class Explanation:
    """Why jobs waited."""

    text: str
    """For a person: a paragraph for each job."""
    reasons: Columns
    """A row for each instant at which the answer changed, with the columns of `explain.csv`."""

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__


class Run:
    """One simulation, over: its schedule, metrics, audit and files."""

    def __init__(self, core: _core.Run, again: Callable[[list[str]], Explanation] | None = None) -> None:
        """Not for users: see simulate(). `again` simulates again, to explain jobs."""
        self._core = core
        self._again = again

    @functools.cached_property
    def _jobs(self) -> Columns:
        names = _core.columns() + self._core.workload_columns()
        unlisted = {"user", "queue"} - set(names)
        return Columns(names, len(self._core), self._core.column, sorted(unlisted))

    def __getstate__(self) -> dict[str, Any]:
        return {**{name: value for name, value in vars(self).items() if name != "_jobs"}, "_again": None}

    @property
    def jobs(self) -> Columns:
        """The schedule: a row per job in the order in which they ended, with the columns of `jobs.csv`.
        `user` and `queue` follow if the workload has them.

        Times are float64 in seconds, NaN for a job that never ran. The arrays are made of the schedule in memory, not
        of a text, and equal what `batfill simulate` writes.
        """
        return self._jobs

    def metrics(
        self,
        tau: Seconds = _core.DEFAULT_TAU,
        short_deadline: Seconds = _core.DEFAULT_SHORT_DEADLINE,
        wait_from: Literal["submission", "eligible"] = "submission",
    ) -> dict[str, float | None]:
        """All metrics by their names in `batfill metrics --format json`; None where no job counts for one.

        With `wait_from="eligible"`, waits of jobs that waited for others begin when they had none left to wait for.
        """
        return _core.Run.metrics(self._core, tau, short_deadline, wait_from)

    def check(self, deadlines: bool = False, allow_rejections: bool = False) -> CheckReport:
        """Audits the schedule, and the guarantees of the scheduler, as `batfill check`."""
        return CheckReport(**self._core.check(deadlines, allow_rejections))

    @property
    def guarantees(self) -> Columns | None:
        """A row per row of `jobs`, with the columns of `guarantees.csv`; None if the scheduler guarantees nothing.

        These are job_id, guaranteed_start (NaN: nothing), actual_start (NaN: rejected) and workload_name.
        """
        columns = self._core.guarantees()
        if columns is None:
            return None
        made = {**columns, "starting_time": columns["actual_start"]}  # its name before
        return Columns(list(columns), len(self._core), made.__getitem__, ["starting_time"])

    @property
    def eligible(self) -> Columns | None:
        """A row per job that waits for others (`after`), with the columns of `eligible.csv`; None if no job does.

        These are job_id, eligible_time (NaN: it never became eligible, so it was rejected) and workload_name.
        """
        columns = self._core.eligible()
        return None if columns is None else Columns(list(columns), len(columns["job_id"]), columns.__getitem__)

    @property
    def statistics(self) -> dict[str, int]:
        """What the scheduler counted, as in PREFIX_statistics.csv."""
        return self._core.statistics()

    @property
    def rejected(self) -> dict[str, int]:
        """The numbers of rejected jobs by why the first of them was rejected; empty in most runs."""
        return self._core.rejected()

    def explain(self, *jobs: str) -> Explanation:
        """Why these jobs waited, as `batfill simulate --explain`, by their ids in `jobs["job_id"]`.

        Simulates again. A scheduler in Python is copied before the first run for this; `round.because()` gives its
        reasons. Raises UsageError for an unknown job, for a run that was pickled, and if the scheduler has no copy.

        >>> import batfill
        >>> run = batfill.simulate(batfill.Workload.lublin(jobs=50, processors=8, seed=1, load=0.9), 8)
        >>> late = run.jobs["job_id"][run.jobs["waiting_time"].argmax()]
        >>> run.explain(late).text.startswith("job ")
        True
        """
        if self._again is None:
            raise _core.UsageError("explain: expected a run that simulate() has returned, found one that was pickled")
        return self._again([utf8(str(job)) for job in jobs])

    def plot(
        self,
        kind: Literal["gantt", "utilisation", "queue", "usage", "waits", "slowdowns"] = "gantt",
        ax: Any = None,
        *,
        tau: Seconds = _core.DEFAULT_TAU,
        since: Seconds | None = None,
        until: Seconds | None = None,
        colours: Sequence[str] | None = None,
        **style: Any,
    ) -> Any:
        """Draws a chart of `batfill plot` by matplotlib, and returns its axes: a list if there are several.

        `ax` are the axes to draw on, by default those of a new figure; a second run on them is a second line. `since`
        and `until` are its --from and --until. A Gantt chart takes `colours` for the classes of wait, and is drawn
        anew for each view. `style` goes to `Axes.plot`, as `color` or `label`.
        """
        return plot_run(self._core, kind, ax, tau, since, until, colours, style)

    def _repr_html_(self) -> str:
        metrics = self.metrics()
        rows = [(name.replace("_", " ") + unit, number(metrics[name]))
                for name, unit in (("jobs", ""), ("mean_wait", " (s)"), ("mean_bounded_slowdown", ""),
                                   ("utilisation", ""), ("makespan", " (s)"))]
        chart = picture(_core.svg(self._core, "utilisation", 5, 2)) if metrics["finished"] else ""
        return table(rows, ["", self._core.label]) + chart

    def report(self, path: AnyPath, title: str | None = None) -> None:
        """Writes the page of `batfill report`, one HTML file. See report() for several runs."""
        report([self], path, title)

    def save(self, prefix: AnyPath) -> list[str]:
        """Writes the files of `batfill simulate -o PREFIX`, all or none, and returns their paths."""
        return self._core.save(path_text(prefix, "prefix"))

    def __repr__(self) -> str:
        return f"<Run of {len(self._core)} jobs under {self._core.label}>"


def as_workload(workload: Union[Workload, AnyPath]) -> Workload:
    """A workload, also of the path of one: a log, known by its content, or JSON."""
    if isinstance(workload, Workload):
        return workload
    if not is_path(workload):
        raise _core.UsageError(f"workload: expected a batfill.Workload or a path, found {shown(workload)}")
    path = path_text(workload, "workload")
    return Workload.from_swf(path) if _core.is_log(path) else Workload.from_json(path)


def simulate(
    workload: Union[Workload, AnyPath],
    platform: Platform | None = None,
    scheduler: AnyScheduler = "easy",
    *,
    events: Union[AnyPath, Iterable[AnyPath]] = (),
    pools: Amounts | None = None,
    capacity: Amounts | None = None,
    windows: Lines | None = None,
    limits: Lines | None = None,
    master_host: str = "master_host",
    **parameters: Any,
) -> Run:
    """Replays a workload under a scheduler, as `batfill simulate`.

    `platform` is a number of hosts, the name of a platform that comes with batfill ("kth-sp2"), or a SimGrid platform
    file; by default as many hosts as the workload says. `scheduler` is a name, also with parameters
    ("easy,order=saf"), or an instance of a batfill.Scheduler. Other keywords are parameters of the scheduler, with _
    for -: `backfill_order="spf"`. `events` are files of machine events. `pools={"power": 400}` and
    `capacity={"cores": 32}` are what jobs share of the machine and of each host; they win over the platform's.
    `windows` are announced maintenance and reservations: a file, or a list of dicts with the keys of its lines, such as
    `{"name": "service", "from": 86400, "until": 100800, "hosts": "0-63"}`. So are `limits`, which say what users,
    accounts, ... may use at once: `{"of": "user", "most": {"processors": 256}}`.

    Raises UsageError for an unknown name or value, InputError for a job that cannot be simulated and if some jobs
    never start, DecisionError if a scheduler breaks a rule.

    >>> import batfill
    >>> workload = batfill.Workload.lublin(jobs=500, processors=64, seed=1, load=0.9)
    >>> batfill.simulate(workload, 64, "easy", order="saf")
    <Run of 500 jobs under easy>
    """
    jobs = as_workload(workload)
    given = as_core(scheduler)
    before = _copy_of(given)
    label = label_of(given)
    rest = (parameters_of(parameters), path_texts(events, "events"))
    machine = machine_of(platform, pools, capacity, windows, limits, master_host)

    def again(explained: list[str]) -> Explanation:
        if isinstance(before, Exception):
            raise _core.UsageError(f"explain: {label} cannot be copied: {before}") from before
        # The copy stays as it is: a run changes the scheduler that it gets.
        text, columns = _core.explain(jobs._core, machine, _copy_of(before), label, *rest, explained)
        return Explanation(text, Columns(list(columns), len(columns["job_id"]), columns.__getitem__))

    return Run(_core.simulate(jobs._core, machine, given, label, *rest), again)


def _copy_of(scheduler: Any) -> Any:
    """A deep copy of a scheduler, or why there is none."""
    # A user's own __deepcopy__ may raise anything.
    try:
        return copy.deepcopy(scheduler)
    except Exception as problem:  # pylint: disable=broad-exception-caught
        return problem


def report(
    runs: Union[Run, Iterable[Run]],
    path: AnyPath,
    title: str | None = None,
    tau: Seconds = _core.DEFAULT_TAU,
    short_deadline: Seconds = _core.DEFAULT_SHORT_DEADLINE,
) -> None:
    """Writes the page of `batfill report` for a run, or for runs of one workload side by side: one HTML file."""
    several = list(runs) if isinstance(runs, Iterable) else [runs]
    for run in several:
        if not isinstance(run, Run):
            raise _core.UsageError(f"runs: expected a batfill.Run or several, found {shown(run)}")
    if not several:
        raise _core.UsageError("runs: expected at least one, found none")
    cores = [run._core for run in several]
    name = ", ".join(core.label for core in cores) if title is None else title
    _core.write_report(cores, path_text(path), utf8(str(name)), tau, short_deadline)
